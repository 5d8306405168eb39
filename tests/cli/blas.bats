#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The kernel blas, of a program that is built with OpenBLAS (make BLAS=1; make programs builds
# one beside the usual one), and what says that it is another.
# shellcheck disable=SC2154
load helper

with_blas() {
    with=$PWD/${MHA_VIZ_BUILD:-build}/blas/mha-viz
    [ -x "$with" ] || skip "built without OpenBLAS: $with is not there"
    export OPENBLAS_NUM_THREADS=1
}

@test "a build without OpenBLAS says so where blas is asked for" {
    "$viz" --version | grep -q blas && skip "this one is built with it"
    MHA_VIZ_KERNEL=blas fails 2 "this program was built without OpenBLAS (make BLAS=1); expected c" \
        "$viz" stats "the cat"
}

@test "a build with OpenBLAS uses it only where it is asked for, and says what that means" {
    with_blas
    run env -u MHA_VIZ_KERNEL "$with" --version
    [[ $output == *"; kernel "* && $output != *blas* ]]
    MHA_VIZ_KERNEL=blas run "$with" --version
    [[ $output == *"; kernel blas: OpenBLAS "*", whose bytes change with"* ]]
    MHA_VIZ_KERNEL=abacus fails 2 ", or blas" "$with" stats "the cat"
    MHA_VIZ_KERNEL=blas works "$with" heatmap -o "$dir/x.svg" "the cat"
    grep -q "mha-viz [0-9.]* (kernel blas)" "$dir/x.svg"
}

# report KERNEL MODEL: layers, heads and entropies of the texts
report() {
    MHA_VIZ_KERNEL=$1 "$with" stats --tsv --metric entropy -f "$dir/texts" -m "$2" | cut -f 2-5
}

@test "blas gives the numbers of the plain C kernel within 1e-5" {
    with_blas
    head -n 20 samples/english.txt > "$dir/texts"
    for model in bert gpt2 llama gguf_llama; do
        [ -d "$ref/$model" ] || continue
        report c "$ref/$model" > "$dir/c"
        report blas "$ref/$model" > "$dir/blas"
        [ "$(wc -l < "$dir/c")" -gt 20 ]
        paste "$dir/c" "$dir/blas" | awk -F '\t' 'NR > 1 {
            for (i = 1; i <= 4; i++)
                if (!($i == $(i + 4) || ($i - $(i + 4)) ^ 2 < 1e-10)) exit 1
        }'
    done
}

@test "merge refuses parts of blas and of another kernel" {
    with_blas
    head -n 6 samples/english.txt > "$dir/texts"
    MHA_VIZ_KERNEL=c "$with" stats --shard 0/2 -f "$dir/texts" -o "$dir/0"
    MHA_VIZ_KERNEL=blas "$with" stats --shard 1/2 -f "$dir/texts" -o "$dir/1"
    fails 3 'kernel: found "blas", expected "c"' "$with" merge "$dir/0" "$dir/1"
}
