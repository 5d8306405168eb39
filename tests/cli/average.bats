#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# --average: means over heads, layers and texts, in figures, tables and arrays.

load helper

text="the cat saw the dog and the cat ran"

# three texts of seven tokens
texts() {
    printf '%s\n' 'the cat sat on the mat' 'the dog ran to the mat' 'the cat sat in the hat'
}

@test "numbers are those of the mean map, as --attention reads it from export" {
    for of in "heads" "layers" "both" "heads -l 2-4 -H 0,3" "layers -H L1H2,L4H0,L4H2"; do
        # shellcheck disable=SC2086
        "$viz" export -o "$dir/mean.npz" --average $of "$text"
        # shellcheck disable=SC2086
        "$viz" stats --tsv --average $of "$text" | cut -f 6-14 > "$dir/got"
        # columns: index, stack, layer, head, then metrics; of the mean index, average, ...
        "$viz" stats --tsv --attention "$dir/mean.npz" | cut -f 5-13 > "$dir/want"
        diff "$dir/got" "$dir/want"
    done
    "$viz" stats --average both "$text" | sed -n 3p | grep -q '^all '
    "$viz" stats --average heads -l 3 "$text" | sed -n 3p | grep -q '^L3 '
    "$viz" stats --average layers -H 1 "$text" | sed -n 3p | grep -q '^H1 '
    "$viz" stats --average layers -H 1 "$text" | sed -n 1p | grep -qx 'mean of layers 0-5'
    # the mean of the entropies is at most the entropy of the mean
    "$viz" stats --tsv --average heads -l 3 --metric entropy "$text" | sed -n 2p | cut -f 6 > "$dir/mean"
    "$viz" stats --tsv -l 3 --metric entropy "$text" | cut -f 5 |
        awk -v mean="$(cat "$dir/mean")" 'NR > 1 { sum += $1 } END { exit !(NR == 5 && sum / 4 < mean) }'
}

@test "means over texts are those of NumPy" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    texts > "$dir/texts"
    for i in 1 2 3; do sed -n "${i}p" "$dir/texts" | "$viz" export -f - -o "$dir/$i.npz"; done
    "$viz" export --average texts -f "$dir/texts" -o "$dir/mean.npz"
    "$viz" export --average texts,heads -f "$dir/texts" -o "$dir/both.npz"
    python3 - "$dir" <<'PYTHON'
import sys
import numpy as np
of = [np.load(f"{sys.argv[1]}/{i}.npz") for i in (1, 2, 3)]
mean, both = (np.load(f"{sys.argv[1]}/{name}.npz") for name in ("mean", "both"))
for l in range(6):
    want = np.mean([np.float64(x[f"attn.{l}"]) for x in of], axis=0)
    # one rounding to float
    assert np.abs(mean[f"attn.{l}"] - want).max() <= 2 ** -24, l
    assert np.abs(both[f"attn.{l}"] - want.mean(axis=0)).max() <= 2 ** -24, l
assert list(mean["tokens"][:4]) == ["<|bos|>", "the", "*", "*"], mean["tokens"]
assert "ids" not in mean.files
PYTHON
}

@test "texts: what they must have in common, and what they are called" {
    texts > "$dir/texts"
    works "$viz" heatmap --average texts,heads -l all -f "$dir/texts" -o "$dir/a.svg"
    grep -q "layers 0-5, mean of heads 0-3, mean of 3 texts" "$dir/a.svg"
    "$viz" stats --average texts -l 3 -f "$dir/texts" | sed -n 1p | grep -qx "mean of 3 texts of $dir/texts"
    "$viz" stats --average texts --json -l 3 -f "$dir/texts" > "$dir/a.json"
    jq -e '.input == "mean of 3 texts of '"$dir"'/texts" and .ids == null and .average == "texts"' "$dir/a.json"
    [ "$(wc -l < "$dir/a.json")" -eq 1 ]
    works "$viz" links --average texts --from '*' -f "$dir/texts" -o "$dir/a.svg"
    echo 'one more text of another length' >> "$dir/texts"
    fails 3 "--average texts: text 4 has 8 tokens, text 1 has 7: expected texts of one length" \
        "$viz" stats --average texts -f "$dir/texts"
    fails 2 "--average texts requires several texts: -f FILE" "$viz" stats --average texts "$text"
    [ ! -e "$dir/b.png" ]
}

@test "the same bytes for any number of threads" {
    texts > "$dir/texts"
    for t in 1 3; do
        "$viz" stats --json --no-metadata --average heads -t $t "$text" > "$dir/heads.$t"
        "$viz" stats --json --no-metadata --average texts,layers -t $t -f "$dir/texts" > "$dir/texts.$t"
        "$viz" links --no-metadata --average both -t $t -o "$dir/$t.svg" "$text"
    done
    cmp "$dir/heads.1" "$dir/heads.3"
    cmp "$dir/texts.1" "$dir/texts.3"
    cmp "$dir/1.svg" "$dir/3.svg"
}

@test "figures and tables name what is averaged" {
    "$viz" curve --average heads --tsv "$text" | sed -n 2p | grep -q '^heads	mean of heads	0	'
    "$viz" curve --average layers --over position --tsv "$text" | cut -f 2 | sed 1d | uniq | paste -sd, |
        grep -qx 'H0,H1,H2,H3'
    "$viz" model --average heads --metric entropy --tsv "$text" | sed -n 3p | grep -q '^heads	decoder	1		[01]\.'
    works "$viz" model --average layers -o "$dir/a.svg" "$text"
    "$viz" links --average heads -l 2 --tsv "$text" | sed -n 2p | grep -q '^0	heads	decoder	2		0	'
    works "$viz" links --average heads -l 2,3 --panels -o "$dir/a.svg" "$text"
    grep -q '>L2<' "$dir/a.svg"
    "$viz" export --tsv --average both "$text" | sed -n 2p | grep -q '^0	decoder			0	<|bos|>	0	<|bos|>	1$'
    "$viz" stats --summary --average heads --metric entropy -f "samples/english.txt" | sed -n 1p |
        grep -q '; mean of heads 0-3$'
}

