#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Models whose layers do not all attend: which layers can be asked for, what commands say of the
# others, and what is wrong in one line.
# shellcheck disable=SC2154
load helper

setup_file() {
    export BATS_TEST_TIMEOUT=60
}

# Layers 1 and 3 of lfm2 attend, 1 of qwen3_next.
ids=3,4,5,6,7,8,9,10

# layers OPTION...: those that stats shows, in order
layers() {
    "$viz" stats -m "$ref/families/lfm2" --ids "$ids" --tsv "$@" |
        awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "layer") c = i }
                    NR > 1 && !seen[$c]++ { printf "%s ", $c }'
}

spoil() {
    rm -rf "$dir/m"
    cp -r "$ref/families/$1" "$dir/m"
    sed -i "$2" "$dir/m/config.json"
}

bad() {
    fails 3 "$1" "$viz" stats -m "$dir/m" --ids "$ids"
}

@test "all, last, negative numbers and ranges count the layers that attend" {
    [ "$(layers)" = "1 3 " ]
    [ "$(layers -l all)" = "1 3 " ]
    [ "$(layers -l last)" = "3 " ]
    [ "$(layers -l -1)" = "3 " ]
    [ "$(layers -l -2)" = "1 " ]
    [ "$(layers -l 0-2)" = "1 " ]
    [ "$(layers -l 2-3,1)" = "1 3 " ]
    [ "$(layers -H L3H1)" = "3 " ]
}

@test "another layer is an error that says which attend" {
    for args in "-l 0" "-l 1,2" "-l 2-2"; do
        # shellcheck disable=SC2086
        fails 2 "--layer: lfm2 has attention in layers 1,3, not" \
            "$viz" stats -m "$ref/families/lfm2" --ids 3,4 $args
    done
    fails 2 "--head: lfm2 has attention in layers 1,3, not 2" \
        "$viz" stats -m "$ref/families/lfm2" --ids 3,4 -H L1H0,L2H1
    fails 2 "--layer: qwen3_next has attention in layers 1, not 0" \
        "$viz" heatmap -m "$ref/families/qwen3_next" --ids 3,4 -l 0 -o "$dir/a.png"
    fails 2 "from the end, the model has layers -1 to -2" \
        "$viz" stats -m "$ref/families/lfm2" --ids 3,4 -l -3
    fails 2 "--head: lfm2 has attention in layers 1,3, not 0" \
        "$viz" neuron -m "$ref/families/lfm2" --ids 3,4 -H L0H0 -o "$dir/a.png"
}

@test "where one layer is shown it is one that attends" {
    "$viz" heatmap -m "$ref/families/lfm2_base" --ids "$ids" -o "$dir/a.png" --no-metadata
    "$viz" heatmap -m "$ref/families/lfm2_base" --ids "$ids" -l 0 -o "$dir/b.png" --no-metadata
    cmp "$dir/a.png" "$dir/b.png"
    run "$viz" mechanisms -m "$ref/families/lfm2" --ids "$ids"
    [[ ${lines[0]} == "layer 3, "* ]]
    works "$viz" links -m "$ref/families/qwen3_next" --ids "$ids" -o "$dir/l.svg"
}

@test "info lists what each layer does" {
    run "$viz" info -m "$ref/families/lfm2"
    [[ $output == *"layers      4, attention in 1,3, convolution in the others"* ]]
    run "$viz" info -m "$ref/families/qwen3_next" --json
    [[ $output == *'"layer_kinds":["delta","attention","delta"]'* ]]
    [[ $output == *'"mixers":{"weights":'* ]]
    run "$viz" info -m "$ref/families/llama4_text" --json
    [[ $output != *layer_kinds* && $output != *mixers* ]]
}

@test "every command runs, and only such layers have heads" {
    for m in lfm2 qwen3_next llama4_text; do
        of=(-m "$ref/families/$m" --ids "$ids")
        for c in stats "stats --metric all" attribute "attribute --sources" ablate trace types \
            stability mechanisms "diff --dtype f32 --dtype bf16" "ablate --with mean"; do
            # shellcheck disable=SC2086
            run "$viz" $c "${of[@]}" --json
            [ "$status" -eq 0 ] || { echo "$m: $c: $output"; false; }
            [ $m = llama4_text ] || [[ $output != *'"layer":0'* ]] || { echo "$m: $c"; false; }
        done
        works "$viz" model "${of[@]}" -o "$dir/a.png"
        works "$viz" curve "${of[@]}" -o "$dir/a.png"
        works "$viz" report "${of[@]}" -o "$dir/a.html"
        works "$viz" heatmap "${of[@]}" --average layers -o "$dir/a.png"
        works "$viz" heatmap "${of[@]}" --rollout -o "$dir/a.png"
        run "$viz" circuits -m "$ref/families/$m" --json
        [ "$status" -eq 0 ]
    done
}

