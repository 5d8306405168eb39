#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016,SC1111
# attribute: what heads write into a logit, against gradients of the reference library
# (tests/ref/make_attribute.py); forms of output, order, selection, misuse.

load helper

ids="2,17,40,9,33,5,3"

# near FILE: dla and dla_sources in the JSON on standard input are those of the case in FILE,
# within 1e-4 of the largest
near() {
    jq -e --slurpfile case "$1" '
        def off(want): [., want] | transpose | map((.[0] - .[1]) | fabs) | max;
        def most: map(fabs) | max;
        $case[0] as $c | . as $got
        | ([$got.heads[].dla] | length) == ($c.dla | length)
          and ([$got.heads[].dla] | off($c.dla)) <= 1e-4 * ($c.dla | most)
          and ([$got.heads[].dla_sources[]] | off([$c.dla_sources[][]]))
              <= 1e-4 * ([$c.dla_sources[][]] | most)
          and (($got.logit - $c.logit) | fabs) <= 1e-4 * ([1, ($c.logit | fabs)] | max)
          and $got.identity_error <= 1e-5
          and (($got.heads_dla + $got.rest - $got.logit) | fabs) <= 1e-4' > /dev/null
}

@test "heads and tokens are those of the reference library's gradients, in eleven families" {
    n=0
    while read -r line; do
        echo "$line" > "$dir/case"
        mapfile -t args < <(jq -r '.args[]' "$dir/case")
        model=$(jq -r .model "$dir/case")
        "$viz" attribute --json --sources -m "$ref/$model" "${args[@]}" > "$dir/got"
        near "$dir/case" < "$dir/got" || { echo "$model ${args[*]}"; return 1; }
        n=$((n + 1))
    done < <(jq -c '.[]' "$ref/attribute/cases.json")
    [ "$n" -eq 22 ]
}

@test "the larger reference models, by hooks, here and now" {
    python=${PYTHON:-python3}
    goldens=$PWD/../shared/goldens
    [ -d "$goldens" ] || skip "no ../shared/goldens"
    "$python" -c 'import torch, transformers' 2> /dev/null ||
        skip "$python has no torch and transformers (PYTHON names another)"
    "$python" "$ref/make_attribute.py" "$viz" "$goldens"/{gpt2,llama,gemma2,bart} 2> /dev/null
}

