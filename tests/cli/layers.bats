#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bare layers: how they are named, what they are run on, what is said of bad ones.
# shellcheck disable=SC2054,SC2154,SC2016

load helper

# layer NAME ...: the path of a layer of the reference data
layer() {
    echo "$ref/layers/$1.safetensors"
}

# tensors FILE NAME:SHAPE...: a safetensors file of zeros, shapes as 4,12
tensors() {
    local file=$1 header="" at=0 spec name shape n end
    shift
    for spec in "$@"; do
        name=${spec%%:*} shape=${spec#*:}
        n=$((${shape//,/*} * 4)) end=$((at + n))
        header+="${header:+,}\"$name\":{\"dtype\":\"F32\",\"shape\":[$shape],\"data_offsets\":[$at,$end]}"
        at=$end
    done
    header="{$header}"
    {
        printf '%b' "$(printf '\\x%02x\\x%02x\\0\\0\\0\\0\\0\\0' $((${#header} & 255)) $((${#header} >> 8)))"
        printf '%s' "$header"
        head -c "$at" /dev/zero
    } >"$file"
}

four=(q_linear.weight:12,12 k_linear.weight:12,12 v_linear.weight:12,12 output_linear.weight:12,12)

@test "every command takes a layer, with names for its rows" {
    works "$viz" stats -m "$(layer q_linear)" --heads 3 --tokens "我 喜欢 吃 苹果"
    [[ $output == *"我(0)"* || $output == *"苹果(3)"* || $output == *"吃(2)"* ]]
    works "$viz" stats --json -m "$(layer q_linear)" --heads 3 --tokens $'New York\x1fis\x1fno\x1f\x1f'
    jq -e '.text == "New York is no " and .tokens == ["New York", "is", "no", ""]' <<< "$output"
    fails 2 "--tokens: 1 name for 2 rows" "$viz" stats -m "$(layer q_linear)" --heads 3 --shape 2 \
        --tokens $'New York\x1f'
    works "$viz" info -m "$(layer q_linear)" --heads 3
    [[ $output == *"one head: 12 x 4 x 3 = 144 weights of q, k and v; 3 heads x 4 = 12 columns"* ]]
    run "$viz" heatmap -m "$(layer q_linear)" --heads 3 --tokens "我 喜欢 吃 苹果" -o "$dir/h.png"
    [ "$status" -eq 0 ]
    [ "$(magic "$dir/h.png" 4)" = 89504e47 ]
    works "$viz" export -m "$(layer q_linear)" --heads 3 --all -o "$dir/x.npz"
    works "$viz" stability -m "$(layer q_linear)" --heads 3 --json
    run jq -r '.heads | length' <<<"$output"
    [ "$output" = 3 ]
}

@test "a layer as npz is the same as one as safetensors" {
    # The export of NumPy's arrays of the reference data is an npz of such names.
    works "$viz" stats -m "$ref/layers/npz/q_linear.npz" --heads 3 --json
    jq '.heads' <<<"$output" >"$dir/npz"
    works "$viz" stats -m "$(layer q_linear)" --heads 3 --json
    jq '.heads' <<<"$output" >"$dir/safetensors"
    diff "$dir/npz" "$dir/safetensors"
}

@test "a layer within a module: a prefix common to all names is ignored" {
    tensors "$dir/a.safetensors" "${four[@]/#/block.attn.}"
    works "$viz" info -m "$dir/a.safetensors" --heads 3
    [[ $output == *"heads       3 of width 4"* ]]
    tensors "$dir/a.safetensors" "${four[@]/#/module.layers.0.self_attn.}"
    works "$viz" info -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]/#/module.layers.0.self_attn.}" \
        module.layers.0.norm1.weight:12
    fails 3 "has module.layers.0.self_attn.* and module.layers.0.norm1, but no mlp of a known layout" \
        "$viz" info -m "$dir/a.safetensors" --heads 3
    run --separate-stderr "$viz" info -m "$dir/a.safetensors" --heads 3 \
        --prefix module.layers.0.self_attn.
    [ "$status" -eq 0 ]
    [[ $stderr == *"tensor module.layers.0.norm1.weight is not used"* ]]
    # Other tensors may lie beside it.
    tensors "$dir/a.safetensors" "${four[@]/#/a.}" other.weight:3
    run --separate-stderr "$viz" info -m "$dir/a.safetensors" --heads 3
    [ "$status" -eq 0 ]
    [[ $stderr == *"tensor other.weight is not used"* ]]
    tensors "$dir/a.safetensors" "${four[@]/#/at}"
    fails 3 "its tensor names match no known layer" "$viz" info -m "$dir/a.safetensors"
    tensors "$dir/a.safetensors" a.b.c:3
    fails 3 "its tensor names match no known layer" "$viz" info -m "$dir/a.safetensors"
}

@test "without an input, the same seed draws the same numbers" {
    works "$viz" stats -m "$(layer q_linear)" --heads 3 --no-metadata --json
    one=$output
    works "$viz" stats -m "$(layer q_linear)" --heads 3 --no-metadata --json --seed 1 --shape 10
    [ "$output" = "$one" ]
    works "$viz" stats -m "$(layer q_linear)" --heads 3 --no-metadata --json --seed 2
    [ "$output" != "$one" ]
    [ "$(jq -c .tokens <<<"$one")" = '["0","1","2","3","4","5","6","7","8","9"]' ]
    [ "$(jq -r .input <<<"$one")" = "normal numbers of seed 1" ]
}

@test "--shape of several texts" {
    works "$viz" stats -m "$(layer q_linear)" --heads 3 --shape 3x5 --json
    [ "${#lines[@]}" -eq 3 ]
    [ "$(jq -c '[.index, (.tokens | length)]' <<<"${lines[2]}")" = "[2,5]" ]
    mkdir "$dir/out"
    works "$viz" export -m "$(layer q_linear)" --heads 3 --shape 3x5 -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.npz 000002.npz 000003.npz " ]
    for bad in 0 x 3x 3x0 -1 3x4x5 2097152 a; do
        fails 2 "--shape: '$bad' is not a number of rows" "$viz" stats -m "$(layer q_linear)" \
            --heads 3 "--shape=$bad"
    done
}

@test "a decoder layer has two stacks" {
    works "$viz" stats -m "$(layer decoder)" --heads 3 --json
    [ "$(jq -c '[.heads[0].stack, (.tokens_key | length)]' <<<"$output")" = '["cross",10]' ]
    works "$viz" stats -m "$(layer decoder)" --heads 3 -s decoder --json
    [ "$(jq -c '[.heads[0].stack, .tokens_key]' <<<"$output")" = '["decoder",null]' ]
    fails 2 "--stack: 'encoder': decoder.safetensors has decoder and cross" \
        "$viz" stats -m "$(layer decoder)" --heads 3 -s encoder
}

@test "--memory, --key and --value" {
    works "$viz" stats -m "$(layer w_q)" --heads 4 --input "$ref/layers/npz/x.npy" \
        --memory "$ref/layers/npz/y.npy" --no-metadata --json
    [ "$(jq -c '[.heads[0].stack, (.tokens | length), (.tokens_key | length)]' <<<"$output")" = \
        '["cross",4,6]' ]
    both=$output
    works "$viz" stats -m "$(layer w_q)" --heads 4 --input "$ref/layers/npz/x.npy" \
        --key "$ref/layers/npz/y.npy" --value "$ref/layers/npz/y.npy" --no-metadata --json
    [ "$output" = "$both" ]
    fails 2 "--key requires --value" "$viz" stats -m "$(layer w_q)" --heads 4 \
        --key "$ref/layers/npz/y.npy"
    fails 2 "--memory, --key: only one of them can be given" "$viz" stats -m "$(layer w_q)" --heads 4 \
        --key "$ref/layers/npz/y.npy" --value "$ref/layers/npz/y.npy" --memory "$ref/layers/npz/y.npy"
    fails 2 "--memory: keys read rows of 5 and values rows of 7: expected --key and --value" \
        "$viz" stats -m "$(layer torch_kdim)" --heads 3 --memory "$ref/layers/npz/y.npy"
    fails 3 "y.npy: shape [6,12], expected [T,5]" "$viz" stats -m "$(layer torch_kdim)" --heads 3 \
        --key "$ref/layers/npz/y.npy" --value "$ref/layers/npz/y.npy"
    fails 3 "holds 1 array for 2 of the input, expected the same number" "$viz" stats -m "$(layer w_q)" \
        --heads 4 --shape 2x3 --memory "$ref/layers/npz/y.npy"
    fails 3 "--value: 4 rows for 6 keys" "$viz" stats -m "$(layer w_q)" --heads 4 \
        --key "$ref/layers/npz/y.npy" --value "$ref/layers/npz/x.npy"
    fails 2 "--memory: $ref/layers/encoder.safetensors has no attention to another input" \
        "$viz" stats -m "$ref/layers/encoder.safetensors" --heads 3 --memory "$ref/layers/npz/y.npy"
    fails 3 "6 keys for 4 queries" "$viz" stats -m "$(layer relative)" \
        --input "$ref/layers/npz/x.npy" --memory "$ref/layers/npz/y.npy"
    fails 2 "--memory: " "$viz" stats -m "$ref/gpt2" --memory "$ref/layers/npz/y.npy" a
}

@test "the number of heads" {
    fails 2 "the number of heads of its 12 columns of queries is unknown; give --heads N" \
        "$viz" info -m "$(layer q_linear)"
    fails 2 "--heads: 5 do not divide the 12 columns of q_linear.weight" \
        "$viz" info -m "$(layer q_linear)" --heads 5
    fails 2 "--heads: 4, but $(layer separable) has 3" "$viz" info -m "$(layer separable)" --heads 4
    fails 2 "--heads: 4, but $(layer relative) has 3" "$viz" info -m "$(layer relative)" --heads 4
    works "$viz" info -m "$(layer separable)" --heads 3
    fails 2 "--heads: gpt2 is not a bare layer" "$viz" stats -m "$ref/gpt2" --heads 4 a
    fails 2 "--heads requires -m LAYER" "$viz" stats --heads 4 a
}

@test "other options that belong to layers only, or to some of them" {
    fails 2 "--norm-first: gpt2 is not a bare layer" "$viz" stats -m "$ref/gpt2" --norm-first a
    fails 2 "--activation: gpt2 is not a bare layer" "$viz" stats -m "$ref/gpt2" --activation gelu a
    fails 2 "--relative: gpt2 is not a bare layer" "$viz" stats -m "$ref/gpt2" --relative shaw a
    fails 2 "--tokens requires a bare layer" "$viz" stats -m "$ref/gpt2" --tokens "a b" a
    fails 2 "--shape requires a bare layer" "$viz" stats --shape 10
    fails 2 "--norm-first: $(layer q_linear) is one attention" "$viz" info -m "$(layer q_linear)" \
        --heads 3 --norm-first
    fails 2 "--activation: $(layer q_linear) is one attention" "$viz" info \
        -m "$(layer q_linear)" --heads 3 --activation gelu
    fails 2 "--relative: $(layer q_linear) has no rel_pos_encoding" "$viz" info \
        -m "$(layer q_linear)" --heads 3 --relative shaw
}

@test "a layer reads no text, and only rows of its width" {
    for option in "a text" "--ids=1,2" "--file=$dir/none"; do
        fails 2 "is a bare layer and reads no text: expected --input FILE.npy, --tokens or --shape" \
            "$viz" stats -m "$(layer q_linear)" --heads 3 "$option"
    done
    fails 3 "x.npy: shape [4,12], expected [T,3]" "$viz" stats -m "$(layer one_head)" --heads 1 \
        --input "$ref/layers/npz/x.npy"
    fails 2 "--tokens: 3 names for 4 rows" "$viz" stats -m "$(layer q_linear)" --heads 3 \
        --input "$ref/layers/npz/x.npy" --tokens "a b c"
    fails 2 "--tokens: 3 names for 4 rows" "$viz" stats -m "$(layer q_linear)" --heads 3 \
        --shape 4 --tokens "a b c"
    fails 2 "--tokens: no names are given" "$viz" stats -m "$(layer q_linear)" --heads 3 --tokens " "
    fails 2 "--shape, --input: only one of them can be given" "$viz" stats -m "$(layer q_linear)" --heads 3 \
        --shape 4 --input "$ref/layers/npz/x.npy"
    fails 3 "10 rows, relative.safetensors takes at most 9" "$viz" stats \
        -m "$(layer relative)" --shape 10
    works "$viz" stats -m "$(layer relative)"
    works "$viz" stats -m "$(layer relative)" --relative shaw --shape 40
}

@test "a file with some of a layer's tensors: the missing one is named" {
    tensors "$dir/a.safetensors" "${four[@]:1}"
    fails 3 "a.safetensors: has output_linear.weight, but no tensor q_linear.weight" \
        "$viz" info -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]:0:3}" outputs.weight:12,12
    fails 3 "has v_linear.weight, but no tensor output_linear.weight; nearest: q_linear k_linear v_linear output_linear (the documents), " \
        "$viz" info -m "$dir/a.safetensors" --heads 3
    [[ $stderr == *"--tensor-names Q,K,V,O gives other names; found: k_linear.weight [12,12], outputs.weight [12,12]"* ]]
    tensors "$dir/a.safetensors" q_linears.{0,1}.weight:6,12 k_linears.{0,1}.weight:6,12 \
        v_linears.0.weight:6,12 output_linear.weight:12,12
    fails 3 "has q_linears of 2 heads, but v_linears of 1" "$viz" info -m "$dir/a.safetensors"
    tensors "$dir/a.safetensors" q_linears.{0,1}.weight:6,12 k_linears.{0,1}.weight:6,12 \
        v_linears.{0,1}.weight:6,12 output_linear.weight:12,12 q_linears.0.bias:6
    fails 3 "has no tensor q_linears.1.bias, which other heads have" "$viz" info \
        -m "$dir/a.safetensors"
    tensors "$dir/a.safetensors" in_proj_bias:36 in_proj_weight:36,12
    fails 3 "but no tensor out_proj.weight" "$viz" info -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]/#/self_attn.}"
    works "$viz" info -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]/#/self_attn.}" norm1.weight:12
    fails 3 "has self_attn.* and norm1, but no mlp of a known layout, such as linear1" \
        "$viz" info -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]/#/self_attn.}" linear1.weight:8,12 linear2.weight:12,8 \
        norm1.weight:12
    fails 3 "has no tensor norm2.weight, expected [12]" "$viz" info -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]/#/layers.0.self_attn.}" \
        layers.0.linear1.weight:8,12 layers.0.linear2.weight:12,8 layers.0.norm1.weight:12 \
        layers.0.norm2.weight:12 layers.2.norm2.weight:12
    fails 3 "has layers.2.norm2.weight, but no tensor of layer 1" "$viz" info \
        -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" something.weight:3
    fails 3 "its tensor names match no known layer (mha-viz-layers(7)), and there is no config.json" \
        "$viz" info -m "$dir/a.safetensors"
    fails 3 "its tensor names match no known layer" "$viz" info -m "$ref/layers/q_linear.npz"
}

