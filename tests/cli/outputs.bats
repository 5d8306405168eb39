#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where results go: missing and unwritable folders, full disks, closed pipes, signals.
# Whatever happens, nothing half-written is left.

# shellcheck disable=SC2154,SC2016
load helper

commands=(
    "heatmap -o OUT.png" "heatmap -o OUT.svg" "heatmap -o OUT.pdf" "stats -o OUT"
    "export -o OUT.npz" "export -o OUT.npy" "tokens -o OUT" "info -o OUT"
)

# The command line of one of them, in the array `line`
prepare() {
    read -ra line <<<"${1//OUT/$2}"
    line=("$viz" "${line[@]}" -m "$ref/bert")
    [[ $1 == info* ]] || line+=("the key is in the door")
}

@test "a folder that is missing" {
    for c in "${commands[@]}"; do
        prepare "$c" "$dir/none/a"
        fails 4 "$dir/none/a" "${line[@]}"
        [[ $stderr == *"its folder does not exist"* ]]
    done
    fails 4 "$dir/none/000001.png" "$viz" heatmap -m "$ref/bert" -o "$dir/none/" "the key"
    [ -z "$(list "$dir")" ]
}

@test "a folder that is a file" {
    echo kept > "$dir/file"
    for c in "${commands[@]}"; do
        prepare "$c" "$dir/file/a"
        fails 4 "Not a directory" "${line[@]}"
    done
    [ "$(list "$dir")" = "file " ]
    [ "$(cat "$dir/file")" = kept ]
}

@test "a folder that may not be written" {
    for d in /proc/self /sys/kernel; do
        [ -d "$d" ] || continue
        for c in "${commands[@]}"; do
            prepare "$c" "$d/a"
            fails 4 "$d/a" "${line[@]}"
        done
    done
    [ "$(id -u)" -ne 0 ] || return 0
    mkdir "$dir/closed"
    chmod 555 "$dir/closed"
    for c in "${commands[@]}"; do
        prepare "$c" "$dir/closed/a"
        fails 4 "Permission denied" "${line[@]}"
    done
}

# Under AddressSanitizer: what was opened before the output failed is closed.
@test "lines of a file, and an output that cannot be written" {
    printf 'the key\nthe door\n' > "$dir/lines"
    for c in stats stability "mechanisms --format json" tokens \
        "diff --dtype f32 --dtype bf16 --format json"; do
        # shellcheck disable=SC2086
        fails 4 "$dir/none/a: cannot be written" "$viz" $c -m "$ref/bert" -f "$dir/lines" \
            -o "$dir/none/a"
    done
    fails 3 "no such model" "$viz" diff -m "$ref/bert" -m "$dir/none" -f "$dir/lines"
}

@test "the name of a folder" {
    mkdir "$dir/d.png" "$dir/plain"
    fails 4 "is a folder" "$viz" init --d-model 8 --heads 2 -o "$dir/plain"
    [ "$(list "$dir/plain")" = "" ]
    works "$viz" heatmap -m "$ref/bert" -o "$dir/d.png" "the key"   # the file goes inside
    [ "$(list "$dir/d.png")" = "000001.png " ]
    works "$viz" stats -m "$ref/bert" -o "$dir/plain" "the key"
    [ "$(list "$dir/plain")" = "000001.txt " ]
    cmp "$dir/plain/000001.txt" <("$viz" stats -m "$ref/bert" "the key")
    works "$viz" info -m "$ref/bert" --json -o "$dir/plain"
    [ "$(list "$dir/plain")" = "000001.json 000001.txt " ]
    fails 2 "empty name" "$viz" stats -m "$ref/bert" -o "" "the key"
}

@test "the extension of -o chooses the format of a report; --format overrides it" {
    for c in "stats" "tokens" "stability" "mechanisms --runs 0" "diff --dtype f32 --dtype bf16"; do
        # shellcheck disable=SC2086
        for f in txt:table tsv:tsv json:json jsonl:json JSON:json; do
            works "$viz" $c -m "$ref/bert" -o "$dir/a.${f%:*}" "the key"
            cmp "$dir/a.${f%:*}" <("$viz" $c -m "$ref/bert" --format "${f#*:}" "the key")
        done
        # shellcheck disable=SC2086
        works "$viz" $c -m "$ref/bert" --tsv -o "$dir/b.json" "the key"
        cmp "$dir/a.tsv" "$dir/b.json"
        # shellcheck disable=SC2086
        works "$viz" $c -m "$ref/bert" -o "$dir/plain" "the key"
        cmp "$dir/a.txt" "$dir/plain"
        # shellcheck disable=SC2086
        fails 2 "-o $dir/a.ods: unknown file extension; known are .txt, .tsv, .csv, .json, .jsonl" \
            "$viz" $c -m "$ref/bert" -o "$dir/a.ods" "the key"
    done
    cmp <("$viz" stats -m "$ref/bert" -o /dev/stdout "the key") <("$viz" stats -m "$ref/bert" "the key")
    fails 2 "known is .safetensors" "$viz" init --d-model 8 --heads 2 -o "$dir/a.bin"
}

