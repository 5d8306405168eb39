# SPDX-License-Identifier: MIT
"""What the commands of the program make: options as keywords -> bytes, records, pages."""
from __future__ import annotations

import contextlib
import ctypes
import html
import importlib
import json
import math
import re
import warnings
from ctypes import byref, c_char_p, c_size_t, c_void_p
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from . import _arguments, _library
from ._error import MhaVizError, Status, type_of, usage
from ._records import Records
from ._work import Stop

#: Called with the share of the run that is done, in [0, 1], or None; True: tqdm; None: nothing.
Share = Union[None, bool, Callable[[Optional[float]], Any]]


# ---- options ----

def _value(value: Any, what: str) -> str:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise usage(f"{what}: expected a finite number, found {value}")
        return repr(value)
    if isinstance(value, str):
        return _arguments.text(value, what).decode()
    if hasattr(value, "__fspath__"):
        return _arguments.path(value, what).decode("utf-8", "replace")
    return str(_arguments.integer(value, what, -2 ** 31 + 1))


def option(name: str, value: Any) -> list[bytes]:
    """[b"--name=value"]; a list is joined by commas; True: b"--name"; False, None: nothing."""
    if not re.fullmatch("[a-z][a-z_0-9]*", name):
        raise usage(f"{name!r:.60} is not the name of an option")
    if value is None or value is False:
        return []
    long = "--" + name.replace("_", "-")
    if value is True:
        return [long.encode()]
    if isinstance(value, (list, tuple, range)):
        if not value:
            raise usage(f"{name}: an empty list")
        value = ",".join(_value(one, name) for one in value)
    return [f"{long}={_value(value, name)}".encode()]


def options(layers: Any, heads: Any, stack: Any, others: dict[str, Any]) -> list[bytes]:
    """The options of a command.  Errors: USAGE: values of other types."""
    words = [b"--%s=%s" % (name, value) for name, value in
             ((b"layer", _arguments.which(layers, "layers")),
              (b"head", _arguments.which(heads, "heads")),
              (b"stack", _arguments.optional(stack, "stack"))) if value is not None]
    for name, value in others.items():
        words += option(name, value)
    return words


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
        self.warnings: list[str] = []

    def progress(self, _: Any, found: Any) -> int:
        try:
            if self._tell is not None and not self._stop.asked:
                share = found[0].share
                self._tell(None if math.isnan(share) else share)
            return int(self._stop.asked)
        except BaseException as error:      # nothing may leave through the library
            self.raised = error
            return 1

    def warn(self, _: Any, message: Any) -> None:
        self.warnings.append((message or b"").decode("utf-8", "replace"))


# ---- a task ----

def make(model: c_void_p, text: Optional[c_void_p], name: bytes, words: Sequence[bytes],
         second: tuple[Optional[c_void_p], Optional[c_void_p]],
         tell: Optional[Callable[[Optional[float]], Any]], stop: Stop) -> tuple[bytes, list[str]]:
    """mhaviz_make: the bytes, and warnings.  Raises what tell raises."""
    callbacks = _Callbacks(tell, stop)
    array = (c_char_p * (len(words) + 1))(*words, None)
    task = _library.Task(ctypes.sizeof(_library.Task), name, array, second[0], second[1],
                         _library.PROGRESS(callbacks.progress), _library.WARN(callbacks.warn))
    data, size = c_void_p(), c_size_t()
    try:
        _library.call("mhaviz_make", model, text, byref(task), byref(data), byref(size))
    except MhaVizError:
        if callbacks.raised is not None:
            raise callbacks.raised from None
        raise
    return _library.taken(data, size), callbacks.warnings


def warn(messages: list[str]) -> None:
    """To the caller of the caller of Model._made."""
    for message in messages:
        warnings.warn(message, stacklevel=4)


def records(data: bytes, text: Optional[str]) -> Records:
    """Reports of --json, one object per line -> the records of their heads.

    Several objects: each record says its "index".  null is None.
    """
    try:
        objects = [json.loads(line) for line in data.splitlines()]
    except ValueError:
        raise MhaVizError(Status.SYSTEM, "the library gave no JSON") from None
    found: list[dict[str, Any]] = []
    for one in objects:
        index = {"index": one.get("index", 0)} if len(objects) > 1 else {}
        found += [{**index, **head} for head in one.pop("heads", [])]
    result = Records(found, text)
    result.about = objects[0] if objects else {}
    return result


class Page(str):
    """The HTML of a page, which a notebook shows in a frame of its own.

    The frame has no access to the notebook: scripts of the page run, and nothing else is allowed.
    """

    def save(self, path: _arguments.PathLike) -> None:
        """Writes it to a file.  Raises OSError."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self)

    def __repr__(self) -> str:
        return f"<mha_viz.Page: {len(self)} characters of HTML>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        frame = ('<iframe sandbox="allow-scripts" style="width: 100%; height: 640px; border: 0" '
                 f'title="mha-viz report" srcdoc="{html.escape(self, quote=True)}"></iframe>')
        return {"text/html": frame, "text/plain": repr(self)}
