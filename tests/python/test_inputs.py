# SPDX-License-Identifier: MIT
"""Texts in the program's words, and rows in memory: what the program makes of the same."""
import numpy as np
import pytest
from conftest import REF, SENTENCE

import mha_viz
from mha_viz import Input

USAGE, INPUT = mha_viz.Status.USAGE, mha_viz.Status.INPUT
GPT2, BERT, BART = (REF / name for name in ("gpt2", "bert", "bart"))


class Batch(list):
    """Ids of texts, whose shape is a list."""

    @property
    def shape(self):
        return [len(self), len(self[0])]


@pytest.mark.parametrize("path, given, pair, words", [
    (GPT2, Input(ids=[2, 5, 6, 3]), None, ["--ids", "2,5,6,3"]),
    (GPT2, Input(ids=np.array([2, 5, 6, 3])), None, ["--ids", "2,5,6,3"]),
    (GPT2, Input(ids=np.array([[2, 5, 6, 3]])), None, ["--ids", "2,5,6,3"]),
    (GPT2, Input(ids=Batch([[2, 5, 6, 3]])), None, ["--ids", "2,5,6,3"]),
    (BERT, Input(ids=range(2, 6), type_ids=(0, 0, 1, 1)), None,
     ["--ids", "2,3,4,5", "--type-ids", "0,0,1,1"]),
    (BERT, Input(["the", "key", "is"], words=True, no_special=True), None,
     ["--words", "--no-special", "the key is"]),
    (BERT, Input("the key"), "the door", ["the key", "the door"]),
    (BART, Input(ids=[2, 5, 6, 3], decoder_ids="2,7,8"), None,
     ["--ids", "2,5,6,3", "--decoder-ids", "2,7,8"]),
])
def test_a_text_in_other_words(program, tmp_path, path, given, pair, words):
    wanted = program.export(tmp_path / "a.npz", "-m", path, *words)
    with mha_viz.Model(path) as model:
        attention = model.attention(given, pair)
        assert [t.id for t in attention.token_list] == list(wanted["ids"])
        for stack, prefix in (("encoder", "attn"), ("cross", "cross"), ("decoder", "dec")):
            if path == GPT2:
                stack, prefix = "decoder", "attn"
            for layer, array in attention.rows.get(stack, {}).items():
                assert array.tobytes() == wanted[f"{prefix}.{layer}"].tobytes()
        assert model.heatmap(given, pair=pair, format="svg") == \
            program("heatmap", "--no-metadata", "--format", "svg", "-m", path, *words, "-o", "-")
        assert attention._repr_mimebundle_()[1]         # drawn again from the same Input


ADAPTERS = ["bert", "gpt2", "gpt2_dora", "llama"]


@pytest.mark.parametrize("name", ADAPTERS)
def test_adapters(program, tmp_path, name):
    folder, ids = REF / "adapters" / name, [3, 5, 7, 2, 9]
    adapter, given = folder / "adapter", Input(ids=ids)
    words = ["-m", folder, "--adapter", adapter, "--ids", "3,5,7,2,9"]
    wanted = program.export(tmp_path / "a.npz", *words)
    with mha_viz.Model(folder, adapters=adapter) as model, mha_viz.Model(folder) as base:
        attention = model.attention(given)
        assert attention[1].tobytes() == wanted["attn.1"].tobytes()
        assert attention[1].tobytes() != base.attention(given)[1].tobytes()
        assert max(head["js"] for head in base.diff(model, given)) > 0
    with mha_viz.Model(folder, adapters=[adapter, adapter]) as twice:
        assert twice.attention(given)[1].tobytes() != attention[1].tobytes()


# ---- rows ----

WIDTH, HEADS = 12, 3
ROWS = np.random.default_rng(1).standard_normal((5, WIDTH)).astype(np.float32)
OTHERS = np.random.default_rng(2).standard_normal((7, WIDTH)).astype(np.float32)


def layer_of(kind, **options):
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    if kind == "attention":
        module = torch.nn.MultiheadAttention(WIDTH, HEADS, **options)
    else:
        module = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, 16, **options)
    return torch, module.eval()


def saved(torch, module, folder):
    safetensors = pytest.importorskip("safetensors.torch")
    safetensors.save_file(module.state_dict(), str(folder / "layer.safetensors"))
    return folder / "layer.safetensors"


