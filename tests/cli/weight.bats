#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# --weight: rows of weights times lengths of values, in every command that has rows; against
# NumPy (tests/ref/weight.py; the metrics of such rows, tests/ref/shown.py).

load helper

text="the key is in the door"

# rows TENSOR PREFIX: those of --weight norm and value are those of NumPy, with MODEL and TEXTS
rows() {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    "$viz" export --all -m "$ref/$model" -o "$dir/plain.npz" "${texts[@]}"
    for weight in norm value; do
        "$viz" export --weight $weight -m "$ref/$model" -o "$dir/weighted.npz" "${texts[@]}"
        python3 "$ref/weight.py" "$dir/plain.npz" "$dir/weighted.npz" "$ref/$model" "$1" "$2"
    done
}

# bats test_tags=once
@test "rows of an encoder, a decoder, grouped keys and cross-attention are those of NumPy" {
    model=bert texts=("$text" "a key")
    rows bert.encoder.layer.{}.attention.output.dense.weight attn
    model=gpt2 texts=("$text")
    rows transformer.h.{}.attn.c_proj.weight.T attn
    model=llama texts=("$text")
    rows model.layers.{}.self_attn.o_proj.weight attn
    model=families/mistral texts=(--ids "5,6,7,8,5,6,9,10,11,5,6,7")
    rows model.layers.{}.self_attn.o_proj.weight attn
    model=bart texts=("$text" "a key")
    rows model.decoder.layers.{}.self_attn.out_proj.weight dec
    rows model.decoder.layers.{}.encoder_attn.out_proj.weight cross
}

# bats test_tags=once
@test "every metric of such rows is that of NumPy, with --hide and --merge too" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    every=$(sed -nE 's/^METRIC\([a-z0-9_]*, "([^"]*)".*/\1/p' src/analysis/metrics.def | paste -sd ,)
    for weight in norm value; do
        for model in bert gpt2 llama; do
            "$viz" tokens --json -m "$ref/$model" "$text" > "$dir/tokens.json"
            export TOKENS=$dir/tokens.json CONFIG=$ref/$model/config.json
            "$viz" export --all --weight $weight -m "$ref/$model" -o "$dir/raw.npz" "$text"
            "$viz" stats --json --metric "$every" --weight $weight -m "$ref/$model" "$text" \
                > "$dir/stats.json"
            HIDE_KEYS="[]" HIDE_QUERIES="[]" python3 "$ref/shown.py" "$dir/raw.npz" \
                "$dir/stats.json"
            "$viz" stats --json --metric "$every" --weight $weight -m "$ref/$model" \
                --hide first --renorm "$text" > "$dir/stats.json"
            HIDE_KEYS="[0]" HIDE_QUERIES="[0]" python3 "$ref/shown.py" "$dir/raw.npz" \
                "$dir/stats.json"
        done
    done
}

@test "the weight stands in every record, in captions and in arrays; plain is as without" {
    works "$viz" stats --no-metadata --json -m "$ref/bert" --weight plain "$text"
    [ "$output" = "$("$viz" stats --no-metadata --json -m "$ref/bert" "$text")" ]
    [ "$(jq 'has("weight")' <<< "$output")" = false ]
    works "$viz" stats --json -m "$ref/bert" --weight norm "$text"
    [ "$(jq -r .weight <<< "$output")" = norm ]
    works "$viz" stats --tsv -m "$ref/bert" --weight value "$text"
    [[ ${lines[0]} == index$'\t'weight$'\t'stack* && ${lines[1]} == 0$'\t'value$'\t'encoder* ]]
    works "$viz" stats -m "$ref/bert" --weight norm --hide first --merge words "$text"
    [ "${lines[0]}" = "weights times |f(x)|, rows divided by their sum; first token hidden, weights not renormalised; words in place of their pieces; metrics are of rows divided by what is left" ]
    works "$viz" diff -m "$ref/bert" --weight norm "$text" "the door is in the key"
    [[ ${lines[0]} == *"; weights times |f(x)|, rows divided by their sum" ]]
    works "$viz" diff --json -m "$ref/bert" --weight value "$text" "the door is in the key"
    [ "$(jq -r .weight <<< "$output")" = value ]
    printf 'a key\tthe key\na door\tthe door\n' > "$dir/pairs"
    works "$viz" diff --json --summary --pairs -f "$dir/pairs" -m "$ref/bert" --weight value
    [ "$(jq -r .weight <<< "$output")" = value ]
    works "$viz" stability --json -m "$ref/bert" --weight norm "$text"
    [ "$(jq -r .weight <<< "$output")" = norm ]
    works "$viz" stability -m "$ref/bert" --weight norm "$text"
    [[ $output == *"(MT19937); weights times |f(x)|, rows divided by their sum"* ]]
    "$viz" heatmap -o "$dir/norm.svg" -m "$ref/bert" --weight norm "$text"
    grep -q 'mha-viz:command.*--weight norm' "$dir/norm.svg" || grep -q -- '--weight norm' "$dir/norm.svg"
    "$viz" heatmap -o "$dir/plain.svg" -m "$ref/bert" "$text"
    refute cmp -s "$dir/norm.svg" "$dir/plain.svg"
    works "$viz" export -o "$dir/a.npz" -m "$ref/bert" --weight norm "$text"
    unzip -l "$dir/a.npz" | grep -q ' weight.npy$'
    works "$viz" export -o "$dir/a.npz" -m "$ref/bert" "$text"
    refute eval "unzip -l '$dir/a.npz' | grep -q ' weight.npy$'"
}

