#!/bin/bash
# SPDX-License-Identifier: MIT
# bats file_tags=once
# Whether five fixed runs take at most 3 % more instructions than they took
# (tests/bench/instructions.tsv), by the compiler that this was built with: a guard against what
# no clock shows on a machine that others use too.  Of 3 % fewer it says that the baseline is old.
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
    !($1 in want) { print "not ok " ++k " instructions: " $1 " has no baseline"; bad = 1; next }
    { ratio = $2 / want[$1]; k++
      ok = ratio <= 1.03 && $2 > 0
      printf "%s %d instructions: %s, %d of %d in the baseline: %.3f\n", ok ? "ok" : "not ok", k,
             $1, $2, want[$1], ratio
      if (!ok) { print "# slower; where it has to be: make baseline"; bad = 1 }
      if (ratio < 0.97) print "# tried: faster than the baseline; make baseline renews it" }
    END {
        if (k != n) print "not ok " ++k " instructions: " n " runs have a baseline"
        print "1.." k
        exit bad
    }' $table - <<<"$found"
