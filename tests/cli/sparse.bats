#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Global tokens of longformer: --global, "global" in JSON lines, what the model's class does
# without them; the two arrays of big_bird.
# shellcheck disable=SC2154
load helper

long=$BATS_TEST_DIRNAME/../ref/families/longformer
ids=7,9,12,30,8,11,5,6,20,33,4,9

stats() {
    "$viz" stats -m "$long" --json --no-metadata --ids "$ids" "$@"
}

@test "--global: lists, ranges, all and none" {
    stats > "$dir/none"
    stats --global none | cmp - "$dir/none"
    stats --global 0,3-5 > "$dir/some"
    stats --global 3-5,0,4 | cmp - "$dir/some"
    stats --global all > "$dir/all"
    stats --global 0-11 | cmp - "$dir/all"
    refute cmp -s "$dir/none" "$dir/some"
    refute cmp -s "$dir/some" "$dir/all"
    # A row sees 4 to either side and the global tokens; what it cannot see weighs nothing.
    stats -l 0 --top 1000 | jq -e '.heads | all(.top | all((.[0] - .[1] | fabs) <= 4))'
    stats -l 0 --top 1000 --global 0,11 | jq -e '.heads |
        all(.top | all(((.[0] - .[1] | fabs) <= 4) or (.[:2] | any(. == 0 or . == 11))) and
                   any(.[:2] == [0, 11]) and any(.[:2] == [5, 0]))'
    works "$viz" heatmap -m "$long" -l 1 --ids "$ids" --global 0 -o "$dir/a.svg"
    works "$viz" export -m "$long" --ids "$ids" --global 0 -o "$dir/a.npz"
}

@test "--global: what is not a position of the text" {
    local range="out of range: the text has tokens 0 to 11"
    fails 2 "--global: 12 is $range" "$viz" stats -m "$long" --ids "$ids" --global 0,12
    fails 2 "--global: 99 is $range" "$viz" stats -m "$long" --ids "$ids" --global 3-99
    fails 2 "is $range" "$viz" stats -m "$long" --ids "$ids" --global 99999999999999999999
    for list in "" "," "0," x 3-1 -1 1-2-3 "0 1" All; do
        fails 2 "--global: '$list' is not a list like 0,3-5, all or none" \
            "$viz" stats -m "$long" --ids "$ids" "--global=$list"
    done
    fails 2 "--global: bert has no global tokens" "$viz" stats -m "$ref/bert" --global 0 "the key"
    fails 2 "--global: 8 is out of range: the text has tokens 0 to 7" \
        "$viz" stats -m "$long" --global 8 --truncate --ids 7,9,12,30,8,11,5,6
}

@test "--global: each text of a file, and JSON lines that give it themselves" {
    printf '{"ids":[%s]}\n{"ids":[%s],"global":[0,3,4,5]}\n{"ids":[%s],"global":[]}\n' \
        "$ids" "$ids" "$ids" > "$dir/lines"
    stats --global 2 | jq -c .heads > "$dir/want"
    stats --global 0,3-5 | jq -c .heads >> "$dir/want"
    stats | jq -c .heads >> "$dir/want"
    "$viz" stats -m "$long" --json --global 2 --jsonl -f "$dir/lines" | jq -c .heads |
        cmp - "$dir/want"
    # One pass or three, one thread or more: the same bytes.
    "$viz" stats -m "$long" --json -t 3 --global 2 --jsonl -f "$dir/lines" | jq -c .heads |
        cmp - "$dir/want"

    printf '{"ids":[7,9],"global":[2]}\n{"ids":[7,9],"global":[-1]}\n{"ids":[7,9],"global":1}\n{"ids":[7,9,8],"global":[2]}\n' > "$dir/lines"
    run --separate-stderr "$viz" stats -m "$long" --json --jsonl -f "$dir/lines"
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ ${stderr_lines[0]} == *"line 1: global: 2 is out of range: the text has tokens 0 to 1" ]]
    [[ ${stderr_lines[1]} == *"line 2: global[0]: found -1"* ]]
    [[ ${stderr_lines[2]} == *"line 3: global: found"* ]]
    echo '{"text":"the key","global":[0]}' > "$dir/lines"
    run --separate-stderr "$viz" stats -m "$ref/bert" --json --jsonl -f "$dir/lines"
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *"global: bert has no global tokens"* ]]
    # A file for several models: only tokenising needs no such model.
    works "$viz" tokens -m "$ref/bert" --jsonl -f "$dir/lines"
}

