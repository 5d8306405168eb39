# SPDX-License-Identifier: MIT
"""What callers give -> what the library takes.  Everything is checked here, once."""
from __future__ import annotations

import math
import numbers
import operator
import os
import re
import warnings
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

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
        raise usage(f"{what}: expected {least} to {_INT_MAX}, found {_short(number)}")
    return number


def _short(number: int) -> str:
    return str(number) if abs(number) < 10 ** 20 else "a number of more than 20 digits"


def truth(value: Any) -> Any:
    """A bool of NumPy as one of Python; anything else as it is."""
    return bool(value) if type(value).__module__ == "numpy" and \
        type(value).__name__ in ("bool", "bool_") else value


def flag(value: Any, what: str) -> int:
    """1 or 0 of a bool.  Errors: USAGE."""
    value = truth(value)
    if not isinstance(value, bool):
        raise usage(f"{what}: expected True or False, found {type_of(value)}")
    return int(value)


def _one(value: Any, what: str) -> str:
    if isinstance(value, str):
        text(value, what)
        return value
    return _short(integer(value, what, -_INT_MAX))


def _shape(value: Any) -> Optional[tuple[Any, ...]]:
    """Of an array, also where that is a list of its own; None: it is no array."""
    shape = getattr(value, "shape", None)
    try:
        return tuple(shape) if isinstance(shape, Iterable) else None
    except (TypeError, ValueError):     # an array without axes can be none, either
        return None


def _is_list(value: Any) -> bool:
    """Whether it has several values; an array without axes has one."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and \
        _shape(value) != ()


def which(value: Which, what: str) -> Optional[bytes]:
    """A list as the options -l and -H take it: [0, 3] -> b"0,3"; None: all.

    Errors: USAGE: none of the forms, an empty list.  What the model has is the library's to say.
    """
    if value is None:
        return None
    if not _is_list(value):
        return text(_one(value, what), what)
    words = [_one(one, what) for one in value]
    if not words:
        raise usage(f"{what}: an empty list; None is all of them")
    return text(",".join(words), what)


def names(value: Union[None, str, Sequence[str]], what: str) -> Optional[str]:
    """Names, in a list or separated by commas -> the latter.  Errors: USAGE."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        words = [text(one, what).decode() for one in value]
        if not words:
            raise usage(f"{what}: an empty list")
        return ",".join(words)
    if value is not None and not isinstance(value, str):
        raise usage(f"{what}: expected names, found {type_of(value)}")
    return value


def with_metric(metric: Union[None, str, Sequence[str]], options: Mapping[str, Any]) -> dict:
    """Options and the names of metrics, which were `compute` in 0.1.0.  Errors: USAGE."""
    given = dict(options)
    if "compute" in given:
        warnings.warn("compute= is called metric= now; the next release does not know the old "
                      "name", DeprecationWarning, stacklevel=3)
        former = given.pop("compute")
        metric = former if metric is None else metric
    given["metric"] = names(metric, "metric")
    return given


# ---- options of the program ----

def _value(value: Any, what: str) -> bytes:
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        if not math.isfinite(value):
            raise usage(f"{what}: expected a finite number, found {value}")
        return repr(float(value)).encode()
    if isinstance(value, str):
        return text(value, what)
    if hasattr(value, "__fspath__"):
        return path(value, what)
    return str(integer(value, what, -_INT_MAX)).encode()


def option(name: str, value: Any) -> list[bytes]:
    """[b"--name=value"]; several are joined by commas; True: b"--name"; False, None: nothing.

    A name may end with an underscore, where it is a word of Python: from_."""
    name = name[:-1] if name.endswith("_") else name
    if not re.fullmatch("[a-z][a-z_0-9]*", name):
        raise usage(f"{name!r:.60} is not the name of an option")
    value = truth(value)
    if value is None or value is False:
        return []
    shape = _shape(value)
    if shape is not None and len(shape) == 2 and shape[0] == 1 and _is_list(value):
        value = next(iter(value), ())   # one text, as tokenisers give its ids
    long = b"--" + name.replace("_", "-").encode()
    if value is True:
        return [long]
    if _is_list(value) and not isinstance(value, Mapping):
        words = [_value(one, name) for one in value]
        if not words:
            raise usage(f"{name}: an empty list")
        return [long + b"=" + b",".join(words)]
    return [long + b"=" + _value(value, name)]


def _of_sides(name: str, value: Any) -> list[bytes]:
    """[b"--name=value", ...] of one that may be two, one for each side of a comparison."""
    if not isinstance(value, (tuple, list)):
        return option(name, value)
    if len(value) != 2:
        raise usage(f"{name}: {len(value)} of them, expected one, or two, one for each side")
    return [b"--%s=%s" % (name.encode(), path(one, name) if hasattr(one, "__fspath__") else
                          text(one, name)) for one in value]


def options(layers: Any, heads: Any, stack: Any, others: dict[str, Any],
            of_sides: Sequence[str] = ()) -> list[bytes]:
    """The options of a command; of_sides: those that may be two.  Errors: USAGE: other types."""
    words = [b"--%s=%s" % (name, value) for name, value in
             ((b"layer", which(layers, "layers")),
              (b"head", which(heads, "heads")),
              (b"stack", optional(stack, "stack"))) if value is not None]
    for name, value in others.items():
        words += _of_sides(name, value) if name in of_sides else option(name, value)
    return words
