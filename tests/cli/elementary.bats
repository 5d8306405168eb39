#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# With the plain kernel results are the same bytes whatever the C library makes of the
# processor: glibc takes other exponentials and logarithms where there is no FMA.
# bats file_tags=once

# shellcheck disable=SC2154
load helper

without_fma=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4

# same_bytes ARGUMENT...: with two sets of functions of the C library; OUT stands for a file
same_bytes() {
    MHA_VIZ_KERNEL=c works "$viz" "${@/OUT/$dir/one}" && printf '%s' "$output" > "$dir/one.txt" &&
        GLIBC_TUNABLES=$without_fma MHA_VIZ_KERNEL=c works "$viz" "${@/OUT/$dir/two}" &&
        printf '%s' "$output" | sed "s|$dir/two|$dir/one|" > "$dir/two.txt" || return 1
    for one in "$dir"/one*; do
        cmp "$one" "${one/one/two}" || { echo "mha-viz $*"; return 1; }
    done
    rm "$dir"/one* "$dir"/two*
}

need_two_libraries() {
    local libm=${MHA_VIZ_BUILD:-build}/tests/unit/base_elementary

    [ "$("$libm" libm)" != "$(GLIBC_TUNABLES=$without_fma "$libm" libm)" ] ||
        skip "GLIBC_TUNABLES does not change this C library's functions here"
}

@test "stats, tokens and info do not depend on the C library's functions" {
    need_two_libraries
    same_bytes stats --json -f samples/chinese.txt
    same_bytes stats --tsv --entropy-eps 1e-6 'the cat saw the dog'
    same_bytes tokens --json 'the cat saw the dog'
    same_bytes info --json
    for model in bert gpt2 seq2seq/t5 families/gemma2 families/deberta_v2 families/bloom; do
        same_bytes stats --json -m "$ref/$model" --ids 1,2,3,4,5,6,7,8,9
    done
}

@test "exports and new layers do not depend on them either" {
    need_two_libraries
    same_bytes export 'the cat saw the dog and ran' -o OUT.npz --hidden --logits
    same_bytes init --d-model 64 --heads 4 --relative-positions --seed 3 -o OUT.safetensors
    for model in bert llama bart families/gemma2 families/deepseek_v2 families/t5_encoder; do
        same_bytes export -m "$ref/$model" --ids 1,2,3,4,5,6,7,8,9 -o OUT.npz --all
    done
}

@test "nor do pictures and comparisons" {
    need_two_libraries
    same_bytes heatmap 'the cat saw the dog' -o OUT.png --scale log --no-metadata
    same_bytes heatmap -m "$ref/bert" -o OUT.png --no-metadata --ids 1,2,3,4,5
    head -n 20 samples/english.txt > "$dir/texts"
    same_bytes diff --json --dtype f32 --dtype bf16 -f "$dir/texts"
    same_bytes stability --json --seed 1 -f "$dir/texts"
    same_bytes mechanisms --only exact,elu,favor,additive 'the cat saw the dog' -o OUT.npz
}
