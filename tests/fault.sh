#!/bin/bash
# SPDX-License-Identifier: MIT
# Every allocation, thread, read, write and rename fails in turn, and signals come at every
# system call: no run ends well with other output, none leaves a part of a file (fault/fault.c
# has the rules).  By default a sample of each kind; FAULT_MOST=0 tries every place.
#     tests/fault.sh [KIND ...]
cd "$(dirname "$0")/.." || exit 1
viz=$(realpath "${MHA_VIZ:-./mha-viz}")
build=$PWD/${MHA_VIZ_BUILD:-build}/tests/fault
most=${FAULT_MOST:-10}
case $viz in
*/asan/* | */tsan/*)
    echo "skip: sanitisers replace the allocator, and end the process themselves"
    exit 77
    ;;
esac
if ! ldd "$viz" 2>/dev/null | grep -q libc.so.6; then
    echo "skip: only glibc lets its allocator be replaced so"
    exit 77
fi

n=0 bad=0
# try KIND COMMAND...: one TAP line
try() {
    local kind=$1 out rc
    shift
    [ ${#kinds[@]} -eq 0 ] || [[ " ${kinds[*]} " == *" $kind "* ]] || return 0
    out=$("$build/fault" "$build/preload.so" "$kind" "$most" "$viz" "$@")
    rc=$?
    n=$((n + 1))
    case $rc in
    0) echo "ok $n - $kind: $1: $out" ;;
    77) echo "ok $n - $kind: $1 # skip system calls cannot be traced here" ;;
    *)
        bad=$((bad + 1))
        echo "not ok $n - $kind: $*"
        sed 's/^/# /' <<<"$out"
        ;;
    esac
}

kinds=("$@")
all=(alloc alloc+ thread+ open open+ read read+ write write+ mmap mmap+ fsync rename signal kill)
ref=$PWD/tests/ref
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
printf 'the key is in the door\nthe cat saw the dog\nthe key\n' > "$lines"
for kind in "${all[@]}"; do
    try "$kind" stats -t 2 --json -m "$ref/bert" -f "$lines" -o a.json
    try "$kind" export -t 1 -m "$ref/gpt2" -o a.npz "the key"
    try "$kind" tokens --tsv -m "$ref/bert" -f "$lines" -o out/
    try "$kind" diff -t 1 --json -m "$ref/bert" --dtype f32 --dtype bf16 "the key"
    try "$kind" stability -t 1 --json -m "$ref/bert" "the key"
    try "$kind" info --json -m "$ref/gguf_bert/model.gguf"
    try "$kind" init --d-model 8 --heads 2 -o a.safetensors
done
echo "1..$n"
[ "$bad" -eq 0 ]