@test "the parts of a logit sum to it, what other layers add among the rest" {
    for m in lfm2 qwen3_next; do
        "$viz" attribute -m "$ref/families/$m" --ids "$ids" --sources --json >"$dir/a"
        python3 - "$dir/a" <<'CHECK'
import json, sys
j = json.load(open(sys.argv[1]))
parts = [j["rest_" + p] for p in ("embeddings", "mlps", "mixers", "biases")]
assert abs(sum(parts) - j["rest"]) < 1e-9, j
assert abs(j["rest"] + j["heads_dla"] - j["logit"]) < 1e-4, j
assert j["rest_mixers"] != 0 and j["identity_error"] < 1e-4
assert all(abs(sum(h["dla_sources"]) - h["dla"]) < 1e-5 for h in j["heads"])
CHECK
    done
    run "$viz" attribute -m "$ref/families/llama4_text" --ids "$ids" --json
    [[ $output != *rest_mixers* ]]
}

@test "arrays are those of layers that attend, counted among all" {
    "$viz" export -m "$ref/families/lfm2" --ids "$ids" --all -o "$dir/a.npz"
    [ "$(unzip -Z1 "$dir/a.npz" | grep ^attn | tr '\n' ' ')" = "attn.1.npy attn.3.npy " ]
    "$viz" stats -m "$ref/families/lfm2" --ids "$ids" --tsv --metric entropy >"$dir/one"
    "$viz" stats --attention "$dir/a.npz" --tsv --metric entropy >"$dir/two"
    [ "$(wc -l <"$dir/one")" -eq 9 ]
    diff <(cut -f1-4 "$dir/one") <(cut -f1-4 "$dir/two")
}

@test "layers apart, merged, are the whole" {
    printf '{"ids":[3,4,5,6,7]}\n{"ids":[8,9,10]}\n' >"$dir/t"
    of=(-m "$ref/families/lfm2" --summary)
    "$viz" stats "${of[@]}" -f "$dir/t" --jsonl --json >"$dir/whole"
    "$viz" stats "${of[@]}" -f "$dir/t" --jsonl -l 0-1 --hidden-out "$dir/s" -o "$dir/p"
    "$viz" stats "${of[@]}" --hidden-in "$dir/s" -o "$dir/q"
    "$viz" merge "$dir/p" "$dir/q" --json | cmp - "$dir/whole"
    fails 2 "--hidden-out: layer 0 is the last" "$viz" stats -m "$ref/families/lfm2_base" \
        --summary -f "$dir/t" --jsonl -l 0 --hidden-out "$dir/s" -o "$dir/p"
}

@test "what is generated, threads and --max-memory" {
    for m in lfm2 qwen3_next llama4_text; do
        of=(-m "$ref/families/$m" --ids "$ids" --json --generate 6)
        "$viz" stats "${of[@]}" -t 1 >"$dir/one"
        "$viz" stats "${of[@]}" -t 3 | cmp - "$dir/one"
        fails 2 "--max-memory" "$viz" stats "${of[@]}" --max-memory 1K
    done
}

@test "what gates forbid" {
    fails 2 "--weight norm: what heads of qwen3_next write of a value depends on the row" \
        "$viz" stats -m "$ref/families/qwen3_next" --ids "$ids" --weight norm
    works "$viz" stats -m "$ref/families/qwen3_next" --ids "$ids" --weight value
}

@test "models that are not what they should be" {
    spoil lfm2_base 's/"conv_L_cache": 4/"conv_L_cache": 3/'
    bad "layers.1.conv.conv.weight: shape [24,1,4], expected [24,1,3]"
    spoil lfm2_base 's/"conv_L_cache": 4/"conv_L_cache": 0/'
    bad "conv_L_cache: found 0"
    spoil lfm2_base 's/"full_attention"/"conv"/'
    bad "none of the 3 layers attends: there are no rows of attention to show"
    spoil lfm2_base '0,/"conv"/s//"linear_attention"/'
    bad "expected a layer type that is supported (full_attention, conv)"
    spoil lfm2_base '0,/"conv"/s//"full_attention"/'
    bad "has no tensor layers.1.self_attn.q_proj.weight"
    spoil qwen3_next 's/"linear_num_key_heads": 2/"linear_num_key_heads": 3/'
    bad "linear_num_key_heads: found 3, expected a divisor of the 4 heads"
    spoil qwen3_next 's/"linear_key_head_dim": 4/"linear_key_head_dim": 5/'
    bad "linear_attn.in_proj_qkvz.weight: shape [40,24], expected [44,24]"
    spoil llama4_text 's/"attention_chunk_size": 4/"attention_chunk_size": 0/'
    bad "attention_chunk_size: found 0"
    spoil llama4_text 's/"intermediate_size_mlp": 14/"intermediate_size_mlp": 15/'
    bad "feed_forward.gate_proj.weight: shape [14,20], expected [15,20]"
}
