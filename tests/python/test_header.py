# SPDX-License-Identifier: MIT
"""What ctypes knows of the library is what mhaviz.h says."""
import ctypes
import re
import shutil
import subprocess

import pytest
from conftest import ROOT

import mha_viz
from mha_viz import _library

HEADER = ROOT / "src" / "mhaviz.h"


def test_structures_have_the_layout_of_the_compiler(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    lines, expected = [], []
    for name, structure in _library.STRUCTURES.items():
        lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
        expected.append(ctypes.sizeof(structure))
        for field, _ in structure._fields_:
            lines.append(f'printf("%zu %zu\\n", offsetof(struct {name}, {field}), '
                         f'sizeof(((struct {name} *)0)->{field}));')
            member = getattr(structure, field)
            expected.append((member.offset, member.size))
    (tmp_path / "a.c").write_text('#include <stdio.h>\n#include "mhaviz.h"\nint main(void) { ' +
                                  "\n".join(lines) + " return 0; }\n")
    subprocess.run([compiler, "-I", str(ROOT / "src"), "-o", str(tmp_path / "a"),
                    str(tmp_path / "a.c")], check=True)
    printed = subprocess.run([tmp_path / "a"], check=True, stdout=subprocess.PIPE, text=True)
    found = [tuple(map(int, line.split())) for line in printed.stdout.splitlines()]
    assert found == [one if isinstance(one, tuple) else (one,) for one in expected]


def test_structures_leave_no_member_out():
    text = HEADER.read_text()
    for name, structure in _library.STRUCTURES.items():
        body = re.search(r"^struct %s \{(.*?)^\};" % name, text, re.S | re.M).group(1)
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)      # pointers to functions
        members = re.findall(r"\b\**([a-z_]+)(?:\[\w+\])?\s*(?=[,;])", body)
        assert members == [field for field, _ in structure._fields_], name


def test_functions_are_those_of_the_header():
    declared = set(re.findall(r"\b(mhaviz_[a-z_]+)\(", HEADER.read_text()))
    known = set(_library.FUNCTIONS) | set(_library.CLOSERS) | {"mhaviz_version", "mhaviz_metric"}
    assert known == declared


def test_the_version_is_that_of_the_makefile():
    version = re.search(r"^VERSION := (.*)$", (ROOT / "Makefile").read_text(), re.M).group(1)
    assert mha_viz.__version__ == version
    assert _library.lib.mhaviz_version().decode() == version


def test_metrics_and_options_say_what_they_are():
    info = mha_viz.metric_info("entropy")
    assert info["name"] == "entropy" and info["unit"] == "nats" and info["group"] == "basic"
    assert info["page"] == "mha-viz-metrics(7)" and "ln a" in info["formula"]
    assert all(mha_viz.metric_info(name)["name"] == name for name in mha_viz.metrics())
    assert mha_viz.metric_info("js_cluster")["group"] == ""
    with pytest.raises(mha_viz.MhaVizError, match="'entropi' is not a metric; did you mean"):
        mha_viz.metric_info("entropi")
    stats = {option["name"]: option for option in mha_viz.options("stats")}
    assert stats["metric"]["value"] == "LIST" and stats["summary"]["value"] is None
    assert stats["layer"]["group"] == "layers and heads" and "model" not in stats
    assert not {"output", "threads", "help", "shard"} & set(stats)
    with pytest.raises(mha_viz.MhaVizError, match="'info' is not a task"):
        mha_viz.options("info")


def test_numbers_of_pictures_and_words_of_python():
    with mha_viz.Model() as model:
        rows = model.make("links", "the cat saw", from_="cat", layer="3", tsv=True).decode()
        assert rows.splitlines()[1].split("\t")[4:6] == ["2", " cat"]
        with pytest.raises(mha_viz.MhaVizError, match="csv: a picture is drawn here"):
            model.links("the cat", csv=True)
