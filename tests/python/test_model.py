# SPDX-License-Identifier: MIT
"""Models, tokens, attention and statistics are those of the program, to the last bit."""
import io
import math
import warnings

import numpy as np
import pytest
from conftest import REF, SENTENCE

import mha_viz

CASES = [
    (None, SENTENCE, None),
    ("builtin:encoder", SENTENCE, None),
    ("builtin:translate", "the cat sleeps", "die Katze"),
    ("builtin:translate", "the cat sleeps", None),
    (REF / "bert", "the river bank", "the small bank"),
    (REF / "bart", "Read the key.", "The river was wide."),
    (REF / "gpt2", "the key", None),
]
PREFIX = {"attn": None, "dec": "decoder", "cross": "cross"}


def options(path):
    return [] if path is None else ["-m", path]


def texts(text, pair):
    return [text] if pair is None else [text, pair]


@pytest.mark.parametrize("path, text, pair", CASES)
def test_attention_is_what_export_writes(program, tmp_path, path, text, pair):
    wanted = program.export(tmp_path / "a.npz", *options(path), *texts(text, pair))
    with mha_viz.Model(path) as model:
        attention = model.attention(text, pair)
        stacks = model.description.layers
    found = {}
    for stack, layers in attention.rows.items():
        for layer, array in layers.items():
            prefix = {"cross": "cross", "decoder": "dec" if "encoder" in stacks else "attn",
                      "encoder": "attn"}[stack]
            found[f"{prefix}.{layer}"] = array
    arrays = {name: array for name, array in wanted.items() if name.split(".")[0] in PREFIX}
    assert found.keys() == arrays.keys() and len(found) > 0
    for name, array in arrays.items():
        assert found[name].dtype == np.float32 and found[name].flags.c_contiguous
        assert found[name].tobytes() == array.tobytes(), name


@pytest.mark.parametrize("path, text, pair", CASES)
@pytest.mark.parametrize("compute", [None, "all"])
def test_stats_are_those_of_the_program(program, path, text, pair, compute):
    wanted = program.json("stats", *options(path), *([] if compute is None else
                          ["--metric", compute]), *texts(text, pair))
    with mha_viz.Model(path) as model:
        records = model.stats(text, pair, metric=compute)
    assert [(r["stack"], r["layer"], r["head"]) for r in records] == \
        [(h["stack"], h["layer"], h["head"]) for h in wanted["heads"]]
    numbers = [name for name in records[0] if name in mha_viz.metrics()]
    assert "entropy" in numbers and len(numbers) > (40 if compute == "all" else 5)
    for record, head in zip(records, wanted["heads"]):
        for name in numbers:
            assert (head[name] is None and math.isnan(record[name])) or \
                head[name] == record[name], name


@pytest.mark.parametrize("path, text, pair", CASES)
def test_tokens_are_those_of_the_program(program, path, text, pair):
    with mha_viz.Model(path) as model:
        tokens = model.tokens(text, pair)
    wanted = program.json("tokens", *options(path), *texts(text, pair))
    n = len(tokens)
    assert [t.id for t in tokens] == wanted["ids"][:n]
    assert [t.piece for t in tokens] == wanted["tokens"][:n]
    assert [[t.start, t.end] for t in tokens] == wanted["bytes"][:n]
    assert [int(t.special) for t in tokens] == wanted["special"][:n]


def test_a_selection_is_the_program_s(model, program):
    for layers, heads in ((3, None), ("3", "0,2"), ([0, 3], [1]), ("-1", None), (None, "L0H1,L3H2"),
                          (range(2), np.int64(2))):
        as_text = [str(layers) if isinstance(layers, (int, str)) else ",".join(map(str, layers))] \
            if layers is not None else []
        heads_text = [heads if isinstance(heads, str) else
                      str(heads) if not isinstance(heads, list) else ",".join(map(str, heads))] \
            if heads is not None else []
        wanted = program.json("stats", *(["-l", *as_text] if as_text else []),
                              *(["-H", *heads_text] if heads_text else []), SENTENCE)["heads"]
        names = [(h["layer"], h["head"]) for h in wanted]
        found = model.stats(SENTENCE, layers=layers, heads=heads)
        assert [(r["layer"], r["head"]) for r in found] == names
        rows = model.attention(SENTENCE, layers=layers, heads=heads).rows["decoder"]
        assert [(layer, head) for layer in rows for head in rows.heads[layer]] == names
        assert [len(rows[layer]) for layer in rows] == [len(rows.heads[layer]) for layer in rows]


def test_heads_that_were_selected_are_those(model):
    whole, part = model.attention(SENTENCE), model.attention(SENTENCE, heads="L3H2,L3H0")
    assert part[3].tobytes() == whole[3][[0, 2]].tobytes()


