# SPDX-License-Identifier: MIT
"""Where a picture or a page goes, and its format."""
from __future__ import annotations

import io
import os
import threading
from typing import Any, Optional, Sequence, Union

from . import _arguments
from ._arguments import PathLike
from ._error import MhaVizError, Status, usage

PICTURES = ("png", "svg", "pdf")

#: A path, or an object with write() that takes bytes.
FileLike = Union[PathLike, Any]


def _name(out: Any) -> str:
    """Of a file that is open: its path, where it has one."""
    name = getattr(out, "name", "")
    return name if isinstance(name, str) else ""


class File:
    """A file to be written, or none; its format is named, or its extension, or the first."""

    def __init__(self, file: Optional[FileLike], format: Optional[str],
                 formats: Sequence[str] = PICTURES) -> None:
        self.out = file if callable(getattr(file, "write", None)) else None
        self.path = None if file is None or self.out is not None else \
            os.fsdecode(_arguments.path(file, "path"))
        if format is None:
            extension = os.path.splitext(self.path or _name(self.out))[1][1:].lower()
            format = extension if extension in formats or self.path and extension else formats[0]
        _arguments.text(format, "format")
        if format not in formats:
            raise usage(f"format: {format!r:.40} is not one of {', '.join(formats)}")
        self.format = format

    @property
    def target(self) -> Optional[bytes]:
        """The path as the library takes it; None: there is none."""
        return None if self.path is None else os.fsencode(self.path)

    @classmethod
    def save(cls, file: FileLike, format: str, data: bytes) -> None:
        """Errors: USAGE: no path, nor something with write(); SYSTEM."""
        if file is None:
            raise usage("path: expected a path, found NoneType")
        cls(file, format, (format,)).write(data)

    def _give(self, data: bytes) -> None:
        rest = bytes(data)
        try:
            while rest:
                n = self.out.write(rest)    # type: ignore[union-attr]
                if n is None and isinstance(self.out, io.RawIOBase):
                    n = 0                   # it would block
                if n == 0:
                    raise OSError(f"write() took {len(data) - len(rest)} of {len(data)} bytes")
                rest = rest[n:] if isinstance(n, int) else b""
        except TypeError as error:
            raise usage("path: a file that takes str, expected one that takes bytes") from error
        except (OSError, ValueError) as error:      # ValueError: it is closed
            raise MhaVizError(Status.SYSTEM,
                              f"path: {getattr(error, 'strerror', None) or error}") from None

    def write(self, data: bytes) -> None:
        """Beside and renamed, so that no half of a file is left.  Errors: SYSTEM."""
        if self.out is not None:
            self._give(data)
        if self.path is None:
            return
        beside = f"{self.path}.{os.getpid()}.{threading.get_ident()}.tmp"
        try:
            if os.path.exists(self.path) and not os.path.isfile(self.path):
                with open(self.path, "wb") as out:      # a device or a pipe
                    out.write(data)
                return
            try:
                with open(beside, "xb") as out:
                    out.write(data)
                os.replace(beside, self.path)
            except BaseException:
                if os.path.exists(beside):
                    os.unlink(beside)
                raise
        except OSError as error:
            raise MhaVizError(Status.SYSTEM, f"{self.path}: {error.strerror}") from None
