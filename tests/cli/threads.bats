#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=threads
# More threads than the machine has processors: slower perhaps, and the same bytes.
# shellcheck disable=SC2154
load helper

@test "threads beyond the machine's processors give the bytes of one" {
    head -n 30 samples/english.txt > "$dir/texts"
    works "$viz" stats --tsv --metric all -f "$dir/texts" -t 1 -o "$dir/one.tsv"
    works "$viz" stats --tsv --metric all -f "$dir/texts" -t 96 -o "$dir/many.tsv"
    cmp "$dir/one.tsv" "$dir/many.tsv"
}

@test "texts of a batch are written in their order, whichever thread formats them" {
    head -n 30 samples/english.txt > "$dir/texts"
    for form in --tsv "--no-metadata --json --top 3" "--format table" "--format table --links --legend"; do
        # shellcheck disable=SC2086
        for n in 1 2 3 7; do
            mkdir "$dir/each$n"
            works "$viz" stats $form -f "$dir/texts" -t $n -o "$dir/$n"
            works "$viz" stats $form -f "$dir/texts" -t $n -o "$dir/each$n/"
        done
        for n in 2 3 7; do
            cmp "$dir/1" "$dir/$n"
            diff -r "$dir/each1" "$dir/each$n"
        done
        [ "$(find "$dir/each1" -type f | wc -l)" = 30 ]
        rm -r "$dir"/each?
    done
    works "$viz" stats --no-metadata --json --top 3 -f "$dir/texts" -t 3 -o "$dir/all.json"
    while read -r line; do
        printf '%s\n' "$line" > "$dir/line"
        "$viz" stats --no-metadata --json --top 3 -f "$dir/line" | jq -c 'del(.index)'
    done < "$dir/texts" > "$dir/singly.json"
    jq -c 'del(.index)' "$dir/all.json" | cmp - "$dir/singly.json"
}

# same COMMAND...: its output, messages and status are the same for any number of threads, or those
# of $counts
same() {
    local n rc
    for n in ${counts:-1 2 3 8}; do
        rc=0
        timeout "$patience" "$@" -t "$n" > "$dir/out$n" 2> "$dir/err$n" || rc=$?
        echo $rc >> "$dir/err$n"
        if ! cmp "$dir/out1" "$dir/out$n" || ! cmp "$dir/err1" "$dir/err$n"; then
            echo "-t $n: $*"
            return 1
        fi
    done
}

# Lines of all kinds, most of them good: long, empty, unknown, no text at all
corpus() {
    for i in 1 2 3; do
        cat samples/english.txt
        printf '\ntwo\ttexts %s\n\xff\xfe %s\n🦀 🦀 🦀\n' $i $i
        [ $i -ne 2 ] || { head -c 140000 /dev/zero | tr '\0' 'a'; echo; }
        cat samples/chinese.txt
        printf 'a\0b\r\n'
    done
    printf 'no newline'
}

@test "tokens of a corpus are the same whichever thread they come from" {
    corpus > "$dir/corpus"
    gzip -c "$dir/corpus" > "$dir/corpus.gz"
    for options in "--json --shard 2/3" "--tsv --words" "--format table" "--json --pairs --word-ids" \
        "--json --split 9:2" "--tsv --pretokenized"; do
        # shellcheck disable=SC2086
        same "$viz" tokens -m "$ref/bert" $options -f "$dir/corpus"
    done
    [ "$(tail -n 1 "$dir/err1")" = 3 ]
    [ "$(wc -l < "$dir/err1")" -ge 4 ]
    same "$viz" tokens -m "$ref/gpt2" --json -f "$dir/corpus.gz"
    head -c -200 "$dir/corpus.gz" > "$dir/cut.gz"
    same "$viz" tokens -m "$ref/gpt2" --json -f "$dir/cut.gz"
    [ -s "$dir/out1" ]
    grep -q 'truncated' "$dir/err1"
    for n in 1 3; do
        mkdir "$dir/each$n"
        run "$viz" tokens -m "$ref/gpt2" --json -f "$dir/corpus" -t $n -o "$dir/each$n/"
        "$viz" tokens -m "$ref/gpt2" --json -q -t $n < "$dir/corpus" > "$dir/of$n" || true
        "$viz" tokens -m "$ref/gpt2" --json -q -t $n < <(cat "$dir/corpus") > "$dir/piped$n" || true
        cmp "$dir/of1" "$dir/of$n"
        cmp "$dir/of1" "$dir/piped$n"
    done
    diff -r "$dir/each1" "$dir/each3"
}

