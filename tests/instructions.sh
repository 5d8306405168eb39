#!/bin/bash
# SPDX-License-Identifier: MIT
# bats file_tags=once
# Whether five fixed runs take the instructions that they took (tests/bench/instructions.tsv),
# within 3 %, by the compiler that this was built with: a guard against what no clock shows on a
# machine that others use too.  More is a regression; fewer is a baseline that has to be renewed.
cd "$(dirname "$0")/.." || exit 1
build=${MHA_VIZ_BUILD:-build}
program=${MHA_VIZ:-$PWD/mha-viz}
table=tests/bench/instructions.tsv

# skipped REASON
skipped() {
    echo "1..1"
    echo "ok 1 instructions of five runs # skip $1"
    exit 0
}

[ -z "$MHA_VIZ_EMULATOR" ] || skipped "a processor that is emulated"
command -v valgrind >/dev/null || skipped "valgrind is not installed"
command -v readelf >/dev/null || skipped "readelf is not installed"
MHA_VIZ_KERNEL=avx2 "$program" --version >/dev/null 2>&1 || skipped "this processor has no AVX2"
case " $(cat "$build/flags" 2>/dev/null) " in
*" -O2 -g "*) ;;
*) skipped "built with other flags than -O2 -g" ;;
esac
compiler=$(tests/bench/instructions --compiler "$program")
cut -f 1 $table | grep -qxF "$compiler" ||
    skipped "no baseline of $compiler in $table; make baseline writes one"

found=$(tests/bench/instructions "$program") || { echo "not ok 1 instructions of five runs"; exit 1; }
awk -F '\t' -v compiler="$compiler" '
    FNR == NR { if ($1 == compiler) { want[$2] = $3; n++ } next }
    { ratio = $2 / want[$1]; k++
      ok = ratio < 1.03 && ratio > 0.97
      printf "%s %d instructions: %s, %d of %d in the baseline: %.3f\n", ok ? "ok" : "not ok", k,
             $1, $2, want[$1], ratio
      if (!ok)
          print ratio > 1 ? "# slower; where it has to be: make baseline" :
                            "# faster: make baseline, so that it stays so" }
    END { print "1.." k; exit k != n }' $table - <<<"$found"
