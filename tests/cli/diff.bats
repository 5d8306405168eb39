#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# diff: its numbers against the reference library's attention, its forms, its exit status.

# shellcheck disable=SC2154
load helper

text="the key is in the door"

@test "every number is that of the reference library's attention" {
    # Weights agree within 2e-6: so do entropies, up to some logarithms, and divergences.
    n=$(jq length tests/ref/diff/cases.json)
    [ "$n" -ge 8 ]
    for ((k = 0; k < n; k++)); do          # run has an i of its own
        case=$(jq -c ".[$k]" tests/ref/diff/cases.json)
        mapfile -t argv < <(jq -r '.argv[]' <<< "$case")
        works "$viz" diff --json "${argv[@]}"
        agree "$(jq -c .want <<< "$case")" "$output" 1e-3 3e-6
    done
}

@test "two models: one and the same, its GGUF, others, a quantised one" {
    works "$viz" diff --json -m "$ref/bert" -m "$ref/bert" "$text"
    jq -e '.heads | length == 6 and all(.js == 0 and .entropy_change == 0 and
        .links_kept == 1 and .largest == 0)' <<< "$output" > /dev/null
    jq -e '.first.model == "bert" and .first.tokens == .second.tokens' <<< "$output" > /dev/null
    works "$viz" diff --json -m "$ref/bert" -m "$ref/gguf_bert" --ids 2,17,40,3
    jq -e '.heads | all(.js < 1e-12)' <<< "$output" > /dev/null
    works "$viz" diff --json -m "$ref/families/llama_llama3" -m "$ref/families/llama_yarn" --ids 2,17,40,3
    jq -e '.heads | any(.js > 1e-3)' <<< "$output" > /dev/null
    shared=${MHA_VIZ_SHARED:-../shared}/goldens
    [ -d "$shared/gguf_llama_q4_0" ] || skip "no quantised model: $shared is not there"
    works "$viz" diff --json -m "$shared/gguf_llama_f32" -m "$shared/gguf_llama_q4_0" --ids 2,17,40,3
    jq -e '.heads | all(.js > 1e-6 and .js < 0.2)' <<< "$output" > /dev/null
}

@test "--tolerance: exit 1 where a head differs by more" {
    works "$viz" diff -m "$ref/bert" -m "$ref/bert" --tolerance 0 "$text"
    run --separate-stderr "$viz" diff -m "$ref/bert" --tolerance 1e-4 "$text" "the door is in the key"
    [ "$status" -eq 1 ]
    [[ $stderr =~ ^"mha-viz: "L([0-9]+)H([0-9]+)" differs by "([0-9.e-]+)" nats, more than 0.0001"$ ]]
    worst=("${BASH_REMATCH[@]}")
    run --separate-stderr "$viz" diff --json -m "$ref/bert" "$text" "the door is in the key"
    jq -e --argjson l "${worst[1]}" --argjson h "${worst[2]}" --argjson js "${worst[3]}" '
        .heads | max_by(.js) | .layer == $l and .head == $h and
        (.js / $js - 1 | fabs) < 1e-2' <<< "$output" > /dev/null
    "$viz" diff -m "$ref/bert" --tolerance 1e-4 "$text" "the door is in the key" > "$dir/table" || true
    mapfile -t lines < "$dir/table"
    [[ ${lines[1]} == head*JS*entropy*change*"links kept"*largest ]]
    works "$viz" diff -m "$ref/bert" --tolerance 0.7 "$text" "the door is in the key"
}

@test "a picture shows one comparison" {
    printf 'the key\nthe door is\n' > "$dir/lines"
    fails 2 "several texts require a folder for their pictures" "$viz" diff -m "$ref/bert" \
        --dtype f32 --dtype bf16 -f "$dir/lines" -o "$dir/x.png"
    layer=$ref/layers/q_linear.safetensors
    fails 2 "several texts require a folder for their pictures" "$viz" diff -m "$layer" \
        --heads 3 --dtype f32 --dtype bf16 --shape 2x5 -o "$dir/x.png"
    [ ! -e "$dir/x.png" ]
    works "$viz" diff -m "$layer" --heads 3 --dtype f32 --dtype bf16 --shape 5 -o "$dir/x.png"
    mkdir "$dir/out"
    works "$viz" diff -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/lines" --format png -o "$dir/out"
    [ "$(list "$dir/out")" = "000001.png 000002.png " ]
}

@test "-f: each line under both; lines that one side cannot use are named" {
    printf 'the key\nthe door is\n' > "$dir/lines"
    works "$viz" diff --json -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/lines"
    [ "$(jq -c '[.index, .second.dtype]' <<< "$output" | tr '\n' ' ')" = '[0,"bf16"] [1,"bf16"] ' ]
    works "$viz" diff -m "$ref/bert" --dtype f32 --dtype f16 -l 1 -H 2 -f "$dir/lines"
    [ "$(grep -c '^L1H2' <<< "$output")" = 2 ]
}

@test "TSV: one row per text and head, by the extension of -o too; a header for no text" {
    works "$viz" diff --tsv -m "$ref/bert" "$text" "the door is in the key"
    [ "${lines[0]}" = "$(printf '%s\t' index tokens_paired stack layer head js entropy_first \
        entropy_second entropy_change links_kept)largest" ]
    [ "${#lines[@]}" -eq 7 ]
    "$viz" diff --json -m "$ref/bert" "$text" "the door is in the key" |
        jq -r '.heads[] | [.layer, .head, .js, .links_kept] | @tsv' > "$dir/json"
    cut -f 4-6,10 <<< "$output" | tail -n +2 | cmp - "$dir/json"
    works "$viz" diff -m "$ref/bert" -o "$dir/x.tsv" "$text" "the door is in the key"
    "$viz" diff --tsv -m "$ref/bert" "$text" "the door is in the key" | cmp - "$dir/x.tsv"
    : > "$dir/lines"
    works "$viz" diff --tsv -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/lines"
    [ "$output" = "$(head -n 1 "$dir/x.tsv")" ]
}

