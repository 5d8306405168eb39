#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016
# curve: which lines there are, what is refused.  Lines against the data: tests/image/curve.c.

load helper

# heights FILE: of each place of the first line of an SVG, from above
heights() {
    styles "$1" | grep 'fill:none' | head -n 1 | grep -o ' d="[^"]*' | tr 'ML' '\n\n' |
        awk 'NF == 2 && $1 + 0 == $1 { print $2 }'
}

# straight HEIGHTS NUMBERS: files of as many numbers each, on one falling straight line
straight() {
    [ "$(wc -l < "$1")" = "$(wc -l < "$2")" ]
    paste "$1" "$2" | awk '
        { h[NR] = $1; v[NR] = $2; if ($2 < v[lo = lo ? lo : 1]) lo = NR; if ($2 > v[hi = hi ? hi : 1]) hi = NR }
        END {
            if (NR < 3 || v[hi] == v[lo] || h[hi] >= h[lo])
                exit 1
            for (i = 1; i <= NR; i++) {
                off = h[lo] + (h[hi] - h[lo]) * (v[i] - v[lo]) / (v[hi] - v[lo]) - h[i]
                if (off > 0.01 || off < -0.01) {
                    print "place " i ": " off " off"
                    exit 1
                }
            }
        }'
}

# band FILE: the upper edge of the first interval of an SVG, from above, then the lower one
band() {
    styles "$1" | grep 'fill-opacity:0.16' | head -n 1 | grep -o ' d="[^Z]*' | tr 'ML' '\n\n' |
        awk 'NF == 2 && $1 + 0 == $1 { y[n++] = $2 }
             END { for (i = 0; i < n / 2; i++) print y[i]; for (i = n - 1; i >= n / 2; i--) print y[i] }'
}

# refused STATUS TEXT ARGUMENT...
refused() {
    fails "$1" "$2" "$viz" curve "${@:3}"
}

@test "without options: the layers of the built-in model, and its name" {
    cd "$dir"
    works "$viz" curve
    [ "$output" = curve.png ]
    works "$viz" curve --format svg
    [ "$output" = curve.svg ]
    [ "$(list .)" = "curve.png curve.svg " ]
}

@test "each --over draws, of one text and of many, the same bytes for any number of threads" {
    printf 'the key\nthe cat saw the dog\nthe key is in the door\n' > "$dir/lines"
    printf 'the dog\nwe saw it run in\nthe door is one of two\n' >> "$dir/lines"
    for over in layer position distance; do
        for t in 1 3; do
            works "$viz" curve -t $t --over $over -f "$dir/lines" -o "$dir/$t.png"
            works "$viz" curve -t $t --over $over --bootstrap=20 -f "$dir/lines" -o "$dir/b$t.png"
        done
        cmp "$dir/1.png" "$dir/3.png"
        cmp "$dir/b1.png" "$dir/b3.png"
        run ! cmp -s "$dir/1.png" "$dir/b1.png"
        works "$viz" curve --over $over -o "$dir/one.svg" "the cat saw the dog"
    done
    # Of four texts there are no intervals
    head -n 4 "$dir/lines" > "$dir/four"
    for boot in "" --bootstrap=20; do
        # shellcheck disable=SC2086
        works "$viz" curve --no-metadata $boot -f "$dir/four" -o "$dir/four$boot.svg"
    done
    cmp "$dir/four.svg" "$dir/four--bootstrap=20.svg"
    COLUMNS=200 works "$viz" curve --term -f "$dir/four"
    [[ $output == *"no intervals of fewer than 5 texts"* && $output != *:::* ]]
    COLUMNS=200 works "$viz" curve --term -f "$dir/lines"
    [[ $output == *"; colons: 95% interval of the mean, Student's t; dots"* ]]
    works "$viz" curve --over step --generate 5 -o "$dir/step.pdf" "one two"
    works "$viz" curve --over step --generate 5 --metric first -f "$dir/lines" -o "$dir/step.png"
}

@test "several models: a line each over layers; the same heads over models" {
    works "$viz" curve -m "$ref/bert" -m "$ref/bert_old" -o "$dir/a.png" "the key"
    works "$viz" curve --over model -m "$ref/bert" -m "$ref/bert" -o "$dir/b.png" "the key"
    printf 'the key\nthe key is in the door\n' |
        "$viz" curve --over model -m "$ref/bert" -m "$ref/bert" -f - -o "$dir/c.png"
    refused 3 "expected" --over model -m "$ref/bert" -m builtin:encoder -o "$dir/d.png" "the key"
    [ ! -e "$dir/d.png" ]
}

