# SPDX-License-Identifier: MIT
"""Weights, and attention, that are in memory already -> models, without a file.

The library reads tensors where they are; they are kept as long as the model is open.
"""
from __future__ import annotations

import ctypes
import json
import sys
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import _arguments, _arrays, _library
from ._error import MhaVizError, Status, type_of, usage
from ._model import Model, _threads
from ._text import Source, Text


def _arrays_of(named: Mapping[str, Any], name: Optional[str], config: Optional[bytes],
               tokenizer: Optional[bytes],
               words: Sequence[bytes] = ()) -> tuple[_library.Arrays, list[Any]]:
    """The arrays with what belongs to them, and what is to be kept."""
    array, kept = _arrays.arrays(named)
    options = (c_char_p * (len(words) + 1))(*words, None)
    kept += [config, tokenizer, options]
    arrays = _library.Arrays(_arguments.optional(name, "name"), array, len(named), options=options)
    for member, data in (("config", config), ("tokenizer", tokenizer)):
        if data is not None:
            setattr(arrays, member, _library.Bytes(
                ctypes.cast(c_char_p(data), c_void_p).value, len(data)))
    return arrays, kept


# ---- config and tokeniser ----

def _config(config: Any) -> Optional[bytes]:
    """config.json of None, a dict, JSON, or what has to_json_string(), as transformers has."""
    if config is None or isinstance(config, bytes):
        return config
    if hasattr(config, "to_json_string"):
        config = config.to_json_string()
    if isinstance(config, str):
        return _arguments.text(config, "config")
    if not isinstance(config, Mapping):
        raise usage(f"config: expected a dict, JSON or a config of transformers, found "
                    f"{type_of(config)}")
    try:
        return json.dumps(config).encode()
    except (TypeError, ValueError) as error:
        raise usage(f"config: cannot be written as JSON: {' '.join(str(error).split())}") from None


def _tokenizer(tokenizer: Any) -> Optional[bytes]:
    """tokenizer.json of None, JSON, a tokenizers.Tokenizer, or a fast one of transformers."""
    tokenizer = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if tokenizer is None or isinstance(tokenizer, bytes):
        return tokenizer
    if hasattr(tokenizer, "to_str"):
        tokenizer = tokenizer.to_str()
    if isinstance(tokenizer, str):
        return _arguments.text(tokenizer, "tokenizer")
    raise usage(f"tokenizer: expected a fast tokenizer or tokenizer.json, found "
                f"{type_of(tokenizer)}")


# ---- modules of torch ----

EPSILON = 1e-5      # of the norms of bare layers


def _module_options(module: Any) -> dict[str, Any]:
    """What a module knows of a bare layer and its tensors do not say, as options.

    Errors: USAGE: torch's own layers with an activation, or norms, that the library has not.
    """
    parts = list(module.modules()) if callable(getattr(module, "modules", None)) else []
    heads = {part.num_heads for part in parts if isinstance(getattr(part, "num_heads", None), int)}
    found: dict[str, Any] = {"heads": heads.pop()} if len(heads) == 1 else {}
    torch: Any = sys.modules.get("torch")
    for part in parts if torch is not None else ():
        if isinstance(part, torch.nn.MultiheadAttention):
            found["zero_attn"] = part.add_zero_attn
        if isinstance(part, (torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoderLayer)):
            found["norm_first"] = part.norm_first
            found["activation"] = _activation(torch, part.activation)
            if part.norm1.eps != EPSILON:
                raise usage(f"norm1: an epsilon of {part.norm1.eps}, expected {EPSILON}")
    return found


def _activation(torch: Any, function: Any) -> str:
    if function is torch.nn.functional.relu or isinstance(function, torch.nn.ReLU):
        return "relu"
    if function is torch.nn.functional.gelu:
        return "gelu"
    if isinstance(function, torch.nn.GELU):
        return "gelu" if function.approximate == "none" else "gelu_tanh"
    raise usage(f"activation: {getattr(function, '__name__', type_of(function))} is not one of "
                "relu, gelu")


# ---- models ----

def _opened(kind: type[Model], function: str, arrays: _library.Arrays, kept: list[Any],
            threads: Optional[int]) -> Model:
    model = kind.__new__(kind)
    model._init()
    model._kept = kept
    n_threads = _threads(threads)
    model._open(lambda handle: _library.call(function, byref(handle), byref(arrays), n_threads))
    return model


def from_torch(module_or_state_dict: Any, config: Any = None, tokenizer: Any = None, *,
               name: Optional[str] = None, threads: Optional[int] = None,
               **options: Any) -> Model:
    """A model of weights in memory, without a file; the results are those of its file.

    Args:
        module_or_state_dict: a torch.nn.Module, or names -> tensors or NumPy arrays, as its
            .safetensors file would have them.  What is changed in place later is not noticed
            everywhere: open the model again.
        config: of a module of transformers, by default its own; else config.json as a dict, JSON,
            or None for a bare attention layer (mha-viz-layers(7)).
        tokenizer: tokenizer.json as JSON, a tokenizers.Tokenizer, or a fast one of transformers;
            None: texts cannot be tokenised.
        name: of the model, in captions; None: "model".
        threads: as for `Model`.
        options: those of mha-viz(1) for bare layers, as heads=4, where the module does not say:
            of torch's own layers heads, activation and the place of the norms are known.

    A bare layer reads rows: layer.attention(mha_viz.Input(input=x)), x [queries, width].

    Raises:
        MhaVizError: USAGE: other types, types of numbers that are not known, tensors without
            data; INPUT: what does not fit the config, a family that is not supported.
    """
    weights = module_or_state_dict
    if not isinstance(weights, Mapping):
        if not callable(getattr(weights, "state_dict", None)):
            raise usage(f"expected a module or a state dict, found {type_of(weights)}")
        if config is None:
            config = getattr(weights, "config", None)
        if config is None:
            options = {**_module_options(weights), **options}
        weights = weights.state_dict()
    arrays, kept = _arrays_of(weights, name, _config(config), _tokenizer(tokenizer),
                           _arguments.options(None, None, None, options))
    return _opened(Model, "mhaviz_model_open_arrays", arrays, kept, threads)


