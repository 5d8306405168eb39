#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tokenisers that would take time or memory without a bound: either they are linear, or
# one line names the file and the step.
# shellcheck disable=SC2154

load helper

# many N TEXT: TEXT N times
many() {
    head -c "$1" /dev/zero | sed "s/\\x00/$2/g"
}

# tokeniser FIELDS [MODEL]: a tokenizer.json with these fields
tokeniser() {
    local model=${2:-'"type":"BPE","vocab":{"a":0,"b":1," ":2,"[U]":3},"merges":[],
        "unk_token":"[U]"'}
    printf '{%s"model":{%s}}' "${1:+$1,}" "$model" >"$dir/tokenizer.json"
}

# steps SECTION LIST N STEP: N times that step
steps() {
    printf '"%s":{"type":"Sequence","%s":[' "$1" "$2"
    many $(($3 - 1)) "$4,"
    printf '%s]}' "$4"
}

# tokenise OPTION...: the text in $dir/text, in less than a gigabyte
tokenise() {
    (sanitised || ulimit -v 1000000
     timeout "$patience" "$viz" tokens --tsv --keep-empty -m "$dir" -f "$dir/text" -o "$dir/out" "$@")
}

# refused STEP TEXT OPTION...: the only line of the text is refused for that
refused() {
    run --separate-stderr tokenise "${@:3}"
    printf 'status %s\n%s\n' "$status" "$stderr"
    [ "$status" -eq 3 ]
    [ "${#stderr_lines[@]}" -le 2 ]
    [[ ${stderr_lines[0]} == *"line 1: $dir/tokenizer.json: $1: "*"$2"* ]]
}

split() {
    printf '{"type":"Split","pattern":{"Regex":"%s"},"behavior":"Isolated"}' "$1"
}

rows() {
    grep -cv '^index' "$dir/out"
}

# bats test_tags=once
@test "a pattern that gives up has given up for all lines" {
    tokeniser "\"pre_tokenizer\":$(split '(a+)+$')"
    for i in $(seq 118); do
        echo "$(many $((59 + i)) a)b c"
    done >"$dir/text"
    echo 'ab a' >>"$dir/text"
    run --separate-stderr tokenise
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *"pre_tokenizer Split: pattern \"(a+)+\$\" gives up"* ]]
    [ "$(rows)" -eq 4 ]               # the last line is an honest one
}

# bats test_tags=once
@test "a pattern whose references or classes do the work" {
    many 10000 a >"$dir/text"
    tokeniser "\"pre_tokenizer\":$(split '(a*)\\1+[bc]')"
    refused "pre_tokenizer Split" "gives up on this text: it takes too much work"
    many 1000000 a >"$dir/text"
    tokeniser "\"pre_tokenizer\":$(split 'a*[bc]')"
    refused "pre_tokenizer Split" "gives up on this text: it takes too much work"
}

# bats test_tags=once
@test "an added blank that takes the blanks after it" {
    tokeniser '"added_tokens":[{"id":2,"content":" ","rstrip":true,"single_word":true,
        "normalized":false}]'
    many 80000 ' ' >"$dir/text"
    tokenise
    [ "$(rows)" -eq 80000 ]
    [ "$(sed -n '3p' "$dir/out" | cut -f6-9)" = $'1\t80000\t1\t80000' ]
}

# bats test_tags=once
@test "pieces of ten thousand bytes that never come" {
    long=$(many 10000 a)
    many 300000 a >"$dir/text"
    tokeniser '' '"type":"Unigram","vocab":[["<unk>",0],["a",-1],["'"$long"'b",-2]],"unk_id":0'
    refused "model Unigram" "the step takes too much work on this text"
    tokeniser '' '"type":"WordPiece","unk_token":"a","max_input_chars_per_word":1000000,
        "vocab":{"a":0,"##a":1,"##'"$long"'b":2}'
    refused "model WordPiece" "the step takes too much work on this text"
    tokeniser '"added_tokens":[{"id":4,"content":"'"$long"'b","normalized":false}]'
    refused "added_tokens" "the step takes too much work on this text"
}

@test "a thousand steps free what they took" {
    many 25000 'a b ' >"$dir/text"
    tokeniser "$(steps normalizer normalizers 300 '{"type":"Lowercase"}')"
    tokenise
    [ "$(rows)" -eq 100000 ]
    tokeniser "$(steps normalizer normalizers 10000 '{"type":"Lowercase"}')"
    refused "normalizer Lowercase" "the step takes too much work on this text"
    tokeniser "$(steps pre_tokenizer pretokenizers 100 '{"type":"WhitespaceSplit"}')"
    tokenise
    [ "$(rows)" -eq 50000 ]
}

