# SPDX-License-Identifier: MIT
"""Pictures: their bytes, and how a notebook shows them."""
from __future__ import annotations

import base64
import struct
from typing import Any

from ._file import File, FileLike

MEDIA = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}


class Picture(bytes):
    """The bytes of a PNG, SVG or PDF, which a notebook shows.

    Attributes:
        format: "png", "svg" or "pdf".
        dpi: pixels per inch of a PNG; a notebook shows it at 100 per inch, so a PNG of 200 dpi
            at half its width.
    """

    format: str
    dpi: int

    def __new__(cls, data: bytes, format: str, dpi: int) -> Picture:
        self = super().__new__(cls, data)
        self.format = format
        self.dpi = dpi
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return bytes(self), self.format, self.dpi

    def save(self, path: FileLike) -> None:
        """Writes the bytes to a file: a path, or an object with write().

        Raises:
            MhaVizError: USAGE: none of these; SYSTEM: the file cannot be written.
        """
        File.save(path, self.format, self)

    @property
    def width_px(self) -> int:
        """Pixels of a PNG; 0 for the other formats."""
        return int(struct.unpack(">I", self[16:20])[0]) if self.format == "png" else 0

    @property
    def height_px(self) -> int:
        """Pixels of a PNG; 0 for the other formats."""
        return int(struct.unpack(">I", self[20:24])[0]) if self.format == "png" else 0

    def __repr__(self) -> str:
        size = f"{self.width_px} x {self.height_px} pixels, " if self.format == "png" else ""
        return f"<mha_viz.Picture: {self.format}, {size}{len(self)} bytes>"

    __str__ = __repr__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """The picture once, and its width in the units of a page."""
        media = MEDIA[self.format]
        data = self.decode() if self.format == "svg" else base64.b64encode(self).decode()
        look = {media: {"width": self.width_px * 100 // self.dpi}} if self.width_px else {}
        return {media: data, "text/plain": repr(self)}, look
