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
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

# bats test_tags=threads
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
    fails 3 "m.npy: the mask has the shape [2,2], expected [8,8], [3,8,8], [texts,8,8] or [texts,3,8,8]: there are 3 heads, 8 queries and 8 keys" \
        "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" "$text"
    npy "$dir/m.npy" '|u1' '2, 3, 3' '\1\1\1\1\1\1\1\1\1''\1\1\1\1\1\1\1\1\1'
    printf 'key\nkey\nkey\n' > "$dir/lines"
    run --separate-stderr "$viz" stats --json -m "$ref/bert" --mask "$dir/m.npy" -f "$dir/lines"
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 2 ]
    [ "$stderr" = "mha-viz: $dir/m.npy: the mask has the shape [2,3,3], for 2 texts, and this is number 3" ]
    npy "$dir/m.npy" '|u1' '1, 5, 3, 3' "$(printf '\\1%.0s' {1..45})"
    fails 3 "the mask has the shape [1,5,3,3], expected [3,3], [3,3,3], [texts,3,3] or [texts,3,3,3]" "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    npy "$dir/m.npy" '|u1' '3,' '\1\1\1'
    fails 3 "has the shape [3], expected [queries, keys]" "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    fails 3 "a mask of keys alone is keys:FILE.npy" "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    fails 3 "the mask has the shape [3], expected [8] or [texts,8]: there are 8 keys" \
        "$viz" stats -m "$ref/bert" --mask "keys:$dir/m.npy" "$text"
    npy "$dir/m.npy" '<f4' '1, 3' '\0\0\xc0\x7f\0\0\0\0\0\0\0\0'
    fails 3 "element 0 is NaN" "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" key
    fails 3 "none.npy: No such file" "$viz" stats -m "$ref/bert" --mask "$dir/none.npy" key
}

@test "a mask of keys by name is one of all queries, and joins others" {
    npy "$dir/k.npy" '|b1' '3,' '\1\0\1'
    npy "$dir/m.npy" '|u1' '3, 3' '\1\0\1\1\0\1\1\0\1'
    works "$viz" stats --no-metadata --json -m "$ref/bert" --mask "$dir/m.npy" key
    want=$output
    works "$viz" stats --no-metadata --json -m "$ref/bert" --mask "keys:$dir/k.npy" key
    [ "$output" = "$want" ]
    npy "$dir/two.npy" '|u1' '2, 3' '\1\0\1\0\1\1'
    printf 'key\ndoor\n' > "$dir/lines"
    works "$viz" stats --json -l 0 -H 0 -m "$ref/bert" --mask "keys:$dir/two.npy" -f "$dir/lines"
    [ "$(jq -s -c 'map([.heads[0].links[][1]] | any(. == 0))' <<< "$output")" = "[true,false]" ]
    [ "$(jq -s -c 'map([.heads[0].links[][1]] | any(. == 1))' <<< "$output")" = "[false,true]" ]
    # Two arrays, each of which hides its own.
    npy "$dir/last.npy" '|b1' '3,' '\1\1\0'
    works "$viz" stats --json -m "$ref/bert" --mask "keys:$dir/k.npy+keys:$dir/last.npy" key
    [ "$(jq -c '[.heads[].links[][1]] | unique' <<< "$output")" = "[0]" ]
    fails 3 "none.npy: No such file" "$viz" stats -m "$ref/bert" --mask "keys:$dir/none.npy" key
    npy "$dir/cube.npy" '|u1' '1, 1, 3' '\1\1\1'
    fails 3 "has the shape [1,1,3], expected [keys] or [texts, keys]" \
        "$viz" stats -m "$ref/bert" --mask "keys:$dir/cube.npy" key
    fails 2 "--mask: 'keys:' names no file: expected keys:FILE.npy" \
        "$viz" stats -m "$ref/bert" --mask keys: key
    # Rows for texts that are not there: of keys, that is no mask for heads.
    npy "$dir/three.npy" '|u1' '3, 3' '\1\1\1\1\1\1\1\1\1'
    fails 3 "three.npy: the mask has the shape [3,3], for 3 texts, but there is 1" \
        "$viz" stats -m "$ref/bert" --mask "keys:$dir/three.npy" key
    fails 3 "three.npy: the mask has the shape [3,3], for 3 texts, but there are 2" \
        "$viz" stats -m "$ref/bert" --mask "keys:$dir/three.npy" -f "$dir/lines"
}

