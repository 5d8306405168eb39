#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# Metrics of rare tokens: whose counts they are by.  Their numbers: shown.bats, unit/analysis_stats.

load helper

corpus=samples/english.txt
names=rare1,rare2,rare1_text,rare2_text,rare_rho

counts() {
    "$viz" tokens --tsv -f "$corpus" | tail -n +2 | cut -f 3 | sort -n | uniq -c |
        awk '{ print $2 "\t" $1 }'
}

@test "without a file they are by the tokens of all texts" {
    works "$viz" stats --no-metadata --json --metric $names -f "$corpus"
    echo "$output" > "$dir/own"
    echo "$output" | jq -s -e '[.[].heads[].rare1] | any(. == null) and any(. != null)' > /dev/null
    counts > "$dir/counts"
    works "$viz" stats --no-metadata --json --metric $names --unigrams "$dir/counts" -f "$corpus"
    diff <(echo "$output") "$dir/own"
    { printf 'id\tcount\n'; cat "$dir/counts"; } | gzip > "$dir/counts.gz"
    works "$viz" stats --no-metadata --json --metric $names --unigrams "$dir/counts.gz" -f - < "$corpus"
    diff <(echo "$output") "$dir/own"
    "$viz" stats --no-metadata --json --metric $names --unigrams - -f "$corpus" < "$dir/counts" |
        cmp - "$dir/own"
    # of one text alone none of its tokens is rare
    "$viz" stats --json --metric $names "the cat saw the dog" |
        jq -e '.heads | all(.rare1 == null and .rare2 == null and .rare2_text == null and .rare_rho == null)'
}

@test "shards count the texts of all" {
    "$viz" stats --summary --json --metric $names -f "$corpus" > "$dir/want"
    for k in 0 1 2; do
        "$viz" stats --shard $k/3 --metric $names -f "$corpus" -o "$dir/part.$k"
    done
    "$viz" merge --json "$dir"/part.* | cmp - "$dir/want"
    "$viz" merge --no-metadata --json "$dir"/part.* > "$dir/want"
    # by a file too, which must be the same for all
    counts > "$dir/counts"
    for k in 0 1; do
        "$viz" stats --shard $k/2 --metric $names --unigrams "$dir/counts" -o "$dir/part.$k" \
            -f - < "$corpus"
    done
    "$viz" merge --no-metadata --json "$dir"/part.[01] | cmp - "$dir/want"
    echo "1	2" > "$dir/counts"
    "$viz" stats --shard 1/2 --metric $names --unigrams "$dir/counts" -o "$dir/part.1" \
        -f - < "$corpus"
    fails 3 "files" "$viz" merge "$dir"/part.[01]
}

@test "texts that cannot be read twice: null, and a note" {
    run --separate-stderr "$viz" stats --json --metric $names -f - < <(head -n 3 "$corpus")
    [ "$status" -eq 0 ]
    echo "$output" | jq -s -e 'length == 3 and all(.[].heads[]; .rare1 == null)' > /dev/null
    [[ $stderr == "mha-viz: note: metrics of rare tokens: these texts cannot be read twice"* ]]
    run --separate-stderr "$viz" stats --json --metric $names -f <(head -n 3 "$corpus")
    [[ $stderr == *"cannot be read twice"* ]]
    [ "$(echo "$output" | wc -l)" -eq 3 ]
    run --separate-stderr "$viz" stats --json --metric $names - < <(head -n 1 "$corpus")
    [[ $stderr == *"cannot be read twice"* ]]
    # nobody asked
    "$viz" stats --json --metric self,confidence -f - 2>&1 < "$corpus" | jq -s -e 'length > 9'
}

@test "files of counts that are none" {
    fails 3 "$dir/none" "$viz" stats --metric rare1 --unigrams "$dir/none" "the cat"
    printf '1\t2\n5 6\n' > "$dir/counts"
    fails 3 "$dir/counts: line 2: '5 6' is not an id, a tabulator and a count" \
        "$viz" stats --metric rare1 --unigrams "$dir/counts" "the cat"
    printf '1\t2\n1000000\t6\n' > "$dir/counts"
    fails 3 "$dir/counts: line 2: id 1000000: expected 0 to" \
        "$viz" stats --metric rare1 --unigrams "$dir/counts" "the cat"
    : > "$dir/counts"
    fails 3 "$dir/counts: holds no count above 0" \
        "$viz" stats --metric rare1 --unigrams "$dir/counts" "the cat"
}

@test "types: the score is the mean of rare2, by the texts or by a file, in all shards" {
    "$viz" types --no-probe --no-metadata --json -f "$corpus" > "$dir/want"
    "$viz" stats --summary --json --metric rare2 -f "$corpus" |
        jq -c '[.heads[].rare2.mean]' > "$dir/rare2"
    jq -c '[.heads[].scores.rare2]' "$dir/want" | cmp - "$dir/rare2"
    counts > "$dir/counts"
    "$viz" types --no-probe --no-metadata --json --unigrams "$dir/counts" -f - < "$corpus" | cmp - "$dir/want"
    # Every head passes the threshold, and none finds rare tokens more often than chance does;
    # unit/analysis_types has heads that do
    works "$viz" types --no-probe --json --threshold rare:0.05,local-lift:0 -f "$corpus"
    jq -e '[.heads[].scores | .rare2 >= .05 and .rare2 < 2 * .key_even] | all' <<< "$output"
    jq -e 'any(.heads[].types[]; . == "rare-token") | not' <<< "$output"
    for k in 0 1; do
        "$viz" types --no-probe --shard $k/2 -f "$corpus" -o "$dir/part.$k"
    done
    "$viz" merge --json "$dir"/part.[01] |
        cmp - <("$viz" types --no-probe --json -f "$corpus")
    echo "1	2" > "$dir/counts"
    "$viz" types --no-probe --shard 1/2 --unigrams "$dir/counts" -f "$corpus" -o "$dir/part.1"
    fails 3 "" "$viz" merge "$dir"/part.[01]
    run --separate-stderr "$viz" types --no-probe --json -f - < <(head -n 3 "$corpus")
    [[ $stderr == "mha-viz: note: rare-token: these texts cannot be read twice"* ]]
    echo "$output" | jq -e 'all(.heads[]; .scores.rare2 == null)'
    fails 2 "--unigrams requires a TEXT" "$viz" types --unigrams "$dir/counts"
}
