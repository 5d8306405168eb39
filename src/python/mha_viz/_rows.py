# SPDX-License-Identifier: MIT
"""Rows of attention while they are computed, in bounded memory.

A worker runs the model; the library calls it with each block, which it copies into a queue of
at most LIMIT_BYTES, and waits while the queue is full.  The reader takes blocks out of it.
"""
from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Callable, Optional

from . import _library, _make
from ._error import MhaVizError, Status, usage
from ._numpy import numpy
from ._work import WAIT_S, Stop, Worker

if TYPE_CHECKING:
    from ._model import Model

#: What of the rows may wait for the reader, and one block at least.
LIMIT_BYTES = 32 << 20


@dataclass(frozen=True)
class Block:
    """Consecutive rows of one head.

    Attributes:
        stack: "encoder", "decoder" or "cross".
        layer, head: counted from 0.
        first_row, n_rows: the queries first_row .. first_row + n_rows - 1.
        first_key, n_keys: the keys that they may see; the weights of all others are 0.
        n_all_rows, n_all_keys: queries and keys of the text.
        buffer: the weights as they are in memory, 4 bytes each, row by row, for those who have
            no NumPy: memoryview(block.buffer).cast("f", [block.n_rows, block.n_keys]).
    """

    stack: str
    layer: int
    head: int
    first_row: int
    n_rows: int
    first_key: int
    n_keys: int
    n_all_rows: int
    n_all_keys: int
    buffer: bytes = field(repr=False)

    @property
    def weights(self) -> Any:
        """float32 [n_rows, n_keys], read-only: each row sums to 1, or to 0 where it sees no key.

        Errors: SYSTEM where NumPy is not there.
        """
        np = numpy()
        return np.frombuffer(self.buffer, np.float32).reshape(self.n_rows, self.n_keys)


def _copy(rows: _library.Rows) -> Block:
    size = 4 * rows.n_keys
    if rows.stride == rows.n_keys:
        buffer = ctypes.string_at(rows.weights, size * rows.n_rows)
    else:
        buffer = b"".join(ctypes.string_at(rows.weights + 4 * rows.stride * i, size)
                          for i in range(rows.n_rows))
    return Block(_library.STACKS[rows.stack], rows.layer, rows.head, rows.first_row, rows.n_rows,
                 rows.first_key, rows.n_keys, rows.n_all_rows, rows.n_all_keys, buffer)


class Flow(Stop):
    """The queue between the library and the reader, and one back for the bytes that were read.

    Both are of C: an interrupt leaves no lock behind.  Where there is no memory for what wakes
    the other side, it looks by itself after a while.
    """

    def __init__(self) -> None:
        super().__init__()
        self.blocks: SimpleQueue[Optional[Block]] = SimpleQueue()   # None: the end
        self.read: SimpleQueue[int] = SimpleQueue()
        self.said: list[str] = []           # warnings that the reader has yet to hear
        self.held_bytes = 0                 # of the library's side
        self.over = False                   # no block follows those in the queue
        self.ended = False                  # of the reader's
        self.reader = threading.get_ident()     # who would wait for itself

    def ask(self) -> None:
        super().ask()
        try:
            self.read.put(0)
        except MemoryError:
            pass

    def put(self, rows: _library.Rows) -> bool:
        """Whether to stop."""
        while self.held_bytes > LIMIT_BYTES and not self.asked:
            try:
                self.held_bytes -= self.read.get(timeout=WAIT_S)
            except Empty:
                pass
        if self.asked:
            return True
        block = _copy(rows)
        self.held_bytes += len(block.buffer)
        self.blocks.put(block)
        return False

    def end(self) -> None:
        self.over = True
        try:
            self.blocks.put(None)
        except MemoryError:
            pass

    def _next(self) -> Optional[Block]:
        while True:
            try:
                return self.blocks.get(timeout=WAIT_S)
            except Empty:
                if self.over and self.blocks.empty():
                    return None

    def get(self) -> Optional[Block]:
        """None: there are no more."""
        block = None if self.ended or self.asked else self._next()
        if block is None:
            self.ended = True
        else:
            self.read.put(len(block.buffer))
        return block


class RowStream:
    """An iterator of `Block`: what `Model.rows` returns.

    The model computes while it is read, and is busy until it ends: with the last block, with
    close(), or when nobody has it any more, as after leaving a for loop early.  The run then
    ends after the rows at hand.  It is also a context manager.
    """

    def __init__(self, model: Model, work: Callable[[Flow], None]) -> None:
        self._model = model
        self._work: Optional[Callable[[Flow], None]] = work
        self._flow = Flow()
        self._worker: Optional[Worker[None]] = None

    def __iter__(self) -> RowStream:
        return self

    def _start(self) -> None:
        flow, work, model = self._flow, self._work, self._model
        if work is None:
            raise StopIteration
        model._check_free()
        self._work = None

        def run() -> None:
            try:
                model._locked(lambda: work(flow), flow)
            finally:
                flow.end()

        self._worker = Worker(run, flow)
        self._worker.start()

    def __next__(self) -> Block:
        self._flow.reader = threading.get_ident()
        try:
            if self._worker is None:
                self._start()
            assert self._worker is not None
            block = self._flow.get()
            said = self._flow.said[:]
            del self._flow.said[:len(said)]
            _make.warn(said)
            if block is not None:
                return block
            self._worker.value()
        except MhaVizError as error:
            if error.status != Status.STOPPED:
                raise
            if self._model.closed:
                raise usage("the model was closed while its rows were read") from None
        except BaseException:
            self.close()
            raise
        raise StopIteration

    def close(self) -> None:
        """Ends the run, and waits for its end.  Once more: nothing."""
        self._work = None
        self._flow.ask()
        if self._worker is not None:
            self._worker.cancel()
        self._flow.blocks = SimpleQueue()

    def __enter__(self) -> RowStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Not waited for: this may be a thread that the run itself waits for.
        flow = getattr(self, "_flow", None)
        if flow is not None:
            flow.ask()
