#!/bin/bash
# SPDX-License-Identifier: MIT
# The Python module, src/python/mha_viz, by pytest; tests that need torch, transformers, pandas
# or a notebook's machinery are skipped where those are not installed.
#   PYTHON=...     the interpreter, if not python3
#   SANITISER=...  libasan.so, for a library of its build
cd "$(dirname "$0")/.." || exit 1
python=${PYTHON:-python3}
library=$PWD/${MHA_VIZ_BUILD:-build}/libmhaviz.so.0

skip() {
    echo "SKIPPED: $*"
    exit 77
}

[ -z "$MHA_VIZ_EMULATOR" ] || skip "this machine's Python cannot load the library of another processor"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip "no Python 3.9 or newer"
"$python" -c 'import pytest' 2>/dev/null || skip "$python has no pytest (Debian: python3-pytest)"
"$python" -c 'import numpy' 2>/dev/null || skip "$python has no NumPy (Debian: python3-numpy)"
[ -n "$SANITISER" ] || ! grep -q -e -fsanitize "${MHA_VIZ_BUILD:-build}/flags" ||
    skip "a library with sanitisers: make check-python"
[ -e "$library" ] || skip "$library is not built"
export MHA_VIZ_LIBRARY=$library PYTHONDONTWRITEBYTECODE=1
export MHA_VIZ=${MHA_VIZ:-$PWD/mha-viz}
# The interpreter is not built with the sanitiser and has leaks of its own.
[ -z "$SANITISER" ] || export LD_PRELOAD=$SANITISER ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
exec "$python" -m pytest -q -p no:cacheprovider --tb=short tests/python "$@"
