#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Model folders that are not what they should be: one line, status 3, at once.

# shellcheck disable=SC2154,SC2016
load helper

setup_file() {
    export BATS_TEST_TIMEOUT=60
}

# A model of ours to spoil
take() {
    rm -rf "$dir/m"
    cp -r "$ref/$1" "$dir/m"
}

bad() {
    fails 3 "$1" "$viz" stats -m "$dir/m" --ids 1,2,3
}

@test "no model, no weights, no config" {
    fails 3 "$dir/none: no such model" "$viz" stats -m "$dir/none" x
    fails 3 "the model has an empty name, expected that of" "$viz" stats -m "" x
    mkdir "$dir/m"
    bad "holds no weights, expected model.safetensors, model.safetensors.index.json"
    take bert
    rm "$dir/m/config.json"
    bad "match no known layer (mha-viz-layers(7)), and there is no config.json next to it"
    take bert
    rm "$dir/m/model.safetensors"
    mkdir "$dir/m/model.safetensors"
    bad "model.safetensors"
}

@test "-m takes the weights' file itself, a link, a folder with a slash" {
    works "$viz" stats -m "$ref/bert/model.safetensors" "the key"
    works "$viz" stats -m "$ref/bert/" "the key"
    ln -s "$ref/bert" "$dir/link"
    works "$viz" stats -m "$dir/link" "the key"
    cd "$ref/bert"
    works "$viz" stats -m . "the key"
    works "$viz" stats -m model.safetensors "the key"
}

@test "weights in other formats only: the command that converts them" {
    for file in pytorch_model.bin model.pt model.pth model.ckpt tf_model.h5; do
        take bert
        rm "$dir/m/model.safetensors"
        echo x > "$dir/m/$file"
        bad "$file"
        [[ $stderr == *safetensors* && $stderr == *python* ]]
    done
    echo x > "$dir/lone.bin"
    fails 3 "lone.bin" "$viz" stats -m "$dir/lone.bin" --ids 1
}

@test "safetensors: empty, cut anywhere, a hostile length" {
    take bert
    size=$(wc -c < "$dir/m/model.safetensors")
    for n in 0 1 7 8 9 100 2000 $((size / 2)) $((size - 1)); do
        head -c $n "$ref/bert/model.safetensors" > "$dir/m/model.safetensors"
        bad "model.safetensors: "
    done
    cat "$ref/bert/model.safetensors" - > "$dir/m/model.safetensors" <<< "more"
    bad "model.safetensors: "
    for length in 0 1 100000000000 9223372036854775807 -1 -8 100000001; do
        safetensors "$dir/m/model.safetensors" '{}' 0 $length
        bad "model.safetensors: "
    done
}

@test "safetensors: hostile headers" {
    take bert
    one='"dtype":"F32","shape":[2],"data_offsets":[0,8]'
    for header in '' '[]' '7' '{' '{"a":7}' '{"a":{}}' '{"a":{"dtype":"F32"}}' \
        '{"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":7,"shape":[2],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":"F32","shape":["2"],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}' \
        '{"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}' \
        '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}}' \
        '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,16]}}' \
        '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}' \
        '{"a":{"dtype":"F32","shape":[2],"data_offsets":[18446744073709551608,0]}}' \
        '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,123456789012345678901234567890]}}' \
        '{"a":{"dtype":"F32","shape":[4194305,4194305,211106198978564],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8]}}' \
        '{"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}}' \
        "{\"a\":{$one},\"a\":{$one}}" "{\"a\":{$one},\"b\":{$one}}" "{\"__metadata__\":7,\"a\":{$one}}" \
        "{\"a\\u0000b\":{$one}}"; do
        safetensors "$dir/m/model.safetensors" "$header" 8
        bad "m/model.safetensors: "
    done
}

@test "safetensors: names that speak to the terminal are shown, not obeyed" {
    take bert
    safetensors "$dir/m/model.safetensors" '{"\u001b]0;x\u0007\n\u202e":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}' 8
    bad '\x1b]0;x\x07\n\u202e'
    safetensors "$dir/m/model.safetensors" '{"\u001b]0;x\u0007\n":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}' 8
    bad "has no tensor"
}