@test "two layouts at once" {
    tensors "$dir/a.safetensors" "${four[@]}" W_Q.weight:12,12
    fails 3 "has two layouts at once: W_Q.weight (TransformerLens) and q_linear.weight (the documents); give --tensor-names" "$viz" info \
        -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]/#/self_attn.}" linear1.weight:8,12 \
        feed_forward.0.weight:8,12
    fails 3 "has two layouts at once: linear1 (torch.nn) and feed_forward.0 (the documents)" "$viz" info \
        -m "$dir/a.safetensors" --heads 3
}

@test "what can be read in two ways: both are named, and the option that decides" {
    tensors "$dir/a.safetensors" qkv_proj.weight:36,12 o_proj.weight:12,12
    fails 2 "qkv_proj.weight fits two layouts: rows of each head's query, key and value (UvA), and rows of all queries, all keys, all values (Phi-3): give --fused heads or --fused parts" \
        "$viz" info -m "$dir/a.safetensors" --heads 3
    works "$viz" info -m "$dir/a.safetensors" --heads 3 --fused heads
    works "$viz" info -m "$dir/a.safetensors" --heads 3 --fused parts
    fails 2 "the number of heads is unknown; give --heads N" \
        "$viz" info -m "$dir/a.safetensors" --fused heads
    tensors "$dir/a.safetensors" "${four[@]/#/one.}" "${four[@]/#/two.}"
    fails 2 "has two attentions that fit, one.* and two.*: give --prefix one. or --prefix two." \
        "$viz" info -m "$dir/a.safetensors" --heads 3
    run --separate-stderr "$viz" info -m "$dir/a.safetensors" --heads 3 --prefix one
    [ "$status" -eq 0 ]
    [[ $stderr == *"tensor two.k_linear.weight is not used"* ]]
    fails 3 "has no known layer under three; found: one.k_linear.weight [12,12], " \
        "$viz" info -m "$dir/a.safetensors" --heads 3 --prefix three
    # Both ways of a square parameter: it is said which one is taken.
    tensors "$dir/a.safetensors" W_Q:12,12 W_K:12,12 W_V:12,12 W_O:12,12
    run --separate-stderr "$viz" info -m "$dir/a.safetensors" --heads 3
    [ "$status" -eq 0 ]
    [[ $stderr == *"parameters such as W_Q are read as x W; --matrix-order out-in reads them as W x"* ]]
    works "$viz" info -m "$dir/a.safetensors" --heads 3 --matrix-order in-out
}

