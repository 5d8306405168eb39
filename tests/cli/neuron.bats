#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016,SC1111
# neuron: one query and its keys; that parts sum up in every family is tested in
# tests/unit/run_neuron.c.

load helper

ids="2,17,40,9,33,5,3"

# sums: products sum to q.k, parts to the score, and the softmax of the scores is the weights
sums='. as $x | ([.keys[].score] | max) as $most
    | ([.keys[] | (.score - $most) | exp] | add) as $total
    | all(.keys[];
        . as $k
        | ([$x.q, .k] | transpose | map(.[0] * .[1]) | add) as $dot
        | ([.scaled, .position, .query_position, .key_position, .segment, .copies, .mask]
           | map(. // 0) | add) as $sum
        | (([.product[]] | add) - .dot | fabs) < 1e-5
          and ($dot - .dot | fabs) < 1e-5
          and ($sum - .score | fabs) < 1e-5
          and (((.score - $most) | exp) / $total - .weight | fabs) < 1e-5)
      and (([.keys[].weight] | add) - 1 | fabs) < 1e-5'

@test "products, parts and weights sum up, with the column of what the model adds" {
    while read -r column args; do
        # shellcheck disable=SC2086
        works "$viz" neuron --json $args
        jq -e "$sums" <<< "$output" > /dev/null || { echo "$args"; return 1; }
        jq -e --arg c "$column" '
            ["position", "query_position", "key_position", "segment", "copies", "mask"] as $all
            | (.keys[0] | keys) as $has
            | [$all[] | select(IN($has[]))] == ($c | if . == "-" then [] else split(",") end)' \
            <<< "$output" || { echo "$args: $column"; return 1; }
    done <<LIST
- -m $ref/gpt2 --ids $ids
- -m $ref/llama --ids $ids --from 3 -H L1H1
- -m $ref/families/deepseek_v2 --ids $ids
- -m $ref/families/mistral --ids $ids
position -m $ref/families/bloom --ids $ids
position -m $ref/seq2seq/t5 --ids $ids --decoder-ids 2,5,7 -s decoder
- -m $ref/seq2seq/t5 --ids $ids --decoder-ids 2,5,7 -s cross
query_position,key_position -m $ref/families/deberta_v2 --ids $ids
query_position -m $ref/families/deberta_c2p --ids $ids
query_position,segment -m $ref/families/xlnet --ids $ids
copies -m $ref/families/big_bird --ids $ids
mask -m $ref/bert --mask padding:1 --mask-value -3 the key
LIST
}

@test "a picture of a long text has the 100 keys of the greatest weight, and says what they hold" {
    text=$(tr '\n' ' ' < samples/english.txt | cut -d ' ' -f 1-220)
    works "$viz" neuron -q --json -H L5H3 "$text"
    want=$(jq '[.keys[].weight] | sort | .[-100:] | add * 1000 | round / 10' <<< "$output")
    least=$(jq '[.keys[].weight] | sort | .[-100]' <<< "$output")
    jq -r --argjson least "$least" '.keys[] | select(.weight >= $least) | .token' <<< "$output" |
        tr -d ' ' > "$dir/want"
    [ "$(wc -l < "$dir/want")" = 100 ]
    works "$viz" neuron -q -H L5H3 -o "$dir/a.svg" "$text"
    sed 's/<[^>]*>/ /g' "$dir/a.svg" | tr -s ' \n' ' ' > "$dir/words"
    grep -q "; drawn: the 100 keys of the greatest weight, which hold $want% of the row; " "$dir/words"
    # Labels and numbers, row by row; a label of digits and points is left out
    grep -oE '<text[^>]*>[^<]*' "$dir/a.svg" | sed 's/.*>//; s/&lt;/</; s/&gt;/>/' | tr -d ' ' |
        sed '1,/^softmax$/d; /^q,k$/,$d' | grep -vx '[-0-9.]*' > "$dir/got"
    grep -vx '[-0-9.]*' "$dir/want" | diff - "$dir/got"
    works "$viz" neuron -q -H L5H3 -o "$dir/b.svg" "${text:0:200}"
    run ! grep -q "greatest weight" "$dir/b.svg"
}

@test "a model of pictures: what it adds by distance on the grid is its position" {
    for model in beit beit_first dinov2; do
        unzip -p "$ref/families/$model/expected.npz" r0.pixel_values.npy > "$dir/in.npy"
        works "$viz" neuron --json -m "$ref/families/$model" --input "$dir/in.npy" -H L1H1 --from 2
        jq -e "$sums" <<< "$output" > /dev/null || { echo "$model"; return 1; }
        jq -e --arg m "$model" '(.keys[0] | has("position")) == ($m != "dinov2")' <<< "$output"
    done
}

@test "numbers are those of export --all and of the rows" {
    python3 -c 'import numpy' 2> /dev/null || skip "no numpy"
    for model in gpt2 families/gemma2 families/deberta_v2 families/bloom; do
        "$viz" neuron --json -H L1H1 --from 4 -m "$ref/$model" --ids "$ids" > "$dir/one"
        "$viz" export --all -m "$ref/$model" --ids "$ids" -o "$dir/a.npz"
        python3 - "$dir" <<'PYTHON'
import json, sys
import numpy
a = numpy.load(sys.argv[1] + "/a.npz")
x = json.load(open(sys.argv[1] + "/one"))
at = [k["key"] for k in x["keys"]]
group = len(a["q.1"]) // len(a["k.1"])
for got, want in [(x["q"], a["q.1"][1, 4]), ([k["k"] for k in x["keys"]], a["k.1"][1 // group][at]),
                  ([k["score"] for k in x["keys"]], a["scores.1"][1, 4][at]),
                  ([k["weight"] for k in x["keys"]], a["attn.1"][1, 4][at])]:
    assert numpy.allclose(got, want, rtol=1e-6, atol=1e-6), numpy.abs(numpy.array(got) - want).max()
PYTHON
    done
}

@test "the table, and a row per dimension" {
    works "$viz" neuron -m "$ref/gpt2" --ids "$ids" --from 2 -H L1H1
    [[ ${lines[0]} == "L1H1: "*"(2) looks at 3 keys; scaled = "*" q.k" ]]
    [[ ${lines[1]} =~ ^key\ +token\ +q.k\ +scaled\ +score\ +weight$ ]]
    [ "${#lines[@]}" -eq 5 ]
    works "$viz" neuron --tsv --dims -m "$ref/gpt2" --ids "$ids" --from 2 -H L1H1
    [ "${lines[0]}" = "$(printf 'index\tstack\tlayer\thead\tat\tquery\tkey\ttoken\tdim\tq\tk\tproduct')" ]
    width=$("$viz" neuron --json -m "$ref/gpt2" --ids "$ids" --from 2 -H L1H1 | jq '.q | length')
    [ "${#lines[@]}" -eq $((3 * width + 1)) ]
    works "$viz" neuron -m "$ref/families/gemma2" --ids "$ids"
    [[ ${lines[0]} == *", capped at "* ]]
    for t in 1 3; do "$viz" neuron -t $t --json 'the cat saw the dog' > "$dir/$t"; done
    cmp "$dir/1" "$dir/3"
}

@test "without -l and -H: the layer that heatmap shows, its first head" {
    works "$viz" neuron --json 'the cat'
    [ "$(jq -c '[.layer, .head, .at]' <<< "$output")" = '[3,0,2]' ]
    works "$viz" neuron --json -l 1 'the cat'
    [ "$(jq -c '[.layer, .head]' <<< "$output")" = '[1,0]' ]
    works "$viz" neuron --json -H 2 --from -2 'the cat'
    [ "$(jq -c '[.layer, .head, .at]' <<< "$output")" = '[3,2,1]' ]
    fails 2 "2 heads are selected, expected one: -H L4H1, or -l 4 -H 1" "$viz" neuron -H 0,1 'the cat'
    fails 2 "2 heads are selected" "$viz" neuron -H L0H1,L2H0 'the cat'
    fails 2 "6 heads are selected" "$viz" neuron -l all 'the cat'
}

@test "what has no queries and keys is refused by name" {
    fails 2 "unknown option" "$viz" neuron --attention "$ref/precomputed/causal.npz"
    fails 3 "global tokens have queries, keys and values of their own" \
        "$viz" neuron -m "$ref/families/longformer" --global 0 --ids "$ids"
    works "$viz" neuron -m "$ref/families/longformer" --global none --ids "$ids"
    works "$viz" neuron --json -m "$ref/layers/encoder.safetensors" --heads 4
}

# drawn MODEL_ARGS...: the numbers of the picture in a pipe are those of JSON, to two decimals
drawn() {
    "$viz" neuron --json "$@" |
        jq -r '.keys[] | [.dot, .position, .query_position, .key_position, .segment, .copies, .mask,
                          .score, .weight] | map(select(. != null) | . * 100 | round) | join(" ")' \
            > "$dir/want"
    COLUMNS=200 "$viz" neuron --term --no-caption "$@" > "$dir/screen"
    sed '1,/softmax/d' "$dir/screen" | grep -oE '( +-?[0-9][0-9.e+]*)+$' |
        jq -Rr '[scan("\\S+") | tonumber * 100 | round] | join(" ")' > "$dir/got"
    # The text rounds a float, and JSON its shortest form: a hundredth may differ
    paste -d ' ' "$dir/got" "$dir/want" | awk '
        NF == 0 || NF % 2 { exit 1 }
        { for (i = 1; i <= NF / 2; i++) if (($i - $(i + NF / 2)) ^ 2 > 1 + ($i / 100) ^ 2) exit 1 }'
    [ "$(wc -l < "$dir/got")" -eq "$(wc -l < "$dir/want")" ]
}

@test "as a picture: the same numbers in every family, in all formats" {
    for model in gpt2 bert llama families/bloom families/mpnet families/deberta families/deberta_v2 \
        families/xlnet families/big_bird families/gemma2 families/deepseek_v2 families/qwen3 \
        families/reformer; do
        drawn -m "$ref/$model" --ids "$ids" || { echo "$model"; cat "$dir/screen"; return 1; }
        works "$viz" neuron -m "$ref/$model" --ids "$ids" -o "$dir/a.png"
        [ "$(magic "$dir/a.png" 4)" = 89504e47 ]
    done
    for stack in encoder decoder cross; do
        drawn -m "$ref/seq2seq/t5" --ids "$ids" --decoder-ids 2,5,7 -s $stack
    done
    drawn -m "$ref/bert" --mask padding:1 --mask-value -3 the key
    works "$viz" neuron -o "$dir/a.svg" 'the cat <b>'
    works "$viz" neuron --from cat --width 85mm -o "$dir/a.pdf" 'the cat saw the dog'
    fails 2 "--width 20mm: numbers and labels leave no room for q and k; expected at least " \
        "$viz" neuron --width 20mm -o "$dir/b.pdf" 'the cat saw the dog'
    least=$(grep -oE "least [0-9]+" <<< "$stderr" | tr -dc 0-9)
    works "$viz" neuron --width "${least}mm" -o "$dir/b.pdf" 'the cat saw the dog'
    fails 2 "--width" "$viz" neuron --width 5 'the cat'
}

@test "as a picture on a terminal: no wider than it, whatever its width" {
    for columns in 20 40 80 200; do
        COLUMNS=$columns works "$viz" neuron --term 'the 我喜欢 saw the dog'
        [ "$(wc -L <<< "$output")" -le "$columns" ]
        [[ $output == *score* ]]
    done
    for columns in 1 10 19; do
        COLUMNS=$columns fails 2 "has no room for a picture; expected at least 20" \
            "$viz" neuron --term 'the cat'
    done
    printf 'the cat\nthe dog\n' > "$dir/lines"
    works "$viz" neuron --term -f "$dir/lines"
    [ "$(grep -c softmax <<< "$output")" = 2 ]
    TERM=linux COLORTERM=truecolor works "$viz" neuron --term=blocks 'the cat'
    [[ $output == *$'\e[48;2;'* ]]
}
