# SPDX-License-Identifier: MIT
"""Reports: one record per head."""
from __future__ import annotations

import importlib
from typing import Any, Iterable, Optional

from ._error import MhaVizError, Status


class Records(list[dict[str, Any]]):
    """A list of dicts that all have the same keys, in the order of a report's columns.

    Attributes:
        text: the text that they are of, where they are of one.
        number: its place in a corpus, from 0.
        about: what a report says beside its heads, as "model" and "schema".
    """

    def __init__(self, records: Iterable[dict[str, Any]] = (), text: Optional[str] = None,
                 number: int = 0) -> None:
        super().__init__(records)
        self.text = text
        self.number = number
        self.about: dict[str, Any] = {}

    def __getitem__(self, which: Any) -> Any:
        """A record, or of a slice the `Records` of it."""
        found = super().__getitem__(which)
        if not isinstance(which, slice):
            return found
        part = Records(found, self.text, self.number)
        part.about = self.about
        return part

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row per record.  Errors: SYSTEM where pandas is not there."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise MhaVizError(Status.SYSTEM, "to_pandas requires pandas, which is not "
                              "installed") from None
        return pandas.DataFrame(list(self))