@pytest.mark.parametrize("kind, options, words", [
    ("attention", {}, []), ("attention", {"add_zero_attn": True}, ["--zero-attn"]),
    ("layer", {}, []), ("layer", {"norm_first": True}, ["--norm-first"]),
    ("layer", {"activation": "gelu"}, ["--activation", "gelu"]),
])
def test_a_layer_of_torch_is_its_file(program, tmp_path, kind, options, words):
    torch, module = layer_of(kind, **options)
    path = saved(torch, module, tmp_path)
    np.save(tmp_path / "rows.npy", ROWS)
    wanted = program.export(tmp_path / "a.npz", "-m", path, "--heads", HEADS, *words,
                            "--input", tmp_path / "rows.npy")
    name = "cross.0" if options.get("add_zero_attn") else "attn.0"     # a key more than queries
    with mha_viz.from_torch(module) as layer:
        assert set(layer.description.heads.values()) == {HEADS}
        for rows in (ROWS, torch.tensor(ROWS), np.asfortranarray(ROWS), tmp_path / "rows.npy"):
            found = layer.attention(Input(input=rows))
            assert found[0].tobytes() == wanted[name].tobytes()
        named = layer.attention(Input(input=ROWS, tokens=list("abcde")))
        assert named.queries(*named.rows) == list("abcde")
        assert layer.report(Input(input=ROWS)).startswith("<!DOCTYPE html>")
    attention = module if kind == "attention" else module.self_attn
    x = torch.tensor(ROWS)[:, None]
    if options.get("norm_first"):
        x = module.norm1(x)
    with torch.no_grad():
        theirs = attention(x, x, x, average_attn_weights=False)[1][0].numpy()
    assert np.abs(theirs - found[0]).max() < 1e-6


def test_keys_from_elsewhere():
    torch, module = layer_of("attention")
    rows, others = torch.tensor(ROWS)[:, None], torch.tensor(OTHERS)[:, None]
    with torch.no_grad():
        wanted = module(rows, others, others, average_attn_weights=False)[1][0].numpy()
    with mha_viz.from_torch(module, memory="random") as layer:
        found = layer.attention(Input(input=ROWS, memory=OTHERS, key_tokens="t u v w x y z"))
    assert np.abs(found["cross", 0] - wanted).max() < 1e-6
    assert found.keys("cross") == list("tuvwxyz")


def test_inputs_that_would_be_read_in_part(raises):
    """Keys that a layer opened for self-attention would not look at; the second of two texts."""
    torch, module = layer_of("attention")
    with mha_viz.from_torch(module) as layer:
        with raises(USAGE, "opened for self-attention"):
            layer.stats(Input(input=ROWS, memory=OTHERS))
        with raises(USAGE, "opened for self-attention"):
            layer.stats(Input(input=ROWS, key=OTHERS, value=OTHERS))
        with raises(USAGE, "several inputs, expected one"):
            layer.stats(Input(input=np.stack([ROWS, ROWS])))
        assert len(layer.stats(Input(input=ROWS[None]))) == HEADS


@pytest.mark.parametrize("memory", [None, "random"])
def test_two_layers_read_the_same_rows(program, tmp_path, raises, memory):
    torch, one = layer_of("attention")
    other = torch.nn.MultiheadAttention(WIDTH, HEADS).eval()
    named = {"input": ROWS, "tokens": list("abcde"), **({"memory": OTHERS} if memory else {})}
    words = []
    for name, module in (("one", one), ("other", other)):
        (tmp_path / name).mkdir()
        words += ["-m", saved(torch, module, tmp_path / name)]
    for name, rows in named.items():
        if name != "tokens":
            np.save(tmp_path / f"{name}.npy", rows)
            words += [f"--{name}", tmp_path / f"{name}.npy"]
    wanted = program.json("diff", "--heads", HEADS, "--tokens", "a b c d e", *words)["heads"]
    with mha_viz.from_torch(one, memory=memory) as a, mha_viz.from_torch(other, memory=memory) as b:
        found = a.diff(b, Input(**named))
        assert found == wanted and max(head["js"] for head in found) > 0
        given = Input(**{**named, "input": ROWS.astype(np.float64)})
        assert a.diff(b, given) == wanted
        assert all(head["js"] == 0 for head in a.diff(a, Input(**named)))
        drawn = Input(shape=4, seed=3)
        assert max(head["js"] for head in a.diff(b, drawn)) > 0
        assert all(head["js"] == 0 for head in a.diff(a, drawn))
    wide = mha_viz.from_torch(torch.nn.MultiheadAttention(2 * WIDTH, HEADS).eval(), memory=memory)
    with mha_viz.from_torch(one, memory=memory) as a, wide:
        with raises(INPUT, "input: shape [5,12], expected [T,24]"):
            a.diff(wide, Input(**named))


