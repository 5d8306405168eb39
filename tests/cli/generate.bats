#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Texts that the model continues itself: which tokens are shown, what is said of them.
# shellcheck disable=SC2154
load helper

# npy ROWS COLUMNS: an array of zeros
npy() {
    local head
    head=$(printf "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" "$1" "$2")
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head"
    head -c $((4 * $1 * $2)) /dev/zero
}

@test "a decoder's text gets N tokens more, in every output" {
    cd "$dir"
    works "$viz" stats --json --generate 7 -l 0 -H 0 "The old man went to the"
    jq -e '.n_generated == 7 and (.generated | length) > 7' <<<"$output"
    jq -e '(.heads[0].links | length) == (.tokens | length)' <<<"$output"
    # The same row for row as the text and its continuation given by ids
    ids=$(jq -r '.ids | join(",")' <<<"$output")
    "$viz" stats --tsv --ids "$ids" >want.tsv
    "$viz" stats --tsv --generate 7 "The old man went to the" | diff - want.tsv
    "$viz" stats --tsv --generate 5 --ids "${ids%,*,*}" >five.tsv
    refute diff -q want.tsv five.tsv
    "$viz" stats --tsv --generate 2 --ids "${ids%,*,*}" | diff - want.tsv
    works "$viz" export --generate 7 -l 0 -o a.npz "The old man went to the"
    n=$(tr -cd , <<<"$ids" | wc -c)
    unzip -p a.npz tokens.npy | head -c 128 | grep -aqF "'shape': ($((n + 1)),)"
    [ "$(unzip -p a.npz n_generated.npy | tail -c 4 | od -An -td4 | tr -d ' ')" = 7 ]
    # The same cells; only the caption has other words
    works "$viz" heatmap --generate 7 -H 0 -o a.svg --no-metadata "The old man went to the"
    works "$viz" heatmap --ids "$ids" -H 0 -o b.svg --no-metadata
    grep -o 'base64,[^"]*' a.svg >a.cells
    [ -s a.cells ]
    grep -o 'base64,[^"]*' b.svg | cmp - a.cells
    refute cmp -s a.svg b.svg
    works "$viz" stats --generate 3 -l 0 -H 0 "The old man"
    grep -qx 'generated: “[^ ].*”' <<<"${lines[0]}"
}

# bats test_tags=threads
@test "any number of threads and of texts together gives the same bytes" {
    cd "$dir"
    head -n 70 "$ref/../../samples/english.txt" >lines
    "$viz" stats --json --threads 1 --generate 3 -l 0 -H 0 -f lines >one
    "$viz" stats --json --threads 3 --generate 3 -l 0 -H 0 -f lines | cmp - one
    [ "$(wc -l <one)" -eq 70 ]
    sed -n 5p lines >fifth
    "$viz" stats --json --generate 3 -l 0 -H 0 -f fifth | jq -c .generated >alone
    sed -n 5p one | jq -c .generated | cmp - alone
}

@test "so do weights that are turned for more tokens" {
    cd "$dir"
    head -n 3 "$ref/../../samples/english.txt" >lines
    "$viz" stats --json -t 1 --generate 24 -l 0 -H 0 -f lines >one
    for threads in 2 3 5; do
        "$viz" stats --json -t $threads --generate 24 -l 0 -H 0 -f lines | cmp - one
    done
    sed -n 2p lines >second
    "$viz" stats --json --generate 24 -l 0 -H 0 -f second | jq -c .generated >alone
    sed -n 2p one | jq -c .generated | cmp - alone
}

