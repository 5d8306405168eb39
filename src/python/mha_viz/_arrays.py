# SPDX-License-Identifier: MIT
"""Tensors of torch and arrays of NumPy -> those of the library, which reads them where they are.

Only what is not on the CPU, or does not lie as an array of C may, is copied.
"""
from __future__ import annotations

import ctypes
import sys
from ctypes import c_int64
from typing import Any, Mapping, Sequence

from . import _arguments, _library
from ._error import type_of, usage
from ._numpy import numpy

#: Names of torch's and NumPy's types -> those of safetensors.
DTYPES = {
    "float64": b"F64", "float32": b"F32", "float16": b"F16", "bfloat16": b"BF16",
    "int64": b"I64", "int32": b"I32", "int16": b"I16", "int8": b"I8", "uint8": b"U8",
    "bool": b"BOOL", "float8_e4m3fn": b"F8_E4M3", "float8_e5m2": b"F8_E5M2",
}


def _torch(name: str, tensor: Any) -> tuple[Any, int, int, Sequence[int], Sequence[int], str]:
    """(what is kept, address, bytes per element, shape, strides, type)"""
    if tensor.device.type == "meta" or str(tensor.layout) != "torch.strided":
        raise usage(f"{name}: a tensor without data, or not strided")
    tensor = tensor.detach().to("cpu").resolve_conj().resolve_neg()
    size = tensor.element_size()
    return (tensor, tensor.data_ptr(), size, tuple(tensor.shape),
            [size * step for step in tensor.stride()], str(tensor.dtype).split(".")[-1])


def _numpy(name: str, array: Any) -> tuple[Any, int, int, Sequence[int], Sequence[int], str]:
    np = numpy()
    if not isinstance(array, np.ndarray):
        raise usage(f"{name}: expected a tensor or an array, found {type_of(array)}")
    if isinstance(array, np.ma.MaskedArray):
        raise usage(f"{name or 'attention'}: a masked array, expected one without a mask, as x.filled(0)")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if any(step < 0 for step in array.strides):
        array = np.ascontiguousarray(array)
    return (array, array.ctypes.data, array.itemsize, array.shape, array.strides,
            array.dtype.name)


def _fill(out: _library.Array, name: str, value: Any) -> Any:
    """Fills a structure of an array, and returns what is to be kept for it."""
    module = sys.modules.get("torch")
    find = _torch if module is not None and isinstance(value, module.Tensor) else _numpy
    kept, address, size, shape, strides, dtype = find(name, value)
    if dtype not in DTYPES:
        raise usage(f"{name}: {dtype} is not one of {', '.join(DTYPES)}")
    if len(shape) > 8:
        raise usage(f"{name}: {len(shape)} dimensions, expected 0 to 8")
    readable = 0 if 0 in shape else size + sum((n - 1) * s for n, s in zip(shape, strides))
    n = len(shape)
    out.struct_size = ctypes.sizeof(out)
    out.name = _arguments.text(name, "name of a tensor")
    out.dtype, out.data, out.size, out.n_dims = DTYPES[dtype], address, readable, n
    out.shape, out.strides = (c_int64 * n)(*shape), (c_int64 * n)(*strides)
    if address in (0, None):
        out.data = ctypes.addressof(_nothing)
    return kept


_nothing = ctypes.c_double()


def arrays(named: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """An array of C of them, and what is to be kept with it.  Errors: USAGE."""
    array = (_library.Array * max(1, len(named)))()
    kept: list[Any] = [array]
    for i, (name, value) in enumerate(named.items()):
        if not isinstance(name, str):
            raise usage(f"names of tensors: expected str, found {type_of(name)}")
        kept.append(_fill(array[i], name, value))
    return array, kept
