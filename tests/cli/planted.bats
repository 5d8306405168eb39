#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# types: heads that were made for a job (tests/ref/plant_heads.py) are called by it, by texts and
# by probes; a job without a label of its own is called nothing that does not hold.

load helper

# label_of JOB: what types calls a head that does this.  There is no label for names and for rare
# words among so few (rare-token is of what lies beyond the 500 most common tokens): in each text
# such a head rests on one token that is not the first.
label_of() {
    case $1 in
        uniform | "same length") echo broad ;;
        first) echo sink-first ;;
        duplicate) echo duplicate-token ;;
        "mostly previous") echo previous ;;
        "negative induction") echo induction ;;
        names | rare) echo sink-elsewhere ;;
        *) echo "$1" ;;
    esac
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    if "${PYTHON:-python3}" -c 'import numpy' 2>/dev/null; then
        "${PYTHON:-python3}" tests/ref/plant_heads.py "$BATS_FILE_TMPDIR/heads"
    fi
}

need_heads() {
    heads=$BATS_FILE_TMPDIR/heads
    [ -d "$heads" ] || skip "python3 has no NumPy"
}

# by_head FILTER FILE: "L0H1<tab>value" of each head
by_head() {
    jq -r ".heads[] | \"L\(.layer)H\(.head)\t\($1)\"" "$2"
}

@test "with texts, each of 40 planted heads has the label that it was made for" {
    local n=0
    need_heads
    for model in gpt2 bert llama; do
        "$viz" types -q -m "$heads/$model" -f "$heads/texts" --json > "$dir/$model"
        by_head .primary "$dir/$model" > "$dir/primary"
        while IFS=$'\t' read -r of head job; do
            [ "$of" = "$model" ] || continue
            n=$((n + 1))
            found=$(sed -n "s/^$head\t//p" "$dir/primary")
            [ "$found" = "$(label_of "$job")" ] ||
                { echo "$model $head, made for $job: $found"; return 1; }
        done < "$heads/jobs"
    done
    [ "$n" -eq 40 ]
    # What they write: one speaks for what it attends to, the other against it.
    [ "$(by_head '.types | join(",")' "$dir/gpt2" | grep '^L1H[01]' | cut -f 2 | paste -sd ' ')" = \
        "induction,copying induction,negative-copy" ]
}

@test "without texts, probes find those that random tokens can show, of encoders too" {
    need_heads
    "$viz" types -q -m "$heads/gpt2" --json > "$dir/gpt2"
    "$viz" types -q -m "$heads/bert" --json > "$dir/bert"
    [ "$(by_head '.types[0] // "-"' "$dir/gpt2" | cut -f 2 | paste -sd ,)" = \
        "-,previous,self,sink-first,offset -2,offset -3,duplicate-token,previous,induction,induction,-,-,-,-,offset -5,-" ]
    [ "$(by_head '.types[0] // "-"' "$dir/bert" | cut -f 2 | paste -sd ,)" = \
        "-,previous,next,self,sink-first,-,duplicate-token,offset +2,offset -2,offset +3,-,-,-,-,previous,-" ]
}