@test "safetensors: a hundred thousand empty tensors, a name of a megabyte: in little memory" {
    take bert
    seq 100000 | awk 'BEGIN { printf "{" }
        { printf "%s\"t%d\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}", (NR > 1 ? "," : ""), $1 }
        END { printf "}" }' > "$dir/header"
    safetensors "$dir/m/model.safetensors" "$(cat "$dir/header")" 0
    if sanitised; then
        bad "m: has no tensor "
    else
        fails 3 "m: has no tensor " bash -c 'ulimit -v 400000; exec "$@"' - \
            "$viz" stats -m "$dir/m" --ids 1
    fi
    name=$(head -c 1000000 /dev/zero | tr '\0' n)
    safetensors "$dir/m/model.safetensors" "{\"$name\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}" 8
    bad "m/model.safetensors: "
    [ "${#stderr}" -lt 800 ]
}

@test "shards: a hostile index, a shard that is missing, cut or lacks a tensor" {
    take gpt2
    works "$viz" stats -m "$dir/m" "the key"
    works "$viz" stats -m "$dir/m/model-00002-of-00003.safetensors" "the key"
    rm "$dir/m/model-00002-of-00003.safetensors"
    bad "model-00002-of-00003.safetensors"
    take gpt2
    truncate -s -1 "$dir/m/model-00001-of-00003.safetensors"
    bad "model-00001-of-00003.safetensors: "
    take gpt2
    cp "$ref/gpt2/model-00001-of-00003.safetensors" "$dir/m/model-00002-of-00003.safetensors"
    bad "model-00002-of-00003.safetensors"
    mkfifo "$dir/fifo"
    for target in ../bert/model.safetensors /dev/zero "$ref/bert/model.safetensors" .. "" a/../b.safetensors; do
        take gpt2
        sed -i "s|model-00002-of-00003.safetensors|$target|" "$dir/m/model.safetensors.index.json"
        bad "model.safetensors.index.json"
    done
    for index in '' '[]' '{}' '{"weight_map":7}' '{"weight_map":{"wte.weight":7}}' '{"weight_map":'; do
        take gpt2
        printf %s "$index" > "$dir/m/model.safetensors.index.json"
        bad "m"
    done
    take gpt2
    rm "$dir/m/model-00003-of-00003.safetensors"
    mkfifo "$dir/m/model-00003-of-00003.safetensors"
    bad "model-00003-of-00003.safetensors"
}

@test "config: each key of the table, spoilt" {
    for change in '.hidden_size = -24' '.hidden_size = 0' '.hidden_size = "24"' '.hidden_size = 1e30' \
        '.hidden_size = 25' '.num_attention_heads = 0' '.num_attention_heads = 7' \
        '.num_hidden_layers = -1' '.num_hidden_layers = 3' '.intermediate_size = 41' \
        '.vocab_size = 140' '.max_position_embeddings = 65' '.type_vocab_size = 3' \
        '.layer_norm_eps = -1' '.hidden_act = "mish"' '.model_type = "nosuch"' 'del(.model_type)' \
        '.quantization_config = {"quant_method": "gptq"}' '.position_embedding_type = "relative_key"'; do
        take bert
        jq "$change" "$ref/bert/config.json" > "$dir/m/config.json"
        bad "m"
    done
    for text in '' '{' '[]' 'null' '{"model_type":' "$(head -c 20000 /dev/zero | tr '\0' '[')"; do
        printf %s "$text" > "$dir/m/config.json"
        bad "m/config.json: "
    done
    # Without a key the reference library's default counts, and then the shapes differ.
    jq 'del(.hidden_size)' "$ref/bert/config.json" > "$dir/m/config.json"
    bad "expected [141,768]"
}

@test "tensors: missing, misshapen" {
    take bert
    sed -i 's/attention.self.query.weight/attention.self.qurey.weight/' "$dir/m/model.safetensors"
    bad "bert.encoder.layer.0.attention.self.query.weight, expected [24,24]"
    take bert
    jq '.intermediate_size = 39' "$ref/bert/config.json" > "$dir/m/config.json"
    bad "intermediate.dense.weight: shape [40,24], expected [39,24]"
}

