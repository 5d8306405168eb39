# SPDX-License-Identifier: MIT
"""Pictures are those of the program, and a notebook gets each once."""
import base64
import copy
import io
import pickle

import pytest
from conftest import SENTENCE

import mha_viz

PLAIN = ["--no-metadata"]


@pytest.mark.parametrize("options, look", [
    ([], {}),
    (["-l", "3", "-H", "0,2", "--cmap", "magma", "--title", "Ä title", "--columns", "2"],
     {"layers": 3, "heads": [0, 2], "cmap": "magma", "title": "Ä title", "columns": 2}),
    (["--shared", "-l", "0-1"], {"shared": True, "layers": "0-1"}),
    (["--dpi", "200"], {"dpi": 200}),
])
@pytest.mark.parametrize("format", ["png", "svg", "pdf"])
def test_a_heatmap_is_the_program_s(model, program, tmp_path, options, look, format):
    path = tmp_path / f"program.{format}"
    taken = options if format == "png" or "--dpi" not in options else []    # of a PNG alone
    program("heatmap", *PLAIN, *taken, "-o", path, SENTENCE)
    picture = model.heatmap(SENTENCE, format=format, **look)
    assert picture == path.read_bytes()
    model.heatmap(SENTENCE, tmp_path / f"module.{format}", **look)
    assert (tmp_path / f"module.{format}").read_bytes() == path.read_bytes()
    assert [p.name for p in tmp_path.iterdir() if "tmp" in p.name] == []


def test_a_notebook_gets_the_picture_once_at_twice_the_density(model):
    attention = model.attention(SENTENCE, layers=3)
    data, look = attention._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"}
    picture = model.heatmap(SENTENCE, layers=3, dpi=200)
    assert base64.b64decode(data["image/png"]) == picture
    assert look == {"image/png": {"width": picture.width_px // 2}}
    for kind in (mha_viz.Attention, mha_viz.Picture):
        assert not hasattr(kind, "_repr_png_") and not hasattr(kind, "_repr_html_")


def test_pictures_are_bytes_that_show_themselves(model, tmp_path):
    picture = model.heatmap(SENTENCE)
    assert (picture.width_px, picture.height_px) > (100, 100) and picture[:4] == b"\x89PNG"
    assert picture._repr_mimebundle_()[1] == {"image/png": {"width": picture.width_px}}
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture
    again = pickle.loads(pickle.dumps(picture))
    assert again == picture and again.format == "png" and again.dpi == 100
    svg = model.heatmap(SENTENCE, format="svg")
    assert svg._repr_mimebundle_()[0]["image/svg+xml"].startswith("<?xml")
    assert "application/pdf" in model.heatmap(SENTENCE, format="pdf")._repr_mimebundle_()[0]


def test_an_attention_without_its_model_is_a_line(program):
    with mha_viz.Model() as model:
        attention = model.attention("the cat")
    data, _ = attention._repr_mimebundle_()
    assert set(data) == {"text/plain"} and "the model is closed" in data["text/plain"]


def test_an_attention_in_a_pickle_and_a_copy(model):
    attention = model.attention(SENTENCE, layers=[0, 3])
    again = pickle.loads(pickle.dumps(attention))
    assert again.tokens == attention.tokens and again.text == SENTENCE
    assert again.token_list == attention.token_list
    assert list(again.rows["decoder"]) == [0, 3]
    assert (again[3] == attention[3]).all()
    assert "its model is in another process" in again._repr_mimebundle_()[0]["text/plain"]
    for twin, own in ((copy.copy(attention), False), (copy.deepcopy(attention), True)):
        assert (twin[3] == attention[3]).all() and (twin[3] is not attention[3]) == own
        assert set(twin._repr_mimebundle_()[0]) == {"image/png", "text/plain"}


def test_files_that_cannot_be_written(model, raises, tmp_path):
    with raises(mha_viz.Status.SYSTEM, "No such file"):
        model.heatmap("the cat", tmp_path / "nowhere" / "a.png")
    with raises(mha_viz.Status.USAGE, "format: 'jpg'"):
        model.heatmap("the cat", tmp_path / "a.jpg")
    model.heatmap("the cat", "/dev/null", format="png")


class Slow(io.RawIOBase):
    """Takes a few bytes at a time, then none."""

    def __init__(self, at_once, most=10 ** 9):
        self.at_once, self.most, self.got = at_once, most, b""

    def writable(self):
        return True

    def write(self, data):
        part = bytes(data[:min(self.at_once, self.most - len(self.got))])
        self.got += part
        return len(part)


def test_a_file_that_takes_few_bytes_gets_all_or_it_is_said(model, raises):
    picture = model.heatmap("the cat")
    out = Slow(1000)
    picture.save(out)
    assert out.got == picture
    with raises(mha_viz.Status.SYSTEM, f"path: write() took 1500 of {len(picture)} bytes"):
        picture.save(Slow(1000, 1500))
    with raises(mha_viz.Status.SYSTEM, "write() took 0 of"):
        picture.save(Slow(0))
