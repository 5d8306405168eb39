#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stability: its numbers against the reference library's, the same noise everywhere.

# shellcheck disable=SC2154,SC2016
load helper

text="the key is in the door"

@test "every number is the reference library's under the same noise" {
    # The noise itself is torch.randn's within 2e-6, attentions within 2e-6; a divergence is
    # a sum of squares of differences.
    n=$(jq length tests/ref/stability/cases.json)
    [ "$n" -ge 3 ]
    for ((k = 0; k < n; k++)); do          # run has an i of its own
        case=$(jq -c ".[$k]" tests/ref/stability/cases.json)
        mapfile -t argv < <(jq -r '.argv[]' <<< "$case")
        works "$viz" stability --json "${argv[@]}"
        agree "$(jq -c .want <<< "$case")" "$output" 1e-4 2e-10
    done
}

# bats test_tags=threads
@test "the same bytes for any number of threads; another seed is other noise" {
    "$viz" stability --json -t 1 -m "$ref/gpt2" "$text" > "$dir/one"
    "$viz" stability --json -t 3 -m "$ref/gpt2" "$text" > "$dir/three"
    cmp "$dir/one" "$dir/three"
    "$viz" stability --json --seed 2 -m "$ref/gpt2" "$text" > "$dir/two"
    refute cmp -s "$dir/one" "$dir/two"
}

@test "no noise changes nothing; a single run is its own maximum" {
    works "$viz" stability --json --noise 0 -m "$ref/bert" "$text"
    echo "$output" | jq -e '.mean_variance == 0 and .relative == 0 and
        (.heads | all(.js == 0 and .links_kept == 1))' > /dev/null
    works "$viz" stability --json --runs 1 -m "$ref/bert" "$text"
    echo "$output" | jq -e '.mean_variance == .max_variance and .runs == 1' > /dev/null
    works "$viz" stability --runs 1 -m "$ref/bert" "$text"
    [[ $output == *$'\n1 run, noise'* ]]
}

@test "a table begins with the two numbers; -f takes many texts" {
    works "$viz" stability -m "$ref/bert" -l 1 -H 0,2 "$text"
    [[ ${lines[0]} == mean_variance* && ${lines[1]} == max_variance* ]]
    [[ ${lines[4]} == head*JS*"links kept" ]]
    [[ ${lines[5]} == L1H0* && ${lines[6]} == L1H2* && ${#lines[@]} -eq 7 ]]
    works "$viz" stability --tsv -m "$ref/bert" -l 1 -H 0,2 "$text"
    [ "${lines[0]}" = "$(printf '%s\t' index mean_variance max_variance relative stack layer head js \
        links_kept alone_mean_variance alone_max_variance)alone_relative" ]
    [ "$(cut -f 1,5-7,10- <<< "${lines[2]}")" = "$(printf '0\tencoder\t1\t2\t\t\t')" ]
    : > "$dir/lines"
    works "$viz" stability --tsv -m "$ref/bert" -f "$dir/lines"
    [ "${#lines[@]}" -eq 1 ]
    printf 'the key\nthe door is\n' > "$dir/lines"
    works "$viz" stability --json -m "$ref/bert" -f "$dir/lines"
    [ "$(jq -c '[.index, (.heads | length)]' <<< "$output" | tr '\n' ' ')" = "[0,6] [1,6] " ]
}

@test "an encoder-decoder: noise in its encoder, all three stacks" {
    for stack in encoder decoder cross; do
        works "$viz" stability --json -m "$ref/bart" -s "$stack" --heads-alone -l 0 "$text" "key"
        echo "$output" | jq -e --arg s "$stack" '.mean_variance > 0 and
            (.heads | all(.stack == $s and .alone.mean_variance > 0))' > /dev/null
    done
}

@test "more tokens than a batch can count" {
    { printf '{"ids":['; yes '3,' | head -n 2200000 | tr -d '\n'; printf '3]}\n'; } > "$dir/long"
    run --separate-stderr "$viz" stability --runs 1000 -m "$ref/seq2seq/t5" -s encoder --jsonl -f "$dir/long"
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *"line 1: 2200001 tokens, 1001 times: at most 2147483647 fit one batch" ]]
}

@test "what is out of range" {
    fails 2 "--runs" "$viz" stability --runs 0 x
    fails 2 "--noise" "$viz" stability --noise -1 x
    fails 2 "--seed" "$viz" stability --seed x y
}
