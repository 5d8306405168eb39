#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# links: which lines are drawn, read back from the SVG and held against the numbers; and what
# is refused.  How lines look is tested in tests/image/links.c.

# shellcheck disable=SC2154,SC2016
load helper

# "QUERY KEY" of each curve of an SVG on standard input, sorted, where each of the lists is
# reached by some line of its first and of its second token
lines() {
    styles | sed -n 's/.*stroke:rgb.* d="M [0-9.]* \([0-9.]*\) C .* \([0-9.]*\) "\/>$/\1 \2/p' | awk '
    { from[NR] = $1; to[NR] = $2; seen[$1] = seen[$2] = 1 }
    END {
        low = 1e9
        for (y in seen) if (y + 0 < low) low = y + 0
        step = 1e9
        for (y in seen) if (y - low > 1 && y - low < step) step = y - low
        for (i = 1; i <= NR; i++)
            printf "%d %d\n", (from[i] - low) / step + 0.5, (to[i] - low) / step + 0.5
    }' | sort -n
}

# How many curves are in an SVG
curves() {
    styles "$1" | grep -c 'stroke:rgb.* C .*"/>$'
}

@test "without options: the built-in model's picture, and its name" {
    cd "$dir"
    works "$viz" links
    [ "$output" = links.png ]
    [ "$(magic links.png 8)" = 89504e470d0a1a0a ]
    works "$viz" links -o a.svg
    works "$viz" links -o a.pdf
    [ "$(head -c 5 a.pdf)" = "%PDF-" ]
    [ "$(list .)" = "a.pdf a.svg links.png " ]
}

@test "--top-share 1: the strongest link of each row, as stats has it" {
    for head in 0 1 2; do
        "$viz" links -m "$ref/bert" -l 1 -H $head --top-share 1 -o - --format svg \
            "the key is in the door" | lines > "$dir/got"
        "$viz" stats -m "$ref/bert" -l 1 -H $head --json "the key is in the door" |
            jq -r '.heads[0].links[] | "\(.[0]) \(.[1])"' > "$dir/want"
        diff "$dir/got" "$dir/want"
        [ "$(wc -l < "$dir/want")" -eq 8 ]
    done
}

@test "--min-weight: the links that export has of that weight" {
    text="the cat saw the dog and the cat ran"
    "$viz" export -l 3 -H 2 -o "$dir/a.npz" "$text"
    for least in 0.01 0.2 0.9; do
        "$viz" links -l 3 -H 2 --min-weight $least -o - --format svg "$text" | lines > "$dir/got"
        "${PYTHON:-python3}" - "$dir/a.npz" $least > "$dir/want" <<'END' || skip "no numpy"
import sys
import numpy
weight = numpy.load(sys.argv[1])["attn.3"][0]
for query, key in zip(*numpy.nonzero(weight >= numpy.float32(sys.argv[2]))):
    print(query, key)
END
        diff "$dir/got" "$dir/want"
    done
}

@test "--top-share: the more of each row, the more links; the caption has their number" {
    last=0
    for share in 1 70 95 100; do
        "$viz" links -l 3 --top-share $share -o "$dir/a.svg" "the cat saw the dog"
        n=$(curves "$dir/a.svg")
        [ "$n" -gt "$last" ]
        grep -q "^mha-viz:scale: $n links" "$dir/a.svg"
        last=$n
    done
    [ "$last" -eq 84 ]                  # 6 tokens, causal, 4 heads
    works "$viz" links -l 3 -o "$dir/b.svg" "the cat saw the dog"
    works "$viz" links -l 3 --top-share 70 -o "$dir/c.svg" "the cat saw the dog"
    diff <(grep '<path' "$dir/b.svg") <(grep '<path' "$dir/c.svg")
}

@test "--between: the links from the one text to the other" {
    declare -A count=([A-A]=16 [A-B]=12 [B-A]=12 [B-B]=9 [all]=49)
    for pair in A-A A-B B-A B-B all; do
        "$viz" links -m "$ref/bert" -l 1 -H 0 --top-share 100 --between $pair -o "$dir/a.svg" \
            "the key" "the door"
        [ "$(curves "$dir/a.svg")" -eq "${count[$pair]}" ]
    done
    "$viz" links -m "$ref/bert" -l 1 -H 0 --top-share 100 --arcs --between A-B -o "$dir/a.svg" \
        "the key" "the door"
    [ "$(curves "$dir/a.svg")" -eq 12 ]
    fails 3 '--between A-B: there is one text, expected a pair' \
        "$viz" links -m "$ref/bert" --between A-B -o "$dir/b.svg" "the key"
    cp -r "$ref/bert" "$dir/model"
    jq '.post_processor.pair[][].type_id = 0' "$ref/bert/tokenizer.json" > "$dir/model/tokenizer.json"
    fails 3 'does not say which text of a pair' \
        "$viz" links -m "$dir/model" --between A-B -o "$dir/b.svg" "the key" "the door"
}

