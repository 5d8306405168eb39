#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016,SC1111
# trace: one token through all layers, against models of the reference library that end early
# (tests/ref/make_trace.py); forms of output, selection, misuse.

load helper

ids="2,17,40,9,33,5,3"

# near FILE: the JSON on standard input has the weights and the predictions of the case in FILE
near() {
    jq -e --slurpfile case "$1" '
        def far(want): [., want] | transpose | map((.[0] - .[1]) | fabs) | max;
        $case[0] as $c | .layers as $l
        | ($l | length) == ($c.top | length)
          and ([$l[1:][].row[]] | far([$c.row[][]])) <= 1e-5
          and ([$l[1:][].column[]] | far([$c.column[][]])) <= 1e-5
          and ([$l[].predictions[].probability] | far([$c.top[][][1]])) <= 1e-5
          and ([$l[].predictions[].id] | length) == ([$c.top[][]] | length)
          and ([$l, $c.top] | transpose
               | all(.[0].predictions[0].id == .[1][0][0] or .[1][0][1] - .[1][1][1] < 1e-5))' \
        > /dev/null
}

@test "weights and predictions are those of the reference library, in eleven families" {
    n=0
    while read -r line; do
        echo "$line" > "$dir/case"
        mapfile -t args < <(jq -r '.args[]' "$dir/case")
        model=$(jq -r .model "$dir/case")
        "$viz" trace --json -m "$ref/$model" "${args[@]}" > "$dir/got"
        near "$dir/case" < "$dir/got" || { echo "$model ${args[*]}"; return 1; }
        n=$((n + 1))
    done < <(jq -c '.[]' "$ref/trace/cases.json")
    [ "$n" -eq 11 ]
}

@test "cross-attention: the row of the reference, and no column" {
    n=0
    while read -r line; do
        echo "$line" > "$dir/case"
        mapfile -t args < <(jq -r '.args[] | if . == "decoder" then "cross" else . end' "$dir/case")
        model=$(jq -r .model "$dir/case")
        "$viz" trace --json -m "$ref/$model" "${args[@]}" > "$dir/got"
        jq -e --slurpfile case "$dir/case" '
            ([[.layers[1:][].row[]], [$case[0].cross[][]]] | transpose
             | map((.[0] - .[1]) | fabs) | max) <= 1e-5
            and ([.layers[] | has("column")] | any | not)
            and (.tokens_key | length) == 7' "$dir/got" > /dev/null
        n=$((n + 1))
    done < <(jq -c '.[] | select(has("cross"))' "$ref/trace/cases.json")
    [ "$n" -eq 2 ]
}

@test "the larger reference models, here and now" {
    python=${PYTHON:-python3}
    goldens=$PWD/../shared/goldens
    [ -d "$goldens" ] || skip "no ../shared/goldens"
    "$python" -c 'import torch, transformers' 2> /dev/null ||
        skip "$python has no torch and transformers (PYTHON names another)"
    "$python" "$ref/make_trace.py" "$viz" "$goldens"/{gpt2,llama,bert,bart} 2> /dev/null
}

@test "a row is what stats and export have; heads are averaged, or one is chosen" {
    "$viz" export -m "$ref/gpt2" --ids "$ids" -o "$dir/a.npz"
    python3 -c 'import numpy' 2> /dev/null || skip "no numpy"
    "$viz" trace --json -m "$ref/gpt2" --ids "$ids" --at 2 -H 1 -l 1 > "$dir/one"
    "$viz" trace --json -m "$ref/gpt2" --ids "$ids" --at 2 > "$dir/all"
    python3 - "$dir" <<'PYTHON'
import json, sys
import numpy
a = numpy.load(sys.argv[1] + "/a.npz")["attn.1"].astype(numpy.float64)
one = json.load(open(sys.argv[1] + "/one"))["layers"]
every = json.load(open(sys.argv[1] + "/all"))["layers"]
assert len(one) == 1 and one[0]["n_heads"] == 1 and every[2]["n_heads"] == len(a)
assert numpy.allclose(one[0]["row"], a[1, 2], atol=1e-9)
assert numpy.allclose(one[0]["column"], a[1, :, 2], atol=1e-9)
assert numpy.allclose(every[2]["row"], a[:, 2].mean(0), atol=1e-9)
assert numpy.allclose(every[2]["column"], a[:, :, 2].mean(0), atol=1e-9)
assert every[2]["predictions"] == one[0]["predictions"]
PYTHON
}