def from_transformers(model: Any, tokenizer: Any = None, *, name: Optional[str] = None,
                      threads: Optional[int] = None) -> Model:
    """A model of the transformers library, which need not be saved; see `from_torch`.

    Args:
        model: a PreTrainedModel; its weights and config are read.
        tokenizer: its tokenizer, a fast one.
    """
    if not hasattr(model, "config") or not callable(getattr(model, "state_dict", None)):
        raise usage(f"model: expected one of transformers, found {type_of(model)}")
    weights = model.state_dict()
    loading = sys.modules.get("transformers.core_model_loading")
    revert = getattr(loading, "revert_weight_conversion", None)
    if revert is not None:
        weights = revert(model, weights)    # the names that its files have
    return from_torch(weights, model.config, tokenizer, name=name, threads=threads)


# ---- attention ----

class _Labels:
    """The one text that given attention is of, in the place of a Source."""

    pair_given = None
    given = None

    def __init__(self, tokens: Any, key_tokens: Any) -> None:
        self.labels = _labels(tokens, "tokens"), _labels(key_tokens, "key_tokens")

    def open(self, model: c_void_p) -> Text:
        handle = c_void_p()
        arguments: list[Any] = []
        for labels in self.labels:
            arguments += [None, 0] if labels is None else \
                [(c_char_p * max(1, len(labels)))(*labels), len(labels)]
        _library.call("mhaviz_text_open_labels", model, *arguments, byref(handle))
        return Text(handle)


def _labels(tokens: Any, what: str) -> Optional[list[bytes]]:
    if tokens is None:
        return None
    if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
        raise usage(f"{what}: expected a list of str, found {type_of(tokens)}")
    return [_arguments.text(one, what) for one in tokens]


class GivenAttention(Model):
    """Attention that is there already, with all that a `Model` has for its one text.

    Its methods take no text: given.stats(), given.heatmap(), given.attention().
    """

    _text: _Labels

    def _source(self, text: Any, pair: Any, words: Sequence[bytes] = ()) -> Source:
        if text is not None or pair is not None:
            raise usage("text: attention that was given has one already")
        if any(word.split(b"=")[0] == b"--split" for word in words):
            raise usage("split: requires texts or ids, not arrays")
        return self._text       # type: ignore[return-value]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """As `Attention` shows itself."""
        try:
            data, look = self.heatmap(dpi=200)._repr_mimebundle_()
        except MhaVizError as error:
            return {"text/plain": f"{self!r} (no picture: {error})"}, {}
        return {**data, "text/plain": repr(self)}, look


def _by_name(arrays: Any) -> dict[str, Any]:
    """Names of the library -> arrays; a first axis of one text is left out."""
    if isinstance(arrays, Mapping):
        return {name: array[0] if name != "" and tuple(getattr(array, "shape", ()))[:1] == (1,) and
                len(array.shape) == 4 else array for name, array in arrays.items()}
    if hasattr(arrays, "shape"):
        return {"": arrays}
    if isinstance(arrays, (str, bytes)) or not isinstance(arrays, Iterable):
        raise usage(f"arrays: expected an array, a list or a dict of them, found "
                    f"{type_of(arrays)}")
    found = {}
    for layer, array in enumerate(arrays):
        if array is None:
            continue                    # a layer that does not attend
        shape = tuple(getattr(array, "shape", ()))
        if len(shape) == 4 and shape[0] != 1:
            raise usage(f"layer {layer}: {shape[0]} texts, expected one")
        found[f"attn.{layer}"] = array[0] if len(shape) == 4 else array
    return found


def attention_arrays(arrays: Any, tokens: Optional[Sequence[str]] = None,
                     key_tokens: Optional[Sequence[str]] = None, *,
                     name: Optional[str] = None, threads: Optional[int] = None) -> GivenAttention:
    """Attention that another framework computed, as output_attentions=True gives it.

        given = mha_viz.attention_arrays(outputs.attentions, tokens)
        given.stats(); given.heatmap()

    Args:
        arrays: per layer an array of [heads, queries, keys] or [1, heads, queries, keys], of
            NumPy or torch; one of [layers, heads, queries, keys]; or a dict with the names
            "attn.0", and "dec.0", "cross.0" for a decoder.
        tokens: labels of the queries, [queries]; None: they are numbered.
        key_tokens: labels of the keys of cross-attention, [keys].
        name: in captions; None: "attention".

    Raises:
        MhaVizError: USAGE: other types, several texts, as many labels as there are not tokens;
            INPUT: shapes that do not fit together.  Weights are looked at when they are read: rows
            that do not sum to 1 are an error of what reads them.
    """
    labels = _Labels(tokens, key_tokens)
    named: Mapping[str, Union[Any]] = _by_name(arrays)
    if not named:
        raise MhaVizError(Status.INPUT, "arrays: there is none")
    structures, kept = _arrays_of(named, name, None, None)
    given = _opened(GivenAttention, "mhaviz_model_open_attention", structures, kept, threads)
    assert isinstance(given, GivenAttention)
    given._text = labels
    given.tokens()                      # as many labels as there are tokens
    return given
