#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Quantised safetensors on the command line: what info says, and what is wrong in one line.
# shellcheck disable=SC2154
load helper

# Skips where the cases are not there.
cases() {
    shared=${MHA_VIZ_SHARED:-../shared}/goldens_more
    [ -d "$shared" ] || skip "no quantised models: $shared is not there"
    m=$dir/m
}

# a copy of a case, whose config.json jq changes
take() {
    rm -rf "$m"
    cp -rL "$shared/$1" "$m"
    chmod -R u+w "$m"
    jq "$2" "$shared/$1/config.json" > "$m/config.json"
}

bad() {
    fails 3 "$1" "$viz" info -m "$m"
}

@test "info says how the weights are stored, and at how many bits" {
    cases
    run "$viz" info -m "$shared/quant_gptq4"
    [ "$status" -eq 0 ]
    [[ $output = *"quantised   GPTQ, 4 bits in groups of 32: 5.12 bits a weight"* ]]
    [ "$("$viz" info -m "$shared/quant_bnb_nf4" --json | jq -r .quantised)" = \
        "bitsandbytes, NF4 in blocks of 64" ]
    "$viz" info -m "$shared/quant_fp8_block" --json | jq -e '.bits > 8 and .bits < 9'
    "$viz" info --json | jq -e 'has("bits") or has("quantised") | not'
}

@test "a method or an option without a row is named" {
    cases
    take quant_gptq4 '.quantization_config.quant_method = "hqq"'
    bad 'quantization_config.quant_method: found "hqq", expected gptq, awq, bitsandbytes'
    take quant_gptq4 '.quantization_config.bits = 3'
    bad 'quantization_config.bits: found 3, expected 2, 4 or 8'
    take quant_ct_int4 '.quantization_config.config_groups.group_0.weights.num_bits = 6'
    bad 'num_bits: found 6, expected 4 or 8'
    take quant_awq '.quantization_config.version = "gemv"'
    bad 'quantization_config.version: found "gemv", expected gemm'
}

@test "a config that the tensors do not fit" {
    cases
    take quant_gptq4 '.quantization_config.bits = 8'
    bad 'groups of 32 do not divide the 48 inputs'
    take quant_gptq4 '.quantization_config.group_size = 24'
    bad 'qzeros: shape [3,8], expected [4,8]'
    take quant_gptq4 '.quantization_config.group_size = 7'
    bad 'groups of 7 do not divide the'
    take quant_gptq4 '.quantization_config = {quant_method: "mxfp4"}'
    bad 'but no tensor here ends in _blocks'
    take quant_awq 'del(.quantization_config)'
    bad 'qweight'
    take quant_ct_fp8 'del(.quantization_config)'
    bad 'holds F8_E4M3, expected F32'
    take quant_nvfp4 '.hidden_size = 32 | .num_attention_heads = 2'
    bad 'expected ['
}

@test "the same bytes for any number of threads, and in pieces of a file as a whole" {
    cases
    for case in quant_gptq4 quant_bnb_nf4 quant_fp8_block; do
        one=$("$viz" stats -t 1 -m "$shared/$case" --json "the cat sat on the mat")
        [ "$("$viz" stats -t 5 -m "$shared/$case" --json "the cat sat on the mat")" = "$one" ]
    done
}
