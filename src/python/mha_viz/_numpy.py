# SPDX-License-Identifier: MIT
"""NumPy, which is needed only for arrays, and the rows of the library as arrays."""
from __future__ import annotations

from typing import Any

from . import _library
from ._error import MhaVizError, Status


def numpy() -> Any:
    """The module.  Errors: SYSTEM where it is not installed."""
    try:
        import numpy as module
    except ImportError:
        raise MhaVizError(Status.SYSTEM, "arrays require NumPy: "
                          "pip install 'mha-viz[numpy]'") from None
    return module


def rows_view(np: Any, rows: _library.Rows) -> Any:
    """float32 [n_rows, n_keys] in the library's memory, valid during its callback."""
    shape = (rows.n_rows, rows.n_keys)
    if rows.n_rows <= 0 or rows.n_keys <= 0:
        return np.zeros(shape, np.float32)
    count = (rows.n_rows - 1) * rows.stride + rows.n_keys
    return np.ndarray(shape, np.float32, _library.floats(rows.weights, count),
                      strides=(4 * rows.stride, 4))
