# SPDX-License-Identifier: MIT
"""What callers give -> what the library takes.  Everything is checked here, once."""
from __future__ import annotations

import operator
import os
from typing import Any, Iterable, Optional, Sequence, Union

from ._error import MhaVizError, Status, type_of, usage

#: Layers or heads: "0,3-5", "last", a number, or several of them; None: all.
Which = Union[None, int, str, Iterable[Union[int, str]]]
PathLike = Union[str, "os.PathLike[str]"]

_INT_MAX = 2 ** 31 - 1


def text(value: Any, what: str) -> bytes:
    """UTF-8 of a str.  Errors: another type, a lone surrogate (INPUT), a null character."""
    if not isinstance(value, str):
        raise usage(f"{what}: expected str, found {type_of(value)}")
    try:
        data = value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise MhaVizError(Status.INPUT, f"{what}: not UTF-8: the surrogate U+"
                          f"{ord(value[error.start]):04X} at character {error.start}") from None
    if b"\0" in data:
        raise MhaVizError(Status.INPUT, f"{what}: a null character at {value.index(chr(0))}")
    return data


def optional(value: Any, what: str) -> Optional[bytes]:
    """The same, or None."""
    return None if value is None else text(value, what)


def path(value: Any, what: str) -> bytes:
    """A path as the system has it.  Errors: USAGE."""
    try:
        data = os.fsencode(value)
    except TypeError:
        raise usage(f"{what}: expected a path, found {type_of(value)}") from None
    except UnicodeEncodeError:
        raise usage(f"{what}: not a path of this system") from None
    if not data or b"\0" in data:
        raise usage(f"{what}: is empty" if not data else f"{what}: has a null character")
    return data


def integer(value: Any, what: str, least: int = 0) -> int:
    """An int of C that is at least `least`; True and False are none.  Errors: USAGE."""
    if isinstance(value, bool):
        raise usage(f"{what}: expected a whole number, found bool")
    try:
        number = operator.index(value)
    except TypeError:
        raise usage(f"{what}: expected a whole number, found {type_of(value)}") from None
    if not least <= number <= _INT_MAX:
        raise usage(f"{what}: expected {least} or more, found {_short(number)}")
    return number


def _short(number: int) -> str:
    return str(number) if abs(number) < 10 ** 20 else "a number of more than 20 digits"


def flag(value: Any, what: str) -> int:
    """1 or 0 of a bool.  Errors: USAGE."""
    if not isinstance(value, bool):
        raise usage(f"{what}: expected True or False, found {type_of(value)}")
    return int(value)


def _one(value: Any, what: str) -> str:
    if isinstance(value, str):
        text(value, what)
        return value
    return _short(integer(value, what, -_INT_MAX))


def which(value: Which, what: str) -> Optional[bytes]:
    """A list as the options -l and -H take it: [0, 3] -> b"0,3"; None: all.

    Errors: USAGE: none of the forms, an empty list.  What the model has is the library's to say.
    """
    if value is None:
        return None
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return text(_one(value, what), what)
    words = [_one(one, what) for one in value]
    if not words:
        raise usage(f"{what}: an empty list; None is all of them")
    return text(",".join(words), what)


def names(value: Union[None, str, Sequence[str]], what: str) -> Optional[bytes]:
    """Names, in a list or separated by commas.  Errors: USAGE."""
    if value is None or isinstance(value, str):
        return optional(value, what)
    if not isinstance(value, Iterable):
        raise usage(f"{what}: expected names, found {type_of(value)}")
    words = list(value)
    for one in words:
        text(one, what)
    if not words:
        raise usage(f"{what}: an empty list")
    return text(",".join(words), what)
