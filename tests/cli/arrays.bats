#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --input: pixels and sound from .npy files, and arrays that a model does not take.
# shellcheck disable=SC2154
load helper

in_folder() {
    vit=$ref/families/vit
    whisper=$ref/seq2seq/whisper
    cd "$dir" || return 1
    unzip -p "$vit/expected.npz" r0.pixel_values.npy >cat.npy
    unzip -p "$vit/expected.npz" r1.pixel_values.npy >dog.npy
    unzip -p "$whisper/expected.npz" r0.input_features.npy >speech.npy
}

# npy FILE TYPE SHAPE [ORDER]: the header of an array; its data come from standard input
npy() {
    local dict="{'descr': '$2', 'fortran_order': ${4:-False}, 'shape': ($3), }"
    {
        printf '\x93NUMPY\x01\x00'
        printf "\\x$(printf %02x ${#dict})\\x00"
        printf %s "$dict"
        cat
    } >"$1"
}

# The data of an .npy with a header of 128 bytes
data() {
    tail -c +129 "$1"
}

zeros() {
    head -c "$1" /dev/zero
}

@test "vit: patches are named by row and column, [CLS] is special" {
    in_folder
    "$viz" stats -m "$vit" --input cat.npy --json >cat.json
    jq -e '.tokens == ["[CLS]","0,0","0,1","0,2","1,0","1,1","1,2"]' cat.json
    jq -e '.ids == null and .text == "" and .input == "cat.npy"' cat.json
    jq -e '[.heads[].links[][1]] | max <= 6' cat.json
    "$viz" export --no-metadata -m "$vit" --input cat.npy --logits --hidden -o cat.npz
    unzip -Z1 cat.npz | sort | tr '\n' ' ' >names
    grep -qx "attn.0.npy attn.1.npy hidden.npy labels.npy logits.npy tokens.npy " names
    unzip -p cat.npz logits.npy | head -c 128 | grep -aq "'shape': (1, 5)"
    works "$viz" heatmap -m "$vit" --input cat.npy -o cat.svg
    works "$viz" heatmap -m "$vit" --input cat.npy --hide-special -o patches.svg
    refute cmp -s cat.svg patches.svg
}

@test "several arrays on a leading axis are as many texts, each as alone" {
    in_folder
    cat <(data cat.npy) <(data dog.npy) <(data cat.npy) | npy all.npy '<f4' '3, 2, 8, 12'
    "$viz" stats -m "$vit" --input all.npy --json | jq -c 'del(.index, .input, .provenance)' >all
    for f in cat dog cat; do
        "$viz" stats -m "$vit" --input $f.npy --json | jq -c 'del(.index, .input, .provenance)'
    done | diff - all
    "$viz" stats -m "$vit" --input all.npy --json | jq -c '[.index, .input]' >names
    diff names - <<<$'[0,"all.npy[0]"]\n[1,"all.npy[1]"]\n[2,"all.npy[2]"]'
    mkdir pictures
    "$viz" heatmap -m "$vit" --input all.npy -o pictures/
    [ "$(list pictures)" = "000001.png 000002.png 000003.png " ]
    fails 2 "several texts require a folder" "$viz" heatmap -m "$vit" --input all.npy -o x.png
    data cat.npy | npy one.npy '<f4' '1, 2, 8, 12'
    "$viz" stats -m "$vit" --input one.npy --tsv >one.tsv
    "$viz" stats -m "$vit" --input cat.npy --tsv | diff - one.tsv
}

@test "whisper: the text is the decoder's, positions are times" {
    in_folder
    "$viz" stats -m "$whisper" --input speech.npy --json "Read the key." >cross.json
    jq -e '[.heads[].stack] | unique == ["cross"]' cross.json
    jq -e '.tokens_key[0] == "0.00s" and .tokens_key[8] == "0.16s"' cross.json
    jq -e '.ids_key == null and .pair == "Read the key."' cross.json
    # The template begins with the start token, so that it is not put there twice.
    jq -e '.tokens[0:2] == ["<|startoftranscript|>","<|notimestamps|>"]' cross.json
    jq -e '.tokens[-1] == "<|endoftext|>"' cross.json
    "$viz" stats -m "$whisper" --input speech.npy --json --no-special "Read the key." >bare.json
    jq -e '.tokens[0] == "<|startoftranscript|>" and .tokens[1] != "<|notimestamps|>"' bare.json
    ids=$(jq -r '.ids | join(",")' cross.json)
    "$viz" stats -m "$whisper" --input speech.npy --tsv "Read the key." >want.tsv
    "$viz" stats -m "$whisper" --input speech.npy --tsv --decoder-ids "$ids" | diff - want.tsv
    "$viz" stats -m "$whisper" --input speech.npy --json >encoder.json
    jq -e '[.heads[].stack] | unique == ["encoder"]' encoder.json
    "$viz" heatmap -m "$whisper" --input speech.npy -s cross -o cross.svg "Read the key."
    grep -q "mha-viz:stack.*cross" cross.svg
    "$viz" export -m "$whisper" --input speech.npy -o all.npz "Read the key."
    unzip -Z1 all.npz | sort | tr '\n' ' ' >names
    grep -q "cross.2.npy dec.0.npy dec.1.npy dec.2.npy decoder_ids.npy" names
}

