#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --hidden-out and --hidden-in: the layers of a model in several processes, joined to the bytes
# of one run.

# shellcheck disable=SC2154
load helper

lines() {
    cat >"$dir/lines.jsonl" <<'LINES'
{"text":"the key","lang":"a"}
{"text":"in the door the key is in the door","lang":"b"}
{"text":"is in","lang":"a"}
{"text":"the key is the key","lang":"b"}
LINES
    printf '{"ids":[%s]}\n' 3,4,5,6,7,8,9,10 2,5,3,9,4,5,4 7,7,7 >"$dir/ids.jsonl"
}

# parts MODEL OPTIONS...: two processes, one reading what the other writes
parts() {
    local model=$1
    shift
    rm -f "$dir"/*.part
    "$viz" stats -q -m "$model" --jsonl -l 0 --hidden-out - -o "$dir/first.part" "$@" |
        "$viz" stats -q -m "$model" --hidden-in - -t 3 -o "$dir/second.part"
}

# same MODEL OPTIONS...: their parts, in any order, are the report of one run
same() {
    local model=$1 form
    shift
    parts "$model" "$@"
    for form in table tsv json; do
        [[ $form != tsv || $* != *--reliability* ]] || continue
        "$viz" stats -q -m "$model" --jsonl --summary --format $form "$@" >"$dir/want"
        "$viz" merge --format $form "$dir/second.part" "$dir/first.part" | cmp - "$dir/want"
    done
}

@test "the layers of two processes, merged, are the bytes of one run" {
    lines
    same "$ref/bert" -f "$dir/lines.jsonl"
    same "$ref/bert" -f "$dir/lines.jsonl" --by lang --metric all --bootstrap=20 --reliability \
        --sort prev
    same "$ref/bert" -f "$dir/lines.jsonl" --hide special --weight norm
    same "$ref/bert" -f "$dir/lines.jsonl" --merge words --words
    same "$ref/bert" -f "$dir/lines.jsonl" --split 4:1 --mask causal --max-memory 1G
    same "$ref/gpt2" -f "$dir/ids.jsonl" --metric all,scale,cache --budgets 2
}

@test "each process has its own heads" {
    lines
    "$viz" stats -q -m "$ref/bert" --jsonl -f "$dir/lines.jsonl" -H L0H2 --hidden-out - \
        -o "$dir/first" | "$viz" stats -q -m "$ref/bert" --hidden-in - -H L1H0,L1H1 -o "$dir/second"
    "$viz" stats -q -m "$ref/bert" --jsonl -f "$dir/lines.jsonl" --summary --tsv \
        -H L0H2,L1H0,L1H1 >"$dir/want"
    "$viz" merge --tsv "$dir/first" "$dir/second" | cmp - "$dir/want"
}

@test "also with two streams, global tokens, a convolution, distances, a cap and experts" {
    lines
    for model in reformer longformer deberta_v2_conv xlnet gemma2 mixtral albert_inner t5_encoder; do
        [ -d "$ref/families/$model" ] || continue
        same "$ref/families/$model" -f "$dir/ids.jsonl" --metric all
    done
}

@test "three processes, of the built-in model" {
    head -n 40 samples/english.txt >"$dir/lines"
    "$viz" stats -f "$dir/lines" -l 0-1 --hidden-out - -o "$dir/a" |
        "$viz" stats --hidden-in - -l 2,4 --hidden-out - -o "$dir/b" |
        "$viz" stats --hidden-in - -o "$dir/c"
    "$viz" stats --summary --no-metadata --json -l 0-2,4,5 -f "$dir/lines" >"$dir/want"
    "$viz" merge --no-metadata --json "$dir/c" "$dir/a" "$dir/b" | cmp - "$dir/want"
    fails 3 "the part of layers 2 to 4 is missing" "$viz" merge "$dir/a" "$dir/c"
    fails 3 "the part of layer 5 is missing" "$viz" merge "$dir/a" "$dir/b"
    fails 3 "$dir/b: has layers 2 to 4, of which $dir/b has some: expected each once" \
        "$viz" merge "$dir/a" "$dir/b" "$dir/b" "$dir/c"
    # The text that is there without one.
    works "$viz" stats -q -l 0-2 --hidden-out "$dir/stream" -o "$dir/a"
    works "$viz" stats -q --hidden-in "$dir/stream" -o "$dir/b"
    works "$viz" merge "$dir/a" "$dir/b"
    [ "${lines[0]}" = "mean of 1 text" ]
}

@test "texts that cannot be used are counted by all" {
    printf 'the key\n\xff\nthe door\n' >"$dir/lines"
    run --separate-stderr "$viz" stats -m "$ref/bert" -l 0 -f "$dir/lines" \
        --hidden-out "$dir/stream" -o "$dir/a"
    [ "$status" -eq 3 ]
    run --separate-stderr "$viz" stats -m "$ref/bert" --hidden-in "$dir/stream" -o "$dir/b"
    [ "$status" -eq 3 ]
    [[ $stderr == *"$dir/stream: 1 of 3 texts could not be used" ]]
    works "$viz" merge --json "$dir/a" "$dir/b"
    [[ $output == *'"n_texts":2,"n_unusable":1,'* ]]
}

@test "what cannot be cut between layers is misuse" {
    lines
    out() {
        "$viz" stats -m "$ref/bert" --hidden-out "$dir/x" -o "$dir/part" "$@"
    }
    fails 2 "-o FILE is required" "$viz" stats -l 0 --hidden-out - -f "$dir/ids.jsonl"
    fails 2 "-o is standard output, too" "$viz" stats -l 0 --hidden-out - -o - -f "$dir/ids.jsonl"
    fails 2 "layer 1 is the last: expected -l with layers before it" out -f "$dir/ids.jsonl"
    fails 2 "TEXT cannot be given" out -l 0 the key
    fails 2 "--hidden-out, --shard: only one of them can be given" out -l 0 --shard 0/2 -f "$dir/ids.jsonl"
    fails 2 "--hidden-out, --resume: only one of them can be given" out -l 0 --resume "$dir/state" -f "$dir/ids.jsonl"
    fails 2 "--hidden-out, --generate: only one of them can be given" out -l 0 --generate 3 -f "$dir/ids.jsonl"
    fails 2 "have no format" out -l 0 --json -f "$dir/ids.jsonl"
    for metric in js js_cluster rollout flow; do
        fails 2 "$metric is of all layers" out -l 0 --metric $metric -f "$dir/ids.jsonl"
    done
    fails 2 "bart has several stacks" "$viz" stats -m "$ref/bart" -l 0 --hidden-out "$dir/x" \
        -o "$dir/part" --jsonl -f "$dir/ids.jsonl"
    fails 2 "--hidden-out, --model: expected one model" "$viz" stats --summary -m "$ref/bert" \
        -m "$ref/bert" --hidden-out "$dir/x" -o "$dir/part" -f "$dir/ids.jsonl"
    [ ! -e "$dir/x" ]
    [ ! -e "$dir/part" ]
    # -o is sums, whatever its ending.
    "$viz" stats -q -m "$ref/bert" -l 0 --jsonl -f "$dir/ids.jsonl" --hidden-out "$dir/x" \
        -o "$dir/part.json"
    [ "$(head -c 14 "$dir/part.json")" = mha-viz/sums/1 ]
    fails 2 "x begins with layer 1" "$viz" stats -m "$ref/bert" --hidden-in "$dir/x" -l 0 \
        -o "$dir/part"
    fails 2 "the stream has the texts" "$viz" stats -m "$ref/bert" --hidden-in "$dir/x" \
        -o "$dir/part" -f "$dir/ids.jsonl"
    fails 2 'found the options ["--hide-special"], expected none' "$viz" stats -m "$ref/bert" \
        --hidden-in "$dir/x" -o "$dir/part" --hide-special
}

@test "streams and parts of other runs are refused by name" {
    lines
    "$viz" stats -q -m "$ref/bert" -l 0 --jsonl -f "$dir/ids.jsonl" --hidden-out "$dir/x" \
        -o "$dir/first"
    fails 3 'model: found "gpt2", expected "bert"' "$viz" stats -m "$ref/gpt2" \
        --hidden-in "$dir/x" -o "$dir/part"
    MHA_VIZ_KERNEL=c "$viz" stats -q -m "$ref/bert" -l 0 --jsonl -f "$dir/ids.jsonl" \
        --hidden-out "$dir/c" -o "$dir/part"
    [ "$("$viz" --version | sed -n 's/.*kernel //p')" = c ] ||
        fails 3 'expected "c"' "$viz" stats -m "$ref/bert" --hidden-in "$dir/c" -o "$dir/part"
    cp -r "$ref/bert" "$dir/bert"
    printf ' ' >>"$dir/bert/config.json"
    fails 3 "weights: found" "$viz" stats -m "$dir/bert" --hidden-in "$dir/x" -o "$dir/part"
    # Another corpus.
    head -n 2 "$dir/ids.jsonl" >"$dir/less"
    parts "$ref/bert" -f "$dir/less"
    fails 3 "$dir/second.part: does not go with $dir/first: texts: found 2, expected 3" \
        "$viz" merge "$dir/first" "$dir/second.part"
    # Other options, and a shard.
    parts "$ref/bert" -f "$dir/ids.jsonl" --hide first
    fails 3 "options: found" "$viz" merge "$dir/first" "$dir/second.part"
    "$viz" stats -q -m "$ref/bert" --jsonl --shard 0/1 -f "$dir/ids.jsonl" -o "$dir/shard"
    fails 3 "shards: found 1, expected 0" "$viz" merge "$dir/first" "$dir/shard"
}

@test "a stream that is cut short or changed is refused" {
    lines
    "$viz" stats -q -m "$ref/bert" -l 0 --jsonl -f "$dir/ids.jsonl" --hidden-out "$dir/x" \
        -o "$dir/first"
    size=$(stat -c %s "$dir/x")
    fails 3 "is no stream that --hidden-out wrote" "$viz" stats -m "$ref/bert" \
        --hidden-in "$dir/first" -o "$dir/part"
    fails 3 "standard input: is no stream" "$viz" stats -m "$ref/bert" --hidden-in - -o "$dir/part"
    for n in 30 200 $((size / 2)) $((size - 1)); do
        head -c "$n" "$dir/x" >"$dir/cut"
        fails 3 "$dir/cut: the stream is cut short" "$viz" stats -m "$ref/bert" \
            --hidden-in "$dir/cut" -o "$dir/part"
    done
    cat "$dir/x" "$dir/x" >"$dir/bad"
    fails 3 "$dir/bad: found more after the end" "$viz" stats -m "$ref/bert" --hidden-in "$dir/bad" \
        -o "$dir/part"
    for at in 24 60 $((size / 2)) $((size - 2)); do
        python3 - "$dir/x" "$dir/bad" "$at" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[3])] ^= 1
open(sys.argv[2], "wb").write(data)
PYTHON
        run --separate-stderr "$viz" stats -m "$ref/bert" --hidden-in "$dir/bad" -o "$dir/part"
        [ "$status" -eq 3 ]
        [[ $stderr == "mha-viz: $dir/bad: "* ]]
    done
    [ ! -e "$dir/part" ]
}

@test "a process that fails leaves no stream" {
    lines
    fails 4 "/dev/full: write failed" "$viz" stats -q -l 0 -f "$dir/ids.jsonl" --hidden-out /dev/full \
        -o "$dir/part"
    [ ! -e "$dir/part" ]
    fails 3 "No such file" "$viz" stats -q -l 0 -f "$dir/none" --hidden-out "$dir/x" \
        -o "$dir/part"
    [ ! -e "$dir/x" ]
}