@test "the table: a row per layer; input stands before layer 0" {
    works "$viz" trace -m "$ref/gpt2" --ids "$ids" --at 2
    [[ ${lines[0]} == "<id 40>(2); weights: mean of "*" heads" || ${lines[0]} == *"(2); weights: mean of "*" heads" ]]
    [[ ${lines[1]} =~ ^layer\ +looks\ at\ +weight\ +looked\ at\ by\ +weight\ +predicts$ ]]
    blanks='^input +- +- +- +- +“'
    [[ ${lines[2]} =~ $blanks ]]
    [[ ${lines[3]} =~ ^L0\  ]]
    works "$viz" trace -m "$ref/gpt2" --ids "$ids" -l 1
    [[ ${lines[2]} =~ ^L1\  ]]
    [ "${#lines[@]}" -eq 3 ]
    works "$viz" trace -m "$ref/gpt2" --ids "$ids" -H L0H1,L1H0
    [[ ${lines[0]} == *"; weights: mean of L0H1,L1H0" ]]
}

@test "TSV by layer, by token, by prediction; the same for any number of threads" {
    works "$viz" trace --tsv -m "$ref/gpt2" --ids "$ids"
    [ "${lines[0]}" = "$(printf 'index\tstack\tat\ttraced\tlayer\tn_heads\tkey\tkey_token\tkey_weight\tquery\tquery_token\tquery_weight\tpredicted_id\tpredicted\tpredicted_probability')" ]
    works "$viz" trace --tsv --each token -l 0 -m "$ref/gpt2" --ids "$ids" --at 2
    [ "${lines[0]}" = "$(printf 'index\tstack\tat\ttraced\tlayer\tposition\ttoken\trow\tcolumn')" ]
    [ "${#lines[@]}" -eq 8 ]
    # what it does not see is empty, and so is what does not see it
    [ "$(cut -f 8 <<< "$output" | tail -n +2 | grep -c .)" -eq 3 ]
    [ "$(cut -f 9 <<< "$output" | tail -n +2 | grep -c .)" -eq 5 ]
    works "$viz" trace --tsv --each prediction --top 3 -l 0,1 -m "$ref/gpt2" --ids "$ids"
    [ "${lines[0]}" = "$(printf 'index\tstack\tat\ttraced\tlayer\trank\tid\ttoken\tprobability')" ]
    [ "${#lines[@]}" -eq 10 ]
    for t in 1 3; do "$viz" trace -t $t --json 'one two three, one two' > "$dir/$t"; done
    cmp "$dir/1" "$dir/3"
}

@test "--at: a word, its occurrences, a position from either end" {
    text='the cat saw the cat and ran'
    works "$viz" trace --json --at cat#2 "$text"
    word=$(jq .at <<< "$output")
    [ "$word" = "$("$viz" tokens --json "$text" | jq '.labels | rindex(" cat")')" ]
    works "$viz" trace --json --at -3 "$text"
    [ "$(jq .at <<< "$output")" = "$word" ]
    fails 3 "--at: -9 is out of range: the text has tokens 0 to 7 (=-9 is the word)" \
        "$viz" trace --at -9 "$text"
    fails 3 "--at: the text has no token or word 'dog'" "$viz" trace --at dog "$text"
    fails 2 "--at: '' names no token" "$viz" trace --at '' "$text"
}

@test "the last layer predicts what the model does" {
    works "$viz" trace --json --top 1 'he drinks tea with milk, and she drinks tea'
    last=$(jq -r '.layers[-1].predictions[0].token' <<< "$output")
    works "$viz" stats --json --generate 1 -l 0 'he drinks tea with milk, and she drinks tea'
    [ "$(jq -r .generated <<< "$output")" = "$last" ]
}

