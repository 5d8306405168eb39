#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --max-memory: smaller batches, the same bytes, and an error before what does not fit.

# shellcheck disable=SC2154
load helper

@test "smaller batches give the same bytes" {
    allowed=16M
    # They keep what was freed.
    ! sanitised || allowed=1G
    head -n 20 samples/english.txt >"$dir/lines"
    for form in "--tsv --summary" "--no-metadata --json --top 0"; do
        # shellcheck disable=SC2086
        works "$viz" stats -q $form -f "$dir/lines"
        want=$output
        # shellcheck disable=SC2086
        works "$viz" stats -q $form --max-memory $allowed -f "$dir/lines"
        [ "$output" = "$want" ]
    done
}

@test "a text that does not fit is refused with both sizes, before it is run" {
    ids=$(seq -s, 1 900)
    ! sanitised || skip "sanitisers keep what was freed"
    fails 3 "the text has 900 tokens, which need " "$viz" export --max-memory 60M \
        -o "$dir/x.npy" --ids "$ids"
    [[ $stderr == *" MiB of memory: --max-memory allows 60.0 MiB, of which "*" are taken" ]]
    [ ! -e "$dir/x.npy" ]
    # Of a file it is left out, and others are done.
    printf '{"ids":[1,2,3]}\n{"ids":[%s]}\n{"ids":[4,5]}\n' "$ids" >"$dir/x.jsonl"
    run --separate-stderr "$viz" stats --summary --json --metric erank --max-memory 20M --jsonl \
        -f "$dir/x.jsonl"
    [ "$status" -eq 3 ]
    [[ $output == *'"n_texts":2,"n_unusable":1,'* ]]
    [[ $stderr == *"line 2: the text has 900 tokens, which need "*"allows 20.0 MiB"* ]]
    # The rows of all 24 heads, which are kept for their distances: 24 x 900 x 900 x 4 bytes
    run --separate-stderr "$viz" stats --summary --json --metric js --max-memory 70M --jsonl \
        -f "$dir/x.jsonl"
    [ "$status" -eq 3 ]
    [[ $output == *'"n_texts":2,"n_unusable":1,'* ]]
    [[ $stderr == *"line 2: the text has 900 tokens, which need "*"allows 70.0 MiB"* ]]
}

@test "weights are turned for a continuation where memory is left, to the same bytes" {
    [ -r /proc/meminfo ] || skip "nothing says how much memory there is"
    asked=(stats --no-metadata --json --generate 40 -v)
    run --separate-stderr "$viz" "${asked[@]}" "the cat"
    [ "$status" -eq 0 ]
    want=$output
    [[ $stderr != *"turned weights"* ]]
    # The least that the text itself needs leaves nothing.
    for mib in $(seq 1 64); do
        "$viz" "${asked[@]}" --max-memory ${mib}M "the cat" >/dev/null 2>&1 && break
    done
    run --separate-stderr "$viz" "${asked[@]}" --max-memory ${mib}M "the cat"
    [ "$output" = "$want" ]
    [[ $("$viz" --version) == *"kernel c" || $stderr == *"no memory for turned weights: they are read as "* ]]
    # A few tokens do not pay for it.
    run --separate-stderr "$viz" stats --json --generate 9 -v --max-memory ${mib}M "the cat"
    [ "$status" -eq 0 ]
    [[ $stderr != *"turned weights"* ]]
}

@test "generation with --fast counts the weights that it keeps" {
    "$viz" stats --fast bf16 "the cat" >/dev/null 2>&1 || skip "no --fast bf16 here"
    asked=(stats --no-metadata --json -q --generate 9 --max-memory)
    # They are 2 bytes for each weight of its linear layers, those of logits among them, and what a
    # huge page has behind them.
    allowed=none
    for mib in $(seq 1 64); do
        "$viz" "${asked[@]}" ${mib}M "the cat" >/dev/null 2>&1 || continue
        allowed=$mib
        break
    done
    works "$viz" "${asked[@]}" ${allowed}M "the cat"
    fails 3 "--max-memory allows $allowed.0 MiB" "$viz" "${asked[@]}" ${allowed}M --fast bf16 \
        "the cat"
    fails 3 "--max-memory allows $((allowed + 4)).0 MiB" "$viz" "${asked[@]}" $((allowed + 4))M \
        --fast bf16 "the cat"
    works "$viz" "${asked[@]}" $((allowed + 7))M --fast bf16 "the cat"
    want=$output
    works "$viz" stats --no-metadata --json -q --generate 9 --fast bf16 "the cat"
    [ "$output" = "$want" ]
}

