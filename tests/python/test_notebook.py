# SPDX-License-Identifier: MIT
"""samples/heads.ipynb runs from its first cell to its last, and shows what it says.

NOTEBOOK: a file that the notebook is written to with what it shows, to be looked at.
"""
import os
import pathlib

import pytest
from conftest import ROOT

PATH = ROOT / "samples" / "heads.ipynb"
nbformat = pytest.importorskip("nbformat")


@pytest.fixture(scope="module")
def shown():
    """The outputs of each cell of code: what it printed, its results by their media types."""
    for name in ("nbclient", "ipykernel", "pandas"):
        pytest.importorskip(name)
    from nbclient import NotebookClient
    notebook = nbformat.read(PATH, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT / "src" / "python"))
        patch.setenv("PYTHONWARNINGS", "ignore:IProgress not found")        # of tqdm
        NotebookClient(notebook, timeout=300, kernel_name="python3",
                       resources={"metadata": {"path": str(ROOT)}}).execute()
    if "NOTEBOOK" in os.environ:
        nbformat.write(notebook, pathlib.Path(os.environ["NOTEBOOK"]))
    return {cell.source: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def result(shown, words):
    """What the one cell that has these words shows last."""
    (outputs,) = [outputs for source, outputs in shown.items() if words in source]
    return outputs[-1]


def test_it_is_kept_without_what_it_shows():
    notebook = nbformat.read(PATH, as_version=4)
    nbformat.validate(notebook)
    assert PATH.stat().st_size < 10000
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None


@pytest.mark.parametrize("words", ["model.attention(text", "model.links(", "model.model_view("])
def test_pictures_are_shown_once_and_with_their_width(shown, words):
    output = result(shown, words)
    assert set(output.data) == {"image/png", "text/plain"}
    assert output.metadata["image/png"]["width"] > 200


@pytest.mark.parametrize("words, columns", [
    ("model.stats(", ("entropy", "prev")), ("model.types(", ("primary", "caption")),
    ("model.ablate(", ("dloss", "kl")),
])
def test_tables_are_shown(shown, words, columns):
    html = result(shown, words).data["text/html"]
    assert "<table" in html and all(f">{column}<" in html for column in columns)


def test_the_page_is_shown_in_a_frame(shown):
    html = result(shown, "model.report(").data["text/html"]
    assert html.startswith("<iframe sandbox") and "srcdoc=" in html


def test_numbers_and_a_model_of_transformers(shown):
    assert "' cat'" in result(shown, "head = attention").data["text/plain"]
    (outputs,) = [outputs for source, outputs in shown.items() if "import torch" in source]
    if outputs[0].text.startswith("skipped: "):
        pytest.skip(outputs[0].text)
    assert float(outputs[0].text.split()[-1]) < 1e-5
    assert set(outputs[1].data) == {"image/png", "text/plain"}


def test_nothing_is_wrong_in_it(shown):
    """No warnings and no other words than those it prints."""
    for outputs in shown.values():
        assert all(output.get("name") != "stderr" for output in outputs), outputs
