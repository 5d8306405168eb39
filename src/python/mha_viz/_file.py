# SPDX-License-Identifier: MIT
"""Where a picture or a page goes, and its format."""
from __future__ import annotations

import os
import threading
from typing import Optional, Sequence

from . import _arguments
from ._arguments import PathLike
from ._error import MhaVizError, Status, usage

PICTURES = ("png", "svg", "pdf")


class File:
    """A file to be written, or none; its format is named, or its extension, or the first."""

    def __init__(self, file: Optional[PathLike], format: Optional[str],
                 formats: Sequence[str] = PICTURES) -> None:
        self.path = None if file is None else os.fsdecode(_arguments.path(file, "path"))
        if format is None:
            extension = os.path.splitext(self.path or "")[1][1:]
            format = extension or formats[0]
        _arguments.text(format, "format")
        if format not in formats:
            raise usage(f"format: {format!r:.40} is not one of {', '.join(formats)}")
        self.format = format

    def write(self, data: bytes) -> None:
        """Beside and renamed, so that no half of a file is left.  Errors: SYSTEM."""
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
