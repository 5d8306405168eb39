#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Encoder-decoders on the command line: which stack is shown, and whose tokens.
# shellcheck disable=SC2154
load helper

in_folder() {
    bart=$ref/bart
    cd "$dir" || return 1
}

@test "stats: cross with a second text, encoder without" {
    in_folder
    "$viz" stats -m "$bart" --json "Read the key." "The river." >cross.json
    jq -e '[.heads[].stack] | unique == ["cross"]' cross.json
    jq -e '[.heads[].layer] | max == 2' cross.json          # the decoder has three layers
    jq -e '.tokens[0] == "</s>" and .tokens[1] == "<s>" and .tokens[-1] == "</s>"' cross.json
    jq -e '.tokens_key[0] == "<s>" and (.tokens | length) != (.tokens_key | length)' cross.json
    jq -e '.heads[0] | .distance == null and .prev == null and .self == null and
           .next == null and .first != null and .entropy > 0' cross.json
    "$viz" stats -m "$bart" --json "Read the key." >encoder.json
    jq -e '[.heads[].stack] | unique == ["encoder"]' encoder.json
    jq -e 'has("tokens_key") | not' encoder.json
    "$viz" stats -m "$bart" --json -s decoder "Read the key." "The river." >decoder.json
    jq -e '.heads[0].stack == "decoder" and .heads[0].links[0][1] == 0' decoder.json
}

@test "stats: --decoder-ids, --pairs and --jsonl say the same as a second text" {
    in_folder
    "$viz" stats -m "$bart" --tsv "Read the key." "The river." >want.tsv
    ids=$("$viz" stats -m "$bart" --json "Read the key." "The river." | jq -r '.ids | join(",")')
    "$viz" stats -m "$bart" --tsv --decoder-ids "$ids" "Read the key." | diff - want.tsv
    printf 'Read the key.\tThe river.\n' | "$viz" stats -m "$bart" --tsv --pairs -f - | diff - want.tsv
    echo '{"text":"Read the key.","pair":"The river."}' |
        "$viz" stats -m "$bart" --tsv --jsonl -f - | diff - want.tsv
    echo "{\"text\":\"Read the key.\",\"decoder_ids\":[$ids]}" |
        "$viz" stats -m "$bart" --tsv --jsonl -f - | diff - want.tsv
    echo '{"text":"Read the key.","pair":"The river.","decoder_ids":[2]}' >both
    run --separate-stderr "$viz" stats -m "$bart" --tsv --jsonl -f both
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *"line 1: pair, decoder_ids: only one of them can be given" ]]
}

@test "which of the texts is too long" {
    long=$(printf 'key %.0s' $(seq 99))
    fails 3 "the text has " "$viz" stats -m "$ref/bart" "$long" "the key"
    fails 3 "the text for the decoder has " "$viz" stats -m "$ref/bart" "the key" "$long"
    run --separate-stderr "$viz" stats -m "$ref/bart" --truncate "$long" "$long"
    [ "$status" -eq 0 ]
    [[ ${stderr_lines[0]} == *"text 1 for the decoder is cut to the 64 tokens"* ]]
    [[ ${stderr_lines[1]} == *"text 1 is cut to the 64 tokens"* ]]
}

@test "ids for a decoder require an encoder-decoder" {
    fails 2 "--decoder-ids: gpt2 is not an encoder-decoder: expected --ids" \
        "$viz" stats -m "$ref/gpt2" --decoder-ids 1,2 "the key"
    fails 2 "--decoder-ids: expected --ids: tokens are listed, not run" \
        "$viz" tokens -m "$ref/bart" --decoder-ids 1,2 "the key"
    echo '{"text":"the key","decoder_ids":[2]}' >"$dir/line"
    run --separate-stderr "$viz" stats -m "$ref/bert" --jsonl -f "$dir/line"
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *"line 1: decoder_ids: bert is not an encoder-decoder"* ]]
    fails 2 "--logits are the decoder's: expected TEXT_B, --decoder-ids or --generate N" \
        "$viz" export -m "$ref/bart" --logits -o "$dir/x.npz" "Read the key."
}

@test "export: all stacks, or the one that -s names" {
    in_folder
    "$viz" export -m "$bart" -o all.npz "Read the key." "The river."
    unzip -Z1 all.npz | sort >names
    for n in attn.0 attn.1 dec.0 dec.2 cross.0 cross.2 ids decoder_ids; do
        grep -qx "$n.npy" names
    done
    "$viz" export -m "$bart" -s cross -o cross.npz "Read the key." "The river."
    run unzip -Z1 cross.npz
    [[ $output != *attn.0* && $output == *cross.2* ]]
}

@test "heatmap: queries are the decoder's tokens, keys the encoder's" {
    in_folder
    "$viz" heatmap -m "$bart" -l 2 -o cross.svg "Read the key." "The river was wide."
    "$viz" heatmap -m "$bart" -l 1 -s encoder -o encoder.svg "Read the key." "The river."
    grep -q "mha-viz:stack.*cross" cross.svg
    grep -q "mha-viz:stack.*encoder" encoder.svg
    fails 2 "layers 0 to 1" "$viz" heatmap -m "$bart" -l 2 -s encoder -o x.png "Read the key."
}

@test "what a decoder does not accept" {
    in_folder
    fails 2 "no TEXT_B" "$viz" stats -m "$bart" --decoder-ids 1 "Read the key." "The river."
    fails 3 "id 9999 is not in the vocabulary" "$viz" stats -m "$bart" --decoder-ids 9999 "Read."
}

@test "info: both stacks are counted" {
    in_folder
    "$viz" info -m "$bart" --json >card.json
    jq -e '.decoder.layers == 3 and .decoder.heads == 3' card.json
    # q, k, v, o of 24 x 24 in two encoder and three decoder layers
    jq -e '.parameters.attention.weights == 5 * 4 * 24 * 24' card.json
    jq -e '.parameters.cross.weights == 3 * 4 * 24 * 24' card.json
}