@test "an unknown layer: what was found, the nearest layouts, and the option" {
    tensors "$dir/a.safetensors" wquery.weight:12,12 W_key.weight:12,12 W_value.weight:12,12 \
        out_proj.weight:12,12
    fails 3 "nearest: W_query W_key W_value out_proj (Raschka), " "$viz" info \
        -m "$dir/a.safetensors" --heads 3
    [[ $stderr == *"give --tensor-names Q,K,V,O; found: W_key.weight [12,12], W_value.weight [12,12], out_proj.weight [12,12], wquery.weight [12,12]"* ]]
    works "$viz" info -m "$dir/a.safetensors" --heads 3 \
        --tensor-names wquery,W_key,W_value,out_proj
    fails 3 "has out_proj.weight, but no tensor nothing.weight" "$viz" info -m "$dir/a.safetensors" \
        --heads 3 --tensor-names nothing,W_key,W_value,out_proj
    fails 3 "has no tensors of the names a,b,c,d; found: W_key.weight [12,12]" "$viz" info \
        -m "$dir/a.safetensors" --heads 3 --tensor-names a,b,c,d
    for bad in a ',' 'a,' a,,b a,b,c,d,e 'a|b,c'; do
        fails 2 "--tensor-names: '$bad' is not a list of names" "$viz" info \
            -m "$dir/a.safetensors" --heads 3 --tensor-names "$bad"
    done
    tensors "$dir/a.safetensors" all.weight:36,12 end.weight:12,12
    works "$viz" info -m "$dir/a.safetensors" --heads 3 --tensor-names all,end
    tensors "$dir/a.safetensors" attn.qkv.weight:36,12 attn.proj.weight:12,12 attn.q_norm.weight:4
    fails 3 "attn.q_norm.weight: layers with such a part are not supported" "$viz" info \
        -m "$dir/a.safetensors" --heads 3
    fails 2 "--tensor-names: bert is not a bare layer" "$viz" info -m "$ref/bert" --tensor-names a,b
}

