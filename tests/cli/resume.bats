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
    ${run_as:-} "$viz" stats -q -m "$ref/bert" --metric entropy,prev --bootstrap=300 --reliability \
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

# killed STATE COMMAND...: it is ended by SIGKILL after it has kept a state
killed() {
    local state=$1 status=0
    shift
    rm -f "$dir/seen"
    [ ! -e "$state" ] || cp "$state" "$dir/seen"
    "$@" &
    while [ ! -s "$state" ] || cmp -s "$state" "$dir/seen"; do
        kill -0 $! || break             # it was done before
        sleep 0.02
    done
    kill -KILL $! && wait $! || status=$?
    rm -f "$dir/seen"
}

@test "reports of each text: what lies after the state is cut off; the same bytes" {
    lines 1200 >"$dir/lines"
    printf '\xff\n' >>"$dir/lines"
    run_stats() { exec "$viz" stats -q -m "$ref/bert" -f "$dir/lines" "$@"; }
    for form in jsonl tsv txt; do
        (run_stats -o "$dir/want.$form") 2>/dev/null || [ $? -eq 3 ]
        for ((i = 0; i < 2; i++)); do
            killed "$dir/state" run_stats -o "$dir/out.$form" --resume "$dir/state" 2>/dev/null
            [ ! -e "$dir/out.$form" ] || break
            # As if it had been killed while it wrote.
            printf 'half a li' >>"$dir/out.$form.partial"
        done 2>/dev/null
        if [ ! -e "$dir/out.$form" ]; then
            [ -s "$dir/state" ]
            run --separate-stderr run_stats -o "$dir/out.$form" --resume "$dir/state"
            [ "$status" -eq 3 ]
            [[ $stderr == *"1 of 1201 lines could not be used"* ]]
        fi
        cmp "$dir/out.$form" "$dir/want.$form"
        rm -f "$dir"/.mha-viz-*
        [ ! -e "$dir/state" ]
        [ ! -e "$dir/out.$form.partial" ]
    done
}

# halted: $dir/state and $dir/out.tsv.partial of a run that SIGTERM ended
halted() {
    (exec "$viz" stats -q -m "$ref/bert" -f "$dir/lines" -o "$dir/out.tsv" \
        --resume "$dir/state") 2>/dev/null &
    await "[ -s '$dir/state' ] || ! kill -0 $!"
    kill -TERM $! || true
    wait $! || status=$?
}

@test "reports of each text: SIGTERM leaves what can be gone on with; what cannot is refused" {
    lines 2000 >"$dir/lines"
    "$viz" stats -q -m "$ref/bert" -f "$dir/lines" -o "$dir/want.tsv"
    go_on() { "$viz" stats -q -m "$ref/bert" -f "$dir/lines" --resume "$dir/state" "$@"; }
    status=0
    halted
    [ "$status" -eq 143 ] || skip "the run was over before it could be ended"
    [ -s "$dir/out.tsv.partial" ]
    [ ! -e "$dir/out.tsv" ]
    size=$(stat -c %s "$dir/out.tsv.partial")
    fails 3 'does not go with this run: reports: found "tsv", expected "json"' \
        go_on -o "$dir/out.json"
    fails 3 "does not go with this run: heads: found" go_on --summary
    fails 3 "$dir/other.tsv.partial: No such file or directory, expected $size bytes" \
        go_on -o "$dir/other.tsv"
    mv "$dir/out.tsv.partial" "$dir/whole"
    head -c 10 "$dir/whole" >"$dir/out.tsv.partial"
    fails 3 "$dir/out.tsv.partial: has 10 bytes, expected $size at least" go_on -o "$dir/out.tsv"
    mv "$dir/whole" "$dir/out.tsv.partial"
    fails 2 "a picture cannot be gone on with" "$viz" ablate -f "$dir/lines" -o "$dir/x.png" \
        --summary --resume "$dir/state"
    works go_on -o "$dir/out.tsv"
    cmp "$dir/out.tsv" "$dir/want.tsv"
}

@test "reports in a folder: each is whole, and the rest is done" {
    lines 600 >"$dir/lines"
    mkdir "$dir/want" "$dir/out"
    "$viz" stats -q -m "$ref/bert" -f "$dir/lines" -o "$dir/want/"
    killed "$dir/state" exec_stats 2>/dev/null
    works "$viz" stats -q -m "$ref/bert" -f "$dir/lines" -o "$dir/out/" --resume "$dir/state"
    rm -f "$dir"/out/.mha-viz-*
    diff -r "$dir/want" "$dir/out"
}

exec_stats() {
    exec "$viz" stats -q -m "$ref/bert" -f "$dir/lines" -o "$dir/out/" --resume "$dir/state"
}

@test "a state of another run is refused" {
    lines 4000 >"$dir/lines"
    ended KILL 2>/dev/null
    [ -s "$dir/state" ] || skip "the run was over before it could be killed"
    cp "$dir/state" "$dir/kept"
    fails 3 "$dir/state: does not go with this run: options: found" \
        "$viz" stats -q -m "$ref/bert" --metric entropy --summary -f "$dir/lines" \
        --resume "$dir/state"
    fails 3 "$dir/state: does not go with this run: shards: found 0, expected 2" \
        stats --shard 0/2 --resume "$dir/state" -o "$dir/part"
    fails 3 "$dir/state: does not go with this run: model: found \"bert\", expected" \
        "$viz" stats -q --metric entropy,prev --bootstrap=300 --reliability --summary \
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
    for out in "" "-o -" "-o /dev/null"; do
        # shellcheck disable=SC2086
        fails 2 "--resume: of reports of each text, requires -o FILE" "$viz" stats \
            -f "$dir/lines" --resume "$dir/state" $out
    done
    fails 2 "--resume requires -f FILE" "$viz" stats --summary --resume "$dir/state" -f -
    fails 3 "expected a file" "$viz" stats --summary --resume "$dir/state" -f /dev/null
    [ ! -e "$dir/state" ]
}

