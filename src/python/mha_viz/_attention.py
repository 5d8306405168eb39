# SPDX-License-Identifier: MIT
"""The attention of one text, as arrays and as a picture."""
from __future__ import annotations

import copy
import operator
from ctypes import c_void_p
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Union

from . import _library
from ._error import MhaVizError, usage
from ._numpy import rows_view
from ._text import Source, Token
from ._work import Stop

if TYPE_CHECKING:
    from ._model import Model


class Layers(Mapping[int, Any]):
    """The arrays of one stack: layer -> float32 [heads, queries, keys].

    Layers that were not asked for, or do not attend, are not there.

    Attributes:
        stack: "encoder", "decoder" or "cross".
        heads: of each layer, the numbers of the heads that the first axis stands for.
    """

    def __init__(self, stack: str, arrays: dict[int, Any], heads: dict[int, list[int]]) -> None:
        self.stack = stack
        self.heads = heads
        self._arrays = arrays

    def __getitem__(self, layer: int) -> Any:
        """Raises KeyError where the layer is not there."""
        return self._arrays[layer]

    def __iter__(self) -> Iterator[int]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{layer}: {list(array.shape)}" for layer, array in self.items())
        return f"<mha_viz.Layers of the {self.stack}: {shapes}>"


class Attention:
    """What the heads of a model do with one text.

        attention = model.attention("the cat saw the dog")
        attention.rows["decoder"][3][1]     # head 1 of layer 3, [queries, keys]
        attention[3]                        # layer 3 of the only stack, [heads, queries, keys]

    In a notebook it shows the heatmap of `Model.heatmap`, of the heads that were asked for.
    It can be pickled, and copied.  A pickle has no model, so what comes of it draws nothing; a copy
    has the same model.

    Attributes:
        rows: stack -> `Layers`; each row sums to 1, or to 0 where it sees no key.
        tokens: labels of the text's tokens, [N].
        decoder_tokens: those of the decoder's text; [] where there is none.
        token_list, decoder_token_list: the same as `Token`, with ids and places.
        text, pair: what was given.
    """

    def __init__(self, model: Model, source: Source, look: dict[str, Any],
                 tokens: tuple[list[Token], list[Token]], rows: dict[str, Layers]) -> None:
        self._model: Optional[Model] = model        # None: it comes from a pickle
        self._look = look
        self.text = source.given
        self.pair = source.pair_given
        self.token_list, self.decoder_token_list = tokens
        self.rows = rows

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_model": None}

    def __copy__(self) -> Attention:
        again = type(self).__new__(type(self))
        again.__dict__.update(self.__dict__)
        return again

    def __deepcopy__(self, memo: dict[int, Any]) -> Attention:
        memo[id(self._model)] = self._model         # of which there is one
        again = memo[id(self)] = type(self).__new__(type(self))
        again.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return again

    @property
    def tokens(self) -> list[str]:
        return [token.label for token in self.token_list]

    @property
    def decoder_tokens(self) -> list[str]:
        return [token.label for token in self.decoder_token_list]

    def _side(self, stack: str, decoder: bool) -> list[str]:
        if stack not in self.rows:
            raise usage(f"stack: {stack!r} is not here: expected {' or '.join(self.rows)}")
        return self.decoder_tokens if decoder and self.decoder_token_list else self.tokens

    def queries(self, stack: str) -> list[str]:
        """Labels of the tokens that attend in a stack.  Errors: USAGE: no such stack."""
        return self._side(stack, "encoder" in self.rows and stack != "encoder" or stack == "cross")

    def keys(self, stack: str) -> list[str]:
        """Labels of the tokens that are attended to.  Errors: USAGE: no such stack."""
        return self._side(stack, "encoder" in self.rows and stack == "decoder")

    def __getitem__(self, which: Union[int, tuple[str, int]]) -> Any:
        """float32 [heads, queries, keys] of a layer, or of (stack, layer).

        A negative one counts from the last layer that is here.

        Errors: USAGE: a layer alone where there are several stacks, none such.
        """
        if isinstance(which, tuple) and len(which) == 2:
            stack, layer = which
        elif len(self.rows) == 1:
            (stack,), layer = self.rows, which
        else:
            raise usage(f"several stacks: expected (stack, layer) with {' or '.join(self.rows)}")
        try:
            layers, number = self.rows[stack], operator.index(layer)
            return layers[number if number >= 0 else list(layers)[number]]
        except (KeyError, TypeError, IndexError):
            raise usage(f"{which!r:.40} is not one of the layers that are here") from None

    def __iter__(self) -> Iterator[Any]:
        """The arrays of the only stack, layer by layer: numpy.stack(list(attention)).

        Errors: USAGE: there are several stacks.
        """
        if len(self.rows) != 1:
            raise usage(f"several stacks: expected rows of {' or '.join(self.rows)}")
        return iter([array for layers in self.rows.values() for array in layers.values()])

    def __len__(self) -> int:
        """Layers, of all stacks."""
        return sum(len(layers) for layers in self.rows.values())

    def __repr__(self) -> str:
        parts = "; ".join(f"{stack}, {len(layers)} layers" for stack, layers in self.rows.items())
        return f"<mha_viz.Attention: {len(self.token_list)} tokens; {parts}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """The heatmap at twice the density, once; only a line of text where none can be drawn."""
        if self._model is None:
            return {"text/plain": f"{self!r} (no picture: its model is in another process)"}, {}
        try:
            picture = self._model.heatmap(self.text, pair=self.pair, dpi=200, **self._look)
        except MhaVizError as error:
            return {"text/plain": f"{self!r} (no picture: {error})"}, {}
        data, look = picture._repr_mimebundle_()
        return {**data, "text/plain": repr(self)}, look


class Collector:
    """Rows of the library -> one array per stack and layer."""

    def __init__(self, np: Any, n_heads: list[int], stop: Stop) -> None:
        self._np = np
        self._n_heads = n_heads
        self._stop = stop
        self._arrays: dict[tuple[int, int], Any] = {}
        self._seen: dict[tuple[int, int], set[int]] = {}

    def take(self, rows: _library.Rows) -> bool:
        """Whether to stop."""
        at = rows.stack, rows.layer
        array = self._arrays.get(at)
        if array is None:
            # Pages that no head is written to cost no memory.
            array = self._arrays[at] = self._np.zeros(
                (self._n_heads[rows.stack], rows.n_all_rows, rows.n_all_keys), self._np.float32)
            self._seen[at] = set()
        self._seen[at].add(rows.head)
        array[rows.head, rows.first_row:rows.first_row + rows.n_rows,
              rows.first_key:rows.first_key + rows.n_keys] = rows_view(self._np, rows)
        return self._stop.asked

    def stacks(self) -> dict[str, Layers]:
        """Each stack that has rows, in the order of the run, with the heads that have."""
        found: dict[str, Layers] = {}
        for at in sorted(self._arrays):
            stack, heads = _library.STACKS[at[0]], sorted(self._seen[at])
            array = self._arrays.pop(at)
            if len(heads) != len(array):
                array = array[heads]
            layers = found.setdefault(stack, Layers(stack, {}, {}))
            layers._arrays[at[1]] = array
            layers.heads[at[1]] = heads
        return found


def collect(np: Any, model: c_void_p, text: c_void_p, selection: _library.Selection,
            n_heads: list[int], stop: Stop) -> dict[str, Layers]:
    """Runs a model.  Raises MhaVizError as mhaviz_run does; SYSTEM: memory of the arrays."""
    collector = Collector(np, n_heads, stop)
    try:
        _library.run(model, text, selection, collector.take)
        return collector.stacks()
    except MemoryError:
        raise MhaVizError(4, "out of memory: rows() needs no array of the whole") from None
