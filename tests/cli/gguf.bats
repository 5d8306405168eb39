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
    names=${output##*expected one of }
    for n in ${names//,/}; do
        [[ $page == *[\ ,]"$n"[\ ,.]* ]] || { echo "the manual lacks $n"; false; }
    done
    LC_ALL=C sed 's/starcoder/starcoteR/g' tests/fuzz/corpus/gguf/tokens > "$f"
    run "$viz" tokens -m "$f" x
    [ "$status" -eq 3 ]
    names=${output##*expected one of }
    for n in ${names//,/}; do
        [[ $page == *[\ ,]"$n"[\ ,.]* ]] || { echo "the manual lacks $n"; false; }
    done
}

@test "a GGUF with nothing but a vocabulary tokenises, but is not a model" {
    for kind in tokens spm_llama wordpiece; do
        cp "tests/fuzz/corpus/gguf/$kind" "$BATS_TEST_TMPDIR/$kind.gguf"
        works "$viz" tokens -q -m "$BATS_TEST_TMPDIR/$kind.gguf" "a b"
        [ "${#lines[@]}" -ge 2 ]
        fails 3 "$kind.gguf: has no general.architecture" "$viz" info \
            -m "$BATS_TEST_TMPDIR/$kind.gguf"
    done
}

@test "any shard of a model stands for its tokeniser, too" {
    cp tests/fuzz/corpus/gguf/tokens "$BATS_TEST_TMPDIR/m-00001-of-00002.gguf"
    cp tests/fuzz/corpus/gguf/types "$BATS_TEST_TMPDIR/m-00002-of-00002.gguf"
    works "$viz" tokens -m "$BATS_TEST_TMPDIR/m-00001-of-00002.gguf" "a b"
    one=$output
    works "$viz" tokens -m "$BATS_TEST_TMPDIR/m-00002-of-00002.gguf" "a b"
    [ "$output" = "$one" ]
    rm "$BATS_TEST_TMPDIR/m-00001-of-00002.gguf"
    fails 3 "m-00001-of-00002.gguf: No such file" "$viz" tokens \
        -m "$BATS_TEST_TMPDIR/m-00002-of-00002.gguf" "a b"
}

@test "T5 as GGUF: both stacks, or the encoder by itself" {
    works "$viz" stats -m "$ref/seq2seq/gguf_t5_plain" --ids 5,6,7,1 --decoder-ids 0,8,9 -s cross
    one=$output
    works "$viz" stats -m "$ref/seq2seq/t5_plain" --ids 5,6,7,1 --decoder-ids 0,8,9 -s cross
    [ "${output#*$'\n'}" = "${one#*$'\n'}" ]
    works "$viz" info -m "$ref/families/gguf_t5_encoder"
    fails 2 "only the stack encoder" "$viz" stats -m "$ref/families/gguf_t5_encoder" \
        --ids 5,6,7,1 -s cross
    fails 3 "has no output head in its weights" "$viz" export -m "$ref/families/gguf_t5_encoder" \
        --ids 5,6 --logits -o "$dir/x.npz"
}