@test "an encoder-decoder's target is generated where it is needed" {
    cd "$dir"
    bart=$ref/bart
    "$viz" stats -m "$bart" --json --generate 6 "Read the key." >cross.json
    jq -e '([.heads[].stack] | unique) == ["cross"]' cross.json
    jq -e '(.ids | length) == 7 and .ids[0] == 2 and .ids[6] == 2 and .n_generated == 6' cross.json
    jq -e '.ids_key[0] == 0' cross.json
    # its ids, given, show the same
    "$viz" stats -m "$bart" --tsv --generate 6 "Read the key." >generated.tsv
    "$viz" stats -m "$bart" --tsv --decoder-ids "$(jq -r '.ids | join(",")' cross.json)" \
        "Read the key." | diff - generated.tsv
    # without N: at most 32 tokens; a given start is continued
    "$viz" stats -m "$bart" --json -s decoder "Read the key." >decoder.json
    jq -e '.n_generated == 32 and (.heads[0].stack == "decoder")' decoder.json
    "$viz" stats -m "$bart" --json --decoder-ids 2,0,30 --generate 4 "Read." >more.json
    jq -e '.ids[0:3] == [2,0,30] and .n_generated == 4' more.json
    "$viz" export -m "$bart" -o all.npz --generate 3 "Read the key."
    unzip -Z1 all.npz | grep -qx attn.0.npy
    unzip -p all.npz decoder_tokens.npy | head -c 128 | grep -aqF "'shape': (4,)"
}

@test "lines: those with a text for the decoder keep it" {
    cd "$dir"
    printf '%s\n' '{"text":"Read the key.","pair":"The river."}' '{"text":"Read the key."}' \
        '{"ids":[0,45,2],"decoder_ids":[2,0]}' >lines
    "$viz" stats -m "$ref/bart" --json --jsonl -f lines >out
    jq -se 'map(.n_generated) == [null, 32, null]' out
    "$viz" stats -m "$ref/bart" --json --generate 4 --jsonl -f lines >out
    jq -se 'map(.n_generated) == [null, 4, 4]' out
    jq -se '.[2].ids[0:2] == [2,0]' out
}

@test "the end token ends it, and a rule of generation_config.json holds" {
    cd "$dir"
    cp -r "$ref/gpt2" gpt2
    ids=$("$viz" stats -m gpt2 --json --generate 6 --ids 9,8,7 | jq -c .ids)
    end=$(jq '.[5]' <<<"$ids")
    first=$(jq '.[3]' <<<"$ids")
    echo "{\"eos_token_id\":[1,$end],\"suppress_tokens\":[$first]}" >gpt2/generation_config.json
    "$viz" stats -m gpt2 --json --generate 6 --ids 9,8,7 >out
    jq -e --argjson first "$first" '.ids[3] != $first' out
    echo "{\"eos_token_id\":$first}" >gpt2/generation_config.json
    "$viz" stats -m gpt2 --json --generate 6 --ids 9,8,7 >out
    jq -e '.n_generated == 1' out
    echo '{"eos_token_id":"</s>"}' >gpt2/generation_config.json
    fails 3 "generation_config.json: eos_token_id: found" \
        "$viz" stats -m gpt2 --generate 6 --ids 9,8,7
    works "$viz" stats -m gpt2 --ids 9,8,7          # read only where it is asked for
}

@test "no more positions: it stops, and says so" {
    cd "$dir"
    ids=$(seq -s, 10 77)
    run --separate-stderr "$viz" stats -m "$ref/gpt2" --json --generate 9 --ids "$ids"
    [ "$status" -eq 0 ]
    [[ $stderr == *"warning: text 1: 4 of 9 tokens are generated: gpt2 takes at most 72" ]]
    jq -e '.n_generated == 4 and (.ids | length) == 72' <<<"$output"
    run --separate-stderr "$viz" stats -m "$ref/gpt2" --json --generate 9 --ids "$ids,1,2,3,4"
    [ "$status" -eq 0 ]
    [[ $stderr == *"0 of 9 tokens are generated"* ]]
    jq -e 'has("generated") | not' <<<"$output"
    # An end that is forced at the last position is no end of the text.
    run --separate-stderr "$viz" stats -m "$ref/bart" --json --generate 99 "Read the key."
    [ "$status" -eq 0 ]
    [[ $stderr == *"warning: text 1: 63 of 99 tokens are generated: bart takes at most 64" ]]
}

