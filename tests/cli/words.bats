#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016
# Words: as pieces, tokenised one by one, and put together again.

load helper

@test "--pretokenized takes the text of a piece, that which begins a word first" {
    ids() {
        "$viz" tokens -m "$ref/tokenizers/$1" --json --pretokenized "$2" | jq -c .tokens
    }
    [ "$(ids roberta 'the Ġcat cat s')" = '["Ġthe","Ġcat","Ġcat","s"]' ]
    [ "$(ids wordpiece 'the cat a ##a')" = '["the","cat","a","##a"]' ]
    [ "$(ids llama_model 'the ▁cat a')" = '["▁the","▁cat","a"]' ]
    [ "$("$viz" tokens --json --pretokenized '我 吃 cat' | jq -c .labels)" = '["我","吃"," cat"]' ]
    fails 3 'no piece "喜欢", nor one that stands for it (--words takes words' \
        "$viz" stats --pretokenized '我 喜欢 吃 苹果'
}

# Folder, text, pair, ids, offsets and words, of the tokenizers library: tokenizers/words.py
@test "--words tokenises each word by itself, as the reference does" {
    cut='{folder, text, pair, ids, offsets, words}'
    for folder in $(jq -r .folder "$ref/tokenizers/words.jsonl" | sort -u); do
        jq -c --arg f "$folder" 'select(.folder == $f and .ids != null)' \
            "$ref/tokenizers/words.jsonl" > "$dir/want"
        jq -c '{text, pair} | del(.[] | nulls)' "$dir/want" > "$dir/lines"
        "$viz" tokens -m "$ref/tokenizers/$folder" --words --keep-empty --json --jsonl -f "$dir/lines" |
            jq -c --arg folder "$folder" '.folder = $folder | '"$cut" > "$dir/got"
        jq -c "$cut" "$dir/want" | diff - "$dir/got"
        jq -c --arg f "$folder" 'select(.folder == $f and .ids == null) | .text' \
            "$ref/tokenizers/words.jsonl" | while read -r text; do
            fails 3 "by itself: it marks a word by the blank before it (add_prefix_space is false)" \
                "$viz" tokens -m "$ref/tokenizers/$folder" --words "$(jq -r . <<< "$text")"
        done
    done
}

@test "--words of the built-in model: Chinese words, and why not English ones" {
    works "$viz" stats --json --words '我 喜欢 吃 苹果'
    [ "$(echo "$output" | jq -c .labels)" = '["<|bos|>","我","喜","欢","吃","苹","果"]' ]
    fails 3 '--words: built-in tokenizer.json cannot tokenise "cat" by itself: it marks a word by the blank before it (add_prefix_space is false), so that this would be other pieces after another word' \
        "$viz" stats --words '我 cat'
}

@test "--words requires a text" {
    fails 2 "--words, --pretokenized: only one of them" "$viz" tokens --words --pretokenized x
    fails 2 "--words, --ids: only one of them can be given: words are of a text" "$viz" stats --words --ids 1,2
    fails 2 "--attention, --words: only one of them can be given" \
        "$viz" stats --words --attention "$ref/precomputed/skipped.npy"
}

@test "--words: a line of ids has none" {
    printf '%s\n' '{"ids":[1,2,3]}' '{"text":"the key"}' '{"ids":[]}' > "$dir/lines"
    works "$viz" tokens -m "$ref/bert" --words --json --jsonl -f "$dir/lines"
    [ "$(jq -c .words <<< "$output" | head -n 2 | tr '\n' ' ')" = "[null,null,null] [null,0,1,null] " ]
}

@test "export --word-ids has the words of --merge words, also where --words cannot" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    ids() {
        "$viz" export --word-ids -l 0 -o "$dir/a.npz" "$@"
        python3 -c 'import numpy, sys; print(*numpy.load(sys.argv[1])["words"])' "$dir/a.npz"
    }
    [ "$(ids "the unable 我喜欢")" = "-1 0 1 1 2 2 2 2" ]
    fails 2 "--word-ids, --ids: only one of them can be given: words are of a text" "$viz" export --word-ids --ids 1,2 -o "$dir/b.npz"
    fails 2 "--word-ids, --pretokenized: only one of them can be given: --pretokenized gives pieces, not words" \
        "$viz" export --word-ids --pretokenized -o "$dir/b.npz" the
    fails 2 "--word-ids requires an npz" "$viz" export --word-ids -o "$dir/b.npy" the
}

@test "export --words has the word of each token" {
    "$viz" export -m "$ref/bert" --words -l 0 -o "$dir/a.npz" 'the keyhole saw'
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    [ "$(python3 -c 'import sys, numpy as np; print(*np.load(sys.argv[1])["words"])' "$dir/a.npz")" = \
        "$("$viz" tokens -m "$ref/bert" --words --json 'the keyhole saw' |
            jq -r '[.words[] | . // -1] | join(" ")')" ]
    works "$viz" stats --attention "$dir/a.npz"
}

@test "--pretokenized names --words only where that would read the text" {
    fails 3 'nor one that stands for it (--words takes words of several pieces)' \
        "$viz" tokens -m "$ref/bert" --pretokenized "nosuchpiece"
    run --separate-stderr "$viz" tokens --pretokenized "nosuchpiece"
    [ "$status" -eq 3 ]
    [[ $stderr == *"nor one that stands for it" ]]
}
