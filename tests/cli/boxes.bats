#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --boxes: where tokens lie on a page, from .npy files, and what is no such array.
# shellcheck disable=SC2154
load helper

# boxes FILE SHAPE BYTES: whole numbers of 8 bits, as printf takes their bytes
boxes() {
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
        "{'descr': '|i1', 'fortran_order': False, 'shape': ($2), }" >"$dir/$1"
    # shellcheck disable=SC2059
    printf "$3" >>"$dir/$1"
}

model=$BATS_TEST_DIRNAME/../ref/families/layoutlm
run_on() {
    # shellcheck disable=SC2086
    "$viz" $1 -m "$model" --ids 5,6,7 "${@:2}"
}

bad() {
    fails 3 "$1" "$viz" stats -m "$model" --ids 5,6,7 --boxes "$dir/$2"
}

@test "zeros are what is read without boxes; others change the numbers of every command" {
    boxes zeros.npy 3,4 '\0\0\0\0\0\0\0\0\0\0\0\0'
    boxes page.npy 3,4 '\0\0\2\1\3\0\5\1\0\2\013\013'
    for command in stats trace "ablate --mask-id 4" stability; do
        plain=$(run_on "$command" --tsv)
        [ "$(run_on "$command" --tsv --boxes "$dir/zeros.npy")" = "$plain" ]
        [ "$(run_on "$command" --tsv --boxes "$dir/page.npy")" != "$plain" ]
    done
    works run_on heatmap --boxes "$dir/page.npy" -o "$dir/a.png"
    works run_on report --boxes "$dir/page.npy" -o "$dir/a.html"
    works run_on export --boxes "$dir/page.npy" -o "$dir/a.npz"
    # Threads and kernels do not matter.
    [ "$(run_on stats --json -t 1 --boxes "$dir/page.npy")" = \
        "$(run_on stats --json -t 3 --boxes "$dir/page.npy")" ]
}

@test "arrays of another shape, and boxes that are none" {
    boxes few.npy 2,4 '\0\0\0\0\0\0\0\0'
    bad "few.npy: shape [2,4], expected [3,4]: a box for each token, special ones too" few.npy
    boxes flat.npy 12, '\0\0\0\0\0\0\0\0\0\0\0\0'
    bad "flat.npy: shape [12], expected [3,4]" flat.npy
    boxes wide.npy 3,5 '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    bad "wide.npy: shape [3,5], expected [3,4]" wide.npy
    boxes far.npy 3,4 '\0\0\0\0\0\0\014\0\0\0\0\0'
    bad "far.npy: box 1: found 12, expected whole numbers from 0 to 11" far.npy
    boxes under.npy 3,4 '\377\0\0\0\0\0\0\0\0\0\0\0'
    bad "under.npy: box 0: found -1, expected whole numbers from 0 to 11" under.npy
    boxes back.npy 3,4 '\0\0\0\0\0\0\0\0\3\0\2\0'
    bad "back.npy: box 2: 3,0,2,0: expected left, top, right, bottom" back.npy
    boxes up.npy 3,4 '\0\0\0\0\0\0\0\0\0\3\1\2'
    bad "up.npy: box 2: 0,3,1,2: expected left, top, right, bottom" up.npy
    npy "$dir/half.npy" 3,4 "$(printf '\\0\\0\\0\\77%.0s' {1..12})"
    bad "half.npy: box 0: found 0.5, expected whole numbers" half.npy
    npy "$dir/nan.npy" 3,4 "$(printf '\\0\\0\\300\\177%.0s' {1..12})"
    bad "nan.npy: box 0: found nan, expected whole numbers" nan.npy
    bad "none.npy" none.npy
    echo text >"$dir/text.npy"
    bad "text.npy" text.npy
}

@test "models without boxes, files of texts, pieces" {
    boxes page.npy 3,4 '\0\0\0\0\0\0\0\0\0\0\0\0'
    echo '{"ids":[5,6,7]}' >"$dir/texts"
    fails 2 "--boxes: bert reads no boxes (only layoutlm does)" \
        "$viz" stats -m "$ref/bert" --ids 5,6,7 --boxes "$dir/page.npy"
    fails 2 "--boxes, --file: only one of them can be given: boxes are those of one text" \
        "$viz" stats -m "$model" -f "$dir/texts" --jsonl --boxes "$dir/page.npy"
    fails 2 "--boxes, --split: only one of them can be given: boxes are those of one text" \
        "$viz" stats -m "$model" --ids 5,6,7 --split 2 --boxes "$dir/page.npy"
    fails 2 "--boxes: tokens are the same wherever they lie on a page" \
        "$viz" tokens -m "$ref/bert" --boxes "$dir/page.npy" 'the key'
}

@test "the tables of boxes have the places that the configuration says" {
    cp -r "$model" "$dir/m"
    sed -i 's/"max_2d_position_embeddings": 12/"max_2d_position_embeddings": 13/' "$dir/m/config.json"
    fails 3 "x_position_embeddings.weight: shape [12,14], expected [13,14]" \
        "$viz" stats -m "$dir/m" --ids 5
    for value in 0 -1 1000000 '"x"' 1.5; do
        sed -i "s/\"max_2d_position_embeddings\": [^,]*/\"max_2d_position_embeddings\": $value/" \
            "$dir/m/config.json"
        fails 3 "max_2d_position_embeddings: found $value" "$viz" stats -m "$dir/m" --ids 5
    done
}
