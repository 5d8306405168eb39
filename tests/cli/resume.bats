#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stats --summary --resume: a run that was ended goes on, and ends with the same bytes.

# shellcheck disable=SC2154
load helper

# lines N: so many texts of 4 to 10 words
lines() {
    awk -v n="$1" 'BEGIN {
        split("the key is in the door in the key is the door", word, " ")
        for (i = 0; i < n; i++) {
            text = word[i * 5 % 12 + 1]
            for (k = 1; k < 4 + i % 7; k++)
                text = text " " word[(i * 5 + k * (i % 3 + 1)) % 12 + 1]
            print text
        }
    }'
}

stats() {
    ${run_as:-} "$viz" stats -q -m "$ref/bert" --compute entropy,prev --bootstrap=300 --reliability \
        -f "$dir/lines" "$@"
}

# ended SIGNAL: a run that was ended by it after it had kept a state once
ended() {
    run_as='exec' stats --summary --resume "$dir/state" -o "$dir/out" &
    while [ ! -s "$dir/state" ]; do
        kill -0 $! || return 0          # it was done before
        sleep 0.02
    done
    kill -s "$1" $!
    status=0
    wait $! || status=$?
}

@test "a run that is killed, again and again, ends with the bytes of one run" {
    lines 4000 >"$dir/lines"
    stats --summary >"$dir/want"
    for ((i = 0; i < 5; i++)); do
        ended KILL 2>/dev/null
        [ ! -e "$dir/out" ] || break
        [ "$(head -c 14 "$dir/state")" = mha-viz/sums/1 ]
        [ "$(find "$dir" -name '*.partial' | wc -l)" -le 1 ]
    done
    stats --summary --resume "$dir/state" -o "$dir/out"
    cmp "$dir/out" "$dir/want"
    # Nothing but the result is left of it.
    rm -f "$dir"/.mha-viz-*
    [ "$(ls -A "$dir" | tr '\n' ' ')" = "lines out want " ]
}

@test "SIGINT and SIGTERM finish a batch, keep the state, and end the run as always" {
    lines 4000 >"$dir/lines"
    stats --summary >"$dir/want"
    ended TERM
    [ "$status" -eq 143 ] || [ -e "$dir/out" ]
    [ -e "$dir/out" ] || [ -s "$dir/state" ]
    [ ! -e "$dir/out.partial" ]
    stats --summary --resume "$dir/state" -o "$dir/out"
    cmp "$dir/out" "$dir/want"
}

@test "lines that cannot be used are counted once; shards resume, too" {
    { printf '\xff\n'; lines 600; printf '\xff\n'; lines 600; } >"$dir/lines"
    run --separate-stderr stats --summary
    [ "$status" -eq 3 ]
    one=$output
    for k in 0 1; do
        run_as='exec' stats --shard $k/2 --resume "$dir/state" -o "$dir/$k.part" 2>/dev/null &
        while [ ! -s "$dir/state" ] && kill -0 $!; do sleep 0.02; done 2>/dev/null
        kill -KILL $! && wait $! || true
        run --separate-stderr stats --shard $k/2 --resume "$dir/state" -o "$dir/$k.part"
        [ "$status" -eq 3 ]
    done 2>/dev/null
    [ "$("$viz" merge "$dir/0.part" "$dir/1.part")" = "$one" ]
}

@test "a state of another run is refused" {
    lines 4000 >"$dir/lines"
    ended KILL 2>/dev/null
    [ -s "$dir/state" ] || skip "the run was over before it could be killed"
    cp "$dir/state" "$dir/kept"
    fails 3 "$dir/state: does not go with this run: options: found" \
        "$viz" stats -q -m "$ref/bert" --compute entropy --summary -f "$dir/lines" \
        --resume "$dir/state"
    fails 3 "$dir/state: does not go with this run: shards: found 0, expected 2" \
        stats --shard 0/2 --resume "$dir/state" -o "$dir/part"
    fails 3 "$dir/state: does not go with this run: model: found \"bert\", expected" \
        "$viz" stats -q --compute entropy,prev --bootstrap=300 --reliability --summary \
        -f "$dir/lines" --resume "$dir/state"
    head -c 1000 "$dir/kept" >"$dir/state"
    fails 3 "$dir/state: is cut short" stats --summary --resume "$dir/state"
    cp "$dir/kept" "$dir/state"
    sed -i '3900s/key/tea/' "$dir/lines"
    fails 3 "$dir/state: does not go with this run: checksum of the texts: found" \
        stats --summary --resume "$dir/state"
    cmp "$dir/kept" "$dir/state"
}

@test "what cannot be resumed is misuse" {
    lines 3 >"$dir/lines"
    fails 2 "--resume requires --summary or --shard" "$viz" stats -f "$dir/lines" \
        --resume "$dir/state"
    fails 2 "--resume requires -f FILE" "$viz" stats --summary --resume "$dir/state" -f -
    fails 3 "expected a file" "$viz" stats --summary --resume "$dir/state" -f /dev/null
    [ ! -e "$dir/state" ]
}