@test "an attention without an output projection, and one of another width" {
    tensors "$dir/a.safetensors" W_query.weight:8,12 W_key.weight:8,12 W_value.weight:8,12
    run --separate-stderr "$viz" info -m "$dir/a.safetensors" --heads 2
    [ "$status" -eq 0 ]
    [[ $stderr == *"there is no output projection out_proj: the output is that of the heads, side by side"* ]]
    [[ $output == *"8 x 12 + 8 x 12 + 8 x 12 = 288 weights"* ]]
    names=W_query,W_key,W_value
    fails 2 "W_key.weight of shape [8,12] may be the keys, or the keys and values: give Q,K,V,O, or Q,K,V,- without an output projection, or --fused parts for Q,KV,O" \
        "$viz" info -m "$dir/a.safetensors" --heads 2 --tensor-names "$names"
    run --separate-stderr "$viz" info -m "$dir/a.safetensors" --heads 2 --tensor-names "$names,-"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    works "$viz" export --hidden --all -m "$dir/a.safetensors" --heads 2 --shape 5 --tensor-names "$names,-" \
        -o "$dir/x.npz"
    [ "$(unzip -p "$dir/x.npz" hidden.npy | head -c 80 | grep -ac "'shape': (5, 8)")" = 1 ]
    works "$viz" mechanisms -q -m "$dir/a.safetensors" --heads 2 --shape 5 --tensor-names "$names,-" \
        -o "$dir/m.npz"
    [ "$(unzip -p "$dir/m.npz" out.0.exact.npy | head -c 80 | grep -ac "'shape': (5, 8)")" = 1 ]
    # Q,KV,O of groups of heads fits those names too.
    tensors "$dir/a.safetensors" a.weight:12,12 b.weight:12,12 c.weight:12,12
    works "$viz" info -m "$dir/a.safetensors" --heads 4 --fused parts --tensor-names a,b,c
    # A layer adds what its attention gives to what it reads.
    tensors "$dir/a.safetensors" self_attn.{a,b,c}.weight:12,12 linear1.weight:8,12 \
        linear2.weight:12,8 norm{1,2}.weight:12
    fails 2 "--tensor-names: $dir/a.safetensors is a layer, which needs an output projection" \
        "$viz" info -m "$dir/a.safetensors" --heads 3 --tensor-names a,b,c,-
}

@test "--tensor-names: names as the list of tensors has them" {
    works "$viz" stats --json -m "$(layer named)" --heads 4 --shape 5 \
        --tensor-names ask,look,say,give
    short=$(jq -c .heads <<<"$output")
    works "$viz" stats --json -m "$(layer named)" --heads 4 --shape 5 \
        --tensor-names ask.weight,look.weight,say.weight,give.weight
    [ "$(jq -c .heads <<<"$output")" = "$short" ]
}