@test "-o DIR/: a file per text, numbered by line, in the format of --format" {
    printf 'the key\n\nthe door\n' > "$dir/lines"
    mkdir "$dir/out"
    for c in "stats" "tokens" "stability" "mechanisms --runs 0" "diff --dtype f32 --dtype bf16"; do
        for f in table:txt tsv:tsv json:json; do
            # shellcheck disable=SC2086
            run --separate-stderr "$viz" $c -m "$ref/bert" --no-special -f "$dir/lines" \
                --format "${f%:*}" --no-metadata -o "$dir/out/"
            [ "$status" -eq 0 ]
            [ "$(list "$dir/out")" = "000001.${f#*:} 000003.${f#*:} " ]
            # shellcheck disable=SC2086
            cmp "$dir/out/000001.${f#*:}" \
                <("$viz" $c -m "$ref/bert" --no-special --format "${f%:*}" --no-metadata "the key")
            # Each TSV has its header.
            [ "$f" != tsv:tsv ] || cmp <(head -1 "$dir/out/000001.tsv") <(head -1 "$dir/out/000003.tsv")
            rm "$dir"/out/*
        done
    done
    fails 4 "cannot be written" "$viz" stats -q -m "$ref/bert" -f "$dir/lines" -o "$dir/none/"
}

@test "an npz to a named pipe, and to /dev/stdout" {
    works "$viz" export --no-metadata -m "$ref/bert" -o "$dir/a.npz" "the key"
    "$viz" export --no-metadata -m "$ref/bert" -o /dev/stdout "the key" | cmp - "$dir/a.npz"
    mkfifo "$dir/pipe"
    cat "$dir/pipe" > "$dir/b.npz" &
    works "$viz" export --no-metadata -m "$ref/bert" -o "$dir/pipe" "the key"
    wait $!
    cmp "$dir/a.npz" "$dir/b.npz"
    [ -p "$dir/pipe" ]
}

@test "a picture or an array is not written to a terminal" {
    script -qec true /dev/null > /dev/null 2>&1 || skip "no pseudo-terminal here"
    for c in "heatmap --format png -o -" "mechanisms --runs 0 --format svg" \
        "diff --dtype f32 --dtype bf16 --format png"; do
        run script -qec "$viz $c -m $ref/bert 'the key'" /dev/null
        [ "$status" -eq 2 ]
        [[ $output == *"standard output is a terminal"*"give -o FILE."* ]]
    done
    for path in - /dev/stdout /dev/tty; do
        for c in "heatmap --format svg -m $ref/bert" "export -m $ref/bert" "export --format npy -m $ref/bert" \
            "init --d-model 8 --heads 2"; do
            text=$([[ $c == init* ]] || echo "'the key'")
            run script -qec "$viz $c -o $path $text" /dev/null
            [ "$status" -eq 2 ]
            [[ $output == *"-o $path: "*" is a terminal, which shows no "*"; give -o FILE."* ]]
        done
        run script -qec "$viz stats -m $ref/bert -o $path 'the key'" /dev/null
        [ "$status" -eq 0 ]
    done
}

@test "a name without an extension takes the default of the command" {
    works "$viz" heatmap -m "$ref/bert" -o "$dir/picture" "the key"
    [ "$(magic "$dir/picture" 4)" = 89504e47 ]
    works "$viz" export -m "$ref/bert" -o "$dir/arrays" "the key"
    [ "$(magic "$dir/arrays" 4)" = 504b0304 ]
    works "$viz" init --d-model 8 --heads 2 -o "$dir/layer"
    works "$viz" init --d-model 8 --heads 2 -o "$dir/layer.safetensors"
    cmp "$dir/layer" "$dir/layer.safetensors"
}

@test "without -o the picture's name has the extension of --format" {
    cd "$dir"
    [ "$("$viz" heatmap -m "$ref/bert" "the key")" = heatmap.png ]
    [ "$("$viz" heatmap -m "$ref/bert" --format svg "the key")" = heatmap.svg ]
    grep -q '<svg' heatmap.svg
    [ "$(list .)" = "heatmap.png heatmap.svg " ]
}

# on_terminal COMMAND: what it writes to a pseudo-terminal, each line that overwrites the one
# before it as one of its own
on_terminal() {
    script -qec "$1" /dev/null < /dev/null | tr '\r' '\n'
}

@test "progress: a line on a terminal for what takes longer than a second" {
    script -qec true /dev/null > /dev/null 2>&1 || skip "no pseudo-terminal here"
    ! sanitised && ! covered || skip "times are those of the plain build"
    for _ in $(seq 30); do cat samples/english.txt; done > "$dir/lines"
    long="$viz stats --tsv -t 1 -f $dir/lines"
    on_terminal "$long -o $dir/a.tsv" > "$dir/seen"
    grep -Eq '^mha-viz: text [0-9]+, [0-9]+%, [0-9]+ tokens/s, [0-9]+( s|:[0-9]+) left' "$dir/seen"
    # Taken away at the end; not there where it would be read by a program, and not with -q
    tail -n 1 "$dir/seen" | grep -Eq '^ *$'
    on_terminal "$long -q -o $dir/b.tsv" > "$dir/seen"
    [ ! -s "$dir/seen" ]
    on_terminal "$long -o $dir/b.tsv 2> $dir/err" > "$dir/seen"
    [ ! -s "$dir/seen" ]
    [ ! -s "$dir/err" ]
    cmp "$dir/a.tsv" "$dir/b.tsv"
    # Results on the same terminal are whole lines
    on_terminal "$long" > "$dir/seen"
    grep -q '^mha-viz: text ' "$dir/seen"
    grep -Ev '^(mha-viz: text .*| *)$' "$dir/seen" | cmp - "$dir/a.tsv"
    # SIGINT, which a job in the background would ignore, takes it away, too; the corpus is long
    # enough for the line to be there before its end
    for _ in $(seq 40); do cat "$dir/lines"; done > "$dir/long"
    long="$viz stats --tsv -t 1 -f $dir/long -o $dir/c.tsv"
    script -qfec "sh -c 'echo \$\$ > $dir/pid; exec env --default-signal=INT $long'" \
        /dev/null < /dev/null > "$dir/raw" &
    await 'grep -q "mha-viz: text " "$dir/raw"'
    kill -INT "$(cat "$dir/pid")"
    wait $! || true
    tr '\r' '\n' < "$dir/raw" | tail -n 1 | grep -Eq '^ *$'
    [ ! -e "$dir/c.tsv" ]
}

# shows PATTERN N COMMAND: the line of progress, with the number N as the command's last
# argument; the machine may be too fast for a small one
shows() {
    local n=$2
    until on_terminal "$viz $3 $n -o $dir/a" | grep -Eq "$1"; do
        n=$((2 * n))
        [ "$n" -lt $((64 * $2)) ] || { echo "no line of progress: $3 $n"; return 1; }
    done
}

@test "progress: one text, by what its command does" {
    script -qec true /dev/null > /dev/null 2>&1 || skip "no pseudo-terminal here"
    ! sanitised && ! covered || skip "times are those of the plain build"
    shows '^mha-viz: head [0-9] of 8, ' 150 "stability -t 1 --heads-alone -l 0-1 --runs"
    shows '^mha-viz: layer [0-9] of [0-9], [0-9]+%, ' 150 "mechanisms -t 1 --runs"
    "$viz" init --d-model 64 --heads 2 --layers 4 --encoder -o "$dir/layers.safetensors"
    shows '^mha-viz: layer [0-9] of 4, ' 6000 "stats -t 1 -m $dir/layers.safetensors --shape"
}

@test "a full disk" {
    [ -e /dev/full ] || skip "no /dev/full here"
    for c in "heatmap --format png -o OUT" "heatmap --format svg -o OUT" "heatmap --format pdf -o OUT" \
        "stats -o OUT" "stats --json -o OUT" "export --format npz -o OUT" "export --format npy -o OUT" \
        "tokens -o OUT" "info -o OUT"; do
        prepare "$c" /dev/full
        fails 4 "/dev/full: write failed: No space left on device" "${line[@]}"
        prepare "$c" -
        fails 4 "standard output: write failed: No space left on device" \
            bash -c '"$@" > /dev/full' - "${line[@]}"
    done
    [ -c /dev/full ]
}

@test "a full disk is seen after the first texts, not after the corpus" {
    [ -e /dev/full ] || skip "no /dev/full here"
    # The corpus has no end.
    for c in "stats --json" "tokens --tsv"; do
        # shellcheck disable=SC2086
        run --separate-stderr bash -c 'yes "the key" | timeout "$0" "$@" > /dev/full' "$patience" \
            "$viz" $c -m "$ref/bert" -f -
        [ "$status" -eq 4 ]
        [ "$stderr" = "mha-viz: standard output: write failed: No space left on device" ]
    done
}

@test "a disk that fills up in the middle" {
    [ -w /dev/shm ] || skip "no /dev/shm here"
    mkdir -p "$dir/small"
    mount -t tmpfs -o size=16k none "$dir/small" 2>/dev/null || skip "may not mount here"
    echo kept > "$dir/small/a.png"
    echo kept > "$dir/small/a.npz"
    run --separate-stderr "$viz" heatmap -o "$dir/small/a.png"
    s1=$status e1=$stderr
    run --separate-stderr "$viz" export -o "$dir/small/a.npz" "a text that gives a large array"
    s2=$status
    left=$(list "$dir/small") one=$(cat "$dir/small/a.png") two=$(cat "$dir/small/a.npz")
    umount "$dir/small"
    [ "$s1" -eq 4 ]
    [ "$s2" -eq 4 ]
    [[ $e1 == *"a.png: write failed: No space left on device" ]]
    [ "$left" = "a.npz a.png " ]
    [ "$one$two" = keptkept ]
}

@test "a pipe that closes ends the program silently" {
    for c in "stats --json -f samples/english.txt" "tokens --json -f samples/english.txt" \
        "heatmap -o -" "export -o -" "info --json"; do
        # shellcheck disable=SC2086
        run unread "$viz" $c
        [ "$status" -eq 141 ]
        [ -z "$output" ]
    done
    run --separate-stderr bash -c 'set -o pipefail; "$@" | head -c 100 > /dev/null' - \
        "$viz" stats --json -f samples/english.txt
    [ "$status" -eq 141 ]
    [ -z "$stderr" ]
}

# Whoever runs the tests may have chosen to ignore some.
signals=(INT TERM HUP QUIT XCPU ALRM USR1)
anew() {
    "$1" env "${signals[@]/#/--default-signal=}" "${@:2}"
}

# bats test_tags=threads
@test "a signal in the middle of a run ends it, and leaves nothing" {
    mkdir "$dir/out"
    mkfifo "$dir/lines"
    for sig in "${signals[@]}"; do
        status=0
        # The lines have no end.
        yes "the cat saw the dog and the cat ran away" > "$dir/lines" &
        (ulimit -c 0; anew exec "$viz" stats --json -t 2 -f "$dir/lines" \
            -o "$dir/out/a.json") 2> "$dir/said" &
        await '[ -n "$(list "$dir/out")" ]'
        kill -s "$sig" $!
        wait $! || status=$?
        [ "$status" -eq $((128 + $(kill -l "$sig"))) ]
        [ -z "$(list "$dir/out")" ]
        [ ! -s "$dir/said" ]
    done
}

@test "a signal that is ignored, as by nohup, stays so" {
    mkfifo "$dir/lines"
    (trap "" HUP; exec "$viz" tokens -f "$dir/lines" -o "$dir/a") &
    exec 9> "$dir/lines"            # waits for the program
    kill -HUP $!
    echo hello >&9
    exec 9>&-
    wait $!
    [ -s "$dir/a" ]
}

@test "a file that may not grow further is a failed write" {
    covered && skip "the files of gcov may not grow either"
    run --separate-stderr bash -c 'ulimit -f 1; exec "$@"' - "$viz" export -o "$dir/a.npz" "the cat saw the dog"
    [ "$status" -eq 4 ]
    [ "$stderr" = "mha-viz: $dir/a.npz: write failed: File too large" ]
    [ -z "$(list "$dir")" ]
}

@test "a model that becomes shorter while it is read" {
    sanitised && skip "sanitisers handle SIGBUS themselves"
    mkdir "$dir/model" "$dir/out"
    cp "$ref"/bert/* "$dir/model/"
    mkfifo "$dir/lines"
    "$viz" stats --json -t 2 -m "$dir/model" -f "$dir/lines" -o "$dir/out/a.json" 2> "$dir/said" &
    exec 9> "$dir/lines"
    await 'grep -q model.safetensors /proc/$!/maps'
    : > "$dir/model/model.safetensors"
    echo "the key is in the door" >&9
    exec 9>&-
    status=0
    wait $! || status=$?
    [ "$status" -eq 3 ]
    [ "$(cat "$dir/said")" = "mha-viz: $dir/model/model.safetensors: changed while it was read: a part of it is no longer there" ]
    [ -z "$(list "$dir/out")" ]
}

@test "-o does not replace the model, by whatever name" {
    cp -r "$ref/bert" "$dir/model"
    ln "$dir/model/model.safetensors" "$dir/hard"
    ln -s model/model.safetensors "$dir/soft"
    cp "$ref/gguf_bert/model.gguf" "$dir/a.gguf"
    before=$(cat "$dir"/model/* "$dir/a.gguf" | cksum)
    for name in hard soft model/model.safetensors model/config.json; do
        for c in "stats --json" "export --format npz" "info --tsv" "heatmap --format png"; do
            text=$([[ $c == info* ]] || echo "the key")
            # shellcheck disable=SC2086
            fails 2 "-o $dir/$name: is the same file as " "$viz" $c -m "$dir/model" -o "$dir/$name" ${text:+"$text"}
        done
    done
    fails 2 "is the same file as -m $dir/a.gguf, which is read" "$viz" stats --json -m "$dir/a.gguf" -o "$dir/a.gguf" "the key"
    [ "$(cat "$dir"/model/* "$dir/a.gguf" | cksum)" = "$before" ]
}

@test "a file that is replaced keeps its mode; a link is followed, also one that leads nowhere" {
    echo old > "$dir/a.tsv"
    chmod 640 "$dir/a.tsv"
    works "$viz" stats -m "$ref/bert" -o "$dir/a.tsv" "the key"
    [ "$(stat -c %a "$dir/a.tsv")" = 640 ]
    mkdir "$dir/other"
    ln -s other/b.tsv "$dir/link.tsv"
    works "$viz" stats -m "$ref/bert" -o "$dir/link.tsv" "the key"
    [ -L "$dir/link.tsv" ]
    cmp "$dir/other/b.tsv" "$dir/a.tsv"
    ln -s round.tsv "$dir/round.tsv"
    fails 4 "round.tsv: cannot be written: Too many levels of symbolic links" \
        "$viz" stats -m "$ref/bert" -o "$dir/round.tsv" "the key"
}

@test "/dev/fd/N is read where it stands, and called so" {
    [ "$("$viz" stats --json -m "$ref/bert" -f <(echo "the key") | jq -r .provenance.file | tr -d 0-9)" = /dev/fd/ ]
}

@test "/dev/stdout and /dev/fd/N are written to where they stand" {
    "$viz" tokens -m "$ref/bert" "the key" > "$dir/want"
    echo first > "$dir/log"
    "$viz" tokens -m "$ref/bert" -o /dev/stdout "the key" >> "$dir/log"
    "$viz" tokens -m "$ref/bert" -o /dev/fd/5 "the key" 5>> "$dir/log"
    cmp "$dir/log" <(echo first; cat "$dir/want" "$dir/want")
    fails 4 "/dev/fd/77: cannot be written: Bad file descriptor" \
        "$viz" tokens -m "$ref/bert" -o /dev/fd/77 "the key"
}

@test "a name of 255 bytes" {
    name=$dir/$(printf 'a%.0s' {1..251}).tsv
    works "$viz" stats -m "$ref/bert" -o "$name" "the key"
    [ -s "$name" ]
}

@test "the previous file stays at the output's name until the new one is complete" {
    echo kept > "$dir/a.png"
    fails 3 "not UTF-8" "$viz" heatmap -m "$ref/bert" -o "$dir/a.png" $'\xff'
    [ "$(cat "$dir/a.png")" = kept ]
    echo kept > "$dir/a.npz"
    fails 3 "id 999 is not in the vocabulary" "$viz" export -m "$ref/bert" -o "$dir/a.npz" --ids 1,999
    [ "$(cat "$dir/a.npz")" = kept ]
    [ "$(list "$dir")" = "a.npz a.png " ]
}

# bats test_tags=threads
@test "threads that cannot be started are done without" {
    sanitised && skip "sanitisers need the address space themselves"
    "$viz" stats --json -t 1 -f samples/english.txt > "$dir/one"
    # One of three stacks of 2 GB fits.
    run --separate-stderr bash -c 'ulimit -s 2000000 -v 3500000 && exec "$@" > "$0"' "$dir/many" \
        "$viz" stats --json -t 4 -f samples/english.txt
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    cmp "$dir/one" "$dir/many"
}

@test "memory that runs out is a system error, and leaves nothing" {
    sanitised && skip "sanitisers need the address space themselves"
    text=$(printf 'the cat saw the dog %.0s' {1..190})
    run --separate-stderr bash -c 'ulimit -v 80000; "$@"' - "$viz" export -t 1 -o "$dir/a.npy" "$text"
    [ "$status" -eq 4 ]
    [[ $stderr == "mha-viz: out of memory: needed "*" more bytes" ]]
    [ -z "$(list "$dir")" ]
}

@test "a file under /dev goes by its extension; a device, a pipe and a descriptor do not" {
    folder=$(mktemp -d /dev/shm/mha-viz-XXXXXX 2>/dev/null) || skip "no /dev/shm here"
    works "$viz" heatmap -m "$ref/bert" -o "$folder/a.svg" "the key"
    works "$viz" stats -m "$ref/bert" -o "$folder/a.json" "the key"
    run --separate-stderr "$viz" heatmap -m "$ref/bert" -o "$folder/a.xyz" "the key"
    found="$status $(magic "$folder/a.svg" 4) $(head -c 1 "$folder/a.json") $(list "$folder")"
    rm -r "$folder"
    [ "$found" = "2 3c737667 { a.json a.svg " ] || [ "$found" = "2 3c3f786d { a.json a.svg " ]
    fails 2 "unknown file extension" "$viz" stats -m "$ref/bert" -o /dev/none.xyz "the key"
    mkfifo "$dir/pipe.json"
    cat "$dir/pipe.json" >"$dir/table" &
    works "$viz" stats -m "$ref/bert" -o "$dir/pipe.json" "the key"
    wait $!
    "$viz" stats -m "$ref/bert" -o /dev/fd/9 "the key" 9>"$dir/nine.json"
    cmp "$dir/nine.json" "$dir/table"
    works "$viz" stats -m "$ref/bert" -o /dev/null "the key"
}

@test "a full disk is the reason, whichever write met it" {
    local small=$dir/small
    mkdir "$small"
    mount -t tmpfs -o size=64k none "$small" 2>/dev/null || skip "nothing can be mounted here"
    for ((i = 0; i < 200; i++)); do echo "the key is in the door the key is in the door"; done \
        >"$dir/lines"
    run --separate-stderr "$viz" stats --summary -m "$ref/bert" -l 0 -f "$dir/lines" \
        --hidden-out "$small/h" -o "$dir/part"
    umount "$small"
    [ "$status $stderr" = "4 mha-viz: $small/h: write failed: No space left on device" ]
}

@test "--csv has the fields of --tsv, whatever they hold" {
    printf 'a, "b"\tc\\d\nthe cat\n' > "$dir/lines"
    for command in "stats" "stats --links" "stats --summary" "tokens" "types --no-probe" "trace" "attribute" \
        "neuron -H L2H0" "ablate" "links" "curve" "model --metric type" "stability --runs 2"; do
        # shellcheck disable=SC2086
        "$viz" $command -q --tsv -f "$dir/lines" > "$dir/tsv"
        # shellcheck disable=SC2086
        "$viz" $command -q --csv -f "$dir/lines" > "$dir/csv"
        # shellcheck disable=SC2086
        "$viz" $command -q -f "$dir/lines" -o "$dir/x.csv"
        cmp "$dir/csv" "$dir/x.csv"
        python3 - "$dir/csv" "$dir/tsv" <<'PYTHON'
import csv, re, sys
names = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
def plain(field):
    return re.sub(r"\\(.)", lambda m: names[m[1]], field)
with open(sys.argv[1], newline="") as f:
    found = list(csv.reader(f, strict=True))
with open(sys.argv[2], newline="") as f:
    wanted = [[plain(x) for x in line.rstrip("\n").split("\t")] for line in f]
assert found == wanted and len(found) > 1, (found[:3], wanted[:3])
PYTHON
    done
    fails 2 "--provenance is of TSV" "$viz" stats --csv --provenance x
    fails 2 "--reliability is of the table and JSON" "$viz" stats --summary --reliability --csv -f samples/english.txt
}