@test "cross-attention: the decoder's tokens at the left, the encoder's at the right" {
    "$viz" links -m "$ref/bart" -l 0 -H 0 --top-share 100 -o "$dir/a.svg" "the key" "the"
    n=$(curves "$dir/a.svg")
    "$viz" stats -m "$ref/bart" -l 0 -H 0 --json "the key" "the" |
        jq -e ".tokens != .tokens_key and (.tokens | length) * (.tokens_key | length) == $n"
    for option in --arcs "--between A-B"; do
        # shellcheck disable=SC2086
        fails 2 "${option%% *}: in cross-attention queries and keys are of two texts already" \
            "$viz" links -m "$ref/bart" $option -o "$dir/b.svg" "the key" "the"
    done
    [ ! -e "$dir/b.svg" ]
}

@test "--hide and --merge: tokens that are not shown have no lines" {
    "$viz" links -m "$ref/bert" -l 1 -H 0 --hide special --top-share 100 -o "$dir/a.svg" "the key"
    [ "$(curves "$dir/a.svg")" -eq 4 ]
}

@test "--panels, --arcs: as many lines as in one picture" {
    "$viz" links -l 2-3 -o "$dir/a.svg" "the cat saw the dog"
    "$viz" links -l 2-3 --panels -o "$dir/b.svg" "the cat saw the dog"
    "$viz" links -l 2-3 --panels --arcs --width 174mm -o "$dir/c.svg" "the cat saw the dog"
    for file in a b c; do
        curves "$dir/$file.svg"
    done | sort -u | wc -l | grep -qx 1
    fails 2 "--columns requires --panels" "$viz" links -c 2 -o "$dir/d.svg" x
}

@test "-H by name: heads of several layers" {
    "$viz" links -H L0H1,L3H2 --top-share 1 -o "$dir/a.svg" "the cat saw"
    [ "$(curves "$dir/a.svg")" -eq 8 ]
    styles "$dir/a.svg" | grep 'stroke:rgb.* C ' | sed 's/.*stroke:\(rgb([^)]*)\).*/\1/' | sort | uniq -c |
        awk '{ print $1 }' | tr '\n' ' ' | grep -qx '4 4 '
}

@test "-H: in the order of the list, each head with its own lines" {
    "$viz" links -H L3H2,L0H1 --top-share 1 --panels -o "$dir/a.svg" "the cat saw"
    "$viz" links -H L0H1,L3H2 --top-share 1 --panels -o "$dir/b.svg" "the cat saw"
    # left FILE.svg: the ends of the four lines of the panel at the left
    left() {
        grep -o 'd="M [0-9. ]* C [0-9. ]*' "$1" | awk '{ print $2, $3, $NF }' | sort -n |
            head -n 4 | cut -d ' ' -f 2,3 | sort
    }
    "$viz" links -H L3H2 --top-share 1 --panels -o "$dir/c.svg" "the cat saw"
    left "$dir/a.svg" > "$dir/a"
    left "$dir/b.svg" > "$dir/b"
    run ! cmp -s "$dir/a" "$dir/b"
    left "$dir/c.svg" | cmp - "$dir/a"
}

@test "--width: a page, or an error that names one that would do" {
    works "$viz" links --width 85mm -o "$dir/a.svg" "the cat saw the dog"
    head -n 2 "$dir/a.svg" | grep -q 'width="335px"'
    fails 2 'expected at least 32mm' "$viz" links --width 10mm -o "$dir/b.svg" "the cat"
    works "$viz" links --width 32mm -o "$dir/b.svg" "the cat"
}

# The width and height of an SVG, in pixels at 100 dpi.
size_of() {
    grep -o -m 1 '<svg [^>]*' "$1" | grep -o ' \(width\|height\)="[0-9.]*' | tr -dc '0-9.\n'
}

@test "--panels --width: no higher than a page, unless --columns says so" {
    local text="the cat saw the dog and the cat ran"

    fails 2 "--width 40mm: 24 panels would be " "$viz" links -l all --panels --width 40mm "$text"
    [[ $stderr == *"expected at least "*"mm, fewer heads, or --columns 1 to have"* ]]
    least=$(grep -o 'at least [0-9]*mm' <<< "$stderr" | tr -dc '0-9mm')
    works "$viz" links -l all --panels --width "$least" -o "$dir/a.svg" "$text"
    [ "$(size_of "$dir/a.svg" | tail -n 1)" -le 1169 ]
    works "$viz" links -l all --panels --width 40mm -c 1 -o "$dir/b.svg" "$text"
    [ "$(size_of "$dir/b.svg" | tail -n 1)" -gt 3000 ]
}

