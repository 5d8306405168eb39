#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Attention in chunks from the command line: rotations, seeds, lengths, wrong files.

# shellcheck disable=SC2154
load helper

setup_file() {
    export BATS_TEST_TIMEOUT=60
}

# npy FILE SHAPE N: N float32 zeros under that shape
npy() {
    local header="{'descr': '<f4', 'fortran_order': False, 'shape': $2, }"
    { printf '\x93NUMPY\x01\x00\x76\x00'; printf '%-117s\n' "$header"
      head -c $(($3 * 4)) /dev/zero; } > "$1"
}

ids() {
    seq -s , 4 $((3 + $1))
}

take() {
    rm -rf "$dir/m"
    cp -r "$ref/families/$1" "$dir/m"
}

edit() {
    jq "$1" "$dir/m/config.json" > "$dir/config"
    mv "$dir/config" "$dir/m/config.json"
}

@test "--rotations: one set, one set per layer, zeros instead of the seed's" {
    works "$viz" stats --tsv -m "$ref/families/reformer_rounds" --ids "$(ids 20)"
    drawn=$output
    npy "$dir/one.npy" "(3, 5, 2, 3)" 90
    npy "$dir/two.npy" "(2, 3, 5, 2, 3)" 180
    works "$viz" stats --tsv -m "$ref/families/reformer_rounds" --ids "$(ids 20)" \
        --rotations "$dir/one.npy"
    [ "$output" != "$drawn" ]
    zeros=$output
    works "$viz" stats --tsv -m "$ref/families/reformer_rounds" --ids "$(ids 20)" \
        --rotations "$dir/two.npy"
    [ "$output" = "$zeros" ]
    works "$viz" heatmap -m "$ref/families/reformer_rounds" --ids "$(ids 20)" \
        --rotations "$dir/one.npy" -o "$dir/a.png"
    works "$viz" export -m "$ref/families/reformer_rounds" --ids "$(ids 20)" \
        --rotations "$dir/one.npy" -o "$dir/a.npz"
}

@test "--rotations that do not fit: found and expected" {
    viz_rounds() {
        "$viz" stats -m "$ref/families/reformer_rounds" --ids "$(ids 20)" --rotations "$1"
    }
    want="expected [3,5,2,3] or [2,3,5,2,3]"
    fails 3 "none.npy: No such file" viz_rounds "$dir/none.npy"
    npy "$dir/r.npy" "(3, 5, 2, 4)" 120
    fails 3 "r.npy: shape [3,5,2,4], $want" viz_rounds "$dir/r.npy"
    npy "$dir/r.npy" "(90,)" 90
    fails 3 "r.npy: shape [90], $want" viz_rounds "$dir/r.npy"
    npy "$dir/r.npy" "(3, 3, 5, 2, 3)" 270
    fails 3 "r.npy: shape [3,3,5,2,3], $want" viz_rounds "$dir/r.npy"
    npy "$dir/r.npy" "(3, 5, 2, 3)" 89
    fails 3 "r.npy" viz_rounds "$dir/r.npy"
    npy "$dir/r.npy" "(3, 5, 2, 3)" 90
    printf '\x00\x00\xc0\x7f' | dd of="$dir/r.npy" bs=1 seek=148 conv=notrunc status=none
    fails 3 "r.npy: number 5 is not finite" viz_rounds "$dir/r.npy"
    works "$viz" export -m "$ref/bert" -o "$dir/a.npz" "the key"
    fails 3 "arrays, expected one (a .npy)" viz_rounds "$dir/a.npz"
    echo x > "$dir/text"
    fails 3 "text: is neither .npz nor .npy" viz_rounds "$dir/text"
    fails 2 "--rotations: bert has no layers that hash" \
        "$viz" stats -m "$ref/bert" --rotations "$dir/r.npy" "the key"
}