@test "scores by distance: tables that do not fit, keys that are refused" {
    change() {
        take "families/$1"
        jq "$2" "$ref/families/$1/config.json" > "$dir/m/config.json"
        bad "$3"
    }
    change deberta_v2 '.position_buckets = 10' "encoder.rel_embeddings.weight: shape [16,16], expected [20,16]"
    change deberta_v2 '.conv_groups = 2' "encoder.conv.conv.weight: shape [16,16,3], expected [16,8,3]"
    change deberta_v2 '.conv_kernel_size = 5' "encoder.conv.conv.weight: shape [16,16,3], expected [16,16,5]"
    change deberta_v2 '.share_att_key = false' "has no tensor deberta.encoder.layer.0.attention.self.pos_key_proj.weight"
    change deberta_v2 '.pos_att_type = "p2c|p2p"' 'pos_att_type: found "p2c|p2p", expected c2p, p2c or none'
    change deberta_v2 '.type_vocab_size = 2 | .position_biased_input = true' "embeddings.position_embeddings.weight, expected [24,16]"
    change deberta_v2 '.embedding_size = 12' "embeddings.word_embeddings.weight: shape [43,16], expected [43,12]"
    change deberta '.max_relative_positions = 15' "encoder.rel_embeddings.weight: shape [28,16], expected [30,16]"
    change deberta '.embedding_size = null' "embeddings.word_embeddings.weight: shape [43,10], expected [43,16]"
    change xlnet '.n_head = 4 | .d_head = 4 | .d_model = 12' "word_embedding.weight: shape [43,16], expected [43,12]"
    change xlnet '.d_head = 6' "layer.0.rel_attn.q: shape [16,2,8], expected [16,12]"
    change xlnet '.bi_data = true' "bi_data: true is not supported"
    # An embedding that is wider than the model needs its projection.
    take families/deberta
    sed -i 's/embeddings.embed_proj/embeddings.embed_porj/' "$dir/m/model.safetensors"
    bad "has no tensor deberta.embeddings.embed_proj.weight, expected [16,10]"
}

@test "weights that are NaN: layer, head and row" {
    take bert
    # The first weight of a tensor becomes a NaN: its place is read from the header.
    spoil() {
        local file=$dir/m/model.safetensors n at
        n=$(od -An -tu8 -N8 "$file" | tr -d ' ')
        at=$(tail -c +9 "$file" | head -c "$n" | jq -r --arg name "$1" '.[$name].data_offsets[0]')
        printf '\x00\x00\xc0\x7f' | dd of="$file" bs=1 seek=$((8 + n + at)) conv=notrunc status=none
    }
    spoil bert.encoder.layer.1.attention.self.query.weight
    for c in stats "heatmap -l 1 -o $dir/a.png" "export -o $dir/a.npz"; do
        # shellcheck disable=SC2086
        fails 3 "layer 1, head 0: the attention of row 0 is not finite" "$viz" $c -m "$dir/m" "the key"
    done
    works "$viz" stats -m "$dir/m" -l 0 "the key"
    [ "$(list "$dir")" = "m " ]

    # A router's NaN reaches the next layer; it does not only leave the experts out.
    rm -r "$dir/m"
    cp -r "$ref/families/mixtral" "$dir/m"
    spoil model.layers.0.block_sparse_moe.gate.weight
    fails 3 "layer 1, head 0: the attention of row" "$viz" stats -m "$dir/m" --ids 3,4,5
}

@test "tokenizer.json: truncated, nested, of an unknown kind, missing" {
    take bert
    for text in '' '{' '{"model":' '{"model":{"type":"Unknown"}}' '7' \
        "$(head -c 10000 /dev/zero | tr '\0' '[')" "$(head -c 9000 "$ref/bert/tokenizer.json" | head -c 4000)"; do
        printf %s "$text" > "$dir/m/tokenizer.json"
        fails 3 "tokenizer.json" "$viz" tokens -m "$dir/m" "the key"
        fails 3 "tokenizer.json" "$viz" stats -m "$dir/m" "the key"
        works "$viz" stats -m "$dir/m" --ids 2,5,3
    done
    rm "$dir/m/tokenizer.json"
    fails 3 "tokenizer.json" "$viz" tokens -m "$dir/m" "the key"
}

