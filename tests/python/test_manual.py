# SPDX-License-Identifier: MIT
"""What mha-viz-python(7) shows is what comes out."""
import doctest
import re

from conftest import ROOT


def test_the_page_says_what_is_printed():
    page = (ROOT / "man" / "mha-viz-python.7").read_text()
    blocks = re.findall(r"^\.Bd -literal -offset indent\n(.*?)^\.Ed$", page, re.S | re.M)
    text = "\n".join(blocks).replace("\\&", "").replace("\\(rs", "\\").replace("\\e", "\\")
    test = doctest.DocTestParser().get_doctest(text, {}, "mha-viz-python.7", None, 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 8 and result.failed == 0
