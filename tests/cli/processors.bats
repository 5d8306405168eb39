#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=once
# On a processor without the vectors of this one, as qemu has it: the kernel that is chosen, the
# bytes that it gives, and what is said where another one is asked for.
# shellcheck disable=SC2154
load helper

# has CPU KERNEL: sets emulated, a command, or skips where nothing can run it
has() {
    [ "$(uname -m)" = x86_64 ] && [ "$(od -An -tu1 -j4 -N1 "$viz")" -eq 2 ] ||
        skip "a program for another processor than x86-64"
    ! sanitised || skip "qemu does not run sanitisers"
    command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 is not installed (tests/deps qemu-user)"
    unset MHA_VIZ_KERNEL
    emulated=(qemu-x86_64 -cpu "$1" "$viz")
    run "${emulated[@]}" --version
    [ "$status" -eq 0 ]
    [[ $output == *"; kernel $2" ]]
}

# same KERNEL ARGUMENT...: the bytes of that kernel on this processor
same() {
    local kernel=$1
    shift
    MHA_VIZ_KERNEL=$kernel works "$viz" "$@"
    MHA_VIZ_KERNEL=$kernel "$viz" "$@" >"$dir/here"
    "${emulated[@]}" "$@" >"$dir/there" 2>/dev/null
    cmp "$dir/here" "$dir/there"
}

same_everywhere() {
    same "$1" stats --metric all --json "the cat saw the dog"
    same "$1" stats -m "$ref/gguf_llama/model.gguf" --generate 3 --tsv "the cat saw"
    same "$1" stats -m "$ref/packed/gptq4" --ids 1,5,7,3 --tsv
    same "$1" heatmap --format png -o - "the cat saw the dog"
}

# refused KERNEL CHOICES: misuse, in one line of the program's below what qemu warns of
refused() {
    MHA_VIZ_KERNEL=$1 run --separate-stderr "${emulated[@]}" stats "the cat"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ $stderr == *"mha-viz: MHA_VIZ_KERNEL: '$1' is not a kernel that this processor has; expected $2 (try"* ]]
}

@test "without AVX the plain C kernel is chosen, with its bytes; vectors are refused" {
    has Nehalem c
    same_everywhere c
    refused avx2 c
    refused avx512 c
}

@test "AVX2 without FMA is not enough for its kernel" {
    has Haswell,-fma c
    same c stats --tsv "the cat saw the dog"
    refused avx2 c
}

@test "with AVX2 but not AVX-512, avx2 is chosen, with its bytes; avx512 is refused" {
    has Haswell avx2
    MHA_VIZ_KERNEL=avx2 "$viz" --version >/dev/null 2>&1 || skip "this processor has no AVX2"
    same_everywhere avx2
    refused avx512 "c or avx2"
}
