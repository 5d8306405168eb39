#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016
# circuits: composition, copying and successors of heads, against whole matrices in float64
# (tests/ref/make_circuits.py); forms of output, order, selection, what is refused.

load helper

@test "heads and pairs are those of the definitions, in nine families" {
    n=0
    while read -r line; do
        echo "$line" > "$dir/case"
        model=$(jq -r .model "$dir/case")
        works "$viz" circuits --json --sample 1048576 -m "$ref/$model"
        echo "$output" > "$dir/heads"
        works "$viz" circuits --json --edges -m "$ref/$model"
        echo "$output" > "$dir/pairs"
        # each column within 1e-4 of its largest number; nulls where they are wanted
        jq -ne --slurpfile case "$dir/case" --slurpfile heads "$dir/heads" \
            --slurpfile pairs "$dir/pairs" '
            def near(want): map(. == null) == (want | map(. == null)) and
                ([., want] | transpose | map(select(.[0] != null) | (.[0] - .[1]) | fabs) |
                 max // 0) <= 1e-4 * (want | map(select(. != null) | fabs) | max // 1);
            $case[0] as $c | ($c.chance - $heads[0].chance | fabs) < 1e-12 and
            $heads[0].sample == $c.sample and
            all($c | keys[] | select(. != "model" and . != "chance" and . != "sample");
                . as $key | (if endswith("_comp") then $pairs[0].pairs else $heads[0].heads end |
                             map(.[$key]) | near($c[$key])) or ("\($key)\n" | stderr | false))' \
            > /dev/null || { echo "$model"; return 1; }
        n=$((n + 1))
    done < <(jq -c '.[]' "$ref/circuits/cases.json")
    [ "$n" -eq 9 ]
}

@test "the definitions over the larger reference models, here and now" {
    python=${PYTHON:-python3}
    goldens=$PWD/../shared/goldens
    [ -d "$goldens" ] || skip "no ../shared/goldens"
    "$python" -c 'import torch, transformers' 2> /dev/null ||
        skip "$python has no torch and transformers (PYTHON names another)"
    "$python" "$ref/make_circuits.py" "$viz" "$goldens"/{gpt2,llama} 2> /dev/null
}

@test "the heads of the built-in model read its previous-token head, as induction does" {
    works "$viz" circuits --edges --sort k_comp --tsv
    [ "${#lines[@]}" -eq 241 ]
    # head, layer and head of the later one: three of the five that README.md calls induction
    [[ "$(head -n 4 <<< "$output" | tail -n 3 | cut -f 1-4)" == \
        $'0\t0\t2\t0\n0\t0\t3\t2\n0\t0\t2\t3' ]]
    works "$viz" circuits --json
    # the largest of each head are those of the pairs
    works "$viz" circuits --json -l 2 -H 0
    one=$output
    works "$viz" circuits --json --edges -l 2 -H 0
    jq -ne --argjson one "$one" --argjson pairs "$output" '
        ($pairs.pairs | length) == 8 and all("q", "k", "v";
            . as $k | ($pairs.pairs | max_by(.[$k + "_comp"])) as $best |
            $one.heads[0][$k + "_comp"] == $best[$k + "_comp"] and
            $one.heads[0][$k + "_from"] == "L\($best.from_layer)H\($best.from_head)")'
    jq -e '.heads[0] | .successor == .["successor_" + .successor_class] and .successor_p == 1' <<< "$one"
}

# bats test_tags=threads
@test "the same bytes for any number of threads" {
    for model in "$ref/gpt2" builtin:decoder; do
        "$viz" circuits -t 1 --json -m "$model" > "$dir/one"
        "$viz" circuits -t 3 --json -m "$model" | cmp "$dir/one"
        "$viz" circuits -t 1 --json --edges -m "$model" > "$dir/one"
        "$viz" circuits -t 3 --json --edges -m "$model" | cmp "$dir/one"
    done
}

@test "table, TSV, order, selection" {
    works "$viz" circuits -m "$ref/gpt2"
    [[ ${lines[0]} == "gpt2: weights of the decoder, norms folded, centred" ]]
    [[ ${lines[1]} == "composition by chance: 0.2041; ranks of "*" tokens, seed 1" ]]
    [[ ${lines[2]} == "head "*"copy "*" Q  from "*" K  from "*" V  from" ]]
    [[ ${lines[3]} == L0H0*"-  -"* ]]
    works "$viz" circuits -m "$ref/llama" --edges
    [[ ${lines[0]} == *"norms folded; positions left out of W_QK" ]]
    [ "${lines[1]}" = "composition by chance: 0.2041" ]
    works "$viz" circuits -m "$ref/bert"
    [[ ${lines[0]} == *"without their norms, which follow the sums" ]]
    works "$viz" circuits -m "$ref/bert" --json --sort copy
    jq -e '.folded == false and .sample == null and ([.heads[].copy] | . == (sort | reverse)) and
           all(.heads[]; .copy_full == null and .copy_rank == null and .successor == null)' \
        <<< "$output"
    # Heads of the first layer have none before them to read, so no value: last either way.
    for order in "" --reverse; do
        # shellcheck disable=SC2086
        works "$viz" circuits -m "$ref/gpt2" --json --sort q_comp $order
        jq -e '[.heads[].q_comp == null] | . == sort and first == false and last' <<< "$output"
        jq -e '[.heads[] | select(.q_comp == null) | .head] | . == sort' <<< "$output"
    done
    works "$viz" circuits -m "$ref/gpt2" --json --sort copy --reverse
    jq -e '[.heads[].copy] | . == sort' <<< "$output"
    works "$viz" circuits -m "$ref/gpt2" --json --sample 0
    jq -e '.sample == 0 and all(.heads[]; .copy_rank == null and .successor == null and
           .copy_full != null)' <<< "$output"
    works "$viz" circuits -m "$ref/gpt2" --json --seed 2 --sample 20
    jq -e '.seed == 2 and .sample == 20' <<< "$output"
    works "$viz" circuits -m "$ref/gpt2" --tsv -l 1
    [ "${#lines[@]}" -eq 4 ]
    [[ ${lines[0]} == $'stack\tlayer\thead\tcopy\tcopy_full\tcopy_rank'* ]]
    works "$viz" circuits -m "$ref/seq2seq/t5" -s decoder --json
    jq -e '.stack == "decoder" and .heads[0].stack == "decoder" and .positions_left_out' \
        <<< "$output"
}