@test "lines stand as high as the numbers of stats" {
    text="the cat saw the dog and the cat ran to the key"
    "$viz" stats --json --metric basic,profile "$text" > "$dir/stats"
    works "$viz" curve -o "$dir/a.svg" "$text"
    heights "$dir/a.svg" > "$dir/h"
    jq -r '.heads | group_by(.layer)[] | map(.entropy) | add / length' "$dir/stats" > "$dir/v"
    straight "$dir/h" "$dir/v"
    works "$viz" curve --over distance -H L2H0 -o "$dir/a.svg" "$text"
    heights "$dir/a.svg" > "$dir/h"
    jq -r '.heads[] | select(.layer == 2 and .head == 0) | .profile[]' "$dir/stats" > "$dir/v"
    straight "$dir/h" "$dir/v"
    works "$viz" curve --over position --metric max_mean -H L2H1 -o "$dir/a.svg" "$text"
    heights "$dir/a.svg" > "$dir/h"
    jq -r '.heads[] | select(.layer == 2 and .head == 1) | .links[][2]' "$dir/stats" > "$dir/v"
    straight "$dir/h" "$dir/v"
    works "$viz" curve --over step --generate 6 --metric max_mean -H L2H1 -o "$dir/a.svg" "one two"
    heights "$dir/a.svg" > "$dir/h"
    "$viz" stats --json --generate 6 -H L2H1 "one two" |
        jq -r '.n_generated as $n | .heads[0].links[-$n:][][2]' > "$dir/v"
    straight "$dir/h" "$dir/v"
}

@test "positions without room for a point each are in bins: their mean, least and largest" {
    text=$(tr '\n' ' ' < samples/english.txt)
    works "$viz" curve -q --over position --metric max_mean --truncate -H L2H1 -o "$dir/a.svg" \
        "$text"
    heights "$dir/a.svg" > "$dir/h"
    band "$dir/a.svg" >> "$dir/h"
    "$viz" stats -q --json --truncate -H L2H1 "$text" > "$dir/stats"
    jq -r '[.heads[0].links[][2]] as $v | [range(0; $v | length; 10)] | map($v[.:. + 10]) |
           map(add / length), map(max), map(min) | .[]' "$dir/stats" > "$dir/v"
    [ "$(wc -l < "$dir/v")" -gt 300 ]
    straight "$dir/h" "$dir/v"
    drawn() { sed 's/<[^>]*>/ /g' "$dir/a.svg" | tr -s ' \n' ' '; }
    no_bins() { run ! grep -q "bins of" "$dir/a.svg"; }
    drawn | grep -q "a point: mean of up to 10 positions; shaded: from the least of them to the largest"
    drawn | grep -qF "position of the query (bins of 10)"
    # Half as many where the page is half as wide; of many lines the means alone
    works "$viz" curve -q --over position --truncate -l 3 --width 60mm -o "$dir/a.svg" "$text"
    drawn | grep -qF "(bins of 20)"
    works "$viz" curve -q --over position --truncate -l 2,3 -o "$dir/a.svg" "$text"
    drawn | grep -q "; a point: mean of up to 20 positions\\."
    [ -z "$(band "$dir/a.svg")" ]
    # A terminal has a column for each; a short text needs none, distances have none
    COLUMNS=80 works "$viz" curve -q --over position --truncate -l 3 --term "$text"
    [[ $output == *"(bins of 20)"* && $output == *" 200 "*" 400 "* ]]
    works "$viz" curve -q --over position -H L3H3 -o "$dir/a.svg" "${text:0:300}"
    no_bins
    works "$viz" curve -q --over distance --truncate -H L3H3 -o "$dir/a.svg" "$text"
    no_bins
}

@test "bins of many texts have the mean of their intervals, where each place has one" {
    for i in 1 2 3 4 5; do
        tr '\n' ' ' < samples/english.txt | cut -d ' ' -f "$((20 * i))-$((20 * i + 300 + i))"
    done > "$dir/lines"
    works "$viz" curve -q --over position --metric max_mean -H L2H1 -f "$dir/lines" -o "$dir/a.svg"
    sed 's/<[^>]*>/ /g' "$dir/a.svg" | tr -s ' \n' ' ' |
        grep -q "where there are 5 texts; a point: mean of up to 5 positions, and of their intervals"
    heights "$dir/a.svg" > "$dir/h"
    band "$dir/a.svg" >> "$dir/h"
    # Student's t of 4 degrees of freedom
    "$viz" stats -q --json -H L2H1 -f "$dir/lines" | jq -rs '
        def mean: add / length;
        def wide: mean as $m | 2.7764451 * ((map((. - $m) * (. - $m)) | add) / 4 / 5 | sqrt);
        map([.heads[0].links[][2]]) as $text |
        [range(0; $text | map(length) | max) as $i | [$text[][$i] | select(. != null)]] as $at |
        [range(0; $at | length; 5) | $at[.:. + 5]] |
        map([.[] | mean] | mean), ([.[] | select(all(length == 5))] |
            map([.[] | mean + wide] | mean), map([.[] | mean - wide] | mean)) | .[]' > "$dir/v"
    [ "$(wc -l < "$dir/v")" -gt 200 ]
    straight "$dir/h" "$dir/v"
}

