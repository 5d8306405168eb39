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

@test "texts of a batch are written in their order, whichever thread formats them" {
    head -n 30 samples/english.txt > "$dir/texts"
    for form in --tsv --json "--format table" "--format table --links --legend"; do
        # shellcheck disable=SC2086
        for n in 1 2 3 7; do
            mkdir "$dir/each$n"
            works "$viz" stats $form --top 3 -f "$dir/texts" -t $n -o "$dir/$n"
            works "$viz" stats $form --top 3 -f "$dir/texts" -t $n -o "$dir/each$n/"
        done
        for n in 2 3 7; do
            cmp "$dir/1" "$dir/$n"
            diff -r "$dir/each1" "$dir/each$n"
        done
        [ "$(find "$dir/each1" -type f | wc -l)" = 30 ]
        rm -r "$dir"/each?
    done
    works "$viz" stats --json --top 3 -f "$dir/texts" -t 3 -o "$dir/all.json"
    while read -r line; do
        printf '%s\n' "$line" > "$dir/line"
        "$viz" stats --json --top 3 -f "$dir/line" | jq -c 'del(.index)'
    done < "$dir/texts" > "$dir/singly.json"
    jq -c 'del(.index)' "$dir/all.json" | cmp - "$dir/singly.json"
}

@test "no processor has more threads than can be asked for" {
    fails 2 "threads" "$viz" stats -t 100000 "the cat"
    fails 2 "threads" "$viz" stats -t -1 "the cat"
}