@test "a tokeniser that has more ids than the model" {
    take bert
    jq '.model.vocab += {"harbours": 141}' "$ref/bert/tokenizer.json" > "$dir/m/tokenizer.json"
    works "$viz" stats -m "$dir/m" "the key"
    fails 3 "id 141 is not in the vocabulary of m (0 to 140)" "$viz" stats -m "$dir/m" "harbours"
}

@test "a file with an encoder alone; one with half of a decoder" {
    works "$viz" stats -m "$ref/families/t5_encoder" --ids 5,6,1
    fails 2 "t5_encoder has only the stack encoder" \
        "$viz" stats -m "$ref/families/t5_encoder" --ids 5,6,1 -s cross
    mkdir "$dir/half"
    cp "$ref/seq2seq/t5_plain/config.json" "$dir/half"
    LC_ALL=C sed 's/decoder\.block\.0\./decodeR.block.0./g' \
        "$ref/seq2seq/t5_plain/model.safetensors" > "$dir/half/model.safetensors"
    fails 3 "half: has no tensor decoder.block.0." "$viz" info -m "$dir/half"
}

@test "a tensor that is missing is named, with the unused one whose name is nearest" {
    rename() {
        take "$1"
        LC_ALL=C sed -i "s/$2/$3/" "$dir"/m/model*
        bad "$4; the unused tensor nearest to it is $5"
    }
    rename bert layer.0.attention.self.query.bias layer.0.attention.self.query.Bias \
        "m: has no tensor bert.encoder.layer.0.attention.self.query.bias, expected [24] (bias of queries, layer 0)" \
        bert.encoder.layer.0.attention.self.query.Bias
    rename bert output.LayerNorm.bias output.LayerNorm.bais \
        "output.LayerNorm.bias, expected [24] (bias of norm of attention, layer 0)" \
        bert.encoder.layer.0.attention.output.LayerNorm.bais
    rename bert token_type_embeddings token_tepy_embeddings \
        "embeddings.token_type_embeddings.weight, expected [2,24] (token types)" \
        bert.embeddings.token_tepy_embeddings.weight
    rename gpt2 h.0.attn.c_attn.bias h.0.attn.c_attn.biaz \
        "transformer.h.0.attn.c_attn.bias, expected [72] (bias of queries, keys and values, layer 0)" \
        transformer.h.0.attn.c_attn.biaz
    rename families/qwen2 k_proj.bias k_proj.baas "k_proj.bias, expected [12] (bias of keys, layer 0)" \
        model.layers.0.self_attn.k_proj.baas
    # OPT's embeddings of a width of their own, and the way back.
    rename families/opt_post project_out project_uot "m: has no tensor decoder.project_out.weight, expected [14,24] (final projection)" \
        decoder.project_uot.weight
    rename families/opt_post project_in project_ni "m: has no tensor decoder.project_in.weight, expected [24,14] (projection of tokens)" \
        decoder.project_ni.weight
    # In a GGUF, what one layer has, all must have.
    take families/gguf_qwen2
    LC_ALL=C sed -i 's/blk.1.attn_k.bias/blk.1.attn_k.b1as/' "$dir"/m/*.gguf
    bad "has no tensor blk.1.attn_k.bias, expected [12] (bias of keys, layer 1); the unused tensor nearest to it is blk.1.attn_k.b1as"
}

# add NAME...: the model with tensors of these names, of four numbers each
add() {
    python3 -c '
import json, struct, sys
path = sys.argv[1]
data = open(path, "rb").read()
n = struct.unpack("<Q", data[:8])[0]
header, body = json.loads(data[8:8 + n]), data[8 + n:]
for name in sys.argv[2:]:
    header[name] = {"dtype": "F32", "shape": [4], "data_offsets": [len(body), len(body) + 16]}
    body += bytes(16)
text = json.dumps(header).encode()
open(path, "wb").write(struct.pack("<Q", len(text)) + text + body)' "$dir/m/model.safetensors" "$@"
}

# warned TEXT: the model runs, with this as its whole warning; nothing: with none
warned() {
    run --separate-stderr "$viz" stats -m "$dir/m" --ids 1,2,3
    [ "$status" -eq 0 ]
    [ "$stderr" = "${1:+mha-viz: warning: $1}" ]
}

@test "tensors of layers that are not used: another network than model_type says" {
    local layer=model.layers.1.self_attn

    take llama
    add $layer.q_norm.weight
    warned "m: 1 tensor of layers is not used, so this may be no llama: $layer.q_norm.weight"
    add $layer.k_norm.weight $layer.sinks model.layers.0.ffn_sub_norm.weight
    warned "m: 4 tensors of layers are not used, so this may be no llama: model.layers.0.ffn_sub_norm.weight, $layer.k_norm.weight, $layer.q_norm.weight, … (--verbose lists them)"
    run --separate-stderr "$viz" stats -q -m "$dir/m" --ids 1,2,3
    [ -z "$stderr" ]
    take llama
    sed -i 's/"num_hidden_layers": *2/"num_hidden_layers": 1/' "$dir/m/config.json"
    run --separate-stderr "$viz" stats -m "$dir/m" --ids 1,2,3
    [[ $stderr == *" tensors of layers are not used, so this may be no llama: model.layers.1."* ]]
    # What is known, and what is of no layer.
    take llama
    add $layer.rotary_emb.inv_freq vision_tower.layers.0.norm.weight model.extra.weight
    warned ""
    take gpt2
    warned ""
    take families/gpt_neox
    add gpt_neox.layers.0.attention.bias gpt_neox.layers.0.attention.masked_bias
    warned ""
    add gpt_neox.layers.0.attention.q_norm.weight
    warned "m: 1 tensor of layers is not used, so this may be no gpt_neox: gpt_neox.layers.0.attention.q_norm.weight"
}

@test "no model that the reference library saved has such tensors" {
    local config
    while read -r config; do
        run --separate-stderr "$viz" info -m "${config%/*}"
        [[ $stderr != *"not used"* ]] || { echo "$config: $stderr"; false; }
    done < <(find tests/ref -name config.json)
}

@test "adapters of languages: the config's, the first of them, one that is not there" {
    local config="$dir/m/config.json" as_said

    take families/xmod
    as_said=$("$viz" stats -m "$dir/m" --ids 0,9,4 --json)
    sed -i 's/"default_language": "de-DE"/"default_language": null/' "$config"
    run --separate-stderr "$viz" stats -m "$dir/m" --ids 0,9,4 --json
    [ "$status" -eq 0 ]
    [ "$stderr" = "mha-viz: warning: m: config.json has no default_language: read with the adapters of en_XX" ]
    [ "$output" != "${as_said//xmod/m}" ]
    sed -i 's/"default_language": null/"default_language": "fr"/' "$config"
    bad 'config.json: default_language: found "fr", expected one of languages'
    sed -i 's/"default_language": "fr",//; s/"en_XX"/"fr"/' "$config"
    bad "m: has no tensor roberta.encoder.layer.0.output.adapter_modules.fr.dense1.weight, expected [16,16] (first linear of the language's adapter, layer 0)"
    take families/xmod
    sed -i 's/"adapter_reduction_factor": 1/"adapter_reduction_factor": 3/' "$config"
    bad "adapter_modules.de-DE.dense1.weight: shape [16,16], expected [5,16]"
}

@test "layers of other shapes: what their config asks for and the file has not" {
    local config="$dir/m/config.json"

    take families/mobilebert
    sed -i 's/"intra_bottleneck_size": 12/"intra_bottleneck_size": 13/' "$config"
    bad "config.json: intra_bottleneck_size 13 is not a multiple of the 3 heads"
    sed -i 's/"intra_bottleneck_size": 13/"intra_bottleneck_size": 9/' "$config"
    bad "bottleneck.input.dense.weight: shape [12,21], expected [9,21]"
    take families/mobilebert
    sed -i 's/"num_feedforward_networks": 3/"num_feedforward_networks": 4/' "$config"
    bad "m: has no tensor mobilebert.encoder.layer.0.ffn.2.intermediate.dense.weight, expected [26,12] (first linear of a former mlp, layer 0, number 2)"
    take families/mobilebert
    sed -i 's/"trigram_input": true/"trigram_input": false/' "$config"
    bad "embedding_transformation.weight: shape [21,24], expected [21,8]"
    take families/mobilebert
    LC_ALL=C sed -i 's/cls.predictions.dense.weight/cls.predictions.Dense.weight/' \
        "$dir/m/model.safetensors"
    fails 3 "m: its output head has no tensor cls.predictions.dense.weight" \
        "$viz" export -m "$dir/m" --ids 1,2,3 --logits -o "$dir/x.npz"
    take families/convbert
    sed -i 's/"conv_kernel_size": 3/"conv_kernel_size": 5/' "$config"
    bad "key_conv_attn_layer.depthwise.weight: shape [40,1,3], expected [40,1,5]"
    take families/convbert
    sed -i 's/"num_groups": 2/"num_groups": 1/' "$config"
    bad "intermediate.dense.weight: shape [2,20,13], expected [26,40]"
    take seq2seq/prophetnet
    sed -i 's/"num_buckets": 6/"num_buckets": 7/' "$config"
    bad "relative_pos_embeddings.weight: shape [12,12], expected [14,12]"
    sed -i 's/"num_buckets": 7/"num_buckets": 6/; s/"pad_token_id": 0/"pad_token_id": 23/' "$config"
    bad "m: 24 positions, of which padding leaves none for tokens"
    fails 3 "prophetnet: its logits are those of streams of n-grams beside the decoder, which are not computed" \
        "$viz" export -m "$ref/seq2seq/prophetnet" --ids 5,4 --decoder-ids 2,5 --logits -o "$dir/x.npz"
}

@test "a head of which a part is missing is none, and the part is named" {
    take bert
    LC_ALL=C sed -i 's/cls.predictions.transform.dense.bias/cls.predictions.transform.dense.Bias/' \
        "$dir/m/model.safetensors"
    run --separate-stderr "$viz" stats -m "$dir/m" --ids 1,2,3
    [ "$status" -eq 0 ]
    fails 3 "m: its output head has no tensor cls.predictions.transform.dense.bias" \
        "$viz" export -m "$dir/m" --ids 1,2,3 --logits -o "$dir/x.npz"
}

@test "a name that ends as only torch's attention has it is none of a family's" {
    mkdir "$dir/q"
    cp "$ref"/heads/Qwen2ForTokenClassification/* "$dir/q"
    LC_ALL=C sed -i 's/k_proj\.bias/k_proj_bias/' "$dir/q/model.safetensors"
    fails 3 "has no tensor model.layers.0.self_attn.k_proj.bias, expected [4] (bias of keys, layer 0); the unused tensor nearest to it is model.layers.0.self_attn.k_proj_bias" \
        "$viz" stats -m "$dir/q" --ids 2,3
}

@test "info --families: a row for each family, in every format" {
    n=$(grep -c '^FAMILY(' src/model/families.def)
    "$viz" info --families --json | jq -es --argjson n "$n" 'length == $n and
        (.[] | select(.family == "gpt_oss") | .stack == "decoder" and .norms == "pre" and
            .positions == "rope" and .causal and .reads == "tokens" and .gguf == ["gpt-oss"] and
            .has == ["windows", "learnt sinks", "experts"]) and
        ([.[] | select(.reads == "pixels") | .family] == ["vit", "deit", "dinov2", "beit",
            "clip_vision_model", "siglip_vision_model"]) and
        ([.[] | select(.reads == "sound") | .family] == ["whisper", "wav2vec2", "hubert"]) and
        ([.[] | select(.gguf | index("llama")) | .family] == ["llama", "mistral", "mixtral"])'
    [ "$("$viz" info --families --tsv | awk -F '\t' '$1 == "t5" { print $2, $4, $5, $7 }')" = \
        "both buckets 1 t5,t5encoder" ]
    works "$viz" info --families
    [ "${lines[0]}" = "$n families" ]
    [ "${#lines[@]}" -eq $((n + 2)) ]
    fails 2 "--families, --model: only one of them can be given" "$viz" info --families -m "$ref/bert"
    fails 2 "--builtin, --families: only one of them can be given" "$viz" info --families --builtin
    mkdir "$dir/other"
    echo '{"model_type":"gpt_os"}' >"$dir/other/config.json"
    cp "$ref/bert/model.safetensors" "$dir/other"
    fails 3 "of mha-viz info --families (is \"gpt_oss\" meant?)" "$viz" info -m "$dir/other"
}

@test "builtin: the default by its name, the others; a name that does not exist" {
    works "$viz" stats --tsv
    default=$output
    works "$viz" stats --tsv -m builtin:decoder
    [ "$output" = "$default" ]
    fails 3 "builtin:transalte: no such built-in model: expected one of builtin:decoder, builtin:translate, builtin:encoder; did you mean 'builtin:translate'?" \
        "$viz" stats -m builtin:transalte
    fails 3 "builtin:: no such built-in model: expected one of builtin:decoder, builtin:translate" \
        "$viz" tokens -m builtin: x
    fails 2 "--heads requires -m LAYER" "$viz" stats -m builtin:translate --heads 4
    cd "$dir"
    cp -r "$ref/bert" builtin:bert
    fails 3 "builtin:bert: no such built-in model" "$viz" stats -m builtin:bert "the key"
    works "$viz" stats -m ./builtin:bert "the key"
    [[ "$("$viz" completion --values stats model)" == *builtin:decoder$'\n'builtin:translate* ]]
}

@test "builtin:translate: the sample pair; other texts, ids and -s take its place" {
    works "$viz" stats -m builtin:translate --json
    jq -e '.pair == "我喜欢吃苹果" and .heads[0].stack == "cross" and (.n_generated | not)' <<< "$output"
    works "$viz" tokens -m builtin:translate "I like tea"
    works "$viz" stats -m builtin:translate --json --generate 8
    jq -e '.generated == "我喜欢吃苹果"' <<< "$output"
    works "$viz" stats -m builtin:translate --json --decoder-ids 1,89
    jq -e '(.pair | not) and .tokens[1] == "我"' <<< "$output"
    works "$viz" stats -m builtin:translate --json 'I like eating apples'
    jq -e '(.pair | not) and .heads[0].stack == "encoder"' <<< "$output"
    works "$viz" stats -m builtin:translate --json -s decoder
    jq -e '.heads[0].stack == "decoder" and .pair == "我喜欢吃苹果"' <<< "$output"
    run "$viz" stats -m builtin:translate --json < <(:)
    jq -e '.heads[0].stack == "encoder"' <<< "$output"
}

@test "info --builtin: a row per model, without another" {
    works "$viz" info --builtin
    [ "${#lines[@]}" -eq 4 ]
    [[ ${lines[1]} == builtin:decoder*"  6 "*"The old man"* ]]
    [[ ${lines[2]} == builtin:translate*"2 + 1"*"I like eating apples"*我喜欢吃苹果 ]]
    [[ ${lines[3]} == builtin:encoder*"  3 "*"She went to the door and shut it."* ]]
    works "$viz" info --builtin --json
    while IFS=$'\t' read -r name text layers; do
        "$viz" info -m "$name" --json > "$dir/model.json"
        [ "$(jq .layers "$dir/model.json")" = "$layers" ]
        [ "$("$viz" stats -m "$name" --json < /dev/null | jq -r .text)" = "$text" ]
    done < <(jq -r '[.name, .text, .layers] | @tsv' <<< "$output")
    fails 2 "--builtin, --model: only one of them can be given" "$viz" info --builtin -m "$ref/bert"
    fails 2 "--builtin, --attention: only one of them can be given" \
        "$viz" info --builtin --attention "$ref/precomputed/decoder.npz"
    if [ -c /dev/full ]; then
        fails 4 "" "$viz" info --builtin -o /dev/full
    fi
}

@test "every small model of one stack continues a text, or says why not" {
    for d in tests/ref/families/*/; do
        run "$viz" export -m "$d" --ids 5,9,12 --generate 3 -o "$BATS_TEST_TMPDIR/x.npz"
        [ "$status" -eq 0 ] || [ "$status" -eq 2 ] || [ "$status" -eq 3 ] ||
            { echo "$d: $status $output"; false; }
    done
}
