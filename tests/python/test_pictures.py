# SPDX-License-Identifier: MIT
"""Pictures are those of the program, and a notebook gets each once."""
import base64
import pickle

import pytest
from conftest import SENTENCE

import mha_viz

PLAIN = ["--no-metadata"]


@pytest.mark.parametrize("options, look", [
    ([], {}),
    (["-l", "3", "-H", "0,2", "--cmap", "magma", "--title", "Ä title", "--columns", "2"],
     {"layers": 3, "heads": [0, 2], "cmap": "magma", "title": "Ä title", "columns": 2}),
    (["--dpi", "200", "--shared", "-l", "0-1"], {"dpi": 200, "shared": True, "layers": "0-1"}),
])
@pytest.mark.parametrize("format", ["png", "svg", "pdf"])
def test_a_heatmap_is_the_program_s(model, program, tmp_path, options, look, format):
    path = tmp_path / f"program.{format}"
    program("heatmap", *PLAIN, *options, "-o", path, SENTENCE)
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


def test_files_that_cannot_be_written(model, raises, tmp_path):
    with raises(mha_viz.Status.SYSTEM, "No such file"):
        model.heatmap("the cat", tmp_path / "nowhere" / "a.png")
    with raises(mha_viz.Status.USAGE, "format: 'jpg'"):
        model.heatmap("the cat", tmp_path / "a.jpg")
    model.heatmap("the cat", "/dev/null", format="png")