# The model of another class of the reference library
class() {
    rm -rf "$dir/m"
    cp -r "$long" "$dir/m"
    jq --arg c "$1" '.architectures = [$c] | .sep_token_id = 3' "$long/config.json" \
        > "$dir/m/config.json"
}

@test "without --global, the default of the class in the reference library" {
    q=0,9,30,3,3,8,17,21,6,3
    "$viz" stats -m "$long" --tsv --ids $q --global 0 > "$dir/first"
    "$viz" stats -m "$long" --tsv --ids $q --global 0-2 > "$dir/question"
    "$viz" stats -m "$long" --tsv --ids $q --global 5-9 > "$dir/answer"
    "$viz" stats -m "$long" --tsv --ids $q > "$dir/none"
    class LongformerForTokenClassification
    "$viz" stats -m "$dir/m" --tsv --ids $q | cmp - "$dir/none"
    class LongformerForSequenceClassification
    "$viz" stats -m "$dir/m" --tsv --ids $q | cmp - "$dir/first"
    class LongformerForQuestionAnswering
    "$viz" stats -m "$dir/m" --tsv --ids $q | cmp - "$dir/question"
    "$viz" stats -m "$dir/m" --tsv --ids $q --global none | cmp - "$dir/none"
    fails 3 "separators (id 3): found 1 in the text, expected 3" \
        "$viz" stats -m "$dir/m" --ids 0,9,3
    class LongformerForMultipleChoice
    "$viz" stats -m "$dir/m" --tsv --ids $q | cmp - "$dir/answer"
}

@test "an odd window, and blocks of nothing, are refused in one line" {
    class LongformerModel
    jq '.attention_window = [8, 3]' "$long/config.json" > "$dir/m/config.json"
    fails 3 "attention_window: found [8,3], expected an even number" "$viz" info -m "$dir/m"
    jq '.attention_window = [8]' "$long/config.json" > "$dir/m/config.json"
    fails 3 "attention_window: has 1 layer, expected 2" "$viz" info -m "$dir/m"
    jq '.block_size = 0' "$ref/families/big_bird/config.json" > "$dir/m/config.json"
    fails 3 "block_size: found 0" "$viz" info -m "$dir/m"
}

@test "info: a layer of longformer has seven projections" {
    "$viz" info -m "$long" | grep -qF "one attention layer: 7 x 12 x 12 = 1,008 weights"
}

@test "export: attn and eff of big_bird; of another model, attn alone" {
    bird=$ref/families/big_bird
    many=$(seq -s, 1 30)
    "$viz" export -m "$bird" --ids "$many" -l 1 -o "$dir/a.npz"
    unzip -Z1 "$dir/a.npz" | tr '\n' ' ' > "$dir/names"
    [ "$(cat "$dir/names")" = "attn.1.npy eff.1.npy ids.npy tokens.npy provenance.npy " ]
    unzip -p "$dir/a.npz" attn.1.npy > "$dir/attn"
    unzip -p "$dir/a.npz" eff.1.npy > "$dir/eff"
    refute cmp -s "$dir/attn" "$dir/eff"
    # An .npy is the attention as the reference library returns it.
    "$viz" export -m "$bird" --ids "$many" -l 1 -o "$dir/a.npy"
    tail -c $((2 * 30 * 30 * 4)) "$dir/a.npy" > "$dir/one"
    tail -c $((2 * 30 * 30 * 4)) "$dir/attn" | cmp - "$dir/one"
    # A text that all rows see whole
    "$viz" export -m "$bird" --ids 1,2,3 -o "$dir/b.npz"
    cmp <(unzip -p "$dir/b.npz" attn.0.npy) <(unzip -p "$dir/b.npz" eff.0.npy)
    "$viz" export -m "$ref/families/big_bird_full" --ids 1,2,3 -o "$dir/c.npz"
    run unzip -Z1 "$dir/c.npz"
    [[ $output != *eff* ]]
}
