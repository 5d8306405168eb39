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
- -m $ref/llama --ids $ids --at 3 -H L1H1
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

@test "numbers are those of export --all and of the rows" {
    python3 -c 'import numpy' 2> /dev/null || skip "no numpy"
    for model in gpt2 families/gemma2 families/deberta_v2 families/bloom; do
        "$viz" neuron --json -H L1H1 --at 4 -m "$ref/$model" --ids "$ids" > "$dir/one"
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
    works "$viz" neuron -m "$ref/gpt2" --ids "$ids" --at 2 -H L1H1
    [[ ${lines[0]} == "L1H1: "*"(2) looks at 3 keys; scaled = "*" q.k" ]]
    [[ ${lines[1]} =~ ^key\ +token\ +q.k\ +scaled\ +score\ +weight$ ]]
    [ "${#lines[@]}" -eq 5 ]
    works "$viz" neuron --tsv --dims -m "$ref/gpt2" --ids "$ids" --at 2 -H L1H1
    [ "${lines[0]}" = "$(printf 'index\tstack\tlayer\thead\tat\tquery\tkey\ttoken\tdim\tq\tk\tproduct')" ]
    width=$("$viz" neuron --json -m "$ref/gpt2" --ids "$ids" --at 2 -H L1H1 | jq '.q | length')
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
    works "$viz" neuron --json -H 2 --at -2 'the cat'
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