@test "JSON lines, with ids, errors and two texts, on several threads" {
    for i in {1..60}; do
        echo '{"text":"the key '$i'","pair":"is"}'
        echo '{"ids":[1,2,3],"type_ids":[0,0,1]}'
        [ $((i % 7)) -ne 0 ] || printf '%s\n' '{"text":' '{"text":"\\u00e9\\u0000x"}' '{"ids":[1],"type_ids":[]}'
    done > "$dir/texts.jsonl"
    same "$viz" tokens -m "$ref/bert" --json --jsonl -f "$dir/texts.jsonl"
    [ "$(wc -l < "$dir/out1")" = 128 ]
    [ "$(wc -l < "$dir/err1")" = 18 ]
    same "$viz" tokens --tsv --jsonl -f "$dir/texts.jsonl"
    same "$viz" stats -m "$ref/bert" --tsv --jsonl -f "$dir/texts.jsonl"
}

@test "statistics of a corpus are the same whichever thread tokenises it" {
    corpus | cut -c 1-60 | head -n 120 > "$dir/corpus"
    same "$viz" stats -m "$ref/bert" --tsv --truncate -f "$dir/corpus"
    same "$viz" stats -m "$ref/bert" --tsv --split 12 --shard 2/3 -f "$dir/corpus"
    same "$viz" stats -m "$ref/bert" --tsv --max-memory 64M -f "$dir/corpus"
    same "$viz" diff -m "$ref/bert" --to "$ref/bert" --tsv --truncate -f "$dir/corpus"
}

# What a long line took is not counted against the lines after it.
@test "a long line that cannot be used costs no other line, on any number of threads" {
    { head -c 1000000 /dev/zero | tr '\0' a; echo; for _ in {1..60}; do echo '我喜欢吃 我 🦀'; done; } > "$dir/texts"
    same "$viz" stats -m "$ref/bart" --words --summary --tsv -f "$dir/texts"
    grep -q '1 of 61 lines could not be used' "$dir/err1"
}

# A step that goes through each text again and again, more than a part of the budget allows, and
# at last all of it
@test "texts that take the tokeniser's whole budget are the same on several threads" {
    mkdir "$dir/slow"
    printf '%s' '{"normalizer":{"type":"Sequence","normalizers":[' > "$dir/slow/tokenizer.json"
    for _ in {1..1500}; do
        printf '%s' '{"type":"Lowercase"},'
    done >> "$dir/slow/tokenizer.json"
    printf '%s' '{"type":"Lowercase"}]},"model":{"type":"WordLevel","vocab":{"a":0,"u":1},"unk_token":"u"}}' \
        >> "$dir/slow/tokenizer.json"
    for _ in {1..50}; do
        printf '%01000d\nA\n' 0
    done > "$dir/texts"
    counts="1 3" same "$viz" tokens -m "$dir/slow" --json -f "$dir/texts"
    grep -q 'line 1: .*vocabulary\|text 1: .*vocabulary' "$dir/err1"
    grep -q 'too much work' "$dir/err1"
    [ "$(wc -l < "$dir/out1")" -gt 20 ]
}

@test "what cannot be written fails in the same way on several threads" {
    corpus > "$dir/corpus"
    same sh -c '"$0" "$@" > /dev/full' "$viz" tokens -m "$ref/bert" --json -f "$dir/corpus"
    for n in 1 3; do
        run bash -c '"$@" | head -n 1; exit "${PIPESTATUS[0]}"' - "$viz" tokens -q -m "$ref/bert" \
            --json -f "$dir/corpus" -t $n
        [ "$status" = 141 ]
        [ "${#lines[@]}" = 1 ]
    done
}

# Each answer is there before the next line is written; several lines at once have theirs, too.
@test "lines that are written one by one are answered one by one" {
    mkfifo "$dir/lines" "$dir/answers"
    for n in 1 3; do
        for options in "--json" "--json -f /dev/stdin"; do
            # shellcheck disable=SC2086
            "$viz" tokens -m "$ref/bert" $options -t $n < "$dir/lines" > "$dir/answers" &
            exec 7> "$dir/lines" 8< "$dir/answers"
            for lines in "the key" $'is\nthe door\nkey' "the"; do
                printf '%s\n' "$lines" >&7
                while IFS= read -r line; do
                    read -r -t "$patience" answer <&8
                    [ "$(jq -r .text <<<"$answer")" = "$line" ]
                done <<<"$lines"
            done
            exec 7>&- 8<&-
            wait $!
        done
    done
}

@test "no processor has more threads than can be asked for" {
    fails 2 "threads" "$viz" stats -t 100000 "the cat"
    fails 2 "threads" "$viz" stats -t -1 "the cat"
}