@test "a bias that does not fit a parameter: its name, and --matrix-order" {
    tensors "$dir/a.safetensors" W_{Q,K,V}:28,24 W_O:24,28 b_{Q,K,V}:28
    works "$viz" info -m "$dir/a.safetensors" --heads 4
    fails 3 "b_Q: shape [28], expected 24 elements, one for each output of W_Q of shape [28,24]; --matrix-order out-in and --matrix-order in-out say how that lies" \
        "$viz" info -m "$dir/a.safetensors" --heads 4 --matrix-order in-out
}

@test "other tensors of a layer's file are named" {
    tensors "$dir/a.safetensors" "${four[@]}" scale:1 bias_q:12
    run --separate-stderr "$viz" info -m "$dir/a.safetensors" --heads 3
    [ "$status" -eq 0 ]
    [[ $stderr == *"a.safetensors: tensor bias_q is not used"*"tensor scale is not used"* ]]
    tensors "$dir/a.safetensors" self_attn.in_proj_weight:36,12 self_attn.out_proj.weight:12,12 \
        self_attn.bias_k:1,1,12 self_attn.bias_v:1,1,12 linear1.weight:8,12 linear2.weight:12,8 \
        norm1.weight:12 norm2.weight:12
    fails 3 "self_attn.bias_k is supported only in an attention by itself" \
        "$viz" info -m "$dir/a.safetensors" --heads 3
}

@test "shapes that do not fit" {
    tensors "$dir/a.safetensors" q_linear.weight:12,12 k_linear.weight:10,12 \
        v_linear.weight:12,12 output_linear.weight:12,12
    fails 3 "k_linear.weight: shape [10,12], expected 12 rows: 3 heads of width 4" "$viz" info \
        -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]:0:3}" output_linear.weight:12,10
    fails 3 "output_linear.weight: shape [12,10], expected [12,12]" "$viz" info \
        -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" q_linear.weight:12 "${four[@]:1}"
    fails 3 "q_linear.weight: shape [12], expected 2 dimensions of 1 to 1048576" "$viz" info \
        -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" "${four[@]}" rel_pos_encoding:8,4
    fails 3 "rel_pos_encoding: shape [8,4], expected [2 max_len - 1,4]" "$viz" info \
        -m "$dir/a.safetensors"
    tensors "$dir/a.safetensors" in_proj_weight:35,12 out_proj.weight:12,12
    fails 3 "in_proj_weight: shape [35,12], expected three times as many rows" "$viz" info \
        -m "$dir/a.safetensors" --heads 3
    tensors "$dir/a.safetensors" q_linears.0.weight:6,12 q_linears.1.weight:5,12 \
        k_linears.{0,1}.weight:6,12 v_linears.{0,1}.weight:6,12 output_linear.weight:12,12
    fails 3 "q_linears.1.weight: F32 of shape [5,12], expected F32 [6,12] as head 0 has" "$viz" info \
        -m "$dir/a.safetensors"
}

@test "numbers that are not finite" {
    cp "$(layer q_linear)" "$dir/a.safetensors"
    size=$(stat -c %s "$dir/a.safetensors")
    printf '\0\0\xc0\x7f' | dd of="$dir/a.safetensors" bs=1 seek=$((size - 4)) conv=notrunc status=none
    fails 3 "v_linear.weight: element 143 is NaN" "$viz" info -m "$dir/a.safetensors" --heads 3
}

@test "masks of layers" {
    works "$viz" stats -m "$(layer q_linear)" --heads 3 --shape 2x6 --mask block:0-2,0-2 --json
    [ "$(jq -c '[.heads[0].links[0:3][][1] | . > 2] | unique' <<<"${lines[0]}")" = "[true]" ]
    # The only attention there is takes --mask, also where its keys are of another input.
    works "$viz" stats -m "$(layer w_q)" --heads 4 --memory "$ref/layers/npz/y.npy" \
        --mask padding:5 --json
    [ "$(jq -c '[.heads[].links[][1]] | unique' <<<"$output")" = "[0]" ]
    fails 3 "" "$viz" stats -m "$(layer q_linear)" --heads 3 --shape 6 --mask block:0-20,0-2
}

@test "init: the documents' layers" {
    works "$viz" init -o "$dir/l.safetensors"
    works "$viz" info -m "$dir/l.safetensors"
    [[ $output == *"attention   1,048,576   2,048"* ]]
    [[ $output == *"one head: 512 x 64 x 3 = 98,304 weights"* ]]
    works "$viz" init --d-model 8 --heads 2 --no-bias --encoder --d-ff 6 --seed 3 -o "$dir/e.safetensors"
    works "$viz" info --json -m "$dir/e.safetensors"
    [ "$(jq -c '[.family, .heads, .d_ff, .parameters.attention]' <<<"$output")" = \
        '["encoder layer",2,6,{"weights":256,"biases":0}]' ]
    works "$viz" init --d-model 8 --heads 4 --d-k 3 --d-v 5 --decoder --layers 3 -o "$dir/d.safetensors"
    works "$viz" stats -m "$dir/d.safetensors" --json
    [ "$(jq -c '.heads | length' <<<"$output")" = 12 ]
    works "$viz" init --d-model 12 --heads 3 --separable --relative-positions --max-len 7 -o "$dir/r.safetensors"
    works "$viz" info --json -m "$dir/r.safetensors"
    [ "$(jq -c '[.heads, .positions]' <<<"$output")" = "[3,7]" ]
    # PyTorch's manual_seed(1) and xavier_uniform_ give the same numbers.
    "$viz" init --no-metadata --d-model 16 --heads 2 --encoder -o "$dir/same.safetensors"
    cmp "$dir/same.safetensors" "$ref/layers/init/encoder.safetensors"
    "$viz" init --no-metadata --d-model 16 --heads 2 --encoder -o - | cmp - "$dir/same.safetensors"
}