@test "no hash_seed: seed 0 and a warning, unless the rotations are given" {
    run --separate-stderr "$viz" stats --tsv -m "$ref/families/reformer_open" --ids "$(ids 12)"
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == *"reformer_open: has no hash_seed: its random rotations are drawn from seed 0"* ]]
    drawn=$output
    take reformer_open
    edit '.hash_seed = 0'
    works "$viz" stats --tsv -m "$dir/m" --ids "$(ids 12)"
    [ "$output" = "$drawn" ]
    npy "$dir/r.npy" "(3, 5, 1, 3)" 45
    works "$viz" stats --tsv -m "$ref/families/reformer_open" --ids "$(ids 12)" \
        --rotations "$dir/r.npy"
    fails 3 "the rotations have 3 columns, expected 2 for a text of 6 tokens" \
        "$viz" stats -m "$ref/families/reformer_open" --ids "$(ids 6)" --rotations "$dir/r.npy"
    npy "$dir/r.npy" "(3, 5, 2, 3)" 90
    fails 3 "shape [3,5,2,3], expected [3,5,1,BUCKETS/2] or [2,3,5,1,BUCKETS/2]" \
        "$viz" stats -m "$ref/families/reformer_open" --ids "$(ids 12)" --rotations "$dir/r.npy"
}

@test "the padded text must fit the positions" {
    take reformer
    edit '.max_position_embeddings = 23'
    works "$viz" stats -m "$dir/m" --ids "$(ids 20)"
    fails 3 "the text has 21 tokens, m takes at most 20" \
        "$viz" stats -m "$dir/m" --ids "$(ids 21)"
    edit '.max_position_embeddings = 3'
    works "$viz" stats -m "$dir/m" --ids "$(ids 3)"
    fails 3 "m takes at most 3" "$viz" stats -m "$dir/m" --ids "$(ids 4)"
}

@test "a causal model sees no later tokens, one that is not causal does" {
    works "$viz" export --format npy -o "$dir/a.npy" -m "$ref/families/reformer_rounds" \
        --ids "$(ids 8)" -l 1 -H 0
    [ "$(tail -c 28 "$dir/a.npy" | head -c 24 | tr -d '\0' | wc -c)" -gt 0 ]
    # The first row: itself, then seven zeros
    [ "$(tail -c 256 "$dir/a.npy" | head -c 32 | od -An -tf4 -w32 | tr -s ' ')" = " 1 0 0 0 0 0 0 0" ]
    works "$viz" export --format npy -o "$dir/b.npy" -m "$ref/families/reformer" \
        --ids "$(ids 8)" -l 0 -H 0
    [ "$(tail -c 256 "$dir/b.npy" | head -c 32 | od -An -tf4 -w32 | tr ' ' '\n' | grep -c '^0$')" -eq 0 ]
}

@test "tensors and keys that do not fit" {
    take reformer
    edit '.axial_pos_shape = [4, 8]'
    fails 3 "reformer.embeddings.position_embeddings.weights.0: shape [3,1,7], expected [4,1,7]" \
        "$viz" stats -m "$dir/m" --ids 4,5
    take reformer
    edit '.attn_layers = ["local", "local"]'
    fails 3 "has no tensor reformer.encoder.layers.1.attention.self_attention.key.weight" \
        "$viz" stats -m "$dir/m" --ids 4,5
    take reformer
    edit '.axial_pos_embds = false'
    fails 3 "has no tensor reformer.embeddings.position_embeddings.embedding.weight, expected [24,18]" \
        "$viz" stats -m "$dir/m" --ids 4,5
    take reformer_rounds
    edit '.axial_pos_embds = true | .axial_pos_shape = [6, 10] | .axial_pos_embds_dim = [8, 10]'
    fails 3 "has no tensor reformer.embeddings.position_embeddings.weights.0, expected [6,1,8]" \
        "$viz" stats -m "$dir/m" --ids 4,5
    take reformer
    edit '.num_buckets = 5'
    fails 3 "config.json: num_buckets: found 5, expected an even number" \
        "$viz" stats -m "$dir/m" --ids 4,5
}
