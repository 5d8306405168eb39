#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Adapters on the command line: merged, found their base, and wrong in one line.
# shellcheck disable=SC2154
load helper

# The numbers of all heads, without the model's name.
numbers() {
    "$viz" stats --ids 5,9,13,7,21 --json "$@" 2>/dev/null | jq -c 'del(.model, .provenance)'
}

# a copy of a base with its adapter in $dir/m/adapter, whose config jq changes
take() {
    rm -rf "$dir/m"
    cp -r "$ref/adapters/$1" "$dir/m"
    jq "${2:-.}" "$ref/adapters/$1/adapter/adapter_config.json" > "$dir/m/adapter/adapter_config.json"
}

bad() {
    fails 3 "$1" "$viz" info -m "$dir/m/adapter"
}

@test "by --adapter, as the model, or in the model's own folder: the same numbers" {
    m=$ref/adapters/llama
    base=$(numbers -m "$m")
    merged=$(numbers -m "$m/adapter")
    [ -n "$merged" ]
    [ "$merged" != "$base" ]
    [ "$(numbers -m "$m" --adapter "$m/adapter")" = "$merged" ]
    take llama
    mv "$dir/m/adapter/"* "$dir/m"
    [ "$(numbers -m "$dir/m")" = "$merged" ]
    run --separate-stderr "$viz" info -m "$dir/m"
    [[ $stderr = *"m: its folder holds an adapter (adapter_config.json), which is merged"* ]]
    [ "$(numbers -m "$dir/m" --adapter "$dir/m")" = "$merged" ]     # not twice
    works "$viz" info -m "$m"                                       # in a subfolder: not merged
}

@test "two adapters are merged one after the other" {
    m=$ref/adapters/gpt2
    once=$(numbers -m "$m/adapter")
    twice=$(numbers -m "$m" --adapter "$m/adapter" --adapter "$m/adapter")
    [ "$twice" != "$once" ]
    [ "$(numbers -m "$m/adapter" --adapter "$m/adapter")" = "$twice" ]
    [ "$(numbers -t 5 -m "$m/adapter" --adapter "$m/adapter")" = "$twice" ]
    [ "$("$viz" stats --ids 5,9 --json -m "$m" --adapter "$m/adapter" | head -1 | jq -r .model)" = \
        "gpt2+adapter" ]
}

@test "diff shows what an adapter did to each head" {
    m=$ref/adapters/gpt2
    works "$viz" diff -m "$m" -m "$m/adapter" --ids 5,9,13,7 --json
    [ "$(head -1 <<<"$output" | jq '[.heads[]?.js // empty] | length')" -ge 0 ]
    works "$viz" diff -m "$m/adapter" -m "$m/adapter" --ids 5,9,13,7 --tolerance 0
    run "$viz" diff -m "$m" -m "$m/adapter" --ids 5,9,13,7 --tolerance 1e-6
    [ "$status" -eq 1 ]
}

@test "the base: a path from the adapter's folder on, or a name in the cache" {
    m=$ref/adapters/bert
    merged=$(numbers -m "$m/adapter")
    mkdir -p "$dir/cache/models--who--base/snapshots"
    cp -r "$m" "$dir/cache/models--who--base/snapshots/0123456789012345678901234567890123456789"
    take bert '.base_model_name_or_path = "who/base"'
    export HF_HUB_CACHE=$dir/cache
    [ "$(numbers -m "$dir/m/adapter")" = "$merged" ]
    take bert '.base_model_name_or_path = "who/other"'
    bad 'adapter_config.json: its base: who/other: no such model'
    take bert '.base_model_name_or_path = null'
    bad 'base_model_name_or_path names no base'
    take bert '.base_model_name_or_path = "."'
    bad 'is an adapter itself'
    echo '{' > "$dir/m/adapter/adapter_config.json"
    bad 'adapter_config.json: '
}

@test "what is wrong is one line" {
    take llama
    fails 3 'adapts transformer.h.0.attn.c_attn, which' "$viz" info -m "$ref/llama" \
        --adapter "$ref/adapters/gpt2/adapter"
    fails 3 'but ' "$viz" info -m "$ref/llama" --adapter "$ref/adapters/llama/adapter"
    fails 3 'the base is a GGUF file' "$viz" info -m "$ref/gguf_llama" --adapter "$dir/m/adapter"
    fails 3 'adapter: /nowhere' "$viz" info --adapter /nowhere
    fails 3 'adapter_config.json' "$viz" info --adapter "$ref/bert"
    take llama '.r = 0'
    bad 'r: found 0, expected'
    take llama '.rank_pattern = {"nosuch": 2}'
    bad 'rank'
    take llama '.alpha_pattern.nosuch = 2'
    bad 'alpha_pattern: "nosuch" matches none of the'
    take llama '.target_modules = ["q_proj", "o_proj", "down_proj", "k_proj"]'
    bad 'target_modules: "k_proj" matches none of the'
    take llama '.rank_pattern = {"layers.0": 2}'
    bad 'has rank 4, but its factors are of rank 2'
    take llama '.rank_pattern["("] = 3'
    bad 'rank_pattern: "("'
    take llama '.peft_type = "IA3"'
    bad 'peft_type: found "IA3", expected "LORA"'
    take llama '.init_lora_weights = "pissa"'
    bad 'init_lora_weights: found "pissa"'
    take llama '.use_dora = true'
    bad 'use_dora is true, but'
    take llama 'del(.modules_to_save)'
    rm "$dir/m/adapter/adapter_model.safetensors"
    bad 'adapter_model.safetensors'
}
