# SPDX-License-Identifier: MIT
"""Calls that take long, on threads of their own, so that Ctrl-C is heard while they run.

A call through ctypes is deaf to signals until it returns, and Python handles signals on its
main thread only.  So the main thread waits for a worker; an exception that comes to it while it
waits, such as KeyboardInterrupt, asks the worker to stop.  Other threads call directly.

The threads stay for the next call.  They are not of the threading module, whose start() waits
for ever where memory runs out in the new thread.
"""
from __future__ import annotations

import _thread
import atexit
import os
import threading
from typing import Any, Callable, Generic, Optional, TypeVar

T = TypeVar("T")

#: How long a wait is until it looks again, should what wakes it have been lost.
WAIT_S = 0.2


class Stop:
    """Whether a run is asked to stop; what is read by the callbacks of the library."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self) -> None:
        self.asked = True


class Watch:
    """Tells the library, which asks now and then, whether its run is asked to stop."""

    def __init__(self) -> None:
        self.stop: Optional[Stop] = None        # of the run at hand

    def progress(self, _: Any, found: Any) -> int:
        stop = self.stop
        return int(stop is not None and stop.asked)


class Runner:
    """A thread that waits for a worker, runs it and waits for the next."""

    def __init__(self) -> None:
        self._go = _thread.allocate_lock()
        self._worker: Optional[Worker[Any]] = None
        self._go.acquire()
        _thread.start_new_thread(self._loop, ())

    def take(self, worker: Worker[Any]) -> None:
        self._worker = worker
        self._go.release()

    def _loop(self) -> None:
        while True:
            self._go.acquire()
            worker, self._worker = self._worker, None
            if worker is not None:
                worker._run(self)
            del worker                  # nor what it made


class Worker(Generic[T]):
    """One call on another thread, which makes a value or an exception.

    An interrupt may come to the main thread between any two lines here, and memory may run out:
    who claims the worker first, its thread or cancel(), has it; that it has ended is said before
    the lock that is waited for is given back, so that one which an interrupt left taken holds up
    nobody.
    """

    def __init__(self, work: Callable[[], T], stop: Stop) -> None:
        self.stop = stop
        self.error: Optional[BaseException] = None
        self._work: Optional[Callable[[], T]] = work
        self._value: Any = None
        self._ended = False
        self._claim = _thread.allocate_lock()
        self._done = _thread.allocate_lock()
        self._done.acquire()

    def start(self) -> None:
        try:
            runner = _idle.pop()
        except IndexError:
            runner = Runner()
        runner.take(self)

    def _run(self, runner: Runner) -> None:
        if not self._claim.acquire(False):
            _idle.append(runner)
            return
        work = None
        try:
            _alive.add(self)
            work, self._work = self._work, None
            assert work is not None
            self._value = work()
        except BaseException as error:      # raised again where the value is wanted
            self.error = error
        work = None
        _alive.discard(self)
        try:
            _idle.append(runner)
        except MemoryError:                 # a thread that waits for ever
            pass
        self._end()

    def _end(self) -> None:
        self._ended = True
        self._done.release()

    def cancel(self) -> None:
        """Asks it to stop, and waits for its end where it has begun."""
        self.stop.ask()
        if not self._claim.acquire(False):
            self.wait()
        else:
            self._end()

    def wait(self) -> None:
        """Until it has ended.  Raises only what comes to this thread."""
        while not self._ended:
            if self._done.acquire(timeout=WAIT_S):
                self._done.release()

    def value(self) -> T:
        """What it made, once.  Raises what it raised."""
        self.wait()
        if self.error is not None:
            error, self.error = self.error, None
            try:
                raise error
            finally:
                del error               # no circle of the exception and this frame
        value, self._value = self._value, None
        return value  # type: ignore[no-any-return]


_idle: list[Runner] = []
_alive: set[Worker[Any]] = set()


def run(work: Callable[[Stop], T]) -> T:
    """work(stop), which looks at stop now and then.  Raises what work raises.

    Interrupted while it waits, the main thread asks the work to stop, waits for its end (a
    second interrupt ends that wait, too) and raises the interrupt.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        return work(stop)
    worker = Worker(lambda: work(stop), stop)
    try:
        worker.start()
        return worker.value()
    except BaseException:
        worker.cancel()
        raise


@atexit.register
def _end() -> None:
    """No thread is inside the library when the interpreter goes."""
    workers = list(_alive)
    for worker in workers:
        worker.stop.ask()
    for worker in workers:
        worker.wait()


def _forked() -> None:
    """A child has none of these threads."""
    _idle.clear()
    _alive.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
