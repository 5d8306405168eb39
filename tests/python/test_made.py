# SPDX-License-Identifier: MIT
"""What the program makes of a text, the module makes too, to the last byte."""
import html.parser
import json

import pytest
from conftest import REF, ROOT, SENTENCE, run_python

import mha_viz

OTHER = "the cat saw a dog and the cat ran"


@pytest.mark.parametrize("name, method, options, words", [
    ("links", "links", {"layers": 3, "heads": [1, 2]}, ["-l", "3", "-H", "1,2"]),
    ("model", "model_view", {"metric": "entropy"}, ["--metric", "entropy"]),
    ("model", "model_view", {"dpi": 50}, ["--dpi", "50"]),
])
@pytest.mark.parametrize("format", ["png", "svg"])
def test_pictures(model, program, tmp_path, name, method, options, words, format):
    path = tmp_path / f"a.{format}"
    taken = words if format == "png" or "--dpi" not in words else []    # of a PNG alone
    program(name, "--no-metadata", *taken, "-o", path, SENTENCE)
    picture = getattr(model, method)(SENTENCE, tmp_path / f"b.{format}", **options)
    assert picture == path.read_bytes() == (tmp_path / f"b.{format}").read_bytes()


def test_a_report_is_a_page_in_a_frame_of_its_own(model, program, tmp_path):
    program("report", "--no-metadata", "-o", tmp_path / "a.html", SENTENCE)
    page = model.report(SENTENCE, tmp_path / "b.html")
    assert page.encode() == (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    data = page._repr_mimebundle_()
    found = {}

    class Frame(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            found[tag] = dict(attributes)

    Frame().feed(data["text/html"])
    assert list(found) == ["iframe"] and set(found["iframe"]["sandbox"].split()) == \
        {"allow-scripts", "allow-downloads", "allow-modals"}
    assert found["iframe"]["srcdoc"] == page
    page.save(tmp_path / "c.html")
    assert (tmp_path / "c.html").read_bytes() == page.encode()


@pytest.mark.parametrize("name, options, words", [
    ("types", {"layers": 3, "no_probe": True, "file": "samples/english.txt"},
     ["-l", "3", "--no-probe", "-f", "samples/english.txt"]),
    ("ablate", {"layers": 3, "heads": 1}, ["-l", "3", "-H", "1"]),
])
def test_records(model, program, monkeypatch, name, options, words):
    monkeypatch.chdir(ROOT)
    text = [] if name == "types" else [SENTENCE]
    wanted = program.json(name, *words, *text)
    found = getattr(model, name)(*text, **options)
    assert found == wanted.pop("heads") and found.about == wanted and len(found) > 0


def test_diff_of_texts_and_of_models(model, program):
    assert model.diff(OTHER, SENTENCE, layers=3) == \
        program.json("diff", "-l", "3", SENTENCE, OTHER)["heads"]
    with mha_viz.Model(REF / "gpt2") as a, mha_viz.Model(REF / "gpt2", threads=1) as b:
        found = a.diff(b, "the key")
        assert found == b.diff(a, "the key") and all(head["js"] == 0 for head in found)
        assert found == a.diff(a, "the key")


@pytest.mark.parametrize("name, sides", [
    ("dtype", ("f32", "bf16")), ("mask", ["none", "block:0-3,0-3"]), ("fast", ("f32", "f32")),
])
def test_diff_of_one_text_in_two_ways(model, program, name, sides):
    found = model.diff(model, SENTENCE, **{name: sides})
    assert found == program.json("diff", f"--{name}", sides[0], f"--{name}", sides[1],
                                 SENTENCE)["heads"]
    assert (sides[0] == sides[1]) == all(head["js"] == 0 for head in found)
    assert all(head["js"] == 0 for head in model.diff(model, SENTENCE, **{name: sides[1]}))


@pytest.mark.parametrize("name, sides, words", [
    ("dtype", ("f32",), "dtype: 1 of them, expected one, or two, one for each side"),
    ("mask", ["none"] * 3, "mask: 3 of them, expected one"),
    ("fast", (None, "int8"), "fast: expected str, found NoneType"),
    ("dtype", ("f32", "f33"), "--dtype: 'f33' is not one of"),
])
def test_sides_that_cannot_be(model, raises, name, sides, words):
    with raises(mha_viz.Status.USAGE, words):
        model.diff(model, SENTENCE, **{name: sides})


def test_several_texts_make_no_picture(model, raises, tmp_path):
    (tmp_path / "texts").write_text("the cat\nthe dog\n")
    words = "several texts, where one file is made: expected one"
    for make in (model.heatmap, model.links, lambda *a, **o: model.make("export", *a, **o)):
        with raises(mha_viz.Status.USAGE, f"--split: {words}"):
            make(SENTENCE, split=5)
        with raises(mha_viz.Status.USAGE, f"texts: {words}"):
            make(file=tmp_path / "texts")
    (tmp_path / "pairs").write_text("the cat\tthe dog\nthe dog\tthe cat\n")
    with raises(mha_viz.Status.USAGE, f"pairs: {words}"):
        model.make("diff", file=tmp_path / "pairs", pairs=True, format="png")
    assert [record["part"] for record in model.stats(SENTENCE, split=5, layers=0, heads=0)] == [0, 1, 2]


def test_several_texts_have_an_index(model, tmp_path):
    (tmp_path / "texts").write_text("the cat\nthe dog\n")
    found = model.ablate(file=tmp_path / "texts", layers=3, heads=1)
    assert [record["index"] for record in found] == [0, 1]


def test_make(model, program):
    assert json.loads(model.make("tokens", SENTENCE, json=True)) == program.json("tokens", SENTENCE)
    assert model.make("stats", ids=[1, 2, 3], tsv=True) == \
        program("stats", "--ids", "1,2,3", "--tsv")


def test_progress_and_what_it_raises(model, raises):
    shares = []
    model.ablate(SENTENCE, progress=shares.append)
    known = [share for share in shares if share is not None]
    assert len(known) > 3 and 0 <= min(known) and max(known) <= 1
    with pytest.raises(ZeroDivisionError):
        model.ablate(SENTENCE, progress=lambda share: 1 / 0)
    failed = []

    def use(share):
        try:
            model.stats(SENTENCE)
        except mha_viz.MhaVizError as error:
            failed.append(str(error))

    model.ablate(SENTENCE, progress=use)
    assert failed and set(failed) == {"the model is busy: a callback must not use it"}
    assert model.links(SENTENCE, progress=True)


def test_an_interrupt_stops_what_is_made():
    done = run_python("""
import signal, time, mha_viz
model = mha_viz.Model()
signal.signal(signal.SIGALRM, signal.default_int_handler)
start = time.monotonic()
try:
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    model.ablate("the cat saw the dog " * 40)
    print("came to its end")
except KeyboardInterrupt:
    print(time.monotonic() - start < 30)
assert len(model.stats("the cat")) == 24
""")
    assert (done.returncode, done.stdout) == (0, "True\n")


def test_what_cannot_be_made(model, raises):
    for name, options, words in (("nothing", {}, "'nothing' is not a task"), (3, {}, "expected str"),
                                 ("init", {}, "'init' is not a task"),
                                 ("stats", {"model": "x"}, "model")):
        with raises(mha_viz.Status.USAGE, words):
            model.make(name, **options)
    with mha_viz.Model(REF / "media" / "vit") as sees:
        with raises(mha_viz.Status.USAGE, "an array has no tokens"):
            sees.make("tokens", mha_viz.Image(REF / "media" / "rgb.png"))
    with raises(mha_viz.Status.USAGE, "text: expected one beside the other"):
        model.diff(SENTENCE)
    with raises(mha_viz.Status.USAGE, "other: expected"):
        model.diff(None, "the cat")
    closed = mha_viz.Model()
    closed.close()
    with raises(mha_viz.Status.USAGE, "the model is closed"):
        model.diff(closed, "the cat")
    with raises(mha_viz.Status.INPUT, "/nowhere"):
        model.types(file="/nowhere")