@test "a mask names the first text that it does not fit, and counts the others" {
    npy "$dir/m.npy" '|u1' '2, 2' '\1\1\1\1'
    npy "$dir/k.npy" '|u1' '2,' '\1\1'
    npy "$dir/heads.npy" '|u1' '1, 2, 3, 3' "$(printf '\\1%.0s' {1..18})"
    npy "$dir/fits.npy" '|u1' '3, 3' '\1\1\1\1\1\1\1\1\1'
    printf 'key\ndoor\nthe door\nkey\n' > "$dir/lines"
    for c in stats "mechanisms --runs 0 --only exact" "stability --runs 1" \
        "heatmap --format svg -o $dir/" "diff --dtype f32 --dtype bf16"; do
        # shellcheck disable=SC2086
        run --separate-stderr "$viz" $c -m "$ref/bert" --mask "$dir/m.npy" -f "$dir/lines"
        [ "$status" -eq 3 ]
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" -eq 2 ]
        [[ ${stderr_lines[0]} == *"$dir/lines: line 1: $dir/m.npy: the mask has the shape [2,2], expected [3,3], "* ]]
        [ "${stderr_lines[1]}" = "mha-viz: $dir/lines: 4 of 4 lines could not be used" ]
    done
    run --separate-stderr "$viz" stats -m "$ref/bert" --mask "keys:$dir/k.npy" -f "$dir/lines"
    [ "$status" -eq 3 ]
    [ "${#stderr_lines[@]}" -eq 2 ]
    [[ ${stderr_lines[0]} == *"line 1: $dir/k.npy: the mask has the shape [2], expected [3] or [texts,3]: there are 3 keys" ]]
    fails 3 "the mask has the shape [1,2,3,3], expected [3,3], [3,3,3], " \
        "$viz" stats -m "$ref/bert" --mask "$dir/heads.npy" -f "$dir/lines"
    [ "${#stderr_lines[@]}" -eq 1 ]
    run --separate-stderr "$viz" stats --json -m "$ref/bert" --mask "$dir/fits.npy" -f "$dir/lines"
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 3 ]
    [[ ${stderr_lines[0]} == *"line 3: "*"the mask has the shape [3,3], expected [4,4], "* ]]
    [ "${stderr_lines[1]}" = "mha-viz: $dir/lines: 1 of 4 lines could not be used" ]
    # Whatever the order
    tac "$dir/lines" > "$dir/down"
    printf 'the door\nthe key\nkey\n' > "$dir/up"
    for l in down up; do
        run --separate-stderr "$viz" stats --json -m "$ref/bert" --mask "$dir/fits.npy" -f "$dir/$l"
        [ "$status" -eq 3 ]
        [ "${#stderr_lines[@]}" -eq 2 ]
        [ "${#lines[@]}" -eq "$(grep -cv the "$dir/$l")" ]
    done
}

@test "a mask hides neither the key of zeros nor the learnt one" {
    npy "$dir/none.npy" '|b1' '4,' '\0\0\0\0'
    for mask in "keys:$dir/none.npy" padding:4; do
        works "$viz" stats -m "$ref/layers/torch_zero.safetensors" --heads 3 --zero-attn \
            --shape 4 --mask "$mask" --json
        [ "$(jq -c '[.heads[].links[][1:]] | unique' <<< "$output")" = "[[4,1]]" ]
    done
    fails 3 "hides 5 keys, the text has 4" "$viz" stats --shape 4 --mask padding:5 \
        -m "$ref/layers/torch_zero.safetensors" --heads 3 --zero-attn
    works "$viz" stats -m "$ref/layers/torch_zero_bias_kv.safetensors" --heads 3 --shape 4 \
        --mask padding:4 --json
    [ "$(jq -c '[.heads[].links[][1]] | unique' <<< "$output")" = "[4]" ]
}