@test "init --kv-heads: groups of heads share keys and values" {
    works "$viz" init --d-model 32 --heads 8 --kv-heads 2 -o "$dir/g.safetensors"
    works "$viz" info --json -m "$dir/g.safetensors"
    [ "$(jq -c '[.heads, .kv_heads, .parameters.attention.weights]' <<<"$output")" = \
        "[8,2,$((32 * 32 * 2 + 2 * 32 * 8))]" ]
    works "$viz" stats -m "$dir/g.safetensors" --json
    fails 2 "--kv-heads: 3 do not divide the 8 heads" "$viz" init --kv-heads 3 -o "$dir/x"
    fails 2 "--kv-heads, --separable: only one of them can be given" "$viz" init --kv-heads 2 \
        --separable -o "$dir/x"
}

@test "--zero-attn: a key of zeros after all others, which is named" {
    works "$viz" stats -m "$(layer torch_zero)" --heads 3 --zero-attn --shape 4 --json
    [ "$(jq -c '[.tokens_key[-1], .heads[0].stack]' <<<"$output")" = '["[zero]","cross"]' ]
    works "$viz" stats -m "$(layer torch_zero_bias_kv)" --heads 3 --zero-attn --shape 4 --json
    [ "$(jq -c '.tokens_key[-2:]' <<<"$output")" = '["[bias]","[zero]"]' ]
    fails 2 "encoder.safetensors is more than one attention" "$viz" stats \
        -m "$(layer encoder)" --heads 3 --zero-attn
}

@test "a whole checkpoint reads ids, and has a head" {
    for name in nanogpt_model "mingpt_model --activation gelu_tanh" raschka_model; do
        read -ra args <<< "$(layer "${name%% *}") --heads 4 ${name#"${name%% *}"}"
        works "$viz" export --logits -m "${args[@]}" --ids 1,2,3 -o "$dir/x.npz"
        works "$viz" stats --json -m "${args[@]}" --ids 1,2,3
        [ "$(jq -c '[.heads[0].stack, (.heads | length)]' <<<"$output")" = '["decoder",8]' ]
        fails 3 "" "$viz" stats -m "${args[@]}" --ids 11
    done
    run --separate-stderr "$viz" info -m "$(layer mingpt_model)" --heads 4
    [[ $stderr == *"needs --activation gelu" ]]
    works "$viz" info -m "$(layer nanogpt_model)" --heads 4
}

@test "encoder_layers: an mlp of linear1 and linear2 is that of fc1 and fc2" {
    command -v python3 >/dev/null || skip "no python3 to rename tensors"
    python3 - "$(layer course_stack)" "$dir/a.safetensors" << 'PYTHON'
import struct, sys
data = open(sys.argv[1], 'rb').read()
n = struct.unpack('<Q', data[:8])[0]
header = data[8:8 + n].rstrip().replace(b'feed_forward.fc', b'feed_forward.linear')
header += b' ' * (-len(header) % 8)
open(sys.argv[2], 'wb').write(struct.pack('<Q', len(header)) + header + data[8 + n:])
PYTHON
    "$viz" export --no-metadata -q -m "$(layer course_stack)" --heads 4 --shape 5 --hidden -o "$dir/a.npz"
    "$viz" export --no-metadata -q -m "$dir/a.safetensors" --heads 4 --shape 5 --hidden -o "$dir/b.npz"
    cmp "$dir/a.npz" "$dir/b.npz"
}

@test "a whole torch.nn.Transformer: both stacks in one run, or one by --prefix" {
    file=$(layer transformer)
    # So is a whole model of which only the weights are there.
    cp "$ref/llama/model.safetensors" "$dir/"
    fails 2 "a whole model needs its config.json beside it" "$viz" stats -m "$dir/model.safetensors"
    works "$viz" info -m "$file" --heads 4
    [[ $output == *"encoder-decoder, encoder"$'\n'* ]]
    [[ $output == *"decoder     2 layers, 4 heads of width 4, mlp 24"$'\n'* ]]
    works "$viz" info --json -m "$file" --heads 4
    [ "$(jq -c '[.positions, .decoder.positions, .decoder.layers]' <<<"$output")" = "[null,null,2]" ]
    # One run is the two that --prefix gives.
    "$viz" export -q -m "$file" --heads 4 --shape 5 --decoder-tokens 'a b c d e f' --hidden \
        --all -o "$dir/whole.npz"
    (cd "$dir" && unzip -q whole.npz -d whole)
    "$viz" export -q -m "$file" --heads 4 --prefix encoder --shape 5 --hidden -o "$dir/e.npz"
    (cd "$dir" && unzip -q e.npz -d e)
    cmp "$dir/whole/attn.1.npy" "$dir/e/attn.1.npy"
    for stack in encoder decoder cross; do
        run --separate-stderr "$viz" stats --json -m "$file" --heads 4 -s "$stack" --shape 5 \
            --decoder-tokens 'a b c d e f'
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        jq -c '[.tokens, .tokens_key | length]' <<<"$output"
    done > "$dir/sizes"
    [ "$(tr '\n' ' ' < "$dir/sizes")" = "[5,0] [6,0] [6,5] " ]
    works "$viz" heatmap -q -m "$file" --heads 4 --shape 5 -o "$dir/x.svg"
    fails 2 "--memory: $file has an encoder, whose output its decoder reads: --prefix decoder.layers. reads the decoder alone" \
        "$viz" stats -m "$file" --heads 4 --memory random
    run --separate-stderr "$viz" stats --json -m "$file" --heads 4 --prefix decoder \
        --memory random --shape 6
    [ "$status" -eq 0 ]
    [[ $stderr == *"26 tensors are not used: encoder.layers.0.linear1.bias, "* ]]
}