@test "words are merged and tokens hidden after the mean" {
    works "$viz" stats --average heads --merge words --hide special -l 1 "$text"
    works "$viz" heatmap --average heads --hide first --renorm -o "$dir/a.svg" "$text"
    works "$viz" stats -m builtin:translate --average heads -s cross "I like apples" "he"
}

@test "what a mean does not have" {
    fails 2 "--all, --average: only one of them can be given" "$viz" export --all --average heads -o "$dir/b.npz" a
    fails 2 "a mean of layers is of no layer" "$viz" curve --average layers -o "$dir/b.svg" "$text"
    fails 2 "--summary, --average texts: only one of them can be given" \
        "$viz" stats --summary --average texts -f "samples/english.txt"
    fails 2 "--compare, --average texts: only one" "$viz" heatmap --compare --average texts -o "$dir/b.svg" a b
    fails 2 "--rollout, --average: only one" "$viz" heatmap --rollout --average heads -o "$dir/b.svg" a
    "$viz" types --json -f "samples/english.txt" > "$dir/types.json"
    fails 2 "--types, --average: a mean of heads or layers has no type" \
        "$viz" heatmap --types "$dir/types.json" --average heads -o "$dir/b.svg" "$text"
    "$viz" stats --average heads --metric spectral -l 0 --tsv a | sed -n 2p | cut -f 6 | grep -qx ''
    [ -z "$(ls "$dir"/b.* 2> /dev/null)" ]
}

@test "parts and their merge say what is averaged, as one run does" {
    head -n 8 samples/english.txt > "$dir/eight"
    for of in heads heads,layers; do
        for k in 0 1; do
            "$viz" stats --average "$of" --shard $k/2 -f "$dir/eight" -o "$dir/part.$k"
        done
        "$viz" merge --tsv "$dir"/part.* > "$dir/merged"
        "$viz" stats --average "$of" --summary --tsv -f "$dir/eight" | diff - "$dir/merged"
    done
    "$viz" merge "$dir"/part.* | sed -n 1p | grep -qx 'mean of 8 texts; mean of layers, heads'
    "$viz" merge "$dir"/part.* | sed -n 3p | grep -q '^all '
    fails 2 "--hidden-out, --average: only one of them can be given" \
        "$viz" stats --average heads --hidden-out "$dir/b.bin" -o "$dir/b.sums" -l 0-2 -f "$dir/eight"
}

# caption FILE: the words of a picture
caption() {
    sed 's/<[^>]*>/ /g' "$1" | tr -s ' \n' ' '
}

@test "figures of means: labels, captions, and what they leave out" {
    "$viz" model --average heads --metric entropy -o "$dir/a.svg" "$text"
    grep -q '>mean<' "$dir/a.svg"
    caption "$dir/a.svg" | grep -q 'of each layer, mean of heads 0-3'
    refute grep -q '>H0<' "$dir/a.svg"
    "$viz" curve --average heads -o "$dir/a.svg" "$text"
    caption "$dir/a.svg" | grep -q 'entropy (nats) over layers, mean of heads 0-3'
    refute grep -q 'dots' "$dir/a.svg"
    "$viz" curve --average heads --over position -o "$dir/a.svg" "$text"
    caption "$dir/a.svg" | grep -q 'a line per layer, mean of heads 0-3'
    "$viz" heatmap --average heads -H L1H0,L2H3,L2H1 -o "$dir/a.svg" "$text"
    grep -q '>mean of L1H0<' "$dir/a.svg"
    grep -q '>mean of L2H1,L2H3<' "$dir/a.svg"
    fails 2 "a mean of heads or layers has no type" "$viz" model --average heads --mds -o "$dir/b.svg" "$text"
    fails 2 "no heads to sort" "$viz" model --average heads --metric entropy --sort entropy -o "$dir/b.svg" "$text"
    printf 'tokenization the\nthe tokenization\n' > "$dir/two"
    if "$viz" tokens -f "$dir/two" --tsv | cut -f 1 | sort | uniq -c | awk '$1 != n && NR > 2 { exit 1 } { n = $1 }'; then
        run -3 "$viz" stats --average texts --merge words -f "$dir/two"
    fi
    [ -z "$(ls "$dir"/b.* 2> /dev/null)" ]
}


@test "--average none is as if it was not given; copies of keys are single in export" {
    "$viz" export --no-metadata -m builtin:translate -o "$dir/a.npz"
    "$viz" export --no-metadata -m builtin:translate --average none -o "$dir/b.npz"
    cmp "$dir/a.npz" "$dir/b.npz"
    works "$viz" heatmap --rollout --average none -o "$dir/a.svg" "$text"
    works "$viz" heatmap --best 2 --metric prev --average none -o "$dir/a.svg" "$text"
    ids=$(seq 24 | awk '{ printf("%s%d", NR > 1 ? "," : "", 5 + $1 % 15) }')
    for m in big_bird big_bird_random; do
        of=(-m "$ref/families/$m" --ids "$ids" -l 0 -H 0)
        "$viz" export "${of[@]}" --tsv | cut -f 5- > "$dir/head"
        "$viz" export "${of[@]}" --average heads --tsv | cut -f 5- | cmp - "$dir/head"
    done
}
