# SPDX-License-Identifier: MIT
"""What a notebook does with the module: arguments of other libraries, files that are objects,
warnings, texts in pieces, two closings."""
import copy
import io
import os
import pathlib
import pickle
import threading
import warnings

import numpy as np
import pytest
from conftest import REF, SENTENCE

import mha_viz

USAGE, SYSTEM = mha_viz.Status.USAGE, mha_viz.Status.SYSTEM
LONG = " ".join([SENTENCE] * 200)


def a_layer():
    """Weights of a bare layer of 16 in 4 heads."""
    draw = np.random.default_rng(1).standard_normal
    shapes = {"in_proj_weight": (48, 16), "in_proj_bias": 48, "out_proj.weight": (16, 16),
              "out_proj.bias": 16}
    return {name: draw(shape, np.float32) for name, shape in shapes.items()}


@pytest.fixture(scope="module")
def layer():
    with mha_viz.from_torch(a_layer(), heads=4) as opened:
        yield opened


# ---- warnings ----

def test_what_a_model_leaves_unused_is_a_warning_where_it_is_opened():
    weights = {**a_layer(), "other.thing": np.zeros(3, np.float32)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with mha_viz.from_torch(weights, heads=4, name="layer") as opened:
            opened.attention(mha_viz.Input(input=np.ones((2, 16))))
    assert [(one.category, str(one.message), one.filename) for one in caught] == [
        (mha_viz.MhaVizWarning, "layer: tensor other.thing is not used", __file__)]
    assert issubclass(mha_viz.MhaVizWarning, UserWarning)


def test_warnings_of_rows_are_heard_once(model):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in model.rows(mha_viz.Input(LONG, truncate=True), layers=[0, 1]):
            pass
        model.stats(mha_viz.Input(LONG, truncate=True))
    assert ["1024" in str(one.message) for one in caught] == [True, True]


# ---- texts ----

@pytest.mark.parametrize("tokens", [
    ["New York", "is", "big"], ["a\tb", "c\nd", "e"], ["", "b", " c "], ["a", "b", "c d e f"],
    ["a", "b", "c"],
])
def test_a_token_of_a_list_stays_one(layer, tokens):
    text = mha_viz.Input(input=np.ones((3, 16), np.float32), tokens=tokens)
    assert layer.attention(text).tokens == tokens
    assert [token.label for token in layer.tokens(text)] == tokens
    assert layer.heatmap(text)[:4] == b"\x89PNG"


def test_one_token_alone(layer):
    text = mha_viz.Input(input=np.ones((1, 16), np.float32), tokens=["New York"])
    assert layer.attention(text).tokens == ["New York"]


@pytest.mark.parametrize("tokens, words", [
    ([], "tokens: an empty list"), (["a b", "c\x1fd"], "U+001F"),
    ([1, 2], "expected str, found int"),
])
def test_tokens_that_cannot_be(raises, tokens, words):
    with raises(USAGE, words):
        mha_viz.Input(tokens=tokens)


def test_words_that_are_not_one(raises):
    for words in (["New York"], ["a", ""], ["a", "b\n c"]):
        with raises(USAGE, "is not one word"):
            mha_viz.Input(words, words=True)


def test_a_text_in_pieces_may_be_longer_than_the_model_takes(model, program, raises):
    pieces = model.stats(LONG, split=512)
    assert len(pieces) == 24 * 4 and {record["part"] for record in pieces} == {0, 1, 2, 3}
    assert model.make("stats", LONG, split="512:9", json=True) == \
        program("stats", LONG, "--split", "512:9", "--json", "--no-metadata")
    assert [len(records) for records in model.stats_many([LONG, SENTENCE], split=512)] == [96, 24]
    with raises(USAGE, "--split"):
        model.attention(mha_viz.Input(LONG, split=512))
    with raises(USAGE, "--split: several texts"):
        model.heatmap(LONG, split=512)
    with raises(USAGE, "--split: 'x'"):
        model.stats(LONG, split="x")


def test_ids_as_tokenisers_give_them(model, raises):
    ids = [token.id for token in model.tokens(SENTENCE)]
    for given in (np.array(ids), np.array([ids], np.int32), iter(ids), tuple(ids)):
        assert [token.id for token in model.tokens(mha_viz.Input(ids=given))] == ids
    with raises(USAGE, "ids: expected a whole number"):
        mha_viz.Input(ids=np.array([ids, ids]))
    torch = pytest.importorskip("torch")
    assert len(model.tokens(mha_viz.Input(ids=torch.tensor([ids])))) == len(ids)


@pytest.mark.parametrize("rows", [
    np.ones((16, 3)).T, np.asfortranarray(np.ones((3, 16), np.float16)), np.ones((3, 16))[::-1],
    np.ones((3, 16), ">f4"), np.ones((6, 32), np.float32)[::2, ::2], np.ones((3, 16), int),
])
def test_rows_that_lie_otherwise(layer, rows):
    plain = mha_viz.Input(input=np.ones((3, 16), np.float32))
    assert layer.attention(mha_viz.Input(input=rows))[0].tobytes() == \
        layer.attention(plain)[0].tobytes()


@pytest.mark.parametrize("rows, words", [
    (np.ma.masked_array(np.ones((3, 16)), mask=True), "input: a masked array"),
    (np.ones((3, 16), object), "input: object is not one of"),
    (np.ones((3, 16), complex), "input: complex128 is not one of"),
])
def test_rows_that_cannot_be(layer, raises, rows, words):
    with raises(USAGE, words):
        layer.attention(mha_viz.Input(input=rows))


# ---- attention and records ----

def test_layers_are_found_as_in_a_list(model, raises):
    attention = model.attention(SENTENCE)
    assert len(attention) == 6 and attention[-1] is attention[5]
    assert attention["decoder", np.int64(-6)] is attention[np.int64(0)]
    assert np.stack(list(attention)).shape == np.asarray(attention).shape == (6, 4, 10, 10)
    for which in (6, -7, 1.5, slice(0, 2), "decoder", None, ("encoder", 0)):
        with raises(USAGE, "is not one of the layers"):
            attention[which]
    some = model.attention(SENTENCE, layers=np.array(3), heads=np.array([0, 2]))
    assert some[-1] is some[3] and some.rows["decoder"].heads == {3: [0, 2]}
    with mha_viz.Model("builtin:translate") as translate:
        with raises(USAGE, "several stacks"):
            list(translate.attention("the cat", "die"))


def test_records_stay_records(model):
    records = model.stats(SENTENCE)
    assert [type(part) for part in (records[:3], records[::-1], records[0])] == \
        [mha_viz.Records, mha_viz.Records, dict]
    assert records[:3].about == records.about and records[:3].text == SENTENCE
    for again in (copy.copy(records), pickle.loads(pickle.dumps(records))):
        assert again == records and again.about == records.about
    pytest.importorskip("pandas")
    assert records[4:6].to_pandas()["head"].tolist() == [0, 1]


def test_two_models_of_no_name(model):
    with mha_viz.Model() as other:
        found = model.diff(other, SENTENCE)
        assert len(found) == 24 and {record["js"] for record in found} == {0}
    assert len(model.diff(model, SENTENCE)) == 24


# ---- files ----

@pytest.mark.parametrize("form, first", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_files_are_paths_or_objects(model, raises, tmp_path, form, first):
    picture = model.heatmap(SENTENCE, tmp_path / f"A.{form.upper()}")
    assert picture.format == form
    out = io.BytesIO()
    assert model.links(SENTENCE, out, format=form)[:4] == first[:4] == out.getvalue()[:4]
    for path in (tmp_path / "b", str(tmp_path / "c"), os.fsencode(tmp_path / "d"), io.BytesIO()):
        picture.save(path)
        if not isinstance(path, io.BytesIO):
            assert pathlib.Path(os.fsdecode(path)).read_bytes() == picture
    for path, words in ((None, "expected a path"), (1, "expected a path, found int"),
                        (io.StringIO(), "a file that takes str")):
        with raises(USAGE, words):
            picture.save(path)
    with raises(SYSTEM, "/nowhere/a: No such file"):
        picture.save("/nowhere/a")
    out.close()
    with raises(SYSTEM, "path: I/O operation on closed file"):
        picture.save(out)
    assert not list(tmp_path.glob("*.tmp"))


def test_pages_are_saved_the_same_way(model, raises, tmp_path):
    out = io.BytesIO()
    page = model.report(SENTENCE, out)
    page.save(tmp_path / "a.htm")
    assert (tmp_path / "a.htm").read_bytes() == out.getvalue() == page.encode()
    with raises(USAGE, "a file that takes str"):
        page.save(io.StringIO())


def test_a_file_that_cannot_be_written(model, raises):
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(28, "No space left on device")

    with raises(SYSTEM, "No space left"):
        model.heatmap(SENTENCE, Full())


# ---- bools, paths, closings ----

def test_bools_of_numpy_are_bools(model, raises):
    plain = model.heatmap(SENTENCE, no_labels=True)
    assert model.heatmap(SENTENCE, no_labels=np.bool_(True), shared=np.bool_(False)) == plain
    assert model.tokens(SENTENCE, decoder=np.bool_(False)) == model.tokens(SENTENCE)
    with raises(USAGE, "expected True or False, found int"):
        model.tokens(SENTENCE, decoder=0)


def test_one_adapter_as_bytes(raises):
    with raises(mha_viz.Status.INPUT, "/nowhere"):
        mha_viz.Model(adapters=b"/nowhere")


def test_two_threads_close_while_rows_are_read(raises):
    model = mha_viz.Model()
    rows = model.rows(mha_viz.Input(ids=[2026] * 1024))     # more than waits for a reader
    next(rows)
    threads = [threading.Thread(target=model.close) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert model.closed and repr(model) == "<mha_viz.Model: closed>"
    with raises(USAGE, "was closed while its rows were read"):
        list(rows)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64"])
@pytest.mark.parametrize("family", ["gpt2", "bert", "llama", "bart"])
def test_transformers_are_their_files(family, dtype, program, tmp_path):
    """What is saved, opened by the program, has the same rows and numbers, to the last bit."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    config = transformers.AutoConfig.from_pretrained(REF / family)
    torch.manual_seed(1)
    theirs = transformers.AutoModel.from_config(config, dtype=getattr(torch, dtype)).eval()
    theirs.save_pretrained(tmp_path / "saved")
    ids = ["--ids", "2,5,6,3,7,9,4"] + (["--decoder-ids", "2,7,8"] if family == "bart" else [])
    text = mha_viz.Input(ids=[2, 5, 6, 3, 7, 9, 4],
                         **({"decoder_ids": [2, 7, 8]} if family == "bart" else {}))
    with mha_viz.from_transformers(theirs, name="saved") as ours:
        assert ours.make("stats", text, metric="all", json=True) == program(
            "stats", "-m", tmp_path / "saved", *ids, "--metric", "all", "--json", "--no-metadata")
        npz = program.export(tmp_path / "rows.npz", "-m", tmp_path / "saved", *ids)
        names = {"encoder": "attn", "decoder": "dec" if family == "bart" else "attn",
                 "cross": "cross"}
        rows = ours.attention(text).rows
        found = {f"{names[stack]}.{layer}": array for stack, layers in rows.items()
                 for layer, array in layers.items()}
        for name in found.keys() & npz.keys():
            assert found[name].tobytes() == npz[name].tobytes(), name
        assert len(found.keys() & npz.keys()) >= 2, (list(found), list(npz))