@test "a line of many texts is the mean that stats --summary reports" {
    printf 'the key\nthe cat saw the dog\nthe key is in the door\n' > "$dir/lines"
    works "$viz" curve --each head -H 1 --metric max_mean -f "$dir/lines" -o "$dir/a.svg"
    heights "$dir/a.svg" > "$dir/h"
    "$viz" stats --summary --json -H 1 -f "$dir/lines" |
        jq -r '.heads[].max_mean.mean' > "$dir/v"
    straight "$dir/h" "$dir/v"
}

@test "the axis begins with the first layer that is shown" {
    works "$viz" curve -l 2-3 -o "$dir/a.svg" "the cat sat"
    grep -q '>2<' "$dir/a.svg"
    grep -q '>3<' "$dir/a.svg"
    if grep -qE '>(0|1)<' "$dir/a.svg"; then false; fi
    works "$viz" curve -l 2 -o "$dir/a.svg" "the cat sat"
    grep -q '>2<' "$dir/a.svg"
    works "$viz" curve -l 2 --each head --term "the cat sat"
    if [[ $output == *┴*┴* ]]; then false; fi
}

@test "misuse" {
    mkdir "$dir/out"
    refused 2 "did you mean 'entropy'" --metric entropi
    refused 2 "--metric profile: expected one number of each head" --metric profile
    refused 2 "expected a mean over rows" --over position --metric received
    refused 2 "expected profile or profile_lift" --over distance --metric entropy
    refused 2 "it needs counts of tokens" --metric rare1
    refused 2 "--over step requires --generate N" --over step
    refused 2 "--over model requires several models" --over model
    refused 2 "--model: given 2 times, expected once with --over position" --over position \
        -m "$ref/bert" -m "$ref/bert"
    refused 2 "--each layer, --over layer: expected head or mean" --each layer
    refused 2 "expected mean" --each head -m "$ref/bert" -m "$ref/bert"
    refused 2 "not the folder" -o "$dir/out/" "the key"
    refused 2 "--width" --width 5
    refused 2 "--width 5mm: labels leave no room for lines; expected at least " --width 5mm "the key"
    least=${stderr##*at least } least=${least%%mm*}
    works "$viz" curve --width "${least}mm" -o "$dir/narrow.svg" "the key"
    [ "$(grep -o ' width="[0-9]*px' "$dir/narrow.svg" | tr -dc 0-9)" = $((least * 10000 / 2540)) ]
    # An axis has two numbers at least, also there
    [ "$(grep -oE '>[0-9.]+<' "$dir/narrow.svg" | wc -l)" -ge 4 ]
    refused 2 "expected at least ${least}mm" --width "$((least - 1))mm" "the key"
    rm "$dir/narrow.svg"
    [ "$(list "$dir")" = "out " ]
}

@test "no text is an error, and no picture" {
    : > "$dir/empty"
    fails 3 "$dir/empty: holds no text" "$viz" curve -f "$dir/empty" -o "$dir/a.svg"
    [ ! -e "$dir/a.svg" ]
}

@test "--bootstrap is of several texts" {
    fails 2 "--bootstrap requires several texts" "$viz" curve --bootstrap=20 -o "$dir/a.svg" "the cat"
    [ ! -e "$dir/a.svg" ]
    works "$viz" curve --bootstrap=20 -o "$dir/a.svg" < <(head -n 6 samples/english.txt)
    run --separate-stderr "$viz" curve --bootstrap --tsv < <(head -n 3 samples/english.txt)
    [ "$status" -eq 0 ]
    [ "$stderr" = "mha-viz: note: --bootstrap: 3 texts have no intervals, 5 are needed" ]
}

@test "--tsv, --json: the numbers of the lines" {
    works "$viz" curve --over layer --each head -l 0-1 --tsv "the cat saw"
    tail -n +2 <<< "$output" | cut -f 3 > "$dir/curve"
    "$viz" stats --metric entropy -l 0-1 --tsv "the cat saw" > "$dir/stats"
    # one text: the entropies of stats, line by line and layer by layer
    paste -s -d ' ' <(sort "$dir/curve") | diff - <(paste -s -d ' ' <(tail -n +2 "$dir/stats" | cut -f 5 | sort))
    works "$viz" curve --over position --json -l 3 -H 0 -f samples/english.txt
    jq -e '.schema == "mha-viz/curve/1" and .n_texts == 118 and .over == "position" and .unit == "nats" and
        (.points[0] | .line == "L3H0" and .place == 0 and .value == 0)' <<< "$output"
    jq -e '[.points[] | select(.low != null) | .low <= .value and .value <= .high] | all and length > 10' <<< "$output"
    works "$viz" curve --over model -m "$ref/gpt2" -m "$ref/gpt2" --ids 5,6 --tsv
    [ "${lines[0]}" = "$(printf 'line\tplace\tplace_name\tvalue\tlow\thigh')" ]
    "$viz" curve -o "$dir/a.json" "the cat"
    works jq -e '[.points[] | select(.line | startswith("L"))] | length == 24' "$dir/a.json"
    fails 2 "--title is of pictures" "$viz" curve --tsv --title x "the cat"
}