@test "successors need a tokeniser: one that cannot be read is said, none is not" {
    mkdir "$dir/gpt2"
    cp "$ref"/gpt2/config.json "$ref"/gpt2/model* "$dir/gpt2"
    works "$viz" circuits --json -m "$dir/gpt2"
    jq -e 'all(.heads[]; .successor == null and .copy_rank != null)' <<< "$output"
    echo '{"model": 1}' > "$dir/gpt2/tokenizer.json"
    run --separate-stderr "$viz" circuits --json -m "$dir/gpt2"
    [ "$status" -eq 0 ]
    [[ $stderr == "mha-viz: note: $dir/gpt2/tokenizer.json: "*"; successors are left out" ]]
    works "$viz" circuits --json --sample 0 -m "$dir/gpt2"
    works "$viz" circuits --json --edges -m "$dir/gpt2"
    fails 2 "--probe: gpt2 cannot be probed: $dir/gpt2/tokenizer.json: " \
        "$viz" types --probe retrieval -m "$dir/gpt2"
}

@test "a picture of one number" {
    works "$viz" circuits -m "$ref/gpt2" -o "$dir/map.png" --metric q_comp
    [ "$(magic "$dir/map.png" 4)" = 89504e47 ]
    works "$viz" circuits -m "$ref/gpt2" -o "$dir/map.svg"
    [ -s "$dir/map.svg" ]
    fails 2 "--edges: a picture shows a number of each head" \
        "$viz" circuits -m "$ref/gpt2" --edges -o "$dir/pairs.png"
}

@test "what a part is scaled by before it is added belongs to its output projection" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    for model in dinov2 dinov2_swiglu beit; do
        mkdir "$dir/$model"
        python3 "$ref/folded.py" "$ref/families/$model" "$dir/$model"
        for how in "" --edges; do
            works "$viz" circuits --tsv $how -m "$ref/families/$model"
            scaled=$output
            works "$viz" circuits --tsv $how -m "$dir/$model"
            [ "$output" = "$scaled" ]
        done
    done
}

@test "bottlenecks belong to what the heads read and write" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    for model in mobilebert mobilebert_all; do
        mkdir "$dir/$model"
        python3 "$ref/folded.py" "$ref/families/$model" "$dir/$model"
        for how in "" --edges; do
            works "$viz" circuits $how -m "$ref/families/$model"
            narrow=${output#*$'\n'}
            works "$viz" circuits $how -m "$dir/$model"
            [ "${output#*$'\n'}" = "$narrow" ]
        done
    done
}

@test "what has no circuits of its own is refused in one line" {
    fails 3 "deepseek_v2: its queries, keys and values come from vectors of low rank" \
        "$viz" circuits -m "$ref/families/deepseek_v2"
    fails 3 "its attention reads one residual stream and writes another" \
        "$viz" circuits -m "$ref/families/reformer"
    fails 2 "--stack: 'cross': its heads read two streams: expected encoder or decoder" \
        "$viz" circuits -m "$ref/bart" -s cross
    fails 2 "--sort: 'copy' is a number of heads, not of --edges" \
        "$viz" circuits --edges --sort copy
    fails 2 "circuits: unexpected operand 'x', expected none" "$viz" circuits x
    works "$viz" circuits -m "$ref/layers/encoder.safetensors" --heads 4 --json
    jq -e '(.heads | length) > 0 and .sample == null' <<< "$output"
}