@test "the same bytes for any number of threads; 4,000 lines at most" {
    text=$(printf 'the cat saw the dog and %.0s' {1..12})
    for threads in 1 3; do
        "$viz" links -t $threads --no-metadata --top-share 100 -o "$dir/$threads.svg" "$text"
    done
    cmp "$dir/1.svg" "$dir/3.svg"
    [ "$(curves "$dir/1.svg")" -eq 4000 ]
    works "$viz" links --top-share 100 -o "$dir/a.svg" "$text"
    grep -q '^mha-viz:scale: the 4000 strongest of [0-9]* links' "$dir/a.svg"
}

@test "--term: a table with bars, the strongest links of each query" {
    "$viz" links -m "$ref/bert" -l 1 -H 0 --top-share 100 --no-caption --term "the key" > "$dir/a"
    "$viz" stats -m "$ref/bert" -l 1 -H 0 --json "the key" |
        jq -r '.tokens as $token | .heads[0].links[] | "\($token[.[0]]) \($token[.[1]])"' > "$dir/want"
    diff <(awk 'NF == 4 { print $1, $2 }' "$dir/a") "$dir/want"
    [ "$(head -n 1 "$dir/a")" = "Head 0" ]
    [ "$(wc -l < "$dir/a")" -eq 13 ]            # 4 queries, 3 links of each
    while read -r line; do                      # a bar is its number
        [[ $line =~ (0\.[0-9]+)\ ?(█*)$ ]]
        n=${#BASH_REMATCH[2]}
        awk -v w="${BASH_REMATCH[1]}" -v n="$n" 'BEGIN { exit !(w * 20 - n < 0.7 && n - w * 20 < 0.7) }'
    done < <(tail -n +2 "$dir/a")
    for columns in 20 40 80 200; do
        COLUMNS=$columns "$viz" links -m "$ref/bart" --term "the key" "the door" |
            sed 's/█/#/g; s/[“”…]/x/g' > "$dir/b"
        grep -q '0\.[0-9]' "$dir/b"
        [ "$(awk -v most=$columns 'length > most' "$dir/b" | wc -l)" -eq 0 ]
    done
}

@test "--tsv, --json: the links that are drawn, as numbers" {
    text="the cat saw the dog and the cat ran"
    "$viz" links -l 3 -H 2 --top-share 95 -o - --format svg "$text" | lines > "$dir/drawn"
    "$viz" links -l 3 -H 2 --top-share 95 --tsv "$text" > "$dir/tsv"
    tail -n +2 "$dir/tsv" | cut -f 5,7 | tr '\t' ' ' | sort -n | diff <(sort -n "$dir/drawn") -
    # the weights are those of stats --links, the strongest of each row
    "$viz" links -l 3 -H 2 --top-share 1 --json "$text" | jq -c '[.links[] | [.query, .key, .weight]]' > "$dir/links"
    "$viz" stats --links -l 3 -H 2 --json "$text" | jq -c '[.links[] | [.query, .key, .weight]]' | diff - "$dir/links"
    "$viz" links -l 3 -H 2 --top-share 95 -o "$dir/a.tsv" "$text"
    cmp "$dir/a.tsv" "$dir/tsv"
    works "$viz" links --json "$text"
    jq -e '.schema == "mha-viz/links/1" and .n_links == (.links | length)' <<< "$output"
    fails 2 "--panels is of pictures" "$viz" links --tsv --panels "$text"
    fails 2 "--title is of pictures" "$viz" links --json --title x "$text"
    # a sink that is not a key
    works "$viz" links -m "$ref/families/gpt_oss" --top-share 100 --json --ids 5,6,7
    jq -e '[.links[] | select(.key == null)] | length > 0 and all(.key_label == null)' <<< "$output"
    printf 'the cat\nthe dog\n' > "$dir/two"
    for t in 1 3; do "$viz" links -t $t --json --no-metadata -f "$dir/two" > "$dir/$t"; done
    cmp "$dir/1" "$dir/3"
    [ "$(wc -l < "$dir/1")" -eq 2 ]
}

@test "numbers beyond 4,000 links are said to be left out; --weight has one column of weights" {
    long=$(for ((i = 0; i < 60; i++)); do printf 'the cat saw '; done)
    run --separate-stderr "$viz" links -l 0-1 --top-share 100 --tsv "$long"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 4001 ]
    [[ $stderr == *"text 1: the 4000 strongest of "*" links are listed; export --tsv has every weight"* ]]
    for command in links "stats --links"; do
        # shellcheck disable=SC2086
        [ "$("$viz" $command --weight norm --tsv "the cat" | head -n 1 | tr '\t' '\n' | grep -cx weight)" -eq 1 ]
        # shellcheck disable=SC2086
        works "$viz" $command --weight norm --json "the cat"
        jq -e '.weight == "norm" and .links[0].weight > 0' <<< "$output"
    done
}