@test "models without a head for tokens: weights alone" {
    works "$viz" trace --json -m "$ref/families/electra" --ids "$ids"
    jq -e '[.layers[] | has("predictions")] | any | not' <<< "$output"
    fails 3 "longformer_question: its head predicts no tokens" \
        "$viz" trace --each prediction -m "$ref/families/longformer_question" --ids "$ids"
    fails 3 "electra: its head predicts no tokens" \
        "$viz" trace --each prediction -m "$ref/families/electra" --ids "$ids"
    works "$viz" trace --json --attention "$ref/precomputed/skipped.npy"
    fails 3 "precomputed attention predicts nothing" \
        "$viz" trace --each prediction --attention "$ref/precomputed/skipped.npy"
    fails 2 "an encoder predicts nothing: expected -s decoder" \
        "$viz" trace --each prediction -m "$ref/bart" "the key"
    works "$viz" trace -m "$ref/bart" "the key"
    fails 2 "--top: '0' is not in 1..1000" "$viz" trace --top 0 "a cat"
}

# digits PANEL < JSON: its cells as a terminal without colours shows them, one layer a line
digits() {
    jq -r --arg of "$1" '
        [.layers[] | select(.layer != null) | {layer, x: .[$of]}]
        | ([.[].x[]] | min) as $lo | ([.[].x[]] | max) as $hi
        | .[] | "L\(.layer) " + ([.x[] | (. - $lo) / ($hi - $lo) * 10 | floor
                                   | if . > 9 then 9 else . end | if . == 0 then "." else "\(.)" end]
                                  | join(" "))'
}

@test "a picture: row and column of each layer as cells, and the predictions" {
    "$viz" trace -m "$ref/bert" --at 1 --term "the key is" > "$dir/got"
    "$viz" trace -m "$ref/bert" --at 1 --json "the key is" > "$dir/json"
    { digits row < "$dir/json"; digits column < "$dir/json"; } > "$dir/want"
    [ "$(wc -l < "$dir/want")" -eq 4 ]
    diff <(sed -n 's/^ *\(L[0-9] [.0-9 ]*\)$/\1/p' "$dir/got" | grep -v '\.[0-9]') "$dir/want"
    "$viz" trace --top 2 --term "one two three" > "$dir/got"
    "$viz" trace --top 2 --json "one two three" |
        jq -r '.layers[] | (if .layer == null then "input" else "L\(.layer)" end)
               + " " + (.predictions | map("“\(.token)” \(.probability)") | join(", "))' > "$dir/want"
    n=0
    while read -r name first; do        # probabilities have four decimals there
        token=${first%%”*}
        grep -F "$name" "$dir/got" | grep -qF "$token” "
        n=$((n + 1))
    done < "$dir/want"
    [ "$n" -eq 7 ]
}

@test "a picture: the file's ending decides; cross-attention has one heatmap; what does not fit" {
    for file in a.png b.svg c.pdf; do
        works "$viz" trace -o "$dir/$file" "one two three"
    done
    [ "$(magic "$dir/a.png" 4)" = 89504e47 ]
    [ "$(head -c 5 "$dir/c.pdf")" = "%PDF-" ]
    [ "$("$viz" trace -m "$ref/bart" --term "the key" "the" | grep -c '^ *token\|^layer')" -eq 2 ]
    [ "$("$viz" trace -m "$ref/bert" --term "the key" | grep -c '^ *token\|^layer')" -eq 4 ]
    fails 2 "tokens do not fit in a picture" "$viz" trace -o "$dir/d.png" --width 80mm \
        --ids "$(seq -s , 1 700 | sed 's/[0-9]*/5/g')"
    [ ! -e "$dir/d.png" ]
}

@test "of a long text each layer has a row with its label, and each token a column" {
    ids=$(seq -s , 1 700 | sed 's/[0-9]*/5/g')
    works "$viz" trace --at 350 -o "$dir/a.svg" --ids "$ids"
    for layer in 0 1 2 3 4 5; do
        [ "$(grep -o "<text[^>]*>L$layer<" "$dir/a.svg" | wc -l)" -eq 3 ]      # of two heatmaps and the list
    done
    grep -o '<text[^>]*>L[0-5]<' "$dir/a.svg" | sed 's/.* y="\([0-9.]*\)".*/\1/' | sort -nu |
        awk 'NR > 1 && $1 - last < 11.9 { exit 1 } { last = $1 }'
    [ "$(grep -o '<svg [^>]*' "$dir/a.svg" | sed 's/.* width="\([0-9]*\).*/\1/')" -gt 700 ]
}