@test "without an answer: the first two tokens of the model; what the table says" {
    works "$viz" attribute -m "$ref/gpt2" --ids "$ids" --json
    first=$(jq .answer_id <<< "$output") second=$(jq .against_id <<< "$output")
    "$viz" export --logits -m "$ref/gpt2" --ids "$ids" -o "$dir/a.npz"
    if python3 -c 'import numpy' 2> /dev/null; then
        [ "$(python3 -c 'import sys, numpy
y = numpy.load(sys.argv[1])["logits"][-1]
print(*(-y).argsort(kind="stable")[:2])' "$dir/a.npz")" = "$first $second" ]
    fi
    works "$viz" attribute -m "$ref/gpt2" --ids "$ids"
    [[ ${lines[0]} == "“"*"” (id $first) against “"*"” (id $second) after "*"(6)" ]]
    [[ ${lines[1]} == "difference "*" = heads "*", embeddings "*", mlps "*", biases "*" of the largest part)" ]]
    [[ ${lines[2]} =~ ^head\ +dla$ && ${lines[3]} == L0H0* ]]
    # one logit is the difference of two
    one=$("$viz" attribute -m "$ref/gpt2" --ids "$ids" --json --answer-id 7 | jq .heads[3].dla)
    other=$("$viz" attribute -m "$ref/gpt2" --ids "$ids" --json --answer-id 9 | jq .heads[3].dla)
    works "$viz" attribute -m "$ref/gpt2" --ids "$ids" --json --answer-id 7 --against-id 9
    jq -e "(.heads[3].dla - ($one - $other) | fabs) < 1e-9" <<< "$output"
    works "$viz" attribute -m "$ref/gpt2" --ids "$ids" --json --against-id 9
    [ "$(jq -c '[.answer_id, .against_id]' <<< "$output")" = "[$first,9]" ]
}

# bats test_tags=threads
@test "--at is the row of the text up to there; the same for any number of threads" {
    "$viz" attribute -m "$ref/llama" --ids "$ids" --at 3 --json --sources -t 1 > "$dir/at"
    "$viz" attribute -m "$ref/llama" --ids 2,17,40,9 --json --sources -t 4 > "$dir/cut"
    [ "$(jq -c '[.heads[] | [.dla, .dla_sources[:4]]]' "$dir/at")" = \
        "$(jq -c '[.heads[] | [.dla, .dla_sources]]' "$dir/cut")" ]
    [ "$(jq -c '[.heads[].dla_sources[4:]] | flatten | unique' "$dir/at")" = "[0]" ]
    works "$viz" attribute --at cat#2 --json 'the cat saw the cat and ran'
    [ "$(jq .at <<< "$output")" = "$("$viz" tokens --json 'the cat saw the cat and ran' | jq '.labels | rindex(" cat")')" ]
    fails 3 "--at: 70 is out of range: the text has tokens 0 to 6" \
        "$viz" attribute -m "$ref/gpt2" --ids "$ids" --at 70
}

@test "an answer is one token, encoded as it stands" {
    works "$viz" attribute --json --answer ' with' 'he drinks tea with milk, and she drinks tea'
    [ "$(jq -r .answer <<< "$output")" = " with" ]
    [ "$(jq -r .against_id <<< "$output")" = null ]
    # the heads that write it have it from where it stood before
    works "$viz" attribute --tsv --sources --answer ' with' 'he drinks tea with milk, and she drinks tea'
    [ "$(tail -n +2 <<< "$output" | sort -t$'\t' -k15,15gr | head -n 1 | cut -f 13)" = with ]
    fails 2 "--answer: 'xyzzy' is 4 tokens, 'x', 'y', 'z', 'zy': expected one (--answer-id takes its id)" \
        "$viz" attribute --answer xyzzy 'a cat'
    fails 2 "--against: '' is 0 tokens: expected one" "$viz" attribute --against '' 'a cat'
    fails 2 "--answer, --against: both are token 7" \
        "$viz" attribute -m "$ref/gpt2" --ids "$ids" --answer-id 7 --against-id 7
    fails 2 "--answer-id: 99999 is out of range: the head of gpt2 predicts ids 0 to" \
        "$viz" attribute -m "$ref/gpt2" --ids "$ids" --answer-id 99999
    fails 2 "--answer, --answer-id: only one of them can be given" \
        "$viz" attribute --answer a --answer-id 3 'a cat'
    first=$("$viz" attribute -m "$ref/gpt2" --ids "$ids" --json | jq .answer_id)
    fails 3 "--against: token $first is the one that the model predicts" \
        "$viz" attribute -m "$ref/gpt2" --ids "$ids" --against-id "$first"
}

@test "--span: contrast by what --sources says; --raw without norms" {
    span='. as $h | ($h.dla_sources | length) as $n
        | ([$h.dla_sources[2:5][]] | add) - 3 / ($n - 3) * (([$h.dla_sources[]] | add) - ([$h.dla_sources[2:5][]] | add))'
    for raw in "" --raw; do
        # shellcheck disable=SC2086
        works "$viz" attribute -m "$ref/llama" --ids "$ids" --json --sources --span 2-4 $raw
        jq -e "[.heads[] | (.span - ($span)) | fabs] | max < 1e-9" <<< "$output"
        jq -e "[.heads[] | (.span_dla - ([.dla_sources[]] | add)) | fabs] | max < 1e-9" <<< "$output"
        jq -e '[.heads[] | (.span_attention - (([.weights[2:5][]] | add) - 3 / 4 * (1 - ([.weights[2:5][]] | add)))) | fabs] | max < 1e-5' <<< "$output"
    done
    works "$viz" attribute -m "$ref/llama" --ids "$ids" --span 2-4
    [[ ${lines[2]} =~ ^head\ +dla\ +span\ +of\ weights\ +all$ ]]
    works "$viz" attribute -m "$ref/llama" --ids "$ids" --json --span 0-6
    [ "$(jq -c '[.heads[].span] | unique' <<< "$output")" = "[null]" ]
    works "$viz" attribute -m "$ref/llama" --ids "$ids" --json --span 5-6 --at 3
    [ "$(jq -c '[.heads[].span] | unique' <<< "$output")" = "[null]" ]
    fails 2 "--span: '4-2' is not a span of tokens such as 3-7" "$viz" attribute --span 4-2 'a cat'
    fails 3 "--span: 9 is out of range: the text has tokens 0 to 6" \
        "$viz" attribute -m "$ref/llama" --ids "$ids" --span 3-9
    fails 2 "--raw requires --span" "$viz" attribute --raw 'a cat'
    fails 2 "--sort: 'span' requires --span" "$viz" attribute --sort span 'a cat'
}

@test "-l, -H, --sort and --reverse choose and order rows, and leave the sums alone" {
    works "$viz" attribute -m "$ref/gpt2" --ids "$ids" --json
    all=$output
    works "$viz" attribute -m "$ref/gpt2" --ids "$ids" --json -l 1 -H 0,2
    [ "$(jq -c '[.heads[] | [.layer, .head, .dla]]' <<< "$output")" = \
        "$(jq -c '[.heads[] | select(.layer == 1 and (.head == 0 or .head == 2)) | [.layer, .head, .dla]]' <<< "$all")" ]
    [ "$(jq -c '[.heads_dla, .rest]' <<< "$output")" = "$(jq -c '[.heads_dla, .rest]' <<< "$all")" ]
    works "$viz" attribute -m "$ref/gpt2" --ids "$ids" --json --sort dla
    jq -e '[.heads[].dla] | . == (sort | reverse)' <<< "$output"
    works "$viz" attribute -m "$ref/gpt2" --ids "$ids" --json --sort dla --reverse
    jq -e '[.heads[].dla] | . == sort' <<< "$output"
}

@test "TSV: a row per head, or per head and token that it sees; several texts" {
    printf 'a cat\nthe dog ran\n' > "$dir/lines"
    works "$viz" attribute --tsv -f "$dir/lines"
    [ "${lines[0]}" = "$(printf 'index\tat\tanswer_id\tagainst_id\tlogit\theads_dla\trest\tidentity_error\tstack\tlayer\thead\tdla')" ]
    [ "${#lines[@]}" -eq 49 ]
    works "$viz" attribute --tsv --sources -l 0 -H 1 -m "$ref/gpt2" --ids "$ids" --at 2
    [ "${lines[0]}" = "$(printf 'index\tat\tanswer_id\tagainst_id\tlogit\theads_dla\trest\tidentity_error\tstack\tlayer\thead\tsource\ttoken\tweight\tdla')" ]
    [ "${#lines[@]}" -eq 4 ]
}

@test "an encoder-decoder: heads of its decoder, of both texts" {
    b=(-m "$ref/bart" "the key is in the door" "a key")
    works "$viz" attribute --json --span 1-2 "${b[@]}"
    [ "$(jq -c '[.heads[].stack] | unique' <<< "$output")" = '["cross","decoder"]' ]
    [ "$(jq -c '[.heads[] | select(.stack == "decoder").span] | unique' <<< "$output")" = "[null]" ]
    works "$viz" attribute --json -s cross "${b[@]}"
    [ "$(jq -c '[.heads[].stack] | unique' <<< "$output")" = '["cross"]' ]
    works "$viz" attribute --json --span 1-2 -s decoder "${b[@]}"
    [ "$(jq -c '[.heads[] | .stack, (.span == null)] | unique' <<< "$output")" = '[false,"decoder"]' ]
    works "$viz" attribute "${b[@]}"
    [[ ${lines[2]} =~ ^head\ +stack\ +dla$ ]]
    fails 2 "--stack: 'encoder': its heads reach the logits only through others" \
        "$viz" attribute -s encoder "${b[@]}"
    fails 2 "logits are the decoder's: expected TEXT_B, --decoder-ids or --generate N" \
        "$viz" attribute -m "$ref/bart" "the key"
    works "$viz" attribute --json -m "$ref/bart" --generate 3 "the key"
}

@test "a soft cap: tokens and parts are of the logits before it, and both are said" {
    works "$viz" attribute --json -m "$ref/families/gemma2" --ids "$ids" --answer-id 7
    cap=$(jq .final_logit_softcapping "$ref/families/gemma2/config.json")
    jq -e "(.logit_capped - $cap * ((.logit / $cap) | tanh) | fabs) < 1e-5" <<< "$output"
    works "$viz" attribute -m "$ref/families/gemma2" --ids "$ids"
    [[ ${lines[1]} == *" after the soft cap) = heads "* ]]
}

@test "models whose heads write into no logit are refused in one line" {
    fails 3 "bert: its head has a layer with an activation: what heads write does not add up to its outputs" \
        "$viz" attribute -m "$ref/bert" "the key"
    fails 3 "longformer_question: its head predicts no tokens" \
        "$viz" attribute -m "$ref/families/longformer_question" --ids "$ids"
    fails 3 "has no output head in its weights" "$viz" attribute -m "$ref/families/phi3_window" --ids "$ids"
    "$viz" init --d-model 8 --heads 2 -o "$dir/layer.safetensors"
    fails 3 "has no output head" "$viz" attribute -m "$dir/layer.safetensors"
    fails 2 "unknown option" "$viz" attribute --dtype bf16 "a cat"
}
