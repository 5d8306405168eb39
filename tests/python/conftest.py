# SPDX-License-Identifier: MIT
"""What the tests of the module share: the program that it is compared with, and TAP."""
import io
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REF = ROOT / "tests" / "ref"
SENTENCE = "the cat saw the dog and the cat ran"
sys.path.insert(0, str(ROOT / "src" / "python"))

import mha_viz  # noqa: E402


class Program:
    """mha-viz, for what the module must be equal to."""

    path = os.environ.get("MHA_VIZ", str(ROOT / "mha-viz"))

    def __call__(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], check=True, cwd=ROOT,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout

    def json(self, *arguments):
        """The one object of its output."""
        return json.loads(self(*arguments, "--json", "--no-metadata"))

    def export(self, path, *arguments):
        """The arrays of an npz."""
        import numpy
        self("export", "--no-metadata", *arguments, "-o", path)
        with numpy.load(io.BytesIO(pathlib.Path(path).read_bytes())) as npz:
            return dict(npz)


@pytest.fixture(scope="session")
def program():
    return Program()


@pytest.fixture(scope="session")
def model():
    """The built-in one, shared by tests that leave it open."""
    with mha_viz.Model() as opened:
        yield opened


@pytest.fixture
def raises():
    """raises(status, words): one line that has the words."""
    import contextlib

    @contextlib.contextmanager
    def check(status, words):
        with pytest.raises(mha_viz.MhaVizError) as caught:
            yield
        error = caught.value
        assert error.status == status, str(error)
        assert words in str(error)
        assert str(error) == error.message and "\n" not in error.message
    return check


def run_python(code, **environment):
    """Another interpreter with the module; its output, with that of its errors."""
    return subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=120, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src" / "python"), **environment})


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    """Each test as a line of TAP, which tests/run counts."""
    number = 0
    for outcome, line in (("passed", "ok %d %s"), ("failed", "not ok %d %s"),
                          ("error", "not ok %d %s"), ("skipped", "ok %d %s # skip %s")):
        for report in terminalreporter.stats.get(outcome, []):
            number += 1
            values = [number, report.nodeid]
            if outcome == "skipped":
                reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
                values.append(reason.replace("Skipped: ", ""))
            terminalreporter.write_line(line % tuple(values))