@test "another shape: found and expected" {
    in_folder
    zeros 768 | npy x.npy '<f4' '2, 12, 8'
    fails 3 "x.npy: shape [2,12,8], expected [2,8,12]" "$viz" stats -m "$vit" --input x.npy
    zeros 384 | npy x.npy '<f4' '8, 12'
    fails 3 "x.npy: shape [8,12], expected [2,8,12]" "$viz" stats -m "$vit" --input x.npy
    zeros 0 | npy x.npy '<f4' '0, 2, 8, 12'
    fails 3 "x.npy: shape [0,2,8,12], expected" "$viz" stats -m "$vit" --input x.npy
    zeros 768 | npy x.npy '<f4' '1, 1, 2, 8, 12'
    fails 3 "x.npy: shape [1,1,2,8,12], expected" "$viz" stats -m "$vit" --input x.npy
    zeros 4 | npy x.npy '<f4' ''
    fails 3 "x.npy: shape [], expected" "$viz" stats -m "$vit" --input x.npy
    fails 3 "cat.npy: 2 arrays: shape [8,12], expected [5,18]" \
        "$viz" stats -m "$whisper" --input cat.npy -s encoder
    zeros 340 | npy x.npy '<f4' '5, 17'
    fails 3 "x.npy: shape [5,17], expected [5,18]" "$viz" stats -m "$whisper" --input x.npy
}

@test "types: what can be a float is one, the rest is refused by name" {
    in_folder
    zeros 768 | npy f4.npy '<f4' '2, 8, 12'
    "$viz" stats -m "$vit" --input f4.npy --tsv >want.tsv
    for type in '<f8 1536' '<f2 384' '<i8 1536' '|u1 192' '|b1 192'; do
        zeros "${type#* }" | npy x.npy "${type% *}" '2, 8, 12'
        "$viz" stats -m "$vit" --input x.npy --tsv | diff - want.tsv
    done
    zeros 768 | npy x.npy '>f4' '2, 8, 12'
    fails 3 "big-endian" "$viz" stats -m "$vit" --input x.npy
    zeros 1536 | npy x.npy '<c8' '2, 8, 12'
    fails 3 "dtype <c8" "$viz" stats -m "$vit" --input x.npy
    zeros 768 | npy x.npy '<f4' '2, 8, 12' True
    fails 3 "Fortran order" "$viz" stats -m "$vit" --input x.npy
    zeros 767 | npy x.npy '<f4' '2, 8, 12'
    fails 3 "holds 767 bytes of data, expected 768" "$viz" stats -m "$vit" --input x.npy
    fails 3 "x.npz" "$viz" stats -m "$vit" --input x.npz
    fails 3 "holds" "$viz" stats -m "$vit" --input "$vit/expected.npz"
    echo no >x.npy
    fails 3 "x.npy: is neither" "$viz" stats -m "$vit" --input x.npy
}

@test "NaN and infinities are refused at their place" {
    in_folder
    { zeros 436; printf '\x00\x00\xc0\x7f'; zeros 328; } | npy x.npy '<f4' '2, 8, 12'
    fails 3 "x.npy: element [1,1,1] is NaN" "$viz" stats -m "$vit" --input x.npy
    # 1e300 is no float
    { zeros 1528; printf '\x9c\x75\x00\x88\x3c\xe4\x37\x7e'; } | npy x.npy '<f8' '2, 8, 12'
    fails 3 "x.npy: element [1,7,11] is infinite" "$viz" stats -m "$vit" --input x.npy
}

@test "misuse: a text for a model of arrays, an array for one of text" {
    in_folder
    fails 2 "vit reads no text but an array of shape [2,8,12]: expected --image FILE or --input FILE.npy" \
        "$viz" stats -m "$vit"
    fails 2 "reads no text" "$viz" stats -m "$vit" "the key"
    fails 2 "reads no text" "$viz" stats -m "$vit" --ids 1,2
    fails 2 "reads no text" "$viz" stats -m "$whisper" -s encoder "the key"
    fails 2 "reads no TEXT with it" "$viz" stats -m "$vit" --input cat.npy "the key"
    fails 2 "one TEXT with it" "$viz" stats -m "$whisper" --input speech.npy a b
    fails 2 "reads a text, not an array" "$viz" stats -m "$ref/bert" --input cat.npy
    fails 2 "reads a text, not an array" "$viz" stats --input cat.npy
    fails 2 "--ids, --input: only one of them can be given" "$viz" stats -m "$vit" --input cat.npy --ids 1
    fails 2 "--file, --input: only one of them can be given" "$viz" stats -m "$vit" --input cat.npy -f cat.npy
    fails 2 "no TEXT can be given with an array" \
        "$viz" stats -m "$whisper" --input speech.npy --decoder-ids 1 "the key"
    fails 2 "an array has no tokens" "$viz" tokens --input cat.npy
}

@test "info: what a model of arrays reads" {
    in_folder
    "$viz" info -m "$vit" --json | jq -e '.input == [2,8,12] and .positions == 7'
    "$viz" info -m "$vit" | grep -qx "input       \[2,8,12\] in patches of 4 x 4"
    "$viz" info -m "$whisper" --json |
        jq -e '.input == [5,18] and .positions == 9 and .decoder.positions == 14'
    "$viz" info -m "$ref/bert" --json | jq -e 'has("input") | not'
}

# Where addresses have 32 bits, its size in bytes is 0 when it wraps.
@test "export: an array of 2^32 bytes, beyond the memory that there is" {
    sanitised && skip "sanitisers need more memory than the limit"
    in_folder
    for part in q k v; do head -c 524288 /dev/zero | npy $part.npy '<f4' '32768, 4'; done
    ulimit -v 3000000
    fails 4 "out of memory" "$viz" export --qkv q.npy,k.npy,v.npy -o weights.npy
    [ ! -e weights.npy ]
}