def test_an_attention_says_what_it_is(raises):
    with mha_viz.Model("builtin:translate") as model:
        attention = model.attention("the cat sleeps", "die Katze")
    assert list(attention.rows) == ["encoder", "decoder", "cross"]
    for stack, layers in attention.rows.items():
        for layer in layers.values():
            assert layer.shape[1:] == (len(attention.queries(stack)), len(attention.keys(stack)))
    assert attention.queries("cross") == attention.decoder_tokens
    assert attention.keys("cross") == attention.tokens
    assert attention["cross", 0] is attention.rows["cross"][0]
    with raises(mha_viz.Status.USAGE, "several stacks"):
        attention[0]
    with raises(mha_viz.Status.USAGE, "not one of the layers"):
        attention["cross", 99]
    with raises(mha_viz.Status.USAGE, "stack: 'other'"):
        attention.keys("other")


def test_description(model, program):
    found = model.description
    wanted = program.json("info")
    assert found.name == wanted["model"] and found.family == wanted["family"]
    assert found.layers == {"decoder": 6} and found.heads == {"decoder": 4}
    assert found.max_tokens == 1024
    assert "6 layers of 4 heads" in repr(model)


def test_a_picture_is_read_by_a_model_that_reads_pictures(program, tmp_path):
    picture, path = REF / "media" / "rgb.png", REF / "media" / "vit"
    wanted = program.export(tmp_path / "a.npz", "-m", path, "--image", picture)
    with mha_viz.Model(path) as model:
        attention = model.attention(mha_viz.Image(picture))
    assert attention[0].tobytes() == wanted["attn.0"].tobytes()
    assert "1,1" in attention.tokens and attention.token_list[1].id == -1


def test_sound_is_heard_by_a_model_that_hears(program, tmp_path):
    sound, path = REF / "media" / "voice.wav", REF / "media" / "whisper"
    wanted = program.export(tmp_path / "a.npz", "-m", path, "--audio", sound)
    with mha_viz.Model(path) as model:
        attention = model.attention(mha_viz.Audio(sound))
    assert attention["encoder", 0].tobytes() == wanted["attn.0"].tobytes()


def test_many_texts(model):
    calls = []
    found = list(model.stats_many(["the cat\n", ("the dog", None)],
                                  progress=lambda done, total: calls.append((done, total))))
    assert [r.number for r in found] == [0, 1] and [r.text for r in found] == ["the cat", "the dog"]
    assert calls == [(1, 2), (2, 2)]
    assert found[0] == model.stats("the cat")
    with pytest.warns(UserWarning, match="text 1 is skipped: text: not UTF-8"):
        found = list(model.stats_many(iter(["the cat", "\udc00", "the dog"]), errors="skip"))
    assert [r.number for r in found] == [0, 2]
    assert len(list(model.stats_many(["the cat"], progress=True))) == 1


def test_to_pandas(model):
    pandas = pytest.importorskip("pandas")
    found = model.stats(SENTENCE, layers=3)
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["head"]) == [0, 1, 2, 3]
    assert list(frame.columns) == list(found[0]) and frame["entropy"].dtype == np.float64
    assert frame["entropy"].tolist() == [head["entropy"] for head in found]
    changes = model.diff("the cat saw a dog", SENTENCE, layers=3).to_pandas()
    assert len(changes) == 4 and changes["js"].dtype == np.float64


def test_progress_with_tqdm(model, monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto")
    bars = []

    class Bar(tqdm.tqdm):
        def __init__(self, **options):
            super().__init__(**options, file=io.StringIO())
            bars.append(self)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    assert len(list(model.stats_many(["the cat", "the dog"], progress=True))) == 2
    model.ablate(SENTENCE, progress=True)
    (texts, shares) = bars
    assert (texts.n, texts.total, texts.unit) == (2, 2, " texts")
    assert (shares.n, shares.total, shares.unit) == (100, 100, "%")


def test_warnings_of_the_library_are_python_s(model):
    """At the line that called the module, one per warning of the program."""
    long = "the cat saw the dog " * 300
    cut, unknown = mha_viz.Input(long, truncate=True), "the zzz qqq"
    with mha_viz.Model("builtin:translate") as translate:
        for use in (lambda: model.stats(long, truncate=True), lambda: model.stats(cut),
                    lambda: list(model.stats_many([long], truncate=True)),
                    lambda: model.heatmap(long, truncate=True),
                    lambda: model.report(cut),
                    lambda: model.make("stats", long, truncate=True),
                    lambda: model.diff("the cat saw the dog " * 100, cut),
                    lambda: model.attention(cut), lambda: model.tokens(cut),
                    lambda: list(model.rows(cut)),
                    lambda: translate.links(unknown), lambda: translate.tokens(unknown)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                use()
            assert [one.filename for one in caught] == [__file__], [str(w.message) for w in caught]
            assert "is cut to the 1024 tokens" in str(caught[0].message) or \
                "not in the vocabulary" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="1024"):
            model.stats(long, truncate=True)
        model.stats("the cat")


def test_threads_do_not_change_a_bit():
    found = []
    for threads in (1, 3):
        with mha_viz.Model(threads=threads) as model:
            found.append(model.attention(SENTENCE)[5].tobytes())
    assert found[0] == found[1]
