#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016
# Kinds of tokenisers: those that were refused, as one reads them.

load helper

# pieces TEXT: those of the tokeniser in $dir, with their offsets
pieces() {
    "$viz" tokens -m "$dir" --json "$1" |
        jq -c '[.tokens, .offsets] | transpose | map("\(.[0])[\(.[1][0]),\(.[1][1])]") | join(" ")' |
        tr -d '"'
}

bpe='"type":"BPE","unk_token":"?","merges":[]'

@test "a vocabulary of words" {
    echo '{"pre_tokenizer":{"type":"Whitespace"},"model":{"type":"WordLevel","unk_token":"?",
        "vocab":{"?":0,"the":1,"cat":2}}}' > "$dir/tokenizer.json"
    [ "$(pieces 'the cats, the cat')" = 'the[0,3] ?[4,8] ?[8,9] the[10,13] cat[14,17]' ]
}

@test "pieces that say where in a word they stand" {
    echo '{"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"BPE","unk_token":"?",
        "continuing_subword_prefix":"##","end_of_word_suffix":"</w>","merges":[["c","##a"],
        ["ca","##t</w>"]],"vocab":{"?":0,"c":1,"##a":2,"##t</w>":3,"ca":4,"cat</w>":5,
        "##a</w>":6}}}' > "$dir/tokenizer.json"
    [ "$(pieces 'cat caa')" = 'cat</w>[0,3] ca[4,6] ##a</w>[6,7]' ]
    [ "$("$viz" tokens -m "$dir" --json 'cat caa' | jq -c .labels)" = '["cat","ca","a"]' ]
}

@test "the byte-level alphabet as a normaliser" {
    echo '{"normalizer":{"type":"ByteLevel"},"model":{'"$bpe"',"vocab":{"?":0,"Ġ":1,"Ã":2,
        "©":3,"a":4}}}' > "$dir/tokenizer.json"
    [ "$(pieces 'a é')" = 'a[0,1] Ġ[1,2] Ã[2,3] ©[2,3]' ]
}

@test "cut at scripts, and at fixed lengths" {
    words='"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"りんご":1,"abc":2}}}'
    echo '{"pre_tokenizer":{"type":"UnicodeScripts"},'"$words" > "$dir/tokenizer.json"
    [ "$(pieces 'abcりんご1')" = 'abc[0,3] りんご[3,6] ?[6,7]' ]
    echo '{"pre_tokenizer":{"type":"FixedLength","length":3},'"$words" > "$dir/tokenizer.json"
    [ "$(pieces 'abcりんご1')" = 'abc[0,3] りんご[3,6] ?[6,7]' ]
    echo '{"pre_tokenizer":{"type":"FixedLength","length":0},'"$words" > "$dir/tokenizer.json"
    fails 3 'pre_tokenizer FixedLength: length: found 0, expected' \
        "$viz" tokens -m "$dir" abc
}

# model LINE: that of tests/ref/tokenizers/mixed_spm.jsonl, as a folder
model() {
    sed -n "$1p" "$ref/tokenizers/mixed_spm.jsonl" | jq -r .model | base64 -d > "$dir/spiece.model"
}

@test "SentencePiece models of words and characters" {
    model 17
    run --separate-stderr pieces "the  爨 爨爨 the"
    [ "$output" = '▁the[0,3] <unk>[4,9] ▁the[9,13]' ]
    model 20
    [ "$(pieces 'the 爨爨')" = '▁[0,1] t[0,1] h[1,2] e[2,3] ▁[3,4] <unk>[4,6]' ]
    echo '{"tokenizer_class":"T5Tokenizer"}' > "$dir/tokenizer_config.json"
    fails 3 'spiece.model: a model of type char, which T5Tokenizer does not read' \
        "$viz" tokens -m "$dir" the
}

@test "a SentencePiece model with blanks behind words" {
    model 12
    [ "$(pieces ' the  river ')" = 'the▁[1,6] r[6,7] i[7,8] v[8,9] er[9,11] ▁[10,11]' ]
}

@test "M2M100: ids of vocab.json, the language first, as the library has them" {
    model=$ref/tokenizers/m2m100_model
    jq -c '{text}' "$model/ids.jsonl" >"$dir/lines"
    jq -c .ids "$model/ids.jsonl" >"$dir/want"
    "$viz" tokens -q --keep-empty -m "$model" --jsonl -f "$dir/lines" --json | jq -c .ids | diff "$dir/want" -
    [ "$(wc -l <"$dir/want")" -gt 40 ]
    "$viz" tokens -m "$model" --json "the cat" |
        jq -e '.tokens[0] == "__fr__" and .special[0] == 1 and .offsets[0] == [0, 0]'
    cp -r "$model" "$dir/other"
    jq -c '.src_lang = "xx"' "$model/tokenizer_config.json" >"$dir/other/tokenizer_config.json"
    fails 3 'the language "__xx__" is not in the vocabulary' "$viz" tokens -m "$dir/other" "the cat"
}

# special_of COMMAND...: the flags of its tokens, and the share of special ones in each head
special_of() {
    "$viz" tokens --json "$@" | jq -c .special
    "$viz" stats --json --metric entropy --hide special "$@" | jq -c '[.hidden, .heads]'
    "$viz" stats --json --metric special "$@" | jq -c .heads
}

@test "special tokens are those of the tokeniser, whatever way they came" {
    text='the [SEP] 🦀 key'
    ids=$("$viz" tokens -m "$ref/bert" --json "$text" | jq -c .ids)
    special_of -m "$ref/bert" "$text" > "$dir/want"
    special_of -m "$ref/bert" --ids "${ids:1:-1}" | cmp - "$dir/want"
    echo "{\"ids\":$ids}" > "$dir/line"
    special_of -m "$ref/bert" --jsonl -f "$dir/line" | cmp - "$dir/want"
    [ "$(head -n 1 "$dir/want")" = "[1,0,1,1,0,1]" ]
    # What the text has is of the text: it has a span, and is cut like the rest of it.
    [ "$("$viz" tokens -m "$ref/bert" --json "$text" | jq -c '.bytes[2]')" = "[4,9]" ]
    [ "$("$viz" stats -m "$ref/bert" --json --split 4 "$text" | jq -r '.tokens | join(" ")')" = \
        "[CLS] the [SEP] [SEP]
[CLS] [UNK] key [SEP]" ]
}

@test "a marker of a chat is special where the tokeniser says so" {
    mkdir "$dir/m"
    # <|im_start|> is added as a special token, <|plain|> as one of the text.
    jq '.added_tokens += [
        {id: 0, content: "<|im_start|>", special: true, single_word: false, lstrip: false,
         rstrip: false, normalized: false},
        {id: 0, content: "<|plain|>", special: false, single_word: false, lstrip: false,
         rstrip: false, normalized: false}]' "$ref/gpt2/tokenizer.json" > "$dir/m/tokenizer.json"
    works "$viz" tokens -m "$dir/m" --json '<|im_start|>a<|plain|>'
    [ "$(jq -c .special <<< "$output")" = "[1,0,0]" ]
}

@test "--global is refused: it is of attention" {
    fails 2 "--global: tokens are the same whichever of them see all" "$viz" tokens --global all a
}
