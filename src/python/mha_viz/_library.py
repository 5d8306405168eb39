# SPDX-License-Identifier: MIT
"""libmhaviz: where it is, and mhaviz.h as ctypes has it.

The structures have the members of the header in its order; a test compares their sizes and
offsets with those of a C compiler.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import glob
import os
import weakref
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_void_p
from typing import Any, Callable, Optional

from ._error import MhaVizError, Status

#: The header that the structures below are those of.
VERSION = "0.1.0"
SONAME = "libmhaviz.so.0"

STACKS = ("encoder", "decoder", "cross")


class Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("message", ctypes.c_char * 640)]


class Bytes(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class Sized(ctypes.Structure):
    """A structure whose first member is its own size, which is set; in an array it is not."""

    def __init__(self, *members: Any, **named: Any) -> None:
        super().__init__(ctypes.sizeof(self), *members, **named)


_size = ("struct_size", c_size_t)


class Files(Sized):
    _fields_ = [_size, ("weights", Bytes), ("config", Bytes), ("tokenizer", Bytes)]


class Description(Sized):
    _fields_ = [_size, ("name", c_char_p), ("family", c_char_p), ("n_layers", c_int * 3),
                ("n_heads", c_int * 3), ("max_tokens", c_int)]


class Token(ctypes.Structure):
    _fields_ = [("id", c_int), ("special", c_int), ("piece", c_char_p), ("label", c_void_p),
                ("label_size", c_size_t), ("start", c_size_t), ("end", c_size_t)]


class Selection(Sized):
    _fields_ = [_size, ("stack", c_char_p), ("layers", c_char_p), ("heads", c_char_p),
                ("metrics", c_char_p)]


class Rows(Sized):
    _fields_ = [_size, ("stack", c_int), ("layer", c_int), ("head", c_int),
                ("first_row", c_int), ("n_rows", c_int), ("first_key", c_int), ("n_keys", c_int),
                ("stride", c_size_t), ("weights", c_void_p), ("n_all_rows", c_int),
                ("n_all_keys", c_int)]


class Head(ctypes.Structure):
    _fields_ = [("stack", c_int), ("layer", c_int), ("head", c_int)]


class Look(Sized):
    _fields_ = [_size, ("selection", POINTER(Selection)), ("format", c_char_p),
                ("colours", c_char_p), ("title", c_char_p), ("columns", c_int), ("dpi", c_int),
                ("shared", c_int), ("outlines", c_int)]


class Array(Sized):
    _fields_ = [_size, ("name", c_char_p), ("dtype", c_char_p), ("data", c_void_p),
                ("size", c_size_t), ("n_dims", c_int), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64))]


class Arrays(Sized):
    _fields_ = [_size, ("name", c_char_p), ("array", POINTER(Array)),
                ("n", c_int), ("config", Bytes), ("tokenizer", Bytes),
                ("options", POINTER(c_char_p))]


WARN = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class Input(Sized):
    _fields_ = [_size, ("text", c_char_p), ("pair", c_char_p),
                ("options", POINTER(c_char_p)), ("array", POINTER(Array)), ("n", c_int),
                ("warn", WARN), ("self", c_void_p)]


class Progress(Sized):
    _fields_ = [_size, ("unit", c_char_p), ("done", c_int64), ("total", c_int64),
                ("share", c_double), ("n_tokens", c_double)]


class MetricInfo(Sized):
    _fields_ = [_size, ("name", c_char_p), ("unit", c_char_p), ("group", c_char_p),
                ("formula", c_char_p), ("page", c_char_p)]


class OptionInfo(Sized):
    _fields_ = [_size, ("name", c_char_p), ("value", c_char_p), ("help", c_char_p),
                ("group", c_char_p)]


TAKE = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Rows))
PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Progress))


class Task(Sized):
    _fields_ = [_size, ("name", c_char_p), ("options", POINTER(c_char_p)),
                ("second_model", c_void_p), ("second_text", c_void_p), ("progress", PROGRESS),
                ("warn", WARN), ("self", c_void_p), ("output", c_char_p)]


#: Each structure by its name in the header, for the test.
STRUCTURES = {
    "mhaviz_error": Error, "mhaviz_bytes": Bytes, "mhaviz_files": Files,
    "mhaviz_description": Description, "mhaviz_token": Token, "mhaviz_selection": Selection,
    "mhaviz_rows": Rows, "mhaviz_head": Head, "mhaviz_look": Look,
    "mhaviz_array": Array, "mhaviz_arrays": Arrays, "mhaviz_input": Input,
    "mhaviz_progress": Progress,
    "mhaviz_task": Task, "mhaviz_metric_info": MetricInfo, "mhaviz_option_info": OptionInfo,
}

_handle = POINTER(c_void_p)
_error = POINTER(Error)
_selection = POINTER(Selection)

#: What each function takes; all that have an error last return a status.
FUNCTIONS: dict[str, list[Any]] = {
    "mhaviz_model_open": [_handle, c_char_p, c_int, _error],
    "mhaviz_model_open_adapted": [_handle, c_char_p, POINTER(c_char_p), c_int, c_int, _error],
    "mhaviz_model_open_files": [_handle, POINTER(Files), c_int, _error],
    "mhaviz_model_open_arrays": [_handle, POINTER(Arrays), c_int, _error],
    "mhaviz_model_open_attention": [_handle, POINTER(Arrays), c_int, _error],
    "mhaviz_model_watch": [c_void_p, PROGRESS, c_void_p, _error],
    "mhaviz_model_warn": [c_void_p, WARN, c_void_p, _error],
    "mhaviz_model_describe": [c_void_p, POINTER(Description), _error],
    "mhaviz_text_open": [c_void_p, c_char_p, c_char_p, _handle, _error],
    "mhaviz_text_open_image": [c_void_p, c_char_p, _handle, _error],
    "mhaviz_text_open_audio": [c_void_p, c_char_p, c_char_p, _handle, _error],
    "mhaviz_text_open_labels": [c_void_p, POINTER(c_char_p), c_int, POINTER(c_char_p), c_int,
                                _handle, _error],
    "mhaviz_text_open_input": [c_void_p, POINTER(Input), _handle, _error],
    "mhaviz_text_tokens": [c_void_p, c_int, POINTER(POINTER(Token)), POINTER(c_int), _error],
    "mhaviz_run": [c_void_p, c_void_p, _selection, TAKE, c_void_p, _error],
    "mhaviz_stats_open": [c_void_p, c_void_p, _selection, _handle, _error],
    "mhaviz_stats_heads": [c_void_p, POINTER(POINTER(Head)), POINTER(c_int), _error],
    "mhaviz_stats_metric": [c_void_p, c_char_p, POINTER(POINTER(c_double)), POINTER(c_int),
                            _error],
    "mhaviz_metric_info": [c_char_p, POINTER(MetricInfo), _error],
    "mhaviz_option_info": [c_char_p, c_int, POINTER(OptionInfo), _error],
    "mhaviz_heatmap": [c_void_p, c_void_p, POINTER(Look), c_char_p, _error],
    "mhaviz_heatmap_bytes": [c_void_p, c_void_p, POINTER(Look), _handle, POINTER(c_size_t),
                             _error],
    "mhaviz_make": [c_void_p, c_void_p, POINTER(Task), _handle, POINTER(c_size_t), _error],
}
CLOSERS = ("mhaviz_model_close", "mhaviz_text_close", "mhaviz_stats_close")


# ---- where it is ----

def _beside() -> Optional[str]:
    """The library in this package, as a wheel has it."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = sorted(glob.glob(os.path.join(glob.escape(here), "lib*", "libmhaviz*.so*")))
    return found[0] if found else None


