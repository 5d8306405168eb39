#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the system refuses and the program can do without: it costs time and no byte of the
# results, and -v says so.
# shellcheck disable=SC2154
load helper

slower="slower, with the same results"

teardown() {
    [ -z "$open" ] || rm -rf "$open"
}

# failing SETTING COMMAND...: with tests/fault/preload.c's SETTING; skips where it has no effect
failing() {
    local preload=$PWD/${MHA_VIZ_BUILD:-build}/tests/fault/preload.so
    ! sanitised || skip "sanitisers replace the allocator"
    ldd "$viz" 2>/dev/null | grep -q libc.so.6 || skip "only glibc lets its allocator be replaced"
    run --separate-stderr env LD_PRELOAD="$preload" "$@"
}

# A layer whose packed weights are larger than all else that a pass over 200 tokens takes.
layer() {
    works "$viz" init --d-model 512 --heads 8 --encoder --layers 2 -o "$dir/layer.safetensors"
    asked=(stats --tsv -m "$dir/layer.safetensors" --tokens "$(seq -s ' ' 200)")
}

@test "no memory for packed weights: they are packed by each thread, said once under -v" {
    local note="mha-viz: note: no memory for packed weights: each thread packs its own: $slower"
    layer
    for kernel in c avx2 avx512 neon; do
        MHA_VIZ_KERNEL=$kernel "$viz" --version >/dev/null 2>&1 || continue
        export MHA_VIZ_KERNEL=$kernel
        for threads in 1 3; do
            works "$viz" "${asked[@]}" -t $threads
            want=$output
            failing FAULT_LARGE=3000000 "$viz" "${asked[@]}" -t $threads -v
            [ "$status" -eq 0 ]
            [ "$output" = "$want" ]
            [ "$stderr" = "$note" ]
        done
        failing FAULT_LARGE=3000000 "$viz" "${asked[@]}"
        [ "$status" -eq 0 ]
        [ "$output" = "$want" ]
        [ -z "$stderr" ]
    done
    # What cannot be done without is still an error.
    failing FAULT_LARGE=400000 "$viz" "${asked[@]}" -v
    [ "$status" -eq 4 ]
    [ -z "$output" ]
    [[ $stderr == "mha-viz: out of memory: needed "*" more bytes" ]]
}

@test "no memory for weights that --fast keeps: they are rounded for each token" {
    for fast in bf16 int8; do
        "$viz" stats --fast $fast "the cat" >/dev/null 2>&1 || skip "no --fast $fast here"
        asked=(stats --json --fast "$fast" --generate 9 -v "the cat")
        works "$viz" "${asked[@]}"
        want=$output
        [ -z "$stderr" ]
        failing FAULT_LARGE=30000000 "$viz" "${asked[@]}"
        [ "$status" -eq 0 ]
        [ "$output" = "$want" ]
        [ "$stderr" = "mha-viz: note: no memory for rounded weights: they are rounded for each \
token: $slower" ]
    done
}

@test "no memory for weights that are turned: they are read as they are stored" {
    asked=(stats --json --generate 40 -v "the cat")
    [ -r /proc/meminfo ] || skip "nothing says how much memory there is"
    [[ $("$viz" --version) != *"kernel c" ]] || skip "the kernel c turns none"
    works "$viz" "${asked[@]}"
    want=$output
    [ -z "$stderr" ]
    failing FAULT_LARGE=30000000 "$viz" "${asked[@]}"
    [ "$status" -eq 0 ]
    [ "$output" = "$want" ]
    [ "$stderr" = "mha-viz: note: no memory for turned weights: they are read as they are stored: \
$slower" ]
}

@test "threads that cannot be started: the others do their work" {
    works "$viz" stats --tsv -t 1 "the cat saw the dog"
    want=$output
    for n in 1 3; do
        failing FAULT_THREAD=$n+ "$viz" stats --tsv -v -t 8 "the cat saw the dog"
        [ "$status" -eq 0 ]
        [ "$output" = "$want" ]
        [ "$stderr" = "mha-viz: note: threads: $n of 8 could be started: $slower" ]
    done
}

@test "a limit on processes: 64 threads are asked for" {
    [ "$(id -u)" -eq 0 ] && ! sanitised || skip "needs root, which becomes a user without processes"
    works "$viz" stats --tsv -t 1 "the cat saw the dog"
    want=$output
    nobody=(setpriv --reuid=65534 --clear-groups --inh-caps=-all --bounding-set=-all)
    # A copy that this user can read; the source folder may be closed to others, as /root is
    open=$(mktemp -d)
    chmod 755 "$open"
    cp "$viz" "$open/mha-viz"
    "${nobody[@]}" bash -c 'exec "$@"' - "$open/mha-viz" --version >/dev/null 2>&1 ||
        skip "user 65534 can run no program in $open"
    run --separate-stderr "${nobody[@]}" bash -c 'ulimit -u 5 && exec "$@"' - "$open/mha-viz" stats \
        --tsv -v -t 64 "the cat saw the dog"
    [ "$status" -eq 0 ]
    [ "$output" = "$want" ]
    [[ $stderr == "mha-viz: note: threads: "[1-5]" of 64 could be started: $slower" ]]
}

# Threads take addresses, for stacks and heaps, that the work must not lack.
@test "a limit on addresses: 64 threads run wherever one does" {
    ! sanitised || skip "sanitisers reserve more than any limit"
    works "$viz" stats --tsv -t 1 "the cat saw the dog"
    want=$output
    step=4096 limit=$step
    until (ulimit -v $limit && "$viz" stats --tsv -t 1 "the cat saw the dog") >/dev/null 2>&1; do
        limit=$((limit + step))
    done
    step=$((2 * step)) fewer=0
    for ((try = 0; try < 16; try++, limit += step, step += step / 4)); do
        run --separate-stderr bash -c 'ulimit -v "$1" && shift && exec "$@"' - $limit \
            "$viz" stats --tsv -v -t 64 "the cat saw the dog"
        [ "$status" -eq 0 ]
        [ "$output" = "$want" ]
        [[ -z $stderr || $stderr == "mha-viz: note: threads: "*" of 64 could be started: $slower" ]]
        [ -z "$stderr" ] || fewer=$((fewer + 1))
    done
    [ "$fewer" -gt 0 ]
}

@test "huge pages refused: a picture has the same bytes" {
    ! sanitised || skip "sanitisers and a tracer do not go together"
    fault=$PWD/${MHA_VIZ_BUILD:-build}/tests/fault
    run "$fault/fault" "$fault/preload.so" madvise+ 0 "$viz" heatmap -t 1 -o a.png "the cat saw"
    [ "$status" -ne 77 ] || skip "system calls cannot be traced here"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output =~ ^([1-9][0-9]*)\ of\ .*:\ ([0-9]+)\ the\ same ]]
    [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
}