@test "the rows of a decoder: as many arrays as the encoder has, of its width; named by option" {
    file=$(layer transformer)
    shape() {
        printf '\x93NUMPY\x01\x00v\x00%-117s\n' \
            "{'descr': '<f4', 'fortran_order': False, 'shape': ($2), }" > "$1"
        truncate -s "+$((${2//,/*} * 4))" "$1"
    }
    shape "$dir/x.npy" 2,5,16
    shape "$dir/y.npy" 2,3,16
    shape "$dir/z.npy" 3,3,16
    shape "$dir/w.npy" 3,12
    works "$viz" stats --json -m "$file" --heads 4 --input "$dir/x.npy" --decoder-input "$dir/y.npy"
    [ "$(jq -c '[.tokens, .tokens_key | length]' <<<"$output" | tr '\n' ' ')" = "[3,5] [3,5] " ]
    fails 3 "--decoder-input: $dir/z.npy holds 3 arrays for 2 of the input, expected the same number" \
        "$viz" stats -m "$file" --heads 4 --input "$dir/x.npy" --decoder-input "$dir/z.npy"
    fails 3 "w.npy: shape [3,12], expected [T,16]" \
        "$viz" stats -m "$file" --heads 4 --input "$dir/x.npy" --decoder-input "$dir/w.npy"
    fails 2 "--decoder-tokens: 2 names for 3 rows, expected the same number" "$viz" stats \
        -m "$file" --heads 4 --input "$dir/x.npy" --decoder-input "$dir/y.npy" --decoder-tokens 'a b'
    fails 2 "--decoder-tokens: no names are given" \
        "$viz" stats -m "$file" --heads 4 --decoder-tokens ' '
    fails 2 "--key-tokens: the keys of a decoder are the rows that --tokens names" \
        "$viz" stats -m "$file" --heads 4 --key-tokens 'a b'
    fails 2 "--decoder-input requires an encoder and a decoder in one file" \
        "$viz" stats -m "$(layer q_linear)" --heads 3 --decoder-input random
    fails 2 "--decoder-input requires a bare layer" "$viz" stats --decoder-input random a
    fails 2 "--attention, --decoder-input: only one of them can be given" \
        "$viz" stats --attention "$dir/x.npy" --decoder-input random
    mkdir "$dir/out"
    "$viz" export -q -m "$file" --heads 4 --input "$dir/x.npy" --decoder-input "$dir/y.npy" \
        -o "$dir/out/"
    fails 2 "would read random rows: expected --decoder-input FILE.npy" "$viz" diff \
        --attention "$dir/out/000001.npz" -m "$file" --heads 4 --input "$dir/x.npy"
}

@test "a list of attentions alone is one stack; one with more around it is not" {
    run --separate-stderr "$viz" info --json -m "$(layer chain)" --heads 4
    [ "$(jq -c '[.layers, .family]' <<<"$output")" = '[3,"attention"]' ]
    [[ $stderr == *"its 3 attentions are run one after the other, each on the output of the one before" ]]
    run --separate-stderr "$viz" info --json -m "$(layer chain_named)" --heads 4 \
        --tensor-names ask,look,say,give
    [ "$(jq .layers <<<"$output")" = 2 ]
    run --separate-stderr "$viz" info --json -m "$(layer chain)" --heads 4 --prefix layers.1
    [ "$(jq .layers <<<"$output")" = 1 ]
    tensors "$dir/around.safetensors" layers.{0,1}.{q_proj,k_proj,v_proj,o_proj}.weight:4,4 \
        layers.{0,1}.gate.weight:4,4
    fails 2 "has two attentions that fit, layers.0.* and layers.1.*: give --prefix layers.0. or --prefix layers.1." \
        "$viz" info -m "$dir/around.safetensors" --heads 2
    tensors "$dir/narrow.safetensors" layers.{0,1}.{q_proj,k_proj,v_proj}.weight:4,6 \
        layers.{0,1}.o_proj.weight:5,4
    fails 3 "its 2 attentions read rows of 6 and give rows of 5, so that none can read another: --prefix layers.0. reads one of them" \
        "$viz" info -m "$dir/narrow.safetensors" --heads 2
    fails 2 "--zero-attn: " "$viz" info -m "$(layer chain)" --heads 4 --zero-attn
}

@test "info says the activation; a note says where a mask decided it" {
    note="its attention keeps a mask, as minGPT's does: the activation is taken for gelu_tanh; a nanoGPT that keeps one needs --activation gelu"
    run --separate-stderr "$viz" info --json -m "$(layer nanogpt_noflash)" --heads 4
    [ "$(jq -r .activation <<<"$output")" = gelu_tanh ]
    [[ $stderr == *"$note" ]]
    run --separate-stderr "$viz" info -m "$(layer nanogpt_noflash)" --heads 4 --activation gelu
    [[ $output == *"mlp 24, gelu"$'\n'* ]]
    [ -z "$stderr" ]
    run --separate-stderr "$viz" info --json -m "$(layer conv1d_layer)" --heads 4
    [ "$(jq -r .activation <<<"$output")" = gelu_tanh ]
    [ -z "$stderr" ]
    works "$viz" info --json -m "$(layer nanogpt_model)" --heads 4
    [ "$(jq -r .activation <<<"$output")" = gelu ]
    works "$viz" info --json -m "$(layer annotated)" --heads 4
    [ "$(jq 'has("activation")' <<<"$output")" = false ]
    works "$viz" info --json -m "$ref/bert"
    [ "$(jq 'has("activation")' <<<"$output")" = false ]
}

