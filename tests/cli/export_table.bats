#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# export --tsv and --csv: a long table of weights.

load helper

@test "the weights are those of the arrays, for the keys that a query sees" {
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no NumPy"
    for options in "-m $ref/bert -l 1" "-l 2-3 -H 0,2" "-H L4H1,L2H3" "--mask padding:1"; do
        # shellcheck disable=SC2086
        "$viz" export $options -o "$dir/a.npz" "the key is in"
        # shellcheck disable=SC2086
        "$viz" export $options --tsv "the key is in" > "$dir/a.tsv"
        # shellcheck disable=SC2086
        "$viz" stats $options --json "the key is in" | jq -c '[.heads[] | [.layer, .head]]' > "$dir/heads"
        "$python" - "$dir" <<'PYTHON'
import collections, csv, json, sys
import numpy
a = numpy.load(sys.argv[1] + "/a.npz")
seen = collections.Counter()
for row in csv.DictReader(open(sys.argv[1] + "/a.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE):
    layer, head, q, k = (int(row[name]) for name in ("layer", "head", "query", "key"))
    heads = a[f"heads.{layer}"].tolist() if f"heads.{layer}" in a else None
    weight = a[f"attn.{layer}"][heads.index(head) if heads else head, q, k]
    assert numpy.float32(row["weight"]) == weight, row
    seen[layer, head, q] += float(row["weight"])
assert sorted({key[:2] for key in seen}) == sorted(map(tuple, json.load(open(sys.argv[1] + "/heads"))))
assert all(abs(total - 1) < 1e-5 for total in seen.values())
PYTHON
    done
}

@test "a decoder's keys, a file, threads, stacks, and what is refused" {
    [ "$("$viz" export --csv -l 0 -H 0 "the cat" | cut -d , -f 5 | sort | uniq -c | tr -s ' ' | paste -sd ,)" = \
        " 1 0, 2 1, 3 2, 1 query" ]
    "$viz" export --csv -l 0 -H 0 -o "$dir/b.csv" "the cat"
    "$viz" export --csv -l 0 -H 0 "the cat" | cmp - "$dir/b.csv"
    head -n 9 samples/english.txt > "$dir/nine"
    for t in 1 3; do "$viz" export -t $t --tsv -f "$dir/nine" -l 1 > "$dir/$t"; done
    cmp "$dir/1" "$dir/3"
    [ "$(tail -n +2 "$dir/1" | cut -f 1 | sort -u | wc -l)" -eq 9 ]
    fails 2 "--all requires an npz" "$viz" export --tsv --all x
    fails 2 "-o FILE is required" "$viz" export x
    works "$viz" export -m builtin:translate -s cross -l 0 -H 0 --tsv tea 茶
}
