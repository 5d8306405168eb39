#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scripts of samples/ on a few lines, and the corpora as the model takes them.
# bats file_tags=once

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    MHA_VIZ=$(realpath "${MHA_VIZ:-./mha-viz}")
    export MHA_VIZ
    dir=$(mktemp -d)
}

teardown() {
    rm -rf "$dir"
}

@test "shellcheck has nothing to say" {
    command -v shellcheck >/dev/null || skip "no shellcheck"
    shellcheck samples/*.sh
}

@test "each script shows its usage with -h, and on standard error without operands" {
    for script in samples/*.sh; do
        run "$script" -h
        [ "$status" -eq 0 ]
        [[ ${lines[0]} == "usage: ${script#samples/} "* ]]
        run bash -c '"$1" 2>/dev/null' - "$script"
        [ "$status" -eq 2 ]
        [ -z "$output" ]
    done
}

@test "each script reports a missing program" {
    for script in samples/*.sh; do
        MHA_VIZ=/nowhere/mha-viz run "$script" samples/english.txt "$dir/x"
        [ "$status" -eq 2 ]
        [ "$output" = "${script#samples/}: /nowhere/mha-viz: no such program; run make, or set MHA_VIZ" ]
    done
}

@test "corpora: enough lines, none twice, tabs where they belong" {
    [ "$(wc -l < samples/english.txt)" -ge 110 ]
    [ "$(wc -l < samples/chinese.txt)" -ge 60 ]
    [ "$(wc -l < samples/pairs.tsv)" -ge 40 ]
    grep -qx 我喜欢吃苹果 samples/chinese.txt
    [ -z "$(sort samples/english.txt samples/chinese.txt samples/pairs.tsv | uniq -d)" ]
    awk -F '\t' 'NF != 2 || $1 == "" || $2 == "" { exit 1 }' samples/pairs.tsv
    [ -z "$(grep -l "$(printf '\t')" samples/english.txt samples/chinese.txt)" ]
}

@test "corpora: the built-in model takes every line, pairs a column at a time" {
    for text in samples/english.txt samples/chinese.txt \
        <(cut -f 1 samples/pairs.tsv) <(cut -f 2 samples/pairs.tsv); do
        cat "$text" > "$dir/text"
        run bash -c '"$MHA_VIZ" stats --tsv -l 0 -H 0 -f "$1" | wc -l' - "$dir/text"
        [ "$output" -eq $(($(wc -l < "$dir/text") + 1)) ]
    done
}

@test "heatmaps.sh: one picture per line, and an index of them" {
    head -n 3 samples/english.txt > "$dir/three"
    samples/heatmaps.sh "$dir/three" "$dir/new/pictures" -H 0
    [ "$(ls "$dir/new/pictures")" = "$(printf '%s\n' 00000{1,2,3}.png index.tsv)" ]
    [ "$(cut -f 2 "$dir/new/pictures/index.tsv")" = "$(cat "$dir/three")" ]
    [ "$(cut -f 1 "$dir/new/pictures/index.tsv" | tail -n 1)" = 000003.png ]
    for picture in "$dir"/new/pictures/*.png; do
        [ "$(head -c 4 "$picture" | tail -c 3)" = PNG ]
    done
}

@test "heatmaps.sh: standard input, another format" {
    run bash -c 'head -n 2 samples/chinese.txt | samples/heatmaps.sh - "$1" -q -l 0 -H 0 --format svg' - "$dir"
    [ "$status" -eq 0 ]
    [ "$(ls "$dir")" = "$(printf '%s\n' 000001.svg 000002.svg index.tsv)" ]
}

@test "heatmaps.sh: a line that cannot be used is status 3 and not in the index" {
    printf 'one\n\xff\xfe\nthree\n' > "$dir/three"
    run samples/heatmaps.sh "$dir/three" "$dir/pictures" -H 0
    [ "$status" -eq 3 ]
    [[ $output == *"$dir/three: line 2: "* ]]
    [ "$(cut -f 1 "$dir/pictures/index.tsv" | tr '\n' ' ')" = "000001.png 000003.png " ]
}

@test "heatmaps.sh: a missing file, a folder that cannot be created" {
    run samples/heatmaps.sh "$dir/none" "$dir/pictures"
    [ "$status" -eq 3 ]
    [ "$output" = "heatmaps.sh: $dir/none: cannot be read" ]
    touch "$dir/file"
    run samples/heatmaps.sh samples/english.txt "$dir/file/pictures"
    [ "$status" -eq 4 ]
}

@test "entropy-report.sh: every head once, sorted, the means of stats" {
    head -n 5 samples/english.txt > "$dir/five"
    samples/entropy-report.sh "$dir/five" > "$dir/report"
    [ "$(head -n 1 "$dir/report")" = "$(printf 'head\ttexts\tentropy\tentropy_norm\tmax_mean')" ]
    heads=$("$MHA_VIZ" info --json | jq '.layers * .heads')
    tail -n +2 "$dir/report" > "$dir/rows"
    [ "$(wc -l < "$dir/rows")" -eq "$heads" ]
    [ "$(cut -f 1 "$dir/rows" | sort -u | wc -l)" -eq "$heads" ]
    [ "$(cut -f 2 "$dir/rows" | sort -u)" = 5 ]
    LC_ALL=C sort -c -t "$(printf '\t')" -k 3,3n "$dir/rows"
    # The same mean by another way
    "$MHA_VIZ" stats --json -l 0 -H 1 -f "$dir/five" |
        jq -s 'map(.heads[0].entropy) | add / length' > "$dir/mean"
    awk -v want="$(cat "$dir/mean")" '$1 == "L0H1" {
        exit !($3 - want < 6e-7 && want - $3 < 6e-7)
    }' "$dir/rows"
}

@test "entropy-report.sh: undefined numbers are left out of every mean" {
    text='index\tstack\tlayer\thead\tentropy\tentropy_norm\tmax_mean\n'
    text+='0\tdecoder\t2\t1\t0\t\t1\n1\tdecoder\t2\t1\t1\t0.5\t0.5\n'
    run bash -c 'printf "$1" | samples/entropy-report.sh --summary' - "$text"
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "$(printf 'L2H1\t2\t0.500000\t0.500000\t0.750000')" ]
}

@test "entropy-report.sh: the program's errors and status come through" {
    run samples/entropy-report.sh "$dir/none"
    [ "$status" -eq 3 ]
    [[ $output == "mha-viz: $dir/none: "* ]]
    run samples/entropy-report.sh samples/english.txt -l 99
    [ "$status" -eq 2 ]
    [[ $output == "mha-viz: --layer: 99 is out of range"* ]]
}

@test "entropy-report-parallel.sh: the bytes of the plain one, for any jobs and parts" {
    head -n 23 samples/english.txt > "$dir/lines"
    head -n 4 samples/chinese.txt >> "$dir/lines"
    samples/entropy-report.sh "$dir/lines" > "$dir/plain"
    JOBS=3 LINES_PER_PART=4 samples/entropy-report-parallel.sh "$dir/lines" > "$dir/parallel"
    cmp "$dir/plain" "$dir/parallel"
    JOBS=1 samples/entropy-report-parallel.sh - < "$dir/lines" > "$dir/single"
    cmp "$dir/plain" "$dir/single"
    samples/entropy-report.sh "$dir/lines" -l 1-2 -H 0 > "$dir/plain"
    JOBS=2 LINES_PER_PART=9 samples/entropy-report-parallel.sh "$dir/lines" -l 1-2 -H 0 > "$dir/parallel"
    cmp "$dir/plain" "$dir/parallel"
}

@test "entropy-report-parallel.sh: bad lines by their number in the file, errors once" {
    printf 'one\ntwo\nthree\n\xff\xfe\nfive\n' > "$dir/five"
    JOBS=2 LINES_PER_PART=2 run samples/entropy-report-parallel.sh "$dir/five"
    [ "$status" -eq 3 ]
    [[ ${lines[0]} == "mha-viz: warning: $dir/five: line 4: "* ]]
    [[ ${lines[1]} == head* ]]
    JOBS=2 LINES_PER_PART=2 run samples/entropy-report-parallel.sh "$dir/five" -l 99
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
    JOBS=two run samples/entropy-report-parallel.sh "$dir/five"
    [ "$status" -eq 2 ]
}

@test "strongest-links.sh: the strongest links of each head, as stats has them" {
    command -v jq >/dev/null || skip "no jq"
    head -n 4 samples/english.txt > "$dir/four"
    TOP=2 ALL=1 samples/strongest-links.sh "$dir/four" -l 0-1 -H 0,2 > "$dir/links"
    [ "$(head -n 1 "$dir/links")" = "$(printf 'head\tweight\tquery\tkey\tdistance\tline')" ]
    [ "$(tail -n +2 "$dir/links" | cut -f 1 | tr '\n' ' ')" = "L0H0 L0H0 L0H2 L0H2 L1H0 L1H0 L1H2 L1H2 " ]
    "$MHA_VIZ" stats --json -l 1 -H 2 -f "$dir/four" |
        jq -rs '[.[].heads[0].links[][2]] | max' | awk '{ printf "%.4f\n", $1 }' > "$dir/most"
    [ "$(awk '$1 == "L1H2" { print $2; exit }' "$dir/links")" = "$(cat "$dir/most")" ]
    # Without ALL, neither the token itself nor the first one
    samples/strongest-links.sh "$dir/four" > "$dir/links"
    awk -F '\t' 'NR > 1 && $5 == 0 { exit 1 }' "$dir/links"
}

@test "mechanisms.sh: one line per mechanism, the model's own first, the means of mechanisms" {
    head -n 3 samples/english.txt > "$dir/three"
    samples/mechanisms.sh "$dir/three" --only exact,local,top-k -l 1,2 > "$dir/report"
    [ "$(head -n 1 "$dir/report")" = "$(printf 'layer\tmechanism\ttexts\terror\tjs\tlinks_kept\tentropy\tscores')" ]
    [ "$(tail -n +2 "$dir/report" | cut -f 1,3 | sort -u | tr '\t\n' '  ')" = "1 3 2 3 " ]
    [ "$(tail -n +2 "$dir/report" | wc -l)" -eq 6 ]
    [ "$(sed -n '2p;5p' "$dir/report" | cut -f 2 | uniq)" = exact ]
    "$MHA_VIZ" mechanisms --tsv --runs 0 --error --only local -l 2 -f "$dir/three" |
        awk -F '\t' 'NR > 1 { s += $5 } END { printf "%.4f\n", s / 3 }' > "$dir/mean"
    [ "$(awk -F '\t' '$1 == 2 && $2 == "local" { print $4 }' "$dir/report")" = "$(cat "$dir/mean")" ]
}

@test "worked-examples.sh: each example has its result" {
    samples/worked-examples.sh "$dir/new/results"
    cd "$dir/new/results"
    for picture in one_head precomputed eight_heads decoder; do
        [ "$(head -c 4 "$picture.png" | tail -c 3)" = PNG ]
    done
    grep -qF "one attention layer: 4 x 512 x 512 = 1,048,576 weights" eight_heads.txt
    grep -qF "one head: 512 x 64 x 3 = 98,304 weights" eight_heads.txt
    grep -qF "96 heads x 128 = 12,288 columns" wide.txt
    # 32 texts and 8 heads; a query of the first half has its strongest key in the second
    [ "$(wc -l < masked.tsv)" -eq 257 ]
    awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["link_query"] < 25 && $column["link_key"] < 25 { exit 1 }
    ' masked.tsv
    [ "$(ls batch)" = "$(printf '%s\n' 00000{1,2}.npz)" ]
    [ "$(wc -l < separable.txt)" -eq 5 ]
    [ "$(wc -l < relative.txt)" -eq 5 ]
    grep -q '^mean_variance' encoder.txt
}
