#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a text may be, where it may come from, and what is said of one that cannot be used.

# shellcheck disable=SC2154,SC2016
load helper

# The tokens of a JSON line, joined by spaces
tokens() {
    jq -r '.tokens | join(" ")'
}

@test "a text, two texts, too many" {
    [ "$("$viz" tokens -m "$ref/bert" --json "The key" | tokens)" = "[CLS] the key [SEP]" ]
    [ "$("$viz" tokens -m "$ref/bert" --json "The key" "is" | tokens)" = "[CLS] the key [SEP] is [SEP]" ]
    [ "$("$viz" tokens -m "$ref/bert" --json "The key" "is" | jq -c .type_ids)" = "[0,0,0,0,1,1]" ]
    [ "$("$viz" tokens -m "$ref/bert" --json "key" "" | tokens)" = "[CLS] key [SEP] [SEP]" ]
    fails 2 "stats: unexpected operand 'is', expected at most 2; a text with spaces goes in quotes" "$viz" stats -m "$ref/bert" the key is
    fails 2 "expected a TEXT, -f FILE or --ids" "$viz" stats -m "$ref/bert"
    fails 2 "tokens: " "$viz" tokens a b c
}

@test "two words without quotes: a note where no template joins them" {
    for model in gpt2 llama; do
        run --separate-stderr "$viz" stats -m "$ref/$model" the key
        [ "$status" -eq 0 ]
        [ "$stderr" = "mha-viz: note: 'the' and 'key' are read as a pair of texts, which no template of $model joins; one text goes in quotes: 'the key'" ]
        works "$viz" stats -m "$ref/$model" "the key"
        works "$viz" stats -m "$ref/$model" "the key" door
        works "$viz" stats -q -m "$ref/$model" the key
    done
    run --separate-stderr "$viz" stats the key
    [[ $stderr == "mha-viz: note: 'the' and 'key' are read as a pair of texts"* ]]
    works "$viz" stats -m "$ref/bert" the key
    works "$viz" stats -m "$ref/bart" the key
    run --separate-stderr "$viz" diff -m "$ref/gpt2" the key
    [[ $stderr != *quotes* ]]
}

@test "a text that begins with a dash" {
    [ "$("$viz" tokens -m "$ref/bert" --json -- "-the" | tokens)" = "[CLS] - the [SEP]" ]
    fails 2 "-- goes before a text that begins with -" "$viz" stats -m "$ref/bert" "-@@"
}

@test "-f: one text per line, whatever ends it; - is standard input; .gz is unpacked" {
    printf 'the key\r\nis\nthe door' > "$dir/lines"
    want='[CLS] the key [SEP]
[CLS] is [SEP]
[CLS] the door [SEP]'
    [ "$("$viz" tokens -m "$ref/bert" --json -f "$dir/lines" | tokens)" = "$want" ]
    [ "$("$viz" tokens -m "$ref/bert" --json -f - < "$dir/lines" | tokens)" = "$want" ]
    [ "$(gzip < "$dir/lines" | "$viz" tokens -m "$ref/bert" --json -f - | tokens)" = "$want" ]
    gzip "$dir/lines"
    [ "$("$viz" tokens -m "$ref/bert" --json -f "$dir/lines.gz" | tokens)" = "$want" ]
    [ "$("$viz" tokens -m "$ref/bert" --json -f "$dir/lines.gz" | jq -c .index | tr '\n' ' ')" = "0 1 2 " ]
}

# blank_notes N COMMAND...: works, and says so of N lines of a file
blank_notes() {
    local n=$1
    shift
    run --separate-stderr "$@"
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "mha-viz: note: "*": $n blank line"*" left out; with --keep-empty"* ]]
}