# bats test_tags=threads
@test "the same bytes for any number of threads, and packed or by itself" {
    "$viz" stats --tsv -m "$ref/llama" --weight norm -t 1 -f samples/english.txt > "$dir/one"
    "$viz" stats --tsv -m "$ref/llama" --weight norm -t 5 -f samples/english.txt > "$dir/five"
    cmp "$dir/one" "$dir/five"
    line=$(sed -n 3p samples/english.txt)
    "$viz" stats --tsv -m "$ref/llama" --weight norm "$line" | tail -n +2 | cut -f 2- |
        cmp - <(grep -P '^2\t' "$dir/one" | cut -f 2-)
}

@test "big_bird: copies of a key keep their share" {
    ids=$(seq -s, 3 42)
    model=families/big_bird texts=(--ids "$ids")
    rows encoder.layer.{}.attention.output.dense.weight attn
}

@test "global rows of Longformer are weighed by values of their own" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    for weight in plain norm value; do
        "$viz" export -m "$ref/families/longformer" --weight $weight --ids 5,6,7,8,9,10,11,12 \
            --global 0,3 -o "$dir/$weight.npz"
    done
    python3 - "$dir" << 'PYTHON'
import sys
import numpy as np

plain = np.load(sys.argv[1] + "/plain.npz")["attn.0"].astype(float)
for kind in "norm", "value":
    rows = np.load(f"{sys.argv[1]}/{kind}.npz")["attn.0"].astype(float)
    length = np.where(plain > 0, rows / np.where(plain > 0, plain, 1), np.nan)
    length /= length[..., :1]
    for own, other in ([0, 3], [1, 2]), ([4, 5], [0, 3]):
        far = np.nanmax(np.abs(length[:, own[0]] - length[:, own[1]]))
        assert far < 1e-4, (kind, own, far)
        assert np.nanmax(np.abs(length[:, own[0]] - length[:, other[0]])) > 1e-2
PYTHON
}

@test "misuse: a name, rows without values, precisions of whole matrices" {
    fails 2 "--weight" "$viz" stats -m "$ref/bert" --weight norms "$text"
    "$viz" export -o "$dir/rows.npz" -m "$ref/bert" "$text"
    for command in stats heatmap; do
        fails 2 "--weight norm: rows.npz holds rows of attention and no values: expected a model, or --qkv" \
            "$viz" $command --attention "$dir/rows.npz" --weight norm
        works "$viz" $command -o "$dir/out.txt" --format "$([ $command = stats ] && echo table || echo png)" \
            --attention "$dir/rows.npz" --weight plain
    done
    fails 2 "--weight value: rows.npz holds rows of attention" \
        "$viz" diff --weight value -m "$ref/bert" --attention "$dir/rows.npz" "$text"
    fails 2 "--weight norm, --dtype q8_0: only one of them can be given" \
        "$viz" stats -m "$ref/bert" --weight norm --dtype q8_0 "$text"
    works "$viz" stats -m "$ref/bert" --weight norm --dtype bf16 "$text"
    fails 2 "mechanisms: --weight: unknown option" "$viz" mechanisms --weight norm
}
