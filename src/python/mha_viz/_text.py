# SPDX-License-Identifier: MIT
"""Texts, pictures and sound -> tokens, as a model's tokeniser has them."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_int, c_void_p
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Union

from . import _arguments, _library
from ._error import usage


@dataclass(frozen=True)
class Image:
    """A PNG or JPEG file, given to a model that reads pictures in the place of a text."""

    path: _arguments.PathLike


@dataclass(frozen=True)
class Audio:
    """A .wav file, given to a model that hears in the place of a text."""

    path: _arguments.PathLike


TextLike = Union[str, Image, Audio]


class Token(NamedTuple):
    """One token of a text.

    Attributes:
        id: its number in the vocabulary; -1: a part of a picture or of sound.
        piece: what the vocabulary has, as "##s" or "Ġcat".
        label: the text that it stands for; bytes that are not UTF-8 are U+FFFD.
        start, end: its bytes in the UTF-8 of the text, or of the pair; 0, 0: special.
        special: put there by the tokeniser's template.
    """

    id: int
    piece: str
    label: str
    start: int
    end: int
    special: bool


class Source:
    """What is to be tokenised, checked."""

    def __init__(self, text: Any, pair: Any) -> None:
        self.given = text
        self.pair_given = pair
        self.pair = _arguments.optional(pair, "pair")
        if isinstance(text, Image):
            self.function, self.data = "mhaviz_text_open_image", _arguments.path(text.path, "path")
            if pair is not None:
                raise usage("pair: a picture has none")
        elif isinstance(text, Audio):
            self.function, self.data = "mhaviz_text_open_audio", _arguments.path(text.path, "path")
        else:
            self.function, self.data = "mhaviz_text_open", _arguments.text(text, "text")

    def open(self, model: c_void_p) -> Text:
        """Tokenises it for a model.  Raises MhaVizError as mhaviz_text_open does."""
        handle = c_void_p()
        pair = () if self.function == "mhaviz_text_open_image" else (self.pair,)
        _library.call(self.function, model, self.data, *pair, byref(handle))
        return Text(handle)


class Text:
    """A handle of the library, closed when nobody has it."""

    def __init__(self, handle: c_void_p) -> None:
        self.handle = handle

    def __del__(self) -> None:
        if _library is not None:        # the interpreter may be going
            _library.close("mhaviz_text_close", self.handle)

    def tokens(self, decoder: bool = False) -> list[Token]:
        """Those of the text, or of the decoder's side (none where it has no decoder)."""
        found, n = POINTER(_library.Token)(), c_int()
        _library.call("mhaviz_text_tokens", self.handle, int(decoder), byref(found), byref(n))
        return [_token(found[i]) for i in range(n.value)]


def _token(token: _library.Token) -> Token:
    piece: Optional[bytes] = token.piece
    label = ctypes.string_at(token.label, token.label_size) if token.label_size else b""
    return Token(token.id, (piece or b"").decode("utf-8", "replace"),
                 label.decode("utf-8", "replace"), token.start, token.end, bool(token.special))