@test "--mask none lifts the mask of a bare layer, and nothing else" {
    layer=$ref/layers/decoder.safetensors
    works "$viz" stats --json -s decoder -m "$layer" --heads 3 --shape 5
    [ "$(jq -c '.heads[0].links[0][1]' <<< "$output")" = 0 ]
    works "$viz" stats --json -s decoder -m "$layer" --heads 3 --shape 5 --mask none
    [ "$(jq '[.heads[].links[0][2] | . < 1] | all' <<< "$output")" = true ]
    works "$viz" stats --json -s cross -m "$layer" --heads 3 --shape 5 --mask none \
        --memory-mask padding:4
    [ "$(jq -c '[.heads[].links[][1]] | unique' <<< "$output")" = "[0]" ]
    # A layer without a mask of its own stays as it is.
    works "$viz" stats --no-metadata --json -m "$ref/layers/q_linear.safetensors" --heads 3
    want=$output
    works "$viz" stats --no-metadata --json -m "$ref/layers/q_linear.safetensors" --heads 3 --mask none
    [ "$output" = "$want" ]
    fails 2 "--mask none: bert is not a bare layer, and its own mask is part of what it computes" \
        "$viz" stats -m "$ref/bert" --mask none key
    fails 2 "'none' is not a mask that goes with others" "$viz" stats -m "$ref/bert" --mask causal+none key
    fails 2 "'foo' is not a mask: expected causal, padding:N, block:Q-Q,K-K, keys:FILE.npy or FILE.npy (" \
        "$viz" stats -m "$ref/bert" --mask foo key
    fails 2 "'foo' is not a mask: expected causal, padding:N, block:Q-Q,K-K, keys:FILE.npy, FILE.npy or none" \
        "$viz" stats -m "$layer" --heads 3 --mask foo
    fails 2 "keys:FILE.npy, FILE.npy or none" "$viz" diff -m "$ref/bert" --mask foo --mask none key
    fails 2 "--mask-value requires a mask that hides keys" "$viz" stats -m "$layer" --heads 3 --mask none --mask-value -1
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

# npz FILE SIDE: an .npz with a mask of SIDE x SIDE zeros of a byte each, deflated
npz() {
    perl -e '$n = $ARGV[1]; $h = "{\x27descr\x27: \x27|i1\x27, \x27fortran_order\x27: False, \x27shape\x27: ($n, $n), }\n";
        print "\x93NUMPY\1\0", pack("v", length $h), $h; print "\0" x $n for 1 .. $n' -- "$@" |
        gzip -1n > "$1.gz"
    perl -e 'local $/; open F, "<:raw", "$ARGV[0].gz"; $_ = <F>;
        ($crc, $size) = unpack "VV", substr $_, -8; $data = substr $_, 10, -8;
        $both = pack "vvvvvVVVvv", 20, 0, 8, 0, 33, $crc, length $data, $size, 5, 0;
        $local = "PK\3\4" . $both . "m.npy";
        $central = "PK\1\2" . pack("v", 20) . $both . pack("vvvVV", 0, 0, 0, 0, 0) . "m.npy";
        open F, ">:raw", $ARGV[0];
        print F $local, $data, $central, "PK\5\6",
            pack "vvvvVVv", 0, 0, 1, 1, length $central, length $local . $data, 0' "$1"
}

@test "a deflated mask is unpacked only where its shape fits" {
    command -v perl > /dev/null || skip "no perl here"
    npz "$dir/a.npy" 8
    fails 3 "--mask: hides all keys from all queries" "$viz" stats -m "$ref/bert" --mask "$dir/a.npy" "$text"
    # Room for the program, and none for 400 MB
    npz "$dir/m.npy" 20000
    sanitised || ulimit -v 400000
    shapes="m.npy: the mask has the shape [20000,20000], expected [8,8], "
    fails 3 "$shapes" "$viz" stats -t 1 -m "$ref/bert" --mask "$dir/m.npy" "$text"
    fails 3 "$shapes" "$viz" diff -t 1 -m "$ref/bert" --mask causal --mask "$dir/m.npy" "$text"
    # Damage within the header is found at once, later on only where the numbers are read.
    printf '\xff' | dd of="$dir/m.npy" bs=1 seek=36 conv=notrunc status=none
    fails 3 "m.npy: m.npy: its deflated data are damaged" \
        "$viz" stats -t 1 -m "$ref/bert" --mask "$dir/m.npy" "$text"
    printf '\xff' | dd of="$dir/a.npy" bs=1 seek=$(($(stat -c %s "$dir/a.npy") - 75)) conv=notrunc status=none
    fails 3 "a.npy: m.npy: its " "$viz" stats -m "$ref/bert" --mask "$dir/a.npy" "$text"
}

@test "ten gigabytes of a wrong shape are refused before they are read" {
    [ "$(getconf LONG_BIT)" -eq 64 ] || skip "no such file can be mapped here"
    npy "$dir/m.npy" '|i1' '100000, 100000' ''
    truncate -s +10000000000 "$dir/m.npy"       # a hole
    # Room for the mapping, and none for 40 GB of numbers
    sanitised || ulimit -v 12000000
    shapes="m.npy: the mask has the shape [100000,100000], expected [8,8], "
    fails 3 "$shapes" "$viz" stats -m "$ref/bert" --mask "$dir/m.npy" "$text"
    fails 3 "$shapes" "$viz" heatmap -m "$ref/bert" --mask "$dir/m.npy" -o "$dir/a.png" "$text"
    fails 3 "$shapes" "$viz" diff -m "$ref/bert" --mask causal --mask "$dir/m.npy" "$text"
    # A line that it fits has it read, and is told why that fails; others are not.
    npy "$dir/n.npy" '<f4' '1, 3' '\0\0\xc0\x7f\0\0\0\0\0\0\0\0'
    printf 'key\nthe key\n' > "$dir/lines"
    run --separate-stderr "$viz" stats -m "$ref/bert" --mask "$dir/n.npy" -f "$dir/lines"
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *"line 1: $dir/n.npy: element 0 is NaN, expected numbers or -inf" ]]
    [[ ${stderr_lines[1]} == *"line 2: $dir/n.npy: the mask has the shape [1,3], expected [4,4], "* ]]
}
