# SPDX-License-Identifier: MIT
"""How far a corpus is."""
from __future__ import annotations

import contextlib
import importlib
from typing import Any, Callable, Iterator, Optional, Union

from ._error import type_of, usage

#: Called with what is done and how much there is; True: tqdm; None or False: nothing.
Progress = Union[None, bool, Callable[[int, Optional[int]], Any]]


@contextlib.contextmanager
def meter(things: Any, progress: Progress) -> Iterator[Callable[[], None]]:
    """A function to call after each thing.  Errors: USAGE: progress is none of its kinds."""
    total = len(things) if hasattr(things, "__len__") else None
    if progress is None or progress is False:
        yield lambda: None
    elif progress is True:
        try:
            tqdm = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            yield lambda: None
            return
        with tqdm(total=total, unit=" texts") as bar:
            yield lambda: bar.update() and None
    elif callable(progress):
        done = 0

        def tick() -> None:
            nonlocal done
            done += 1
            progress(done, total)

        yield tick
    else:
        raise usage(f"progress: expected a function or True, found {type_of(progress)}")