@test "blank lines of a file are no texts, and keep their numbers" {
    printf 'the key\n\nis in\r\n \t\r\n\u3000\nthe door\n\n' > "$dir/blank"
    grep -v '^[[:space:]　]*$' "$dir/blank" > "$dir/texts"
    for t in 1 3; do
        blank_notes 4 "$viz" tokens -t $t -m "$ref/bert" --json -f "$dir/blank"
        [ "$(jq -r .index <<< "$output" | tr '\n' ' ')" = "0 2 5 " ]
    done
    for c in "stats --summary" "types --no-probe" "ablate --summary"; do
        # shellcheck disable=SC2086
        blank_notes 4 "$viz" $c -m "$ref/gpt2" -f "$dir/blank"
        # shellcheck disable=SC2086
        [ "$output" = "$("$viz" $c -m "$ref/gpt2" -f "$dir/texts")" ]
    done
    blank_notes 4 "$viz" diff --summary -m "$ref/gpt2" -m "$ref/gpt2" -f "$dir/blank"
    mkdir "$dir/out"
    blank_notes 4 "$viz" heatmap -m "$ref/bert" -f "$dir/blank" -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.png 000003.png 000006.png " ]
    blank_notes 2 "$viz" stats -m "$ref/bert" --shard 1/3 -f "$dir/blank" -o "$dir/part"
    works "$viz" tokens -q -m "$ref/bert" -f "$dir/blank"
    works "$viz" tokens -m "$ref/bert" --json --keep-empty -f "$dir/blank"
    [ "${#lines[@]}" -eq 7 ]
}

@test "blank lines: of a pipe, of pairs, of JSON, and of a file that has no others" {
    blank_notes 2 "$viz" tokens -m "$ref/bert" --json < <(printf '\n\nthe key\n')
    [ "$(jq .index <<< "$output")" -eq 2 ]
    blank_notes 2 "$viz" stats -m "$ref/bert" --summary --json < <(printf '\n\n')
    printf 'the\tkey\n\n\t\nis\tin\n' > "$dir/pairs"
    blank_notes 2 "$viz" tokens -m "$ref/bert" --json --pairs -f "$dir/pairs"
    [ "${#lines[@]}" -eq 2 ]
    run --separate-stderr "$viz" diff --json --pairs -m "$ref/bert" -f "$dir/pairs"
    [ "$status" -eq 0 ]
    [ "$(jq .index <<< "$output" | tr '\n' ' ')" = "0 3 " ]
    printf '%s\n' '{"text":"the"}' '' '{"text":""}' '{"text":" ","pair":"\n"}' \
        '{"text":"","pair":"key"}' '{"ids":[2,3]}' > "$dir/objects"
    blank_notes 3 "$viz" tokens -m "$ref/bert" --json --jsonl -f "$dir/objects"
    [ "$(jq .index <<< "$output" | tr '\n' ' ')" = "0 4 5 " ]
    run --separate-stderr "$viz" tokens -m "$ref/bert" --json --jsonl --keep-empty -f "$dir/objects"
    [ "$status" -eq 3 ]
    [ "$(jq .index <<< "$output" | tr '\n' ' ')" = "0 2 3 4 5 " ]
}

@test "-f: missing files, folders, damaged gzip, nothing" {
    fails 3 "$dir/none: No such file" "$viz" stats -m "$ref/bert" -f "$dir/none"
    fails 3 "is a folder" "$viz" stats -m "$ref/bert" -f "$dir"
    seq 100000 | gzip | head -c 500 > "$dir/cut.gz"
    run --separate-stderr "$viz" tokens -m "$ref/bert" -f "$dir/cut.gz"
    [ "$status" -eq 3 ]
    [[ $stderr == "mha-viz: $dir/cut.gz: "*"truncated"* ]]
    : > "$dir/empty"
    works "$viz" stats -m "$ref/bert" -f "$dir/empty"
    [ -z "$output" ]
}

