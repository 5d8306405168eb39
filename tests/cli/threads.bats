#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=threads
# More threads than the machine has processors: slower perhaps, and the same bytes.
# shellcheck disable=SC2154
load helper

@test "threads beyond the machine's processors give the bytes of one" {
    head -n 30 samples/english.txt > "$dir/texts"
    works "$viz" stats --tsv --compute all -f "$dir/texts" -t 1 -o "$dir/one.tsv"
    works "$viz" stats --tsv --compute all -f "$dir/texts" -t 96 -o "$dir/many.tsv"
    cmp "$dir/one.tsv" "$dir/many.tsv"
}

@test "no processor has more threads than can be asked for" {
    fails 2 "threads" "$viz" stats -t 100000 "the cat"
    fails 2 "threads" "$viz" stats -t -1 "the cat"
}
