#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016
# bench and --profile: the parts sum to the whole, their work is what the model's shapes say, and
# the forms of output.  No test asks how fast anything is.

load helper

@test "the parts are those of the model, and sum to all of the time" {
    works "$viz" bench -t 1 --runs 2 --json --length 12 -m "$ref/bert"
    jq -e '.tokens == 12 and .texts == 1 and .threads == 1 and .wall_ms > 0 and .cpu_ms > 0 and
           (.limits | length) > 0 and all(.limits[]; .gflops_one > 0 and .gflops > 0) and
           .read > 0 and .read_one > 0 and
           (.parts | map(.part) | unique) - ["load", "tokens", "pass", "norm", "linear",
               "activation", "attention", "statistics", "output", "other"] == [] and
           ((.parts | map(.share) | add) - 1 | fabs) < 1e-9' <<< "$output" > /dev/null
}

@test "linears: each shape of the model, once for each use" {
    works "$viz" bench -t 1 --runs 1 --json --length 12 -m "$ref/bert"
    echo "$output" > "$dir/bench"
    works "$viz" info --json -m "$ref/bert"
    # of the last layer queries and keys alone; of the others all
    jq -ne --slurpfile b "$dir/bench" --argjson info "$output" '
        $info as $i | ($i.layers) as $L |
        ($b[0].parts | map(select(.part == "linear"))) as $l |
        ($l | map(select(.inputs == $i.d_model and .outputs == $i.d_ff))[0].calls) == $L - 1 and
        ($l | map(select(.inputs == $i.d_ff and .outputs == $i.d_model))[0].calls) == $L - 1 and
        all($l[]; .gflops > 0 and .gbytes > 0 and .of_peak > 0)' > /dev/null
}

@test "a table, TSV, and pictures as bars" {
    works "$viz" bench -t 1 --runs 1 --length 12 -m "$ref/bert"
    grep -q "^part .*shape .*share .*wall, ms .*CPU, ms .*of peak .*GB/s" <<< "$output"
    grep -q "^linear *[0-9]* -> [0-9]*" <<< "$output"
    works "$viz" bench -t 1 --runs 1 --tsv --length 12 -m "$ref/bert"
    [ "$(head -n 1 <<< "$output" | tr '\t' '\n' | grep -c 'parts_\|part$\|wall_ms')" -ge 2 ]
    for format in png svg pdf; do
        works "$viz" bench -t 1 --runs 1 --length 12 -m "$ref/bert" -o "$dir/b.$format"
        [ -s "$dir/b.$format" ]
    done
    grep -q "activation" "$dir/b.svg"
    works "$viz" bench -t 1 --runs 1 --length 12 -m "$ref/bert" --format terminal
    grep -q "^attention" <<< "$output"
}

@test "texts of a file, and two texts" {
    works "$viz" bench -t 2 --runs 1 --json -f samples/english.txt
    [ "$(jq .texts <<< "$output")" -gt 10 ]
    works "$viz" bench -t 1 --runs 1 --json -m "$ref/seq2seq/t5" --length 9
    [ "$(jq -c '[.texts, .tokens]' <<< "$output")" = "[1,9]" ]
    printf 'one text\nanother text\n' > "$dir/texts"
    "$viz" bench -t 1 --runs 2 --json < <(cat "$dir/texts") > "$dir/piped"
    [ "$(jq .texts "$dir/piped")" -eq 2 ]
}

@test "--profile: of any command, on standard error, and the result stays what it is" {
    "$viz" stats --json "the cat saw the dog" > "$dir/plain"
    "$viz" stats --json --profile "the cat saw the dog" > "$dir/profiled" 2> "$dir/said"
    cmp "$dir/plain" "$dir/profiled"
    grep -q "^statistics " "$dir/said"
    grep -q "^in all: .* ms by the clock, .* ms of processors$" "$dir/said"
    for command in "tokens --profile text" "heatmap --profile -o $dir/a.png text" \
        "info --profile" "diff --profile text other" "circuits --profile" \
        "completion --profile bash" "ablate --profile -l 1 text" "export --profile -o $dir/a.npz text"; do
        # shellcheck disable=SC2086
        "$viz" $command > /dev/null 2> "$dir/said"
        grep -q "^in all: " "$dir/said"
    done
    # what failed has no profile
    fails 3 "no such" "$viz" stats --profile -m "$dir/nothing" text || true
    run -2 "$viz" stats --profile --no-such-option
    [[ "$output" != *"in all"* ]]
}

@test "what cannot be measured is refused" {
    fails 2 "--length draws a text: expected no other" "$viz" bench --length 5 text
    fails 2 "reads no tokens" "$viz" bench --length 5 -m "$ref/families/vit"
    fails 2 "--runs" "$viz" bench --runs 0 text
    : > "$dir/empty"
    fails 3 "holds no text that can be used" "$viz" bench -f "$dir/empty"
}