@test "init --zero-attn: the file itself says that there is a key of zeros" {
    works "$viz" init --d-model 16 --heads 4 --zero-attn -o "$dir/z.safetensors"
    works "$viz" stats -m "$dir/z.safetensors" --shape 4 --json
    [ "$(jq -c '.tokens_key[-1]' <<<"$output")" = '"[zero]"' ]
    works "$viz" init --d-model 16 --heads 4 -o "$dir/x.safetensors"
    works "$viz" stats -m "$dir/z.safetensors" --shape 4 --json --zero-attn
    [ "$(jq -c '.tokens_key | length' <<<"$output")" = 5 ]
    works "$viz" stats -m "$dir/x.safetensors" --shape 4 --json
    [ "$(jq 'has("tokens_key")' <<<"$output")" = false ]
    LC_ALL=C sed -i 's/"true"/"yes!"/' "$dir/z.safetensors"
    fails 3 'z.safetensors: __metadata__: zero_attn: found "yes!", expected true or false' \
        "$viz" stats -m "$dir/z.safetensors" --shape 4
    fails 2 "--zero-attn, --encoder: only one of them can be given: it is of one attention" \
        "$viz" init --zero-attn --encoder -o "$dir/y.safetensors"
}

@test "vit-pytorch without dropout: the mlp ends one place earlier" {
    works "$viz" stats -q --json -m "$(layer vit_stack)" --heads 4 --shape 5
    want=$(jq -c .heads <<<"$output")
    cp "$(layer vit_stack)" "$dir/plain.safetensors"
    LC_ALL=C sed -i 's/1\.net\.4\./1.net.3./g' "$dir/plain.safetensors"
    works "$viz" stats -q --json -m "$dir/plain.safetensors" --heads 4 --shape 5
    [ "$(jq -c .heads <<<"$output")" = "$want" ]
}

@test "a folder with one bare layer stands for it" {
    mkdir "$dir/one"
    cp "$(layer timm)" "$dir/one/net.safetensors"
    echo x >"$dir/one/net.pt"
    works "$viz" stats --json -m "$dir/one" --heads 4 --shape 5
    folder=$(jq -c .heads <<<"$output")
    works "$viz" stats --json -m "$dir/one/net.safetensors" --heads 4 --shape 5
    [ "$(jq -c .heads <<<"$output")" = "$folder" ]
    # Inputs and results of the same folder are not taken for a second one.
    cp "$ref/layers/timm.npz" "$dir/one/"
    works "$viz" stats --json -m "$dir/one" --heads 4 --shape 5
    cp "$(layer timm)" "$dir/one/second.safetensors"
    fails 3 "has no config.json, and 2 files that may be a bare layer, such as net.safetensors: give the path of one" \
        "$viz" stats -m "$dir/one" --heads 4
    mkdir "$dir/arrays"
    cp "$ref/layers/npz/q_linear.npz" "$dir/arrays/"
    works "$viz" info -m "$dir/arrays" --heads 3
}

# bats test_tags=once
@test "the command that converts a checkpoint works, and overwrites nothing" {
    python=${PYTHON:-python3}
    "$python" -c 'import torch, safetensors' 2>/dev/null || skip "$python has no torch"
    for key in none state_dict model_state_dict model; do
        "$python" - "$key" "$(layer timm)" "$dir/net.pt" <<'END'
import sys, torch
from safetensors.torch import load_file
key, source, target = sys.argv[1:]
state = load_file(source)
torch.save(state if key == "none" else {key: state, "epoch": 3, "args": {"n": 1}}, target)
END
        run --separate-stderr "$viz" info -m "$dir/net.pt" --heads 4
        [ "$status" -eq 3 ]
        command=${stderr#*with: }
        PATH="$(dirname "$(command -v "$python")"):$PATH" bash -c "${command/#python3/$python}"
        works "$viz" info -m "$dir/net.safetensors" --heads 4
        sum=$(md5sum <"$dir/net.safetensors")
        run bash -c "${command/#python3/$python}"
        [ "$status" -ne 0 ]
        [[ $output == *"net.safetensors exists"* ]]
        [ "$(md5sum <"$dir/net.safetensors")" = "$sum" ]
        rm "$dir/net.safetensors"
    done
}

@test "init: impossible sizes" {
    fails 2 "-o FILE is required" "$viz" init
    fails 2 "--heads: 7 do not divide the width 512; give a divisor or --d-k" \
        "$viz" init --heads 7 -o "$dir/x"
    fails 2 "--encoder, --decoder: only one of them can be given" "$viz" init --encoder --decoder -o "$dir/x"
    fails 2 "--layers requires --encoder or --decoder" "$viz" init --layers 2 -o "$dir/x"
    fails 2 "--d-ff requires --encoder or --decoder" "$viz" init --d-ff 2 -o "$dir/x"
    fails 2 "--max-len requires --relative-positions" "$viz" init --max-len 2 -o "$dir/x"
    fails 2 "at most 1048576 columns are possible" "$viz" init --heads 4096 --d-k 65536 -o "$dir/x"
    fails 4 "" "$viz" init -o /dev/full
    [ "$(list "$dir")" = "" ]
}

@test "export --all: the scores' softmax is the attention" {
    works "$viz" export -m "$(layer decoder)" --heads 3 --all -o "$dir/x.npz"
    for name in dec.0 dec.q.0 dec.k.0 dec.v.0 dec.scores.0 dec.out.0 cross.0 cross.q.0 cross.out.0; do
        grep -aq "$name.npy" "$dir/x.npz"
    done
    refute grep -aq hidden.npy "$dir/x.npz"
    works "$viz" export --all -l 1 -H 0 -o "$dir/y.npz" "the cat"
    grep -aq scores.1.npy "$dir/y.npz"
    refute grep -aq scores.0.npy "$dir/y.npz"
    fails 2 "--all requires an npz" "$viz" export --all -o "$dir/y.npy" "the cat"
}
