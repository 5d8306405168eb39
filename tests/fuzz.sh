#!/bin/bash
# SPDX-License-Identifier: MIT
# Every fuzz target has seeds and words of its language: one that lacks them would stop before
# its first run.
cd "$(dirname "$0")/.." || exit 1
n=0 bad=0
for target in tests/fuzz/*.c; do
    name=$(basename "$target" .c)
    [ "$name" != replay ] || continue
    n=$((n + 1))
    if [ -n "$(tests/fuzz/dictionary "$name")" ] && [ -n "$(ls -A tests/fuzz/corpus/"$name")" ]; then
        echo "ok $n - $name"
    else
        bad=1
        echo "not ok $n - $name: expected seeds in tests/fuzz/corpus and words in tests/fuzz/dictionary"
    fi
done
echo "1..$n"
[ "$bad" -eq 0 ]
