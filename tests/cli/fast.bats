#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=threads
# --fast: products in fewer bits, where the processor has them, and why not where it has not.

# shellcheck disable=SC2154
load helper

# here NAME: these numbers
here() {
    "$viz" stats --fast $1 "the cat" >"$dir/first" 2>&1 || skip "$(sed 's/ (try.*//' "$dir/first")"
}

text="the cat saw the dog"

named() {
    here $1
    head -n 8 samples/english.txt >"$dir/lines"
    for k in 0 1; do
        "$viz" stats -q --fast $1 --shard $k/2 -f "$dir/lines" -o "$dir/part.$k"
        grep -aq "\"kernel\":\"avx512+$1\"" "$dir/part.$k"
    done
    works "$viz" stats --fast $1 --summary --tsv -f "$dir/lines" -o "$dir/whole"
    MHA_VIZ_KERNEL=c works "$viz" merge --tsv "$dir/part.0" "$dir/part.1" -o "$dir/merged"
    cmp "$dir/whole" "$dir/merged"
    "$viz" stats -q --shard 1/2 -f "$dir/lines" -o "$dir/other"
    fails 3 "kernel: found \"avx512\", expected \"avx512+$1\"" \
        "$viz" merge "$dir/part.0" "$dir/other"
    works "$viz" heatmap --fast $1 -o "$dir/x.svg" "$text"
    grep -q "(kernel avx512+$1)" "$dir/x.svg"
    grep -q "linears multiplied in $1" "$dir/x.svg"
    works "$viz" heatmap -o "$dir/y.svg" "$text"
    refute grep -q "kernel" "$dir/y.svg"
    works "$viz" bench --json --runs 1 --fast $1 "$text"
    jq -e --arg k avx512+$1 '.kernel == $k and (.limits | map(.kernel) | index($k))' <<<"$output"
}

same_bytes() {
    here $1
    head -n 40 samples/english.txt >"$dir/lines"
    for t in 1 2 3; do
        works "$viz" stats --tsv -t $t --fast $1 -f "$dir/lines" -o "$dir/$t"
    done
    cmp "$dir/1" "$dir/2"
    cmp "$dir/1" "$dir/3"
    for at in 1 7 40; do
        works "$viz" stats --tsv --fast $1 "$(sed -n ${at}p "$dir/lines")" -o "$dir/one"
        tail -n +2 "$dir/one" | cut -f 2- >"$dir/alone"
        awk -F '\t' -v i=$((at - 1)) '$1 == i' "$dir/1" | cut -f 2- >"$dir/among"
        [ -s "$dir/alone" ]
        cmp "$dir/alone" "$dir/among"
    done
    for t in 1 2; do
        works "$viz" stats --json --fast $1 -t $t -m "$ref/gpt2" --ids 1,2,3 --generate 6
        printf '%s' "$output" >"$dir/$t"
    done
    cmp "$dir/1" "$dir/2"
    # Each token is what a pass over all before it, which keeps no weights, would choose.
    works "$viz" stats --json -q --fast $1 --generate 6 "$text"
    generated=$(jq -r .generated <<<"$output")
    for n in 1 2 3; do
        works "$viz" stats --json -q --fast $1 --generate $n "$text"
        [ -n "$generated" ]
        [[ $generated == "$(jq -r .generated <<<"$output")"* ]]
    done
    # Several texts together are as one.
    works "$viz" stats --json -q --fast $1 --generate 6 -f "$dir/lines"
    [ "$(sed -n 7p <<<"$output" | jq -r .generated)" = "$(
        "$viz" stats --json -q --fast $1 --generate 6 "$(sed -n 7p "$dir/lines")" |
            jq -r .generated)" ]
}

moves() {
    here $1
    for m in bert gpt2 seq2seq/t5 llama; do
        works "$viz" diff --json -m "$ref/$m" --fast f32 --fast $1 --ids 1,2,3,4,5
        jq -e --arg f $1 '.first.fast == "f32" and .second.fast == $f and .second.dtype == "f32"
            and (.heads | map(.js) | max | . > 0 and . < 1e-3)' <<<"$output"
    done
    works "$viz" diff --fast f32 --fast $1 -o "$dir/x.svg" "$text"
    grep -q "fast $1" "$dir/x.svg"
    works "$viz" diff --json --fast $1 "$text" "the dog saw the cat"
    jq -e --arg f $1 '.first.fast == $f and .second.fast == $f' <<<"$output"
}

@test "it is an error beside a precision that is simulated" {
    fails 2 "--fast bf16, --dtype int8: only one of them can be given" \
        "$viz" stats --dtype int8 --fast bf16 "$text"
    # Where there is no unit for it the first side says so, before the second is looked at.
    said="--fast bf16, --dtype bf16: only one of them"
    "$viz" stats --fast bf16 "$text" >/dev/null 2>&1 || said="--fast bf16: requires "
    fails 2 "$said" "$viz" diff --dtype f32 --dtype bf16 --fast bf16 "$text"
    fails 2 "--fast" "$viz" stats --fast f16 "$text"
    fails 2 "--fast: 'int4' is not one of f32, bf16, int8" "$viz" diff --fast int4 "$text" "$text"
    works "$viz" stats --tsv --dtype int8 --fast f32 "$text"
}

@test "where no unit has it, it is said why" {
    for f in bf16/bf16 int8/vnni; do
        unit=avx512_${f#*/} f=${f%/*}
        MHA_VIZ_KERNEL=c run --separate-stderr "$viz" stats --fast $f "$text"
        [ "$status" -eq 2 ]
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr =~ ^"mha-viz: --fast $f: "("requires the kernel avx512, found c"|"requires $unit, which this processor lacks"|"this program was built by a compiler without $unit"|"this architecture has no kernel for it")" (try" ]]
    done
    MHA_VIZ_KERNEL=c works "$viz" stats --fast f32 "$text"
    here int8
    MHA_VIZ_KERNEL=c fails 2 "requires the kernel avx512, found c" "$viz" stats --fast int8 "$text"
    MHA_VIZ_KERNEL=avx2 fails 2 "--fast int8: requires the kernel avx512, found avx2" \
        "$viz" diff --fast f32 --fast int8 "$text"
}

@test "what has no linears cannot multiply faster in them" {
    fails 2 "--fast: the attention of" "$viz" stats --fast bf16 --attention "$ref/precomputed/causal.npy"
    a=$ref/precomputed/heads
    fails 2 "--fast bf16 multiplies in linears, of which" "$viz" stats --fast bf16 \
        --qkv "$a.q.npy,$a.k.npy,$a.v.npy"
}

@test "shards, pictures and bench name the kernel, and merge joins those of one: bf16" {
    named bf16
}

@test "shards, pictures and bench name the kernel, and merge joins those of one: int8" {
    named int8
}

@test "bytes depend neither on threads nor on what a text runs together with: bf16" {
    same_bytes bf16
}

@test "bytes depend neither on threads nor on what a text runs together with: int8" {
    same_bytes int8
}

@test "attention moves, and by little: bf16" {
    moves bf16
}

@test "attention moves, and by little: int8" {
    moves int8
}
