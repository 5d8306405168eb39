#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# GGUF files on the command line; the manual page against the tables in the code.
# shellcheck disable=SC2154
load helper

@test "a folder with a GGUF, or the file, is a model with its tokeniser" {
    run "$viz" tokens -m tests/ref/gguf_llama "Small boats"
    [ "$status" -eq 0 ]
    one=$output
    run "$viz" tokens -m tests/ref/gguf_llama/model.gguf "Small boats"
    [ "$output" = "$one" ]
    run "$viz" tokens -m tests/ref/llama "Small boats"
    [ "$output" = "$one" ]
}

@test "a GGUF that is cut is one line and status 3" {
    f=$BATS_TEST_TMPDIR/cut.gguf
    for n in 0 3 20 100 5000 50000; do
        head -c "$n" tests/ref/gguf_llama/model.gguf > "$f"
        run "$viz" info -m "$f"
        [ "$status" -eq 3 ]
        [ "${#lines[@]}" -eq 1 ]
    done
}

@test "architectures and pre-tokenisers of the manual are those of the code" {
    f=$BATS_TEST_TMPDIR/m.gguf
    page=$(tr '\n' ' ' < man/mha-viz-models.7)
    LC_ALL=C sed 's/llama/mamba/g' tests/fuzz/corpus/gguf/llama > "$f"
    run "$viz" info -m "$f"
    [ "$status" -eq 3 ]
    names=${output##*want one of }
    for n in ${names//,/}; do
        [[ $page == *[\ ,]"$n"[\ ,.]* ]] || { echo "the manual lacks $n"; false; }
    done
    LC_ALL=C sed 's/starcoder/starcoteR/g' tests/fuzz/corpus/gguf/tokens > "$f"
    run "$viz" tokens -m "$f" x
    [ "$status" -eq 3 ]
    names=${output##*want one of }
    for n in ${names//,/}; do
        [[ $page == *[\ ,]"$n"[\ ,.]* ]] || { echo "the manual lacks $n"; false; }
    done
}