@test "replacements that make a long text sixty times as long" {
    many 1000000 a >"$dir/text"
    tokeniser '"normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"'"$(
        many 60 b)"'"}'
    refused "normalizer Replace" "the text grows out of bounds"
    # The same by one prefix for each of many parts.
    many 5000 '<x>a' >"$dir/text"
    tokeniser '"added_tokens":[{"id":4,"content":"<x>","normalized":false}],
        "normalizer":{"type":"Prepend","prepend":"'"$(many 100000 b)"'"}'
    refused "normalizer Prepend" "the text grows out of bounds"
}

@test "a line of ten million tokens, parts or matches" {
    many 10000000 a >"$dir/text"
    most="the text becomes more than 4194304 parts or tokens"
    tokeniser ''
    refused "model BPE" "$most"
    tokeniser '"pre_tokenizer":{"type":"FixedLength","length":1}'
    refused "pre_tokenizer FixedLength" "$most"
    tokeniser '"normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"bbbbbbb"}'
    refused "normalizer Replace" "$most"
    tokeniser '"normalizer":{"type":"Replace","pattern":{"String":"aaaaa"},"content":"'"$(
        many 50 b)"'"}'
    refused "normalizer Replace" "the text grows out of bounds"
    many 8000000 'a ' >"$dir/text"
    tokeniser ''
    refused "pretokenized text" "$most" --pretokenized
}

@test "ten megabytes of letters that decompose into eighteen each" {
    many 3333333 '\xef\xb7\xba' >"$dir/text"
    tokeniser '"normalizer":{"type":"NFKD"}'
    refused "normalizer NFKD" "the text grows out of bounds"
}

@test "--words frees what it made of each word" {
    many 100000 'a b ' >"$dir/text"
    tokeniser '"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true}'
    tokenise --words
    [ "$(rows)" -eq 400000 ]                # each with a blank that has no piece
    tail -n 1 "$dir/out" | grep -q $'\t399998\t399999\t399998\t399999\t'
    # What an added token was found as stays.
    tokeniser '"added_tokens":[{"id":4,"content":"B","normalized":false}],
        "normalizer":{"type":"Lowercase"}'
    many 3 'Bax B ' >"$dir/text"
    tokenise --words
    [ "$(cut -f 4 "$dir/out" | tail -n +2 | tr '\n' ' ')" = "B a [U] B B a [U] B B a [U] B " ]
}

@test "a template of a thousand sequences" {
    many 25000 'a b ' >"$dir/text"
    sequence='{"Sequence":{"id":"A","type_id":0}}'
    tokeniser '"post_processor":{"type":"TemplateProcessing","pair":[],"special_tokens":{},
        "single":['"$(many 999 "$sequence,")$sequence]}"
    refused "post_processor TemplateProcessing" "the text grows out of bounds"
}

@test "a piece of ten thousand bytes that stands for each character" {
    many 100000 x >"$dir/text"
    tokeniser '"pre_tokenizer":{"type":"FixedLength","length":1}' \
        '"type":"Unigram","vocab":[["'"$(many 10000 a)"'",0],["a",-1]],"unk_id":0'
    run --separate-stderr tokenise
    [ "$status" -eq 3 ]
    [[ $stderr == *"$dir/tokenizer.json: the tokens' pieces are out of bounds"* ]]
}

@test "added tokens that a normaliser makes large" {
    double='{"type":"Replace","pattern":{"String":"a"},"content":"aa"}'
    tokeniser '"added_tokens":[{"id":4,"content":"aab","normalized":true}],'"$(
        steps normalizer normalizers 40 "$double")"
    echo a >"$dir/text"
    fails 3 "tokenizer.json: added token \"aab\": normalizer Replace: the text grows out" \
        "$viz" tokens -m "$dir" a
}

# bats test_tags=once
@test "honest texts are far below the bounds" {
    seq 3000 | sed 's/$/ honest words, and "signs": a run      of blanks/' >"$dir/text"
    for model in bert gpt2 llama bart; do
        works "$viz" tokens --tsv -m "$ref/$model" -f "$dir/text" -o "$dir/out"
        [ "$(tail -1 "$dir/out" | cut -f1)" -eq 2999 ]
    done
}

# bats test_tags=once
@test "patterns that take a gigabyte when they are compiled" {
    echo a >"$dir/text"
    tokeniser "$(steps pre_tokenizer pretokenizers 20000 "$(split '(?:a|b|c|d){1,400}')")"
    run --separate-stderr tokenise
    [ "$status" -eq 3 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == *"$dir/tokenizer.json: pre_tokenizer Split: patterns that take over 64 MiB "* ]]
    tokeniser "$(steps normalizer normalizers 1000 \
        '{"type":"Replace","pattern":{"Regex":"(a+)+$"},"content":"aa"}')"
    tokenise
    [ "$(rows)" -eq 2 ]
}