@test "a model that cannot generate, an N that is out of range" {
    cd "$dir"
    fails 2 "does not predict the next token, so it cannot continue a text" \
        "$viz" stats -m "$ref/bert" --generate 3 "the river"
    fails 2 "does not predict the next token" \
        "$viz" stats -m "$ref/families/gemma3_both_ways" --generate 3 --ids 5,6
    fails 2 "does not predict the next token" \
        "$viz" stats -m "$ref/families/xlnet_uni" --generate 3 --ids 5,6
    fails 3 "llama has no output head in its weights, so it cannot generate text" \
        "$viz" stats -m "$ref/families/llama" --generate 3 --ids 5,6
    fails 2 "the decoder's text is generated" \
        "$viz" stats -m "$ref/bart" --generate 3 "Read." "The river."
    fails 2 "expected -s decoder or cross" \
        "$viz" stats -m "$ref/bart" --generate 3 -s encoder "Read."
    for n in 0 -1 x 1.5 99999999999; do
        fails 2 "--generate" "$viz" stats --generate "$n" "the river"
    done
    cp -r "$ref/seq2seq/mbart" mbart
    jq 'del(.decoder_start_token_id, .bos_token_id)' mbart/config.json >config.json
    mv config.json mbart/config.json
    fails 3 "neither decoder_start_token_id nor bos_token_id" \
        "$viz" stats -m mbart -s cross --ids 5,6
}

@test "a decoder's text for an array, and no mask with it" {
    cd "$dir"
    # A whisper of 10 by 32, all zeros
    jq -c '[.num_mel_bins, 2 * .max_source_positions]' "$ref/seq2seq/whisper/config.json" >shape
    npy "$(jq -r '.[0]' shape)" "$(jq -r '.[1]' shape)" >sound.npy
    works "$viz" stats -m "$ref/seq2seq/whisper" --json --generate 5 --input sound.npy
    jq -e '.n_generated == 5 and (.ids | length) == 6 and .heads[0].stack == "cross"' <<<"$output"
    ids=$(jq -r '.ids[0:3] | join(",")' <<<"$output")
    jq -c .ids <<<"$output" >whole
    "$viz" stats -m "$ref/seq2seq/whisper" --json --generate 3 --decoder-ids "$ids" \
        --input sound.npy | jq -c .ids | cmp - whole
    fails 2 "a given text, not a generated one" \
        "$viz" stats --generate 3 --mask padding:1 "the river"
    fails 2 "a given text, not a generated one" \
        "$viz" stats -m "$ref/bart" -s cross --memory-mask padding:1 "the river"
}

@test "diff: texts that each side would generate differently are refused" {
    fails 2 "requires a text for the decoder" \
        "$viz" diff -m "$ref/bart" -m "$ref/bart" -s cross "the river"
}

@test "a reformer, whose rows cannot be cached" {
    run "$viz" stats -m "$ref/families/reformer_rounds" --json --generate 6 --ids 3,4,5,6
    [ "$status" -eq 0 ]
    ids=$(jq -r '.ids | join(",")' <<<"$output")
    for n in 1 2; do
        "$viz" stats -m "$ref/families/reformer_rounds" --json --generate $((6 - n)) \
            --ids "$(cut -d , -f "1-$((4 + n))" <<<"$ids")" >"$dir/rest"
        [ "$(jq -r '.ids | join(",")' "$dir/rest")" = "$ids" ]
    done
}

@test "stability: of generated text, too" {
    cd "$dir"
    works "$viz" stability --runs 1 -l 0 --json --generate 4 "the river"
    jq -e . <<<"$output"
}

@test "lines that cannot be continued are named, the others are used" {
    cd "$dir"
    printf '%s\n' '{"ids":[5,6]}' '{"ids":[5,9999]}' '{"ids":[7,8,9]}' >lines
    run --separate-stderr "$viz" stats -m "$ref/gpt2" --json --generate 2 --jsonl -f lines
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 2 ]
    [[ $stderr == *"lines: line 2: token 1: id 9999 is not in the vocabulary"* ]]
    mkdir pictures
    run "$viz" heatmap -m "$ref/gpt2" --generate 2 --jsonl -f lines -o pictures/
    [ "$status" -eq 3 ]
    [ "$(list pictures)" = "000001.png 000003.png " ]
}