@test "a picture of layers and heads" {
    for metric in entropy js links_kept; do
        works "$viz" diff -m "$ref/bert" --metric "$metric" -o "$dir/x.png" "$text" "the door"
        [ "$(magic "$dir/x.png" 4)" = 89504e47 ]
        works "$viz" diff -m "$ref/bert" --metric "$metric" -o "$dir/x.svg" "$text" "the door"
        [ "$(list "$dir")" = "x.png x.svg " ]
        rm "$dir"/x.*
    done
}

@test "the same bytes for any number of threads" {
    for t in 1 3; do
        "$viz" diff --json -t $t -m "$ref/gpt2" --dtype bf16 --dtype f16 "$text" > "$dir/$t"
    done
    cmp "$dir/1" "$dir/3"
}

@test "quantised linears: on any model, the same bytes for any number of threads" {
    for d in int8 q8_0 q5_0 q4_0; do
        works "$viz" diff --json --dtype f32 --dtype $d "the cat saw the dog" "the dog"
        jq -e --arg d $d '.second.dtype == $d and (.heads |
            all(.js < 0.01) and any(.js > 1e-7))' <<< "$output" > /dev/null
        for t in 1 3; do
            "$viz" export -t $t --logits --dtype $d "$text" -o "$dir/$t.npz"
        done
        cmp "$dir/1.npz" "$dir/3.npz"
    done
    # Fewer bits, more of a change.
    js() { "$viz" diff --json --dtype f32 --dtype "$1" "$text" | jq '[.heads[].js] | add'; }
    jq -en "$(js q8_0) < $(js q5_0) and $(js q5_0) < $(js q4_0)" > /dev/null
}

@test "quantised linears: integers leave nothing for a kernel to round" {
    layer=$ref/layers/q_linear.safetensors
    for k in c avx2 avx512; do
        MHA_VIZ_KERNEL=$k "$viz" --version > /dev/null 2>&1 || continue
        MHA_VIZ_KERNEL=$k "$viz" export -m "$layer" --heads 3 --shape 5 --dtype int8 --all \
            -o "$dir/$k.npz"
        unzip -p "$dir/$k.npz" q.0.npy > "$dir/$k"
        [ -s "$dir/$k" ]
        cmp "$dir/c" "$dir/$k"
    done
}

@test "quantised linears: a width that blocks do not divide, and no linears at all" {
    fails 3 "cls.predictions.transform.dense.weight: has rows of 24 weights, which the blocks of 32 of --dtype q4_0 do not divide" \
        "$viz" diff -m "$ref/bert" --dtype f32 --dtype q4_0 "$text"
    works "$viz" diff -m "$ref/bert" --dtype f32 --dtype int8 "$text"
    a=$ref/precomputed/heads
    fails 2 "--dtype int8 quantises linears, of which" "$viz" stats --dtype int8 \
        --qkv "$a.q.npy,$a.k.npy,$a.v.npy"
}

@test "standard input: both sides read all of it" {
    printf '%s\n%s\n' "$text" "the key" > "$dir/lines"
    two="diff --json -m $ref/bert --dtype f32 --dtype bf16"
    "$viz" $two -f "$dir/lines" > "$dir/want"
    [ "$(wc -l < "$dir/want")" -eq 2 ]
    for from in "" "-f -"; do
        "$viz" $two $from < "$dir/lines" > "$dir/a"
        cat "$dir/lines" | "$viz" $two $from > "$dir/b"
        cmp "$dir/want" "$dir/a"
        cmp "$dir/want" "$dir/b"
    done
    "$viz" $two "the key" > "$dir/want"
    echo "the key" | "$viz" $two - > "$dir/a"
    cmp "$dir/want" "$dir/a"
}

@test "nothing to compare, too much of it, and what cannot be compared" {
    fails 2 "expected two models" "$viz" diff "$text"
    fails 2 "expected two models" "$viz" diff -f x
    fails 2 "is one too many" "$viz" diff -m a -m b -m c x
    fails 2 "--dtype: 'int4' is not one of f32, bf16, f16, int8, q8_0, q5_0, q4_0" \
        "$viz" diff --dtype int4 x y
    # Names of 1 - links_kept in 0.1.0
    for name in links links_changed flips; do
        fails 2 "--metric: '$name' was renamed: links_kept" "$viz" diff --metric $name -o x.png x y
    done
    fails 2 "--metric: 'link' is not one of entropy, js, links_kept; did you mean 'links_kept'?" \
        "$viz" diff --metric link -o x.png x y
    fails 2 "unknown file extension; known are .txt, .tsv, .json, .jsonl, .png, .svg, .pdf" "$viz" diff -o x.jpg x y
    fails 3 "expected the same" "$viz" diff -m "$ref/bert" -m "$ref/bart" --ids 2,3
    fails 3 "its decoder: expected the same stack" "$viz" diff -m "$ref/bert" -m "$ref/gpt2" --ids 2,3
    [ ! -e x.png ]
}