@test "ablate: fewer heads in a pass give the same bytes" {
    allowed=16M
    ! sanitised || allowed=1G
    head -n 3 samples/english.txt >"$dir/lines"
    for with in "zero --summary" "mean --summary" resample uniform "zero --greedy --summary" \
        "zero --together"; do
        # shellcheck disable=SC2086
        works "$viz" ablate -q --tsv -l 0,4 --with $with -f "$dir/lines"
        want=$output
        # shellcheck disable=SC2086
        works "$viz" ablate -q --tsv -l 0,4 --with $with --max-memory "$allowed" -f "$dir/lines"
        [ "$output" = "$want" ]
    done
    works "$viz" ablate -q --tsv --patch 'the dog saw it' 'the cat saw it'
    want=$output
    works "$viz" ablate -q --tsv --patch 'the dog saw it' --max-memory "$allowed" 'the cat saw it'
    [ "$output" = "$want" ]
}

@test "ablate: a text that does not fit is refused before it is run" {
    ids=$(seq -s, 1 900)
    ! sanitised || skip "sanitisers keep what was freed"
    fails 3 "the text has 900 tokens, which need " "$viz" ablate --max-memory 20M --ids "$ids"
    [[ $stderr == *" MiB of memory: --max-memory allows 20.0 MiB, of which "*" are taken" ]]
    printf '{"ids":[1,2,3]}\n{"ids":[%s]}\n{"ids":[4,5]}\n' "$ids" >"$dir/x.jsonl"
    for with in zero mean; do
        run --separate-stderr "$viz" ablate -l 0 --with $with --summary --json \
            --max-memory 20M --jsonl -f "$dir/x.jsonl"
        [ "$status" -eq 3 ]
        [[ $output == *'"n_texts":2,'* ]]
        [[ $stderr == *"line 2: the text has 900 tokens, which need "*"allows 20.0 MiB"* ]]
    done
}

@test "heatmap: maps that are kept count, of texts beside each other those of all" {
    ! sanitised || skip "sanitisers keep what was freed"
    ids=$(seq -s, 1 600)
    for _ in 1 2 3 4 5 6 7 8; do
        echo "{\"ids\":[$ids]}"
    done >"$dir/eight.jsonl"
    head -n 1 "$dir/eight.jsonl" >"$dir/one.jsonl"
    set -- heatmap --no-metadata --jsonl --format pdf --cell 1 -l all -o "$dir/x.pdf"
    works "$viz" "$@" --max-memory 160M -f "$dir/one.jsonl"
    cp "$dir/x.pdf" "$dir/one.pdf"
    works "$viz" "$@" -f "$dir/one.jsonl"
    cmp "$dir/x.pdf" "$dir/one.pdf"
    # 24 heads of 600 x 600 cells: 82 MiB a text
    rm "$dir/x.pdf"
    run --separate-stderr "$viz" "$@" --compare --max-memory 160M -f "$dir/eight.jsonl"
    [ "$status" -eq 3 ]
    [[ $stderr == *"line 2: the text has 600 tokens, which need "*"allows 160.0 MiB"* ]]
    fails 3 "the text has 600 tokens, which need " "$viz" heatmap -l all --cell 1 --max-memory 60M --ids "$ids" \
        -o "$dir/y.png"
    [ ! -e "$dir/y.png" ]
}

@test "what is no size is misuse" {
    for wrong in 0.5G -1 M 1X 1MM "" 1m 9999999999999999; do
        fails 2 "--max-memory: '$wrong': expected a number of bytes" "$viz" stats \
            --max-memory "$wrong" "the cat"
    done
    for small in 0 1 1K 100K; do
        fails 2 "are needed before any text is read" "$viz" stats --max-memory $small "the cat"
    done
    fails 2 "--max-memory: given twice, as '1G' and '2G', expected once" "$viz" stats \
        --max-memory 1G --max-memory 2G "the cat"
    for command in diff links circuits; do
        fails 2 "$command: --max-memory: unknown option" "$viz" $command --max-memory 1G
    done
}
