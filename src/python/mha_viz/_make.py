# SPDX-License-Identifier: MIT
"""What the commands of the program make: bytes, records, pages."""
from __future__ import annotations

import contextlib
import html
import importlib
import json
import math
import sys
import warnings
from ctypes import byref, c_char_p, c_size_t, c_void_p
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from . import _library
from ._error import MhaVizError, MhaVizWarning, Status, type_of, usage
from ._file import File, FileLike
from ._records import Records
from ._work import Stop

#: Called with the share of the run that is done, in [0, 1], or None; True: tqdm; None: nothing.
Share = Union[None, bool, Callable[[Optional[float]], Any]]


# ---- progress ----

@contextlib.contextmanager
def _telling(progress: Share) -> Iterator[Optional[Callable[[Optional[float]], Any]]]:
    if progress is None or progress is False:
        yield None
    elif progress is True:
        try:
            bar = importlib.import_module("tqdm.auto").tqdm(total=100, unit="%")
        except ImportError:
            yield None
            return
        with bar:
            yield lambda share: bar.update(max(0, int(100 * (share or 0)) - bar.n))
    elif callable(progress):
        yield progress
    else:
        raise usage(f"progress: expected a function or True, found {type_of(progress)}")


class _Callbacks:
    """What the library calls while it makes something."""

    def __init__(self, tell: Optional[Callable[[Optional[float]], Any]], stop: Stop) -> None:
        self._tell, self._stop = tell, stop
        self.raised: Optional[BaseException] = None

    def progress(self, _: Any, found: Any) -> int:
        try:
            if self._tell is not None and not self._stop.asked:
                share = found[0].share
                self._tell(None if math.isnan(share) else share)
            return int(self._stop.asked)
        except BaseException as error:      # nothing may leave through the library
            self.raised = error
            return 1


# ---- a task ----

def make(model: c_void_p, text: Optional[c_void_p], name: bytes, words: Sequence[bytes],
         second: tuple[Optional[c_void_p], Optional[c_void_p]],
         tell: Optional[Callable[[Optional[float]], Any]], stop: Stop,
         output: Optional[bytes]) -> bytes:
    """mhaviz_make: the bytes, to be written to output; the model hears warnings.

    Raises what tell raises.
    """
    callbacks = _Callbacks(tell, stop)
    array = (c_char_p * (len(words) + 1))(*words, None)
    task = _library.Task(name, array, second[0], second[1],
                         _library.PROGRESS(callbacks.progress), output=output)
    data, size = c_void_p(), c_size_t()
    try:
        _library.call("mhaviz_make", model, text, byref(task), byref(data), byref(size))
    except MhaVizError:
        if callbacks.raised is not None:
            raise callbacks.raised from None
        raise
    return _library.taken(data, size)


def warn(messages: Sequence[str]) -> None:
    """Warnings at the line that called this package, each once."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    for message in dict.fromkeys(messages):
        warnings.warn(message, MhaVizWarning, stacklevel=level)


def records(data: bytes, text: Optional[str]) -> Records:
    """Reports of --json, one object per line -> the records of their heads.

    Several objects: each record says its "index", and the "part" of a text in pieces.  null is
    None.
    """
    try:
        objects = [json.loads(line) for line in data.splitlines()]
    except ValueError:
        raise MhaVizError(Status.SYSTEM, "the library gave no JSON") from None
    found: list[dict[str, Any]] = []
    for one in objects:
        place = {name: one[name] for name in ("index", "part")
                 if name in one and (name == "part" or len(objects) > 1)}
        found += [{**place, **head} for head in one.pop("heads", [])]
    result = Records(found, text)
    result.about = objects[0] if objects else {}
    return result


def numbers(found: Records) -> Records:
    """Those of stats without their links: metrics that are numbers as floats, NaN: undefined."""
    names = set(_library.metrics())
    for record in found:
        for name in ("links", "top", "types"):
            record.pop(name, None)
        for name in names & record.keys():
            if isinstance(record[name], dict):
                raise usage("summary: stats gives the numbers of texts, not of a summary: use "
                            "make('stats', ..., summary=True, json=True)")
            record[name] = math.nan if record[name] is None else float(record[name])
    return found


class Page(str):
    """The HTML of a page, which a notebook shows in a frame of its own.

    The frame has no access to the notebook: scripts of the page run, and it may save files and
    print; nothing else is allowed.  It has no address to be copied.
    """

    def save(self, path: FileLike) -> None:
        """Writes it to a file: a path, or an object with write() that takes bytes.

        Raises:
            MhaVizError: USAGE: none of these; SYSTEM: the file cannot be written.
        """
        File.save(path, "html", self.encode("utf-8"))

    def __repr__(self) -> str:
        return f"<mha_viz.Page: {len(self)} characters of HTML>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        frame = ('<iframe sandbox="allow-scripts allow-downloads allow-modals" '
                 'style="width: 100%; height: 640px; border: 0" '
                 f'title="mha-viz report" srcdoc="{html.escape(self, quote=True)}"></iframe>')
        return {"text/html": frame, "text/plain": repr(self)}
