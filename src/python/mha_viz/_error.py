# SPDX-License-Identifier: MIT
"""What every failure of this package is."""
from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """Why something failed; the numbers are the exit status of the program mha-viz."""

    USAGE = 2       #: an argument: of another type, closed, or not what the model has
    INPUT = 3       #: a model or a text that cannot be used
    SYSTEM = 4      #: memory, threads, a file that cannot be written
    STOPPED = 5     #: something asked the run to stop


class MhaVizError(Exception):
    """The one exception of this package.

    Attributes:
        status: why, a `Status`.
        message: one line, without a full stop; what str() gives.
    """

    status: Status
    message: str

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = Status(status)
        self.message = message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (int(self.status), self.message)


class MhaVizWarning(UserWarning):
    """What the program warns of, and its notes: the category of each warning of this package."""


def usage(message: str) -> MhaVizError:
    return MhaVizError(Status.USAGE, message)


def type_of(value: object) -> str:
    """The name of a value's type, for messages."""
    return type(value).__name__