@test "--pairs: two texts separated by a tab" {
    printf 'the key\tis\nno tab\n\tis\n' > "$dir/pairs"
    run --separate-stderr "$viz" tokens -m "$ref/bert" --json -f "$dir/pairs" --pairs
    [ "$status" -eq 3 ]
    [ "$(echo "$output" | tokens)" = "[CLS] the key [SEP] is [SEP]
[CLS] [SEP] is [SEP]" ]
    [[ ${stderr_lines[0]} == "mha-viz: warning: $dir/pairs: line 2: has no tab"* ]]
    [[ ${stderr_lines[1]} == "mha-viz: $dir/pairs: 1 of 3 lines could not be used" ]]
}

@test "--jsonl: text, pair, ids, and any character in them" {
    printf '%s\n' '{"text":"the key"}' '{"text":"the","pair":"key\nis"}' \
        '{"ids":[2,3]}' '{"ids":[2,7,3],"type_ids":[0,1,1]}' '{"text":"the\u0000key"}' \
        '{"text":"","other":[1]}' > "$dir/lines"
    works "$viz" tokens -m "$ref/bert" --json -f "$dir/lines" --jsonl --keep-empty
    [ "$(echo "$output" | tokens | sed -n 1,2p)" = "[CLS] the key [SEP]
[CLS] the [SEP] key is [SEP]" ]
    [ "$(echo "$output" | jq -c .ids | sed -n 3,4p)" = "[2,3]
[2,7,3]" ]
    [ "$(echo "$output" | jq -c .type_ids | sed -n 4p)" = "[0,1,1]" ]
    # BERT's clean-up drops a NUL; a byte-level vocabulary keeps it
    [ "$(echo "$output" | jq -c '[.offsets[] | .[1]] | max' | sed -n 5p)" = 7 ]
    printf '{"text":"a\\u0000b"}\n' > "$dir/nul"
    [ "$("$viz" tokens -m "$ref/gpt2" --json -f "$dir/nul" --jsonl | jq -c .offsets)" = "[[0,1],[1,2],[2,3]]" ]
    works "$viz" stats -m "$ref/gpt2" -f "$dir/nul" --jsonl
    works "$viz" heatmap -m "$ref/gpt2" -f "$dir/nul" --jsonl -o "$dir/nul.svg"
}

@test "--jsonl: unusable lines are named, the others are used" {
    printf '%s\n' '{"text":"the"}' '{' '[]' '{"text":7}' '{"ids":[1.5]}' '{"ids":[-1]}' '{"ids":7}' \
        '{"ids":[1,2],"type_ids":[0]}' '{"text":"\ud800"}' '{"ids":[]}' '{"ids":[4294967297]}' \
        '{"text":"a","pair":null}' '"' '{"text":"key"}' '{"text":"a","type_ids":[0]}' > "$dir/lines"
    run --separate-stderr "$viz" stats --json -m "$ref/bert" -f "$dir/lines" --jsonl
    [ "$status" -eq 3 ]
    [ "$(echo "$output" | jq -r .text | tr '\n' ' ')" = "the key " ]
    [ "$(echo "$output" | jq -r .index | tr '\n' ' ')" = "0 13 " ]
    [ "${#stderr_lines[@]}" -eq 14 ]
    [[ ${stderr_lines[12]} == *"line 15: type_ids requires ids" ]]
    [[ ${stderr_lines[13]} == *"13 of 15 lines could not be used" ]]
}

@test "a pipe: where no text is given, each line of standard input is one" {
    printf 'the key\r\nis\nthe door' > "$dir/lines"
    want='[CLS] the key [SEP]
[CLS] is [SEP]
[CLS] the door [SEP]'
    [ "$(cat "$dir/lines" | "$viz" tokens -m "$ref/bert" --json | tokens)" = "$want" ]
    [ "$("$viz" tokens -m "$ref/bert" --json < "$dir/lines" | tokens)" = "$want" ]
    [ "$(gzip < "$dir/lines" | "$viz" tokens -m "$ref/bert" --json | tokens)" = "$want" ]
    for c in "stats --tsv" "stability --runs 1 --json --no-metadata" \
        "mechanisms --runs 0 --only exact --json --no-metadata"; do
        "$viz" $c -m "$ref/bert" -f "$dir/lines" > "$dir/want"
        cat "$dir/lines" | "$viz" $c -m "$ref/bert" > "$dir/got"
        cmp "$dir/want" "$dir/got"
    done
    [ "$(printf 'the\tkey\n' | "$viz" tokens -m "$ref/bert" --json --pairs | tokens)" = "[CLS] the [SEP] key [SEP]" ]
    [ "$(echo '{"ids":[2,3]}' | "$viz" stats -m "$ref/bert" --json --jsonl | jq -c .ids)" = "[2,3]" ]
    echo '{"ids":[2,3],"decoder_ids":[0,2,3]}' > "$dir/ids"
    "$viz" stats --tsv -m "$ref/seq2seq/t5" --jsonl -f "$dir/ids" > "$dir/want"
    cat "$dir/ids" | "$viz" stats --tsv -m "$ref/seq2seq/t5" --jsonl > "$dir/got"
    cmp "$dir/want" "$dir/got"
    # Of several texts, one that an option does not fit is no error
    run --separate-stderr "$viz" mechanisms -m "$ref/bert" --runs 0 --only exact,local --budget 9 < <(echo the key)
    [ "$status" -eq 0 ]
    [[ $stderr == "mha-viz: warning: --budget 9 leaves nothing out of 1 of 1 text: it has fewer keys" ]]
}

@test "a pipe: pictures as with -f" {
    cd "$dir"
    [ "$(echo hello | "$viz" heatmap --no-metadata)" = heatmap.png ]
    [ "$(list .)" = "heatmap.png " ]
    works "$viz" heatmap --no-metadata -o want.png hello
    cmp heatmap.png want.png
    run --separate-stderr "$viz" heatmap < <(printf 'a\nb\n')
    [ "$status" -eq 2 ]
    [[ $stderr == *"standard input: several texts require a folder: -o DIR/"* ]]
    mkdir all
    printf 'a\nb\n' | "$viz" heatmap -o all/
    [ "$(list all)" = "000001.png 000002.png " ]
}

@test "a pipe that is empty, /dev/null, a closed descriptor: the built-in sentence" {
    own=$("$viz" stats --json < /dev/null | jq -r .text)
    [ -n "$own" ]
    : > "$dir/empty"
    [ "$(: | "$viz" stats --json | jq -r .text)" = "$own" ]
    [ "$("$viz" stats --json < "$dir/empty" | jq -r .text)" = "$own" ]
    [ "$("$viz" stats --json <&- | jq -r .text)" = "$own" ]
    [ "$("$viz" stats --json 0> "$dir/written" | jq -r .text)" = "$own" ]
    fails 2 "expected a TEXT, -f FILE or --ids" "$viz" stats -m "$ref/bert" < "$dir/empty"
    fails 2 "--pairs requires -f FILE, or texts on standard input" "$viz" stats --pairs < "$dir/empty"
}

# A pipe that stays open, and is never written to
@test "standard input is not read where a text is given, or none is needed" {
    mkfifo "$dir/fifo"
    exec 9<> "$dir/fifo"
    for c in "stats -m $ref/bert key" "stats -m $ref/bert --ids 2,3" "info" "info -m $ref/bert" \
        "stats -m $ref/layers/encoder.safetensors --heads 4" \
        "stats -m $ref/layers/encoder.safetensors --heads 4 --shape 3" "tokens -m $ref/bert key" \
        "init --d-model 8 --heads 2 -o $dir/a.safetensors" "completion bash" "--version" \
        "diff -m $ref/bert key key"; do
        works timeout "$patience" "$viz" $c < "$dir/fifo"
    done
    echo key > "$dir/lines"
    works timeout "$patience" "$viz" stats -m "$ref/bert" -f "$dir/lines" < "$dir/fifo"
    exec 9>&-
}

@test "a pipe on which nothing arrives for a second: one note, which -q leaves out" {
    mkfifo "$dir/pipe"
    "$viz" stats --json -m "$ref/bert" < "$dir/pipe" > "$dir/result" 2> "$dir/said" &
    exec 9> "$dir/pipe"
    await '[ -s "$dir/said" ]'
    echo the key >&9
    exec 9>&-
    wait $!
    [[ $(cat "$dir/said") == "mha-viz: note: texts are read from standard input, one per line"* ]]
    [ "$(wc -l < "$dir/said")" -eq 1 ]
    [ "$(tokens < "$dir/result")" = "[CLS] the key [SEP]" ]
    works "$viz" stats --json -q -m "$ref/bert" < <(sleep 1.6; echo the key)
}

@test "- as TEXT: all of standard input as one text" {
    [ "$(printf 'the key\nthe door\n' | "$viz" tokens -m "$ref/bert" --json - | tokens)" = "[CLS] the key the door [SEP]" ]
    printf 'the key\n' | "$viz" stats --json --no-metadata -m "$ref/bert" - > "$dir/a"
    "$viz" stats --json --no-metadata -m "$ref/bert" "the key" > "$dir/b"
    cmp "$dir/a" "$dir/b"
    [ "$(echo is | "$viz" tokens -m "$ref/bert" --json "the key" - | tokens)" = "[CLS] the key [SEP] is [SEP]" ]
    [ "$(printf 'a\000b' | "$viz" tokens -m "$ref/gpt2" --json - | jq -c .offsets)" = "[[0,1],[1,2],[2,3]]" ]
    [ "$("$viz" tokens -m "$ref/bert" --json - < /dev/null | tokens)" = "[CLS] [SEP]" ]
    fails 2 "only one of them can be -" "$viz" tokens -m "$ref/bert" - -
}

@test "a TEXT that is the name of a file: a note names -f" {
    cd "$dir"
    echo "the key" > corpus.txt
    run --separate-stderr "$viz" stats --tsv -m "$ref/bert" corpus.txt
    [ "$status" -eq 0 ]
    [ "$stderr" = "mha-viz: note: 'corpus.txt' is read as a text, but a file has this name: -f corpus.txt reads its lines" ]
    works "$viz" stats --tsv -q -m "$ref/bert" corpus.txt
    works "$viz" stats --tsv -m "$ref/bert" .
}

@test "--ids and --type-ids" {
    works "$viz" stats --json -m "$ref/bert" --ids 2,7,3 --type-ids 0,1,1
    [ "$(echo "$output" | jq -c .ids)" = "[2,7,3]" ]
    [ "$(echo "$output" | jq -c .text)" = '""' ]
    works "$viz" heatmap -m "$ref/bert" --ids 2,7,3 -o "$dir/a.png"
    fails 2 "'1,2,x' is not a list of ids" "$viz" stats -m "$ref/bert" --ids 1,2,x
    fails 2 "is not a list of ids" "$viz" stats -m "$ref/bert" --ids ""
    fails 2 "is not a list of ids" "$viz" stats -m "$ref/bert" --ids 1,,2
    fails 2 "is not a list of ids" "$viz" stats -m "$ref/bert" --ids -1
    fails 2 "is not a list of ids" "$viz" stats -m "$ref/bert" --ids 99999999999999999999
    fails 2 "1 type for 2 ids, expected the same number" "$viz" stats -m "$ref/bert" --ids 1,2 --type-ids 0
    fails 3 "token 2: id 999 is not in the vocabulary of bert (0 to 140)" \
        "$viz" stats -m "$ref/bert" --ids 1,2,999
    fails 3 "token 1: type 5 is not one of the 2 that bert has" \
        "$viz" stats -m "$ref/bert" --ids 1,2 --type-ids 0,5
}

@test "--ids needs no tokeniser" {
    mkdir "$dir/m"
    cp "$ref"/bert/{config.json,model.safetensors} "$dir/m"
    works "$viz" stats --json -m "$dir/m" --ids 2,7,3
    [ "$(echo "$output" | jq -c .tokens)" = '["<id 2>","<id 7>","<id 3>"]' ]
    fails 3 "$dir/m: " "$viz" stats -m "$dir/m" "the key"
    [[ $stderr == *tokenizer.json* ]]
}

@test "--pretokenized takes the pieces as tokens prints them" {
    for m in bert gpt2 llama; do
        "$viz" tokens -m "$ref/$m" --json "The key, is in 42." > "$dir/want"
        pieces=$(tokens < "$dir/want")
        "$viz" tokens -m "$ref/$m" --json --pretokenized "$pieces" > "$dir/got"
        [ "$(jq -c .ids "$dir/got")" = "$(jq -c .ids "$dir/want")" ]
    done
    fails 3 'the vocabulary has no piece "nosuchpiece"' \
        "$viz" stats -m "$ref/bert" --pretokenized "the nosuchpiece key"
}

@test "an unknown token is shown with its text; a third of a text unknown is a warning" {
    works "$viz" tokens -m "$ref/bert" --json "the 蝙 key is the key 蝙"
    [ "$(echo "$output" | jq -c '[.tokens[2], .labels[2]]')" = '["[UNK]","[UNK] 蝙"]' ]
    # What stands for itself is said once
    works "$viz" stats -m "$ref/bert" --json -q "[UNK] 蝙"
    [ "$(echo "$output" | jq -c .labels)" = '["[CLS]","[UNK]","[UNK] 蝙","[SEP]"]' ]
    works "$viz" stats -m "$ref/bert" --links -l 0 -H 0 "the 蝙 key is the key 蝙"
    [[ $output == *"2  [UNK] 蝙"* ]]
    works "$viz" heatmap -m "$ref/bert" -o "$dir/a.svg" "the 蝙 key is the key 蝙"
    run --separate-stderr "$viz" tokens -m "$ref/bert" "the 蝙 key 蝙"
    [ "$status" -eq 0 ]
    [ "$stderr" = "mha-viz: warning: text 1: 2 of 4 tokens are not in the vocabulary, and read as unknown" ]
    works "$viz" tokens -q -m "$ref/bert" "the 蝙 key 蝙"
    printf 'the key\n蝙\n蝙蝙\n' > "$dir/lines"
    run --separate-stderr "$viz" stats --tsv -m "$ref/bert" -f "$dir/lines"
    [ "$stderr" = "mha-viz: warning: text 2: 1 of 1 token is not in the vocabulary, and read as unknown; further texts are not named" ]
    # Both sides of a comparison read it, and it is said once
    run --separate-stderr "$viz" diff -m "$ref/bert" --dtype f32 --dtype bf16 "蝙 key"
    [ "${#stderr_lines[@]}" -eq 1 ]
}

@test "--no-special leaves out what the template adds" {
    [ "$("$viz" tokens -m "$ref/bert" --json --no-special "the key" | tokens)" = "the key" ]
    fails 3 "the text has no tokens" "$viz" stats -m "$ref/bert" --no-special ""
}

@test "one source, and options with the source that they belong to" {
    echo "the key" > "$dir/a"
    fails 2 "TEXT, --ids, -f: only one of them can be given" "$viz" stats -m "$ref/bert" -f "$dir/a" "the key"
    fails 2 "TEXT, --ids, -f: only one of them can be given" "$viz" stats -m "$ref/bert" --ids 1 "the key"
    fails 2 "--pairs, --jsonl: only one of them can be given" "$viz" stats -m "$ref/bert" -f "$dir/a" --pairs --jsonl
    fails 2 "--pairs requires -f FILE" "$viz" stats -m "$ref/bert" --pairs "the key"
    fails 2 "--jsonl requires -f FILE" "$viz" stats -m "$ref/bert" --jsonl "{}"
    fails 2 "--type-ids requires --ids" "$viz" stats -m "$ref/bert" --type-ids 1 "the key"
}

@test "one of something is not several" {
    fails 2 "2 types for 1 id, expected the same number" "$viz" stats -m "$ref/bert" --ids 2 --type-ids 0,0
    fails 2 "1 type for 2 ids, expected the same number" "$viz" stats -m "$ref/bert" --ids 2,3 --type-ids 0
    echo "no tab" > "$dir/one"
    run --separate-stderr "$viz" tokens -m "$ref/bert" --pairs -f "$dir/one"
    [ "${stderr_lines[1]}" = "mha-viz: $dir/one: 1 of 1 line could not be used" ]
    layer=$ref/layers/encoder.safetensors
    fails 2 "--tokens: 1 name for 2 rows" "$viz" stats -m "$layer" --heads 4 --tokens a --shape 2
}

@test "an empty text: what the template adds, or an error" {
    works "$viz" stats --json -m "$ref/bert" ""
    [ "$(echo "$output" | tokens)" = "[CLS] [SEP]" ]
    works "$viz" heatmap -m "$ref/bert" -o "$dir/a.png" ""
    works "$viz" export -m "$ref/bert" -o "$dir/a.npz" ""
    works "$viz" stats -m "$ref/llama" ""
    fails 3 "the text has no tokens" "$viz" stats -m "$ref/gpt2" ""
    fails 3 "the text has no tokens" "$viz" heatmap -m "$ref/gpt2" -o "$dir/b.png" ""
    works "$viz" tokens -m "$ref/gpt2" --json ""
    [ "$(list "$dir")" = "a.npz a.png " ]
}

@test "text that is not UTF-8" {
    for text in $'caf\xe9' $'\xff' $'a\xc0\x80' $'\xed\xa0\x80' $'\xf4\x90\x80\x80' $'cut \xe6\x88'; do
        for m in bert gpt2 llama; do
            fails 3 "not UTF-8 at byte" "$viz" stats -m "$ref/$m" "$text"
            fails 3 "not UTF-8 at byte" "$viz" tokens -m "$ref/$m" the "$text"
        done
    done
    fails 3 "the text is not UTF-8 at byte 3 (0xe9)" "$viz" stats -m "$ref/bert" $'caf\xe9'
}

@test "a text that is too long, and --truncate" {
    text=$(printf 'the key %.0s' {1..40})
    fails 3 "the text has 82 tokens, bert takes at most 64 (--truncate cuts it)" \
        "$viz" stats -m "$ref/bert" "$text"
    run --separate-stderr "$viz" stats --json -m "$ref/bert" --truncate "$text"
    [ "$status" -eq 0 ]
    [[ $stderr == "mha-viz: warning: text 1 is cut to the 64 tokens that bert takes: 18 are left out" ]]
    [ "$(echo "$output" | jq '.tokens | length')" -eq 64 ]
    [ "$(echo "$output" | jq -r '.tokens[-1]')" = "[SEP]" ]
    works "$viz" stats --json -q -m "$ref/bert" --truncate "$text"
    works "$viz" tokens -m "$ref/bert" "$text"
}

@test "a text of a million characters has an answer" {
    head -c 1000000 /dev/zero | tr '\0' x > "$dir/x"
    yes 'the key is in ' | tr -d '\n' | head -c 1000000 > "$dir/words"
    yes 我喜欢吃苹果, | tr -d '\n' | head -c 2850000 > "$dir/han"
    for text in bert/words bert/han gpt2/x gpt2/han llama/x llama/words; do
        run --separate-stderr timeout "$patience" "$viz" stats --json -m "$ref/${text%/*}" -f "$dir/${text#*/}"
        [ "$status" -eq 3 ]
        [[ ${stderr_lines[0]} == *"the text has "*" tokens, ${text%/*} takes at most "* ]]
    done
    # For BERT a word of over 100 characters is one unknown token.
    works timeout "$patience" "$viz" stats -q -m "$ref/bert" -f "$dir/x"
    works timeout "$patience" "$viz" stats -q -m "$ref/gpt2" --truncate -f "$dir/words"
    run timeout "$patience" "$viz" heatmap -q --truncate -f "$dir/words" -o "$dir/a.png"
    [ "$status" -eq 0 ]
}

@test "unusual characters pass through every command" {
    text=$'e\u0301 \u202Edesrever \u200d \U1F469\u200d\U1F467 \uFEFF \u0640\u0627\u0644 \U10FFFF \t tab'
    for m in bert gpt2 llama; do
        works "$viz" tokens -m "$ref/$m" "$text"
        refute grep -q $'\u202e\|\t\|\e' <<< "$output"
        works "$viz" stats --truncate -q -m "$ref/$m" "$text"
        refute grep -q $'\u202e' <<< "$output"
        works "$viz" stats --truncate -q --json -m "$ref/$m" "$text"
        echo "$output" | jq -e . > /dev/null
        works "$viz" stats --truncate -q --tsv -m "$ref/$m" "$text"
        run --separate-stderr "$viz" heatmap --truncate -q -m "$ref/$m" -o "$dir/a.png" "$text"
        [ "$status" -eq 0 ]
    done
}

@test "a line of sixty megabytes is refused before it is tokenised" {
    head -c 60000000 /dev/zero | tr '\0' a >"$dir/long.txt"
    fails 3 "1 of 1 line could not be used: line 1: the text has 60000000 bytes" \
        "$viz" tokens -q -f "$dir/long.txt"
    run "$viz" tokens -f "$dir/long.txt"
    [[ $output == *"the text has 60000000 bytes, expected at most 16777216"* ]]
    rm "$dir/long.txt"
}

@test "tables of several texts have headings and blank lines between them, not above" {
    printf 'a b\n\xff\nc d\n' > "$dir/lines"
    run -3 --separate-stderr "$viz" tokens -f "$dir/lines"
    [ "$(grep -n '^text\|^$' <<< "$output" | paste -s -d ' ')" = "1:text 1 6: 7:text 3" ]
    printf '\xff bad\nok\nok\n' > "$dir/lines"
    run -3 --separate-stderr "$viz" stats -l 0 -H 0 -f "$dir/lines"
    [ "$(grep -n '^text\|^$' <<< "$output" | paste -s -d ' ')" = "1:text 2 4: 5:text 3" ]
    run -3 --separate-stderr "$viz" diff -l 0 -H 0 --dtype f32 --dtype bf16 -f "$dir/lines"
    [[ ${output:0:1} != $'\n' && $(grep -c '^$' <<< "$output") = 1 ]]
}

@test "a line of more than 64 MiB is refused before the rest of it is unpacked" {
    head -c 200000000 /dev/zero | gzip -1 >"$dir/long.gz"
    printf 'the cat\nthe dog\n' | gzip >"$dir/more.gz"
    cat "$dir/more.gz" "$dir/long.gz" >"$dir/both.gz"
    for file in long both; do
        fails 3 "$dir/$file.gz: a line of more than 64 MiB" "$viz" stats -f "$dir/$file.gz"
        fails 3 "$dir/$file.gz: a line of more than 64 MiB" "$viz" types --gold "$dir/$file.gz"
    done
}

@test "without warnings the error at the end has the first reason" {
    printf 'the cat\n\xff\nthe dog\n\xfe\n' >"$dir/x"
    fails 3 "$dir/x: 2 of 4 lines could not be used: line 2: " "$viz" stats -q -o "$dir/o" -f "$dir/x"
    run --separate-stderr "$viz" stats -f "$dir/x"
    [ "${#stderr_lines[@]}" -eq 3 ]
    [ "${stderr_lines[2]}" = "mha-viz: $dir/x: 2 of 4 lines could not be used" ]
    fails 3 "1 of its texts and their pieces could not be used: line 2: " \
        "$viz" stats -q -o "$dir/o" --split 8 -f <(head -n 3 "$dir/x")
}
