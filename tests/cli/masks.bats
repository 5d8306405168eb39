#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --mask, --memory-mask, --mask-value: what they hide, and what is said of one that does not fit.

# shellcheck disable=SC2154
load helper

text="the key is in the door"      # 8 tokens with [CLS] and [SEP]

# npy FILE DESCR SHAPE BYTES: an array with these bytes, as printf writes them
npy() {
    local head="{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" n
    n=$((10 + ${#head} + 1))
    printf '\x93NUMPY\x01\x00'"\\x$(printf %02x $((n - 10)))"'\x00%s\n' "$head" > "$1"
    printf "$4" >> "$1"
}

@test "rows that see no key are skipped and counted; a finite mask has none" {
    works "$viz" stats --json -m "$ref/bert" --mask block:1-2,0-7 "$text"
    echo "$output" | jq -e '.heads | all(.rows_skipped == 2 and .links[1] == [1, null, 0] and
        .links[3][1] != null)' > /dev/null
    works "$viz" stats --tsv -m "$ref/bert" --mask block:1-2,0-7 "$text"
    [ "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "rows_skipped") c = i }
        END { print $c }' <<< "$output")" = 2 ]
    works "$viz" stats --json -m "$ref/bert" --mask block:1-2,0-7 --mask-value -1e9 "$text"
    echo "$output" | jq -e '.heads | all(.rows_skipped == 0 and .links[1][2] == 0.125)' > /dev/null
}

@test "an array hides where its integers are 0, for each text its own" {
    npy "$dir/m.npy" '|u1' '2, 1, 3, 3' '\1\0\0\1\1\0\1\1\1''\1\1\1\1\1\1\0\0\1'
    printf 'key\ndoor\n' > "$dir/lines"
    works "$viz" stats --json -l 0 -H 0 -m "$ref/bert" --mask "$dir/m.npy" -f "$dir/lines"
    echo "$output" | jq -s -e '.[0].heads[0].links[0] == [0, 0, 1] and
        .[1].heads[0].links[2] == [2, 2, 1]' > /dev/null
    works "$viz" heatmap -q -m "$ref/bert" --mask "$dir/m.npy" -o "$dir/x.png" key
}

@test "a mask that was probably meant differently is named in a warning" {
    npy "$dir/m.npy" '<f4' '1, 3' '\0\0\0\0\0\0\x80?\0\0\x80?'       # 0, 1, 1
    run --separate-stderr "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    [ "$status" -eq 0 ]
    [[ $stderr == *"m.npy: floats of only 0 and 1 are added to the scores and hide nothing"* ]]
    npy "$dir/m.npy" '|u1' '2, 1, 3' '\1\0\1\1\1\1'
    run --separate-stderr "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    [ "$status" -eq 0 ]
    [[ $stderr == *"m.npy: has masks for 2 texts, here is 1; the layers have 3 heads"* ]]
    printf 'key\ndoor\n' > "$dir/lines"
    run --separate-stderr "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" -f "$dir/lines"
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
}

@test "the same bytes for any number of threads" {
    "$viz" stats --json -t 1 -m "$ref/bert" --mask causal+padding:1 "$text" > "$dir/one"
    "$viz" stats --json -t 3 -m "$ref/bert" --mask causal+padding:1 "$text" > "$dir/three"
    cmp "$dir/one" "$dir/three"
}

@test "masks that are not valid" {
    for spec in '' casual 'padding:' padding:x padding:-1 'padding:1,' block:1-2 block:2-1,0-1 \
        block:1,2,3 causal+ +causal padding:99999999999 'block:0-1,0-1+x'; do
        fails 2 "--mask: '" "$viz" stats -m "$ref/bert" --mask "$spec" "$text"
    done
    fails 2 "--mask-value requires --mask" "$viz" stats -m "$ref/bert" --mask-value -1 "$text"
    fails 2 "--mask-value: '3' is not in" "$viz" stats -m "$ref/bert" --mask causal --mask-value 3 "$text"
    fails 2 "--memory-mask requires cross" "$viz" stats -m "$ref/bert" --memory-mask causal "$text"
}

@test "masks that do not fit the text" {
    fails 3 "--mask: hides 8 keys, the text has 8" "$viz" stats -m "$ref/bert" --mask padding:8 "$text"
    fails 3 "--mask: hides all keys from all queries" "$viz" stats -m "$ref/bert" --mask block:0-7,0-7 "$text"
    fails 3 "queries 0 to 7, keys 0 to 7" "$viz" stats -m "$ref/bert" --mask block:0-8,0-1 "$text"
    npy "$dir/m.npy" '|u1' '2, 2' '\1\1\1\1'
    fails 3 "the mask is for 2 queries and 2 keys, the text has 8 and 8" \
        "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" "$text"
    npy "$dir/m.npy" '|u1' '2, 3, 3' '\1\1\1\1\1\1\1\1\1''\1\1\1\1\1\1\1\1\1'
    printf 'key\nkey\nkey\n' > "$dir/lines"
    run --separate-stderr "$viz" stats --json -m "$ref/bert" --mask "$dir/m.npy" -f "$dir/lines"
    [ "$status" -eq 3 ]
    [[ $stderr == *"line 3: "*"the mask is for 2 texts, this is number 3"* ]]
    npy "$dir/m.npy" '|u1' '1, 5, 3, 3' "$(printf '\\1%.0s' {1..45})"
    fails 3 "the mask is for 5 heads, the layer has 3" "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    npy "$dir/m.npy" '|u1' '3,' '\1\1\1'
    fails 3 "has the shape [3], expected [queries, keys]" "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    npy "$dir/m.npy" '<f4' '1, 1' '\0\0\xc0\x7f'
    fails 3 "element 0 is NaN" "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    fails 3 "none.npy: No such file" "$viz" stats -m "$ref/bert" --mask "$dir/none.npy" key
}

@test "a causal mask on xlnet gives what attn_type uni gives" {
    cp -r "$ref/families/xlnet" "$dir/uni"
    jq '.attn_type = "uni"' "$ref/families/xlnet/config.json" > "$dir/uni/config.json"
    for ids in 5,6,7,8,9 "$(seq -s, 1 42)"; do
        works "$viz" stats -m "$ref/families/xlnet" --mask causal --ids "$ids"
        masked=$output
        works "$viz" stats -m "$dir/uni" --ids "$ids"
        [ "$masked" = "$output" ]
        works "$viz" stats -m "$ref/families/xlnet" --ids "$ids"
        [ "$masked" != "$output" ]
        works "$viz" stats -m "$ref/families/xlnet" --mask causal --mask-value -1e30 --ids "$ids"
    done
}
