# SPDX-License-Identifier: MIT
"""Statistics of the library -> records."""
from __future__ import annotations

from ctypes import POINTER, byref, c_double, c_int, c_void_p
from typing import Any

from . import _library
from ._error import MhaVizError
from ._records import Records
from ._text import Source


def stats_of(model: c_void_p, source: Source, selection: _library.Selection) -> Records:
    """The metrics of each head of a text.  Raises MhaVizError as mhaviz_stats_open does."""
    opened, stats = source.open(model), c_void_p()
    _library.call("mhaviz_stats_open", model, opened.handle, byref(selection), byref(stats))
    try:
        return Records(_heads(stats), source.given if isinstance(source.given, str) else None)
    finally:
        _library.close("mhaviz_stats_close", stats)


def _heads(stats: c_void_p) -> list[dict[str, Any]]:
    heads, values, n = POINTER(_library.Head)(), POINTER(c_double)(), c_int()
    _library.call("mhaviz_stats_heads", stats, byref(heads), byref(n))
    records: list[dict[str, Any]] = [
        {"stack": _library.STACKS[heads[i].stack], "layer": heads[i].layer, "head": heads[i].head}
        for i in range(n.value)]
    for name in _library.metrics():
        try:
            _library.call("mhaviz_stats_metric", stats, name.encode(), byref(values), byref(n))
        except MhaVizError:
            continue                    # not asked for
        for i, record in enumerate(records):
            record[name] = values[i]
    return records
