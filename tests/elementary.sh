#!/bin/bash
# SPDX-License-Identifier: MIT
# Functions whose last bits depend on the C library and the processor are called nowhere in
# src/: base/elementary.h has its own.  What IEEE 754 makes exact (sqrt, fabs, floor, ldexp,
# fma, ...) may be called.  Prints each call and fails.
cd "$(dirname "$0")/.." || exit 1

find src -name '*.[ch]' -print0 | xargs -0 awk '
BEGIN {
    inexact = "acosh?|asinh?|atan(h|2)?|cbrt|cosh?|exp(2|10|m1)?|erfc?|hypot|j[01n]|[lt]gamma|" \
              "log(2|10|1p)?|pow|sin(h|cos)?|tanh?|y[01n]"
    call = "(^|[^A-Za-z0-9_.>])(" inexact ")[fl]?[ ]*\\("
    # The digits printed do not depend on them, and why.
    allowed["src/base/number.c log10("] = "a guess of the number of digits, which is checked"
}
FNR == 1 {
    comment = 0
}
{
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    if (comment && !sub(/^.*\*\//, "", line))
        next
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    comment = sub(/\/\*.*$/, "", line)
    while (match(line, call)) {
        name = substr(line, RSTART, RLENGTH)
        sub(/^[^A-Za-z]/, "", name)
        line = substr(line, RSTART + RLENGTH)
        if ((FILENAME " " name) in allowed)
            continue
        print FILENAME ":" FNR ": " name "): elementary_" name ") is the same everywhere"
        bad = 1
    }
}
END {
    exit bad
}'