def test_two_models_read_the_same_pixels(program, tmp_path):
    path = REF / "media" / "vit"
    pixels = np.random.default_rng(3).random((3, 16, 24))
    np.save(tmp_path / "pixels.npy", pixels)
    wanted = program.json("diff", "-m", path, "-m", path, "--dtype", "f32", "--dtype", "bf16",
                          "--input", tmp_path / "pixels.npy")["heads"]
    with mha_viz.Model(path) as a, mha_viz.Model(path) as b:
        assert a.diff(b, Input(input=pixels), dtype=("f32", "bf16")) == wanted
        assert max(head["js"] for head in wanted) > 0


def test_texts_that_are_compared_are_read_alike(model, raises):
    bare = Input(SENTENCE, no_special=True)
    assert model.diff(bare, bare)[0]["js"] == 0
    for pair in ((bare, SENTENCE), (SENTENCE, bare)):
        with raises(USAGE, "expected the same ones for both"):
            model.diff(*pair)
    model.diff(Input(ids=[1, 2, 3]), Input(ids=[3, 2, 1]))


def test_a_summary_is_no_text(model, raises, tmp_path):
    (tmp_path / "texts").write_text("the key\nthe door\n", encoding="utf-8")
    with raises(USAGE, "not of a summary"):
        model.stats(file=tmp_path / "texts", summary=True)


def test_what_a_module_says_can_be_said_otherwise(raises):
    torch, module = layer_of("attention")
    with mha_viz.from_torch(module, heads=4) as layer:
        assert set(layer.description.heads.values()) == {4}
    with raises(USAGE, "activation: SiLU is not one of relu, gelu"):
        mha_viz.from_torch(layer_of("layer", activation=torch.nn.SiLU())[1])
    with raises(USAGE, "norm1: an epsilon of 1e-12, expected 1e-05"):
        mha_viz.from_torch(layer_of("layer", layer_norm_eps=1e-12)[1])
    with raises(USAGE, "the number of heads of its 12 columns of queries is unknown"):
        mha_viz.from_torch(module.state_dict())


class Shaped:
    """What is no array, and has a shape."""

    def __init__(self, shape):
        self.shape = shape


@pytest.mark.parametrize("arguments, status, words", [
    (dict(text=3), USAGE, "text: expected str or a list of them, found int"),
    (dict(text=b"a"), USAGE, "text: expected str or a list of them, found bytes"),
    (dict(text=["a", 3]), USAGE, "text: expected str, found int"),
    (dict(text="\ud800"), INPUT, "surrogate"), (dict(tokens=3), USAGE, "tokens: expected str"),
    (dict(ids=[]), USAGE, "ids: an empty list"), (dict(ids=[1.5]), USAGE, "1.5"),
    (dict(ids=[None]), USAGE, "found NoneType"), (dict(ids={1: 2}), USAGE, "found dict"),
    (dict(ids=[2 ** 40]), USAGE, "ids: expected -2147483647 to 2147483647, found 1099511627776"), (dict(ids="x"), USAGE, "'x'"),
    (dict(nothing=3), USAGE, "nothing"), (dict(file="/nowhere"), USAGE, "of many texts"),
    (dict(ids=[1], words=True), USAGE, ""), (dict(ids=[10 ** 6]), INPUT, "1000000"),
    (dict(input=np.zeros((2, 2))), USAGE, ""),
    (dict(input=np.zeros((2, 2), complex)), USAGE, "input: complex128"),
    (dict(text="a", model="x"), USAGE, "model"),
    *((dict(text="a", truncate=Shaped(shape)), USAGE, "truncate: expected a whole number, found Shaped")
      for shape in (5, None, "ab", (1, 2), (), np.array([1, 2]), np.array(3))),
    (dict(ids=Shaped(5)), USAGE, "ids: expected a whole number, found Shaped"),
    (dict(input=Shaped(5)), USAGE, "input: expected a tensor or an array, found Shaped"),
])
def test_inputs_that_cannot_be(model, raises, arguments, status, words):
    with raises(status, words):
        model.stats(Input(**arguments))


def test_inputs_in_a_corpus_and_beside_another(model):
    text = model.stats(SENTENCE)
    ids = [token.id for token in model.tokens(SENTENCE)]
    given = Input(ids=ids)
    assert [list(found) for found in model.stats_many([given, SENTENCE])] == [text, text]
    assert all(head["js"] == 0 for head in model.diff(given, given))
    assert repr(given) == f"<mha_viz.Input: --ids={','.join(map(str, ids))}>"