@test "ablate: reports of each text and their mean, killed, end with the same bytes" {
    for i in {1..40}; do echo "the key is in the door in the key is the door"; done >"$dir/lines"
    lines 200 >>"$dir/lines"
    ablate() {
        exec "$viz" ablate -q -m "$ref/gpt2" --with resample -f "$dir/lines" "$@"
    }
    for how in "" "--summary --split 8:1"; do
        # shellcheck disable=SC2086
        (ablate $how -o "$dir/want.jsonl")
        # shellcheck disable=SC2086
        killed "$dir/state" ablate $how --resume "$dir/state" -o "$dir/out.jsonl" 2>/dev/null
        # shellcheck disable=SC2086
        [ -e "$dir/out.jsonl" ] ||
            (ablate $how --resume "$dir/state" -o "$dir/out.jsonl")
        cmp "$dir/out.jsonl" "$dir/want.jsonl"
        rm "$dir/out.jsonl"
    done
}

@test "types: a run over texts or trees that is killed goes on, with its probes" {
    lines 3000 >"$dir/lines"
    for ((i = 0; i < 200; i++)); do sed "s/^# newdoc id = house/&$i/" samples/english.conllu; done \
        >"$dir/trees"
    types() { exec "$viz" types -q -m "$ref/bert" "$@"; }
    for how in "-f $dir/lines" "--gold $dir/trees" "--shard 0/2 -f $dir/lines"; do
        # shellcheck disable=SC2086
        (types $how -o "$dir/want") || true
        # shellcheck disable=SC2086
        killed "$dir/state" types $how --resume "$dir/state" -o "$dir/out" 2>/dev/null
        # shellcheck disable=SC2086
        [ -e "$dir/out" ] || (types $how --resume "$dir/state" -o "$dir/out")
        cmp "$dir/out" "$dir/want"
        [ ! -e "$dir/state" ]
        rm "$dir/out"
    done
    fails 2 "--resume requires -f FILE" types --resume "$dir/state"
    fails 2 "--resume requires -f FILE" types --resume "$dir/state" --gold -
}

@test "two runs with one state: the second is refused, and the first ends as ever" {
    lines 20000 >"$dir/lines"
    head -n 40 "$dir/lines" >"$dir/few"
    for how in "--summary -o $dir/out" "-o $dir/out.tsv"; do
        # shellcheck disable=SC2086
        "$viz" stats -q -m "$ref/bert" -f "$dir/lines" $how --resume "$dir/state" &
        await '[ -e "$dir/state" ]'
        # As long as the first is at work, whatever it has kept so far.
        for ((i = 0; i < 3; i++)); do
            # shellcheck disable=SC2086
            fails 4 "$dir/state: another run that is not done works with it" "$viz" stats -q \
                -m "$ref/bert" -f "$dir/few" $how --resume "$dir/state"
        done
        kill -0 $!
        kill -s KILL $!
        wait $! || true
        [ ! -e "$dir/out" ]
        # Of a run that is gone there is no lock.
        rm -f "$dir/state" "$dir/out.tsv.partial"
        # shellcheck disable=SC2086
        works "$viz" stats -q -m "$ref/bert" -f "$dir/few" $how --resume "$dir/state"
        [ ! -e "$dir/state" ]
        rm -f "$dir/out"
    done
}

@test "a state that is empty is none; an error before anything is kept leaves none" {
    lines 40 >"$dir/lines"
    : >"$dir/state"
    works "$viz" stats --summary -m "$ref/bert" -f "$dir/lines" --resume "$dir/state" -o "$dir/out"
    [ ! -e "$dir/state" ]
    fails 4 "its folder does not exist" "$viz" stats --summary -m "$ref/bert" -f "$dir/lines" \
        --resume "$dir/state" -o "$dir/none/out"
    [ ! -e "$dir/state" ]
    fails 4 "$dir/none/state: cannot be written" "$viz" stats --summary -m "$ref/bert" \
        -f "$dir/lines" --resume "$dir/none/state"
}

@test "a state that is a link: what it leads to is removed, or an error says why not" {
    local preload=$PWD/${MHA_VIZ_BUILD:-build}/tests/fault/preload.so
    lines 40 >"$dir/lines"
    run=("$viz" stats --summary -m "$ref/bert" -f "$dir/lines" --resume "$dir/link" -o "$dir/out")
    ln -s state "$dir/link"
    works "${run[@]}"
    [ ! -e "$dir/state" ]
    ! sanitised || return 0
    ldd "$viz" 2>/dev/null | grep -q libc.so.6 || return 0
    fails 4 "$dir/link: cannot be removed: Operation not permitted" \
        env FAULT_UNLINK=1 LD_PRELOAD="$preload" "${run[@]}"
    [ -s "$dir/out" ]
}
