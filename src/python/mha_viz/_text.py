# SPDX-License-Identifier: MIT
"""Texts, pictures, sound and rows -> tokens, as a model has them."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p
from dataclasses import dataclass
from typing import Any, Iterable, NamedTuple, Optional, Sequence, Union

from . import _arguments, _arrays, _library
from ._error import type_of, usage


@dataclass(frozen=True)
class Image:
    """A PNG or JPEG file, given to a model that reads pictures in the place of a text."""

    path: _arguments.PathLike


@dataclass(frozen=True)
class Audio:
    """A .wav file, given to a model that hears in the place of a text."""

    path: _arguments.PathLike


class Input:
    """A text in the program's words, or what a model reads in the place of a text.

        model.stats(mha_viz.Input(ids=[101, 7592, 102]))
        model.attention(mha_viz.Input(["the", "river", "bank"], words=True))
        layer.attention(mha_viz.Input(input=x, tokens=["the", "cat"]))      # of from_torch

    Args:
        text: str, or a list of them, which are joined by spaces; None: what the options say.
            With words or pretokenized each of the list is one, and has no space.
        options: those of mha-viz(1) that say what is read and how, with _ for -: ids,
            type_ids, decoder_ids, words, pretokenized, no_special, truncate, image, audio; split,
            for what has records, as `Model.stats`; for bare layers and pixels input, memory, key,
            value and decoder_input, each an array of NumPy or torch or the path of an .npy file
            (memory, key and value: of a layer that `from_torch(..., memory="random")` opened for
            keys from elsewhere), and tokens, key_tokens, decoder_tokens (names: a str is split at
            its spaces, each of a list is one), shape, seed.

    Raises:
        MhaVizError: USAGE: values of other types.  What does not go with a model is an error of
            what reads it.
    """

    def __init__(self, text: Union[None, str, Sequence[str]] = None, **options: Any) -> None:
        if text is not None and not isinstance(text, str):
            parts = _names(text, "text")
            if options.get("words") or options.get("pretokenized"):
                _check_words(parts)
            text = " ".join(parts)
        self.text = None if text is None else _arguments.text(text, "text")
        self.words: list[bytes] = []
        self.arrays: dict[str, Any] = {}
        for name, value in options.items():
            if name in ARRAYS and hasattr(value, "shape"):
                self.arrays[name] = value
                value = name
            elif name in NAMES and not isinstance(value, str):
                value = _joined(_names(value, name), name)
            self.words += _arguments.option(name, value)

    def __repr__(self) -> str:
        words = ([] if self.text is None else [self.text]) + self.words
        shown = b" ".join(words).decode().replace(UNIT, "|")
        return f"<mha_viz.Input: {shown:.200}>"


#: Options whose files may be arrays instead, those that are lists of names, and those that say
#: how a text is read.
ARRAYS = ("input", "memory", "key", "value", "decoder_input")
NAMES = ("tokens", "key_tokens", "decoder_tokens")
OF_TEXT = (b"--words", b"--pretokenized", b"--no-special", b"--truncate", b"--split")

#: Ends each name of a list where one of them has spaces.
UNIT = "\x1f"


def _names(value: Any, what: str) -> list[str]:
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise usage(f"{what}: expected str or a list of them, found {type_of(value)}")
    return [_arguments.text(one, what).decode() for one in value]


def _joined(names: list[str], what: str) -> str:
    """As the options take them: each is one, whatever spaces it has."""
    if not names:
        raise usage(f"{what}: an empty list")
    if all(len(name.split()) == 1 and not name[0].isspace() and not name[-1].isspace()
           for name in names):
        return " ".join(names)
    for name in names:
        if UNIT in name:
            raise usage(f"{what}: {name!r:.60} has U+001F, which separates names")
    return "".join(name + UNIT for name in names)


def _check_words(words: list[str]) -> None:
    for word in words:
        if len(word.split()) != 1:
            raise usage(f"text: {word!r:.60} is not one word: spaces separate words")


TextLike = Union[str, Image, Audio, Input]


class Token(NamedTuple):
    """One token of a text.

    Attributes:
        id: its number in the vocabulary; -1: a part of a picture or of sound.
        piece: what the vocabulary has, as "##s" or "Ġcat".
        label: the text that it stands for; bytes that are not UTF-8 are U+FFFD.
        start, end: its bytes in the UTF-8 of the text, or of the pair; 0, 0: none.
        special: the tokeniser calls its id special.
    """

    id: int
    piece: str
    label: str
    start: int
    end: int
    special: bool


class Source:
    """What is to be tokenised, checked.  words: options of the text itself."""

    def __init__(self, text: Any, pair: Any, words: Sequence[bytes] = ()) -> None:
        self.given, self.pair_given = text, pair
        words = list(words)
        if isinstance(text, (Image, Audio)):
            name = "image" if isinstance(text, Image) else "audio"
            if isinstance(text, Image) and pair is not None:
                raise usage("pair: a picture has none")
            words.append(b"--%s=%s" % (name.encode(), _arguments.path(text.path, "path")))
            text = Input()
        elif not isinstance(text, Input):
            _arguments.text(text, "text")
            text = Input(text)
        array, self._kept = _arrays.arrays(text.arrays)
        options = [*text.words, *words]
        self._input = _library.Input(
            text.text, _arguments.optional(pair, "pair"),
            (c_char_p * (len(options) + 1))(*options, None), array, len(text.arrays))

    def open(self, model: c_void_p) -> Text:
        """Tokenises it for a model, which hears warnings.

        Raises MhaVizError as mhaviz_text_open_input does.
        """
        handle = c_void_p()
        _library.call("mhaviz_text_open_input", model, byref(self._input), byref(handle))
        return Text(handle)


class Text:
    """A handle of the library, closed when nobody has it."""

    def __init__(self, handle: c_void_p) -> None:
        self.handle = handle
        _library.close_with(self, "mhaviz_text_close", handle)

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
