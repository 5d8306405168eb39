# SPDX-License-Identifier: MIT
"""Weights and attention that are in memory."""
import gc
import json

import numpy as np
import pytest
from conftest import REF, SENTENCE

import mha_viz

USAGE, INPUT = mha_viz.Status.USAGE, mha_viz.Status.INPUT
TEXT = "the key is here"


def tensors(path):
    """The arrays of a .safetensors file: names -> NumPy."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    types = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}
    found = {}
    for name, one in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        a, b = one["data_offsets"]
        found[name] = np.frombuffer(data[8 + size + a:8 + size + b],
                                    types[one["dtype"]]).reshape(one["shape"])
    return found


def weights_of(name):
    return {key: array for path in sorted((REF / name).glob("model*.safetensors"))
            for key, array in tensors(path).items()}


def opened(name, change=lambda array: array):
    folder = REF / name
    weights = {key: change(array) for key, array in weights_of(name).items()}
    return mha_viz.from_torch(weights, (folder / "config.json").read_text(),
                              (folder / "tokenizer.json").read_bytes())


@pytest.mark.parametrize("name", ["gpt2", "bert", "bart"])
def test_arrays_are_the_file(name):
    pair = "the door" if name == "bart" else None
    with mha_viz.Model(REF / name) as file, opened(name) as memory:
        gc.collect()
        wanted, found = file.attention(TEXT, pair), memory.attention(TEXT, pair)
        assert file.stats(TEXT, pair, metric="all").__repr__() == \
            memory.stats(TEXT, pair, metric="all").__repr__()
    assert wanted.rows.keys() == found.rows.keys()
    for stack, layers in wanted.rows.items():
        for layer, array in layers.items():
            assert found[stack, layer].tobytes() == array.tobytes()


@pytest.mark.parametrize("change", [
    lambda a: np.asfortranarray(a), lambda a: a[::-1].copy()[::-1],
    lambda a: np.stack([a, a], -1)[..., 0], lambda a: a.astype(a.dtype.newbyteorder(">")),
])
def test_arrays_that_lie_otherwise(change):
    with mha_viz.Model(REF / "gpt2") as file, opened("gpt2", change) as memory:
        assert file.attention(TEXT)[1].tobytes() == memory.attention(TEXT)[1].tobytes()


@pytest.mark.parametrize("weights, options, status, words", [
    (3, {}, USAGE, "expected a module or a state dict, found int"),
    ({}, dict(config="{}"), INPUT, ""),
    ({"a": 3}, {}, USAGE, "a: expected a tensor or an array, found int"),
    ({3: np.zeros(3)}, {}, USAGE, "names of tensors: expected str, found int"),
    ({"a\0": np.zeros(3)}, {}, INPUT, "null character"),
    ({"a": np.zeros(3, complex)}, {}, USAGE, "a: complex128 is not one of"),
    ({"a": np.zeros((1,) * 9)}, {}, USAGE, "a: 9 dimensions"),
    ({"a": np.zeros(3)}, dict(config=3), USAGE, "config: expected a dict"),
    ({"a": np.zeros(3)}, dict(config={"a": object()}), USAGE, "config: cannot be written as JSON"),
    ({"a": np.zeros(3)}, dict(config="x"), INPUT, ""),
    ({"a": np.zeros(3)}, dict(config="{}", tokenizer=3), USAGE, "tokenizer: expected a fast"),
    ({"a": np.zeros(3)}, dict(threads=-1), USAGE, "threads: expected 1 to"),
    ({"a": np.zeros(3)}, dict(name="\ud800"), INPUT, "surrogate"),
])
def test_weights_that_are_no_model(raises, weights, options, status, words):
    with raises(status, words):
        mha_viz.from_torch(weights, **options)


def test_weights_of_another_shape(raises):
    with raises(INPUT, "wte"):
        opened("gpt2", lambda array: array[:3])


def random_rows(*shape):
    rows = np.random.default_rng(1).random(shape, np.float32) + 0.1
    return rows / rows.sum(-1, keepdims=True)


def test_attention_that_is_there(model, raises):
    attention = model.attention(SENTENCE)
    layers = [attention[layer][None] for layer in range(6)]
    given = mha_viz.attention_arrays(layers, attention.tokens)
    again = given.attention()
    assert again.tokens == attention.tokens
    assert all(again[layer].tobytes() == attention[layer].tobytes() for layer in range(6))
    found, wanted = given.stats(layers=3), model.stats(SENTENCE, layers=3)
    assert [r["entropy"] for r in found] == pytest.approx([r["entropy"] for r in wanted], 1e-6)
    data, look = given._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"} and look["image/png"]["width"] > 100
    assert set(again._repr_mimebundle_()[0]) == {"image/png", "text/plain"}
    with raises(USAGE, "requires a model"):
        given.report()
    given.close()


def test_attention_in_other_forms():
    rows = random_rows(2, 3, 5, 5)
    by_layer = mha_viz.attention_arrays(list(rows)).attention()
    for arrays in (rows, {"attn.0": rows[0], "attn.1": rows[1]}, np.asfortranarray(rows),
                   rows[::-1][::-1], tuple(rows[:, None])):
        found = mha_viz.attention_arrays(arrays, list("abcde")).attention()
        assert found.tokens == list("abcde")
        assert all(found[i].tobytes() == by_layer[i].tobytes() for i in range(2))


@pytest.mark.parametrize("arrays, tokens, words", [
    (3, None, "arrays: expected"), ("abc", None, "arrays: expected"), ([], None, "there is none"),
    ([3], None, "expected a tensor or an array"), ([random_rows(2, 3, 5, 5)], None, "2 texts"),
    ([np.zeros((3, 5))], None, ""), ([random_rows(3, 5, 5), random_rows(3, 4, 4)], None, ""),
    ([random_rows(3, 5, 5)], ["a"], "5"), ([random_rows(3, 5, 5)], "abcde", "tokens: expected"),
    ([random_rows(3, 5, 5)], [1] * 5, "tokens: expected str"),
    ([random_rows(3, 5, 5)], ["\ud800"] * 5, "surrogate"),
    ([np.zeros((3, 5, 5), complex)], None, "complex128"),
])
def test_attention_that_cannot_be(arrays, tokens, words):
    with pytest.raises(mha_viz.MhaVizError) as caught:
        mha_viz.attention_arrays(arrays, tokens)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_rows_that_do_not_sum_to_one(raises):
    given = mha_viz.attention_arrays([np.ones((1, 3, 3), np.float32)])
    with raises(INPUT, ""):
        given.stats()
    with raises(USAGE, "has one already"):
        given.stats("the cat")


@pytest.mark.parametrize("family", ["gpt2", "bert", "llama"])
def test_transformers(family):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    folder = REF / family
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    config = transformers.AutoConfig.from_pretrained(folder)
    torch.manual_seed(1)
    theirs = transformers.AutoModel.from_config(
        config, dtype=torch.float32, attn_implementation="eager").eval()
    with mha_viz.from_transformers(theirs, tokenizer) as ours:
        attention = ours.attention(TEXT)
        ids = torch.tensor([[token.id for token in attention.token_list]])
        with torch.no_grad():
            wanted = theirs(ids, output_attentions=True).attentions
        for layer, array in enumerate(wanted):
            assert np.abs(attention[layer] - array[0].numpy()).max() < 1e-5
        given = mha_viz.attention_arrays(wanted, attention.tokens).attention()
        assert given[0].tobytes() == wanted[0][0].numpy().tobytes()
