#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files that take more than their share: of memory, of the terminal, of another file's bytes.
# shellcheck disable=SC2154

load helper

# A copy of a reference model in $dir/m, of links.
copy() {
    mkdir "$dir/m"
    ln -s "$ref/$1"/* "$dir/m"
}

# put NAME: standard input becomes that file of the copy
put() {
    rm -f "$dir/m/$1"
    cat >"$dir/m/$1"
}

# many N TEXT: TEXT N times
many() {
    head -c "$1" /dev/zero | sed "s/\\x00/$2/g"
}

@test "JSON that would grow to gigabytes is refused before it is read" {
    copy bert
    { printf '{"model_type":"bert","x":['; many 5000000 '[],'; printf '0]}'; } | put config.json
    fails 3 "m/config.json: JSON that would take " "$viz" info -m "$dir/m"
    cp "$dir/m/config.json" "$dir/m/tokenizer.json.new"
    mv -f "$dir/m/tokenizer.json.new" "$dir/m/tokenizer.json"
    fails 3 "m/tokenizer.json: JSON that would take " "$viz" tokens -m "$dir/m" a
    { printf '{"ids":['; many 5000000 '[],'; printf '0]}\n'; } >"$dir/lines"
    run --separate-stderr "$viz" stats --jsonl -f "$dir/lines"
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *"lines: line 1: JSON that would take "* ]]
    rm -r "$dir/m"
    copy gpt2
    { printf '{"weight_map":{},"x":['; many 5000000 '[],'; printf '0]}'; } |
        put model.safetensors.index.json
    fails 3 "index.json: JSON that would take " "$viz" info -m "$dir/m"
}

@test "a model's name of its own is shown, not obeyed" {
    copy llama
    sed '1s/{/{"mha_viz":{"name":"\\u001b]0;x\\u0007\\n\\u202e","default_text":"a"},/' \
        "$ref/llama/config.json" | put config.json
    works "$viz" info -m "$dir/m"
    [[ ${lines[0]} == 'model       \x1b]0;x\x07\n\u202e' ]]
    fails 2 '\x1b]0;x\x07\n\u202e has only the stack decoder' \
        "$viz" stats -m "$dir/m" -s encoder --ids 1
}

@test "a token of a hundred thousand letters" {
    copy bert
    word=$(many 100000 a)
    sed "s/\"model\": {/\"model\": {\"max_input_chars_per_word\": 1000000,/
         s/\"vocab\": {/\"vocab\": {\"$word\": 141,/; /max_input_chars_per_word\": 100,*\$/d" \
        "$ref/bert/tokenizer.json" | put tokenizer.json
    echo "$word" >"$dir/text"
    sanitised || ulimit -v 600000
    works "$viz" tokens -m "$dir/m" --no-special -f "$dir/text"
    [ "${#lines[@]}" -eq 3 ]
    [ "${#lines[2]}" -gt 200000 ]
}

@test "a table of a million rows stays below a gigabyte" {
    { many 1000000 x; echo; } >"$dir/text"
    sanitised || ulimit -v 1000000
    works "$viz" tokens -m "$ref/gpt2" -f "$dir/text" -o "$dir/table"
    [ "$(wc -l <"$dir/table")" -gt 100000 ]
}

@test "a file that begins with empty lines" {
    printf '\n\na\n' >"$dir/text"
    works "$viz" tokens --tsv -m "$ref/bert" --keep-empty -f "$dir/text"
    [ "${#lines[@]}" -eq 8 ]
}

@test "buckets of relative positions that no distance fits" {
    copy bert
    for keys in '"relative_attention_num_buckets":3' \
        '"relative_attention_num_buckets":32,"relative_attention_max_distance":16' \
        '"relative_attention_num_buckets":8192'; do
        echo "{\"model_type\":\"mpnet\",$keys}" | put config.json
        fails 3 "m/config.json: " "$viz" info -m "$dir/m"
    done
}

@test "a model that is left no position" {
    copy bert_old
    # roberta counts positions from behind the padding's
    sed 's/"bert"/"roberta"/; s/"pad_token_id": 0/"pad_token_id": 48/' \
        "$ref/bert_old/config.json" | put config.json
    fails 3 "48 positions, of which padding leaves none" \
        "$viz" stats --truncate -m "$dir/m" --ids 1,2
}

# layer_file N NAME...: tensors of one number of these names, N times, with 0, 1, .. for %
layer_file() {
    local count=$1 header n
    shift
    header=$(awk -v n="$count" -v names="$*" 'BEGIN {
        parts = split(names, name, " ")
        for (i = 0; i < n; i++)
            for (j = 1; j <= parts; j++) {
                one = name[j]
                sub("%", i, one)
                at = 4 * (i * parts + j - 1)
                printf "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[%d,%d]}",
                    (at > 0 ? "," : "{"), one, at, at + 4
            }
        printf "}" }')
    n=${#header}
    # shellcheck disable=SC2059
    printf "$(printf '\\x%02x' $((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)))\0\0\0\0\0"
    printf %s "$header"
    head -c $((4 * count * $#)) /dev/zero
}

@test "thousands of layers take memory that their file takes" {
    layer_file 2000 layers.%.q_linear.weight layers.%.k_linear.weight \
        layers.%.v_linear.weight layers.%.out.weight >"$dir/l.safetensors"
    sanitised || ulimit -v 400000
    works "$viz" info -q -m "$dir/l.safetensors" --heads 1
    [[ $output == *"layers      2000"* ]]
    layer_file 17000 a%.q_linear.weight >"$dir/l.safetensors"
    fails 3 "l.safetensors: its tensors can be read as over 16384 attentions" \
        "$viz" info -m "$dir/l.safetensors"
}
