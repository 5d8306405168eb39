#!/usr/bin/env python3
"""Writes the seeds of the safetensors and npz fuzz targets beside itself: small good files and
files that are wrong in one way.  Needs NumPy."""
import io
import json
import pathlib
import struct
import zipfile

import numpy as np

here = pathlib.Path(__file__).resolve().parent


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors(name, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    (here / "safetensors" / name).write_bytes(struct.pack("<Q", len(text)) + text + data)


def npz(name, data):
    (here / "npz" / name).write_bytes(data)


safetensors("empty", {})
safetensors("two", {"__metadata__": {"format": "pt"}, "b": tensor("F32", [2, 1], 1, 9),
                    "a": tensor("U8", [1], 0, 1)}, b"123456789")
sizes = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1,
         "BOOL": 1}
ends = dict(zip(sizes, np.cumsum(list(sizes.values())).tolist()))
safetensors("types", {t: tensor(t, [1], ends[t] - n, ends[t]) for t, n in sizes.items()},
            bytes(range(sum(sizes.values()))))
safetensors("zero", {"a": tensor("F16", [0, 3], 0, 0), "b": tensor("F16", [0], 0, 0)})
safetensors("escapes", b'{"\\ud83d\\ude00\\n\\u00e9":{"dtype":"I8","shape":[],'
            b'"data_offsets":[0,1]}}', b"1")
safetensors("overflow", {"a": tensor("F32", [4194305, 4194305, 211106198978564], 0, 16)}, b"0" * 16)
safetensors("hole", {"a": tensor("I8", [1], 0, 1), "b": tensor("I8", [1], 2, 3)}, b"123")

a = np.arange(6, dtype="f4").reshape(2, 3)
for name, save in ("stored", np.savez), ("deflated", np.savez_compressed):
    f = io.BytesIO()
    save(f, a=a, b=np.float64(.5))
    npz(name, f.getvalue())
for name, x in ("npy", a), ("npy0", np.int16(3)), ("fortran", a.T), ("big", a.astype(">f4")):
    f = io.BytesIO()
    np.save(f, x)
    npz(name, f.getvalue())


def npy(name, dictionary, data=b"0" * 24, length=None):
    text = dictionary.encode()
    npz(name, b"\x93NUMPY\1\0" + struct.pack("<H", len(text) if length is None else length) +
        text + data)


DICT = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }"
npy("npy_shape", DICT % "(2, 4)")
npy("npy_overflow", DICT % "(4294967296, 4294967296, 16)")
npy("npy_many", DICT % f"({'1, ' * 9})")
npy("npy_length", DICT % "(2, 3)", length=65535)
npy("npy_half", DICT.replace("<f4", "<f2") % "(2, 2, 3)")
npy("npy_object", DICT.replace("<f4", "|O") % "(3,)")
f = io.BytesIO()
np.savez(f, tokens=np.array(["a", "\u6211\u559c", "", "\U0001f600x"]), a=a)
npz("strings", f.getvalue())
npz("strings_surrogate", f.getvalue().replace("\u6211".encode("utf-32-le"), b"\0\xd8\0\0"))
npy("npy_zero", DICT % "(0, 3)", b"")

f = io.BytesIO()
with zipfile.ZipFile(f, "w") as z:
    z.writestr(zipfile.ZipInfo("tokens.json"), "[]")
    with z.open(zipfile.ZipInfo("a.npy"), "w", force_zip64=True) as m:
        np.save(m, a)
npz("zip64", f.getvalue())
npz("zip_empty", b"PK\5\6" + bytes(18))
npz("zip64_end", b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 0, 0, 0, 0)
    + b"PK\6\7" + struct.pack("<IQI", 0, 0, 1) + b"PK\5\6" + bytes(4) + b"\xff" * 12 + bytes(2))