def _fonts() -> None:
    """Fontconfig's file of this package, where it has one and the user has chosen none."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fonts", "fonts.conf")
    if "FONTCONFIG_FILE" not in os.environ and "FONTCONFIG_PATH" not in os.environ and \
            os.path.exists(path):
        os.environ["FONTCONFIG_FILE"] = path


def _load() -> ctypes.CDLL:
    path = _beside() or os.environ.get("MHA_VIZ_LIBRARY") or SONAME
    _fonts()
    try:
        library = ctypes.CDLL(path)
        library.mhaviz_version.restype = c_char_p
        library.mhaviz_version.argtypes = []
        version = library.mhaviz_version().decode()
    except (OSError, AttributeError) as error:
        raise MhaVizError(Status.SYSTEM, "libmhaviz cannot be loaded: " +
                          " ".join(str(error).split())) from None
    if version.split(".")[:2] != VERSION.split(".")[:2]:
        raise MhaVizError(Status.SYSTEM, f"{path}: version {version}, expected {VERSION}")
    for name, arguments in FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is not None:
            function.argtypes, function.restype = arguments, c_int
    for name in CLOSERS:
        function = getattr(library, name, None)
        if function is not None:
            function.argtypes, function.restype = [_handle], None
    library.mhaviz_metric.argtypes, library.mhaviz_metric.restype = [c_int], c_char_p
    return library


lib = _load()
_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [c_void_p], None


# ---- calls ----

def call(name: str, *arguments: Any) -> None:
    """Calls a function whose last argument is the error.  Raises MhaVizError for its status."""
    error = Error()
    function = getattr(lib, name, None)
    if function is None:
        raise MhaVizError(Status.SYSTEM, f"libmhaviz has no {name}: a newer one is required")
    status = function(*arguments, ctypes.byref(error))
    if status != 0:
        raise MhaVizError(status, error.message.decode("utf-8", "replace"))


def close(name: str, handle: c_void_p) -> None:
    """Closes a handle, which becomes NULL; of NULL, nothing."""
    if handle.value:
        getattr(lib, name)(ctypes.byref(handle))


def _close_of(name: str, handle: c_void_p, pid: int) -> None:
    if os.getpid() == pid:              # its threads are not in a child
        close(name, handle)


def close_with(owner: object, name: str, handle: c_void_p) -> None:
    """Closes a handle when nobody has its owner any more.

    Not when the interpreter ends: then this module may be gone before the owner is, other threads
    may still use the handle, and the process gives everything back.
    """
    weakref.finalize(owner, _close_of, name, handle, os.getpid()).atexit = False


def taken(data: c_void_p, size: c_size_t) -> bytes:
    """Bytes that the library allocated, which are freed."""
    try:
        return ctypes.string_at(data.value or 0, size.value) if size.value else b""
    finally:
        _free(data)


def metrics() -> list[str]:
    """The names of all metrics that are numbers, as mha-viz-metrics(7) lists them."""
    names: list[str] = []
    while True:
        name = lib.mhaviz_metric(len(names))
        if name is None:
            return names
        names.append(name.decode())


def _fields(info: Sized) -> dict[str, Optional[str]]:
    values = {name: getattr(info, name) for name, _ in info._fields_[1:]}
    return {name: value.decode() if value is not None else None
            for name, value in values.items()}


def metric_info(name: str) -> dict[str, Optional[str]]:
    """What a metric is: its "name", "unit", "group", "formula" in one line, and "page".

    Raises:
        MhaVizError: USAGE: there is no such metric.
    """
    info = MetricInfo()
    call("mhaviz_metric_info", name.encode(), ctypes.byref(info))
    return _fields(info)


def options(task: str) -> list[dict[str, Optional[str]]]:
    """The options of a command that `Model.make` and its like take, one dict each: "name",
    "value" (None: a flag), "help" and "group".

    Raises:
        MhaVizError: USAGE: there is no such task.
    """
    found: list[dict[str, Optional[str]]] = []
    while True:
        info = OptionInfo()
        call("mhaviz_option_info", task.encode(), len(found), ctypes.byref(info))
        if info.name is None:
            return found
        found.append(_fields(info))


def floats(address: int, count: int) -> Any:
    """count floats at an address, not copied: an object with the buffer protocol."""
    return (c_float * count).from_address(address)


def run(model: c_void_p, text: c_void_p, selection: Selection,
        take: Callable[[Rows], bool]) -> None:
    """mhaviz_run; take returns whether to stop.  Raises what take raises."""
    raised: list[BaseException] = []

    def guarded(_: Any, rows: Any) -> int:
        try:
            return int(take(rows[0]))
        except BaseException as error:      # nothing may leave through the library
            raised.append(error)
            return 1

    try:
        call("mhaviz_run", model, text, ctypes.byref(selection), TAKE(guarded), None)
    except MhaVizError:
        if raised:
            raise raised.pop() from None
        raise
