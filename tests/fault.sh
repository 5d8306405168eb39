#!/bin/bash
# SPDX-License-Identifier: MIT
# Every allocation, thread, read, write and rename fails in turn, and signals come at every
# system call: no run ends well with other output, none leaves a part of a file (fault/fault.c
# has the rules).
#     tests/fault.sh [KIND ...]
# By default a sample of each kind; FAULT=slice: more of them, always the same ones; FAULT=all:
# every place, and every tenth of commands that draw (a hundred at least); what was done is kept
# in build/torture and is not done again, until the program changes; at the end comes a table.
# FAULT_MINUTES=N: what can be done in N minutes, in an order that changes from day to day; lists what
# was not finished.
# FAULT_CASES="NAME ...": of these cases alone.
# file_tags=slices
cd "$(dirname "$0")/.." || exit 1
viz=$(realpath "${MHA_VIZ:-./mha-viz}")
build=$PWD/${MHA_VIZ_BUILD:-build}/tests/fault
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

# How many places are tried (fault.c: MOST) of commands that do not draw, and of those that do;
# the points of a corpus run at which it is killed.
tier=${FAULT:-sample}
case $tier in
sample) most=3 most_drawn=1 most_timed=1~ most_killed=3 ;;
slice) most=12 most_drawn=2 most_timed=2~ most_killed=20 ;;
*) most=0 most_drawn=/10 most_timed=/100~ most_killed=1000 ;;
esac
if [ "$tier" = all ]; then
    mkdir -p "${build%/tests/fault}/torture" || exit 1
    state=${build%/tests/fault}/torture/state
    sum=$(sha256sum < "$viz")
    [ "$(head -n 1 "$state" 2>/dev/null)" = "$sum" ] || echo "$sum" > "$state"
fi

ref=$PWD/tests/ref
# The fewer fonts, the fewer calls to look through them.
export FONTCONFIG_FILE=$PWD/tests/image/fonts.conf
lines=$(mktemp) corpus=$(mktemp) part=$(mktemp)
trap 'rm -f "$lines" "$corpus" "$corpus".* "$part" "$part".*' EXIT
printf 'the key is in the door\nthe cat saw the dog\nthe key\n' > "$lines"
seq -f 'the key is in door %g' 200 > "$corpus"
head -n 20 "$corpus" > "$corpus.20"
tr '\n' ' ' < "$corpus" > "$corpus.line"
for k in 0 1; do
    "$viz" stats -q --shard $k/2 --metric entropy -m "$ref/bert" -f "$lines" -o "$part.$k"
done

kinds=(alloc alloc+ thread thread+ open open+ read read+ write write+ mmap mmap+ fsync fsync+
       rename rename+ signal kill)
[ $# -eq 0 ] || kinds=("$@")

# each_case FN: FN NAME MOST COMMAND... for every command of the program
each_case() {
    "$1" stats "$most" stats -t 2 --json -m "$ref/bert" -f "$lines" -o a.json
    "$1" stats.gguf "$most" stats -t 1 --json -m "$ref/gguf_llama/model.gguf" "a"
    "$1" stats.pair "$most" stats -t 1 --json -m "$ref/bart" "a"
    "$1" stats.generate "$most" stats -t 1 --json --generate 2 -l 0 "The"
    "$1" stats.attention "$most" stats -t 1 --json --attention "$ref/precomputed/causal.npz"
    "$1" report "$most" report -t 1 -m "$ref/gpt2" -o a.html "the key"
    "$1" stats.image "$most" stats -t 1 --json -m "$ref/media/vit" --image "$ref/media/palette.png"
    "$1" stats.jpeg "$most" stats -t 1 --json -m "$ref/media/vit" --image "$ref/media/cmyk.jpg"
    "$1" stats.audio "$most" stats -t 1 --json -m "$ref/media/whisper" -s encoder \
        --audio "$ref/media/at8000.wav"
    "$1" heatmap.image "$most_drawn" heatmap -t 1 -m "$ref/media/vit" \
        --image "$ref/media/rgb.png" -o a.png
    "$1" export "$most" export -t 1 -m "$ref/gpt2" -o a.npz "the key"
    "$1" tokens "$most" tokens --tsv -m "$ref/bert" -f "$lines" -o out/
    "$1" tokens.pattern "$most" tokens --tsv -m "$ref/gpt2" -f "$corpus.line"
    "$1" diff "$most" diff -t 1 --json -m "$ref/bert" --dtype f32 --dtype bf16 "the key"
    "$1" attribute "$most" attribute -t 1 --json --sources -m "$ref/gpt2" "the key"
    "$1" stats.split "$most" stats -q -t 1 --json --split 4 -m "$ref/bert" -f "$lines"
    "$1" neuron "$most" neuron -t 1 --json -m "$ref/gpt2" "the key"
    "$1" trace "$most" trace -t 1 --json -m "$ref/gpt2" "the key"
    "$1" stats.summary "$most" stats -q -t 1 --summary --bootstrap=5 -m "$ref/bert" -f "$lines"
    "$1" stats.shard "$most" stats -q -t 1 --shard 0/2 -m "$ref/bert" -f "$lines" -o a.part
    "$1" merge "$most" merge --json "$part.0" "$part.1"
    "$1" types "$most" types -t 1 --json --probe previous -m "$ref/planted" --ids 1,2,1
    "$1" types.shard "$most" types -q -t 1 --shard 0/2 -m "$ref/gpt2" -f "$lines" -o a.part
    "$1" ablate.shard "$most" ablate -q -t 1 --summary --shard 0/2 -m "$ref/gpt2" -f "$lines" \
        -o a.part
    "$1" ablate "$most" ablate -t 1 --json -m "$ref/gpt2" "the key"
    "$1" circuits "$most" circuits -t 1 --json --sample 0 -m "$ref/gpt2"
    # A tokeniser that lies in a file, without which less is reported.
    "$1" circuits.tokeniser "$most" circuits -t 1 --json --sample 2 -m "$ref/gpt2"
    "$1" types.tokeniser "$most" types -t 1 --json --probe successor -m "$ref/gpt2"
    "$1" stats.tokeniser "$most" stats -t 1 --json -m "$ref/gpt2" --ids 1,2
    "$1" stability "$most" stability -t 1 --json -m "$ref/bert" "the key"
    "$1" mechanisms "$most" mechanisms -t 1 --runs 0 --json -m "$ref/bert" \
        "the key"
    "$1" info "$most" info --json -m "$ref/gguf_bert/model.gguf"
    "$1" bench "$most_timed" bench -t 1 --runs 1 --length 3 --tsv -m "$ref/bert"
    "$1" stats.adapter "$most" stats -t 1 --json -m "$ref/adapters/gpt2" \
        --adapter "$ref/adapters/gpt2/adapter" --ids 5,9,13
    "$1" init "$most" init --d-model 8 --heads 2 -o a.safetensors
    "$1" completion "$most" completion bash
    "$1" help "$most" help stats
    "$1" heatmap.png "$most_drawn" heatmap -t 1 -m "$ref/bert" -o a.png "the key"
    "$1" heatmap.svg "$most_drawn" heatmap -t 1 -m "$ref/bert" -o a.svg "the key"
    "$1" heatmap.pdf "$most_drawn" heatmap -t 1 -m "$ref/bert" -o a.pdf "the key"
    "$1" links.svg "$most_drawn" links -t 1 -m "$ref/bert" -o a.svg "the key"
    "$1" model "$most_drawn" model -t 1 -m "$ref/bert" -o a.png "the key"
    "$1" model.metric "$most_drawn" model -t 1 -m "$ref/bert" --metric entropy -f "$lines" -o a.svg
    "$1" curve "$most_drawn" curve -t 1 -m "$ref/bert" -f "$lines" -o a.png
    "$1" trace.svg "$most_drawn" trace -t 1 -m "$ref/gpt2" -o a.svg "the key"
    "$1" diff.png "$most_drawn" diff -t 1 -m "$ref/bert" --dtype f32 --dtype bf16 -o a.png \
        "the key"
    "$1" heatmap.beside "$most_drawn" heatmap -t 1 -m "$ref/bert" --compare -o a.svg "the key" \
        "the cat"
    "$1" mechanisms.svg "$most_drawn" mechanisms -t 1 -m "$ref/bert" -o a.svg "the key"
}

# Two runs over a corpus, killed only: each file is whole or absent.
each_corpus() {
    "$1" tokens.corpus "$most_killed" tokens --tsv -m "$ref/bert" -f "$corpus" -o out/
    "$1" heatmap.corpus "$most_killed" heatmap -t 1 -m "$ref/bert" -f "$corpus.20" -o out/
}

n=0 bad=0 kind='' tried=0 places=0 unfinished=''
deadline=$((${FAULT_MINUTES:-10000} * 60))

# try NAME MOST COMMAND...: one TAP line
try() {
    local name=$1 most=$2 out rc left
    shift 2
    [ "$name" = "$only" ] || return 0
    [ -z "${state:-}" ] || ! grep -q "^$kind $name " "$state" || return 0
    left=$((deadline - SECONDS))
    [ $left -gt 0 ] || { unfinished+=" $kind:$name"; return; }
    out=$(timeout $left "$build/fault" "$build/preload.so" "$kind" "$most" "$viz" "$@")
    rc=$?
    [ $rc -ne 124 ] || { unfinished+=" $kind:$name"; return; }
    n=$((n + 1))
    if [[ ${out##*$'\n'} =~ ([0-9]+)\ of\ ([0-9]+): ]]; then
        tried=$((tried + BASH_REMATCH[1])) places=$((places + BASH_REMATCH[2]))
    fi
    case $rc in
    0) echo "ok $n - $kind: $name: $out" ;;
    77) echo "ok $n - $kind: $name # skip system calls cannot be traced here" ;;
    *)
        bad=$((bad + 1))
        echo "not ok $n - $kind: $*"
        sed 's/^/# /' <<<"$out"
        ;;
    esac
    [ -z "${state:-}" ] || [ $rc -eq 77 ] || echo "$kind $name $(tail -n 1 <<<"$out")" >> "$state"
}

# note NAME MOST COMMAND...: the first word of the command
note() {
    commands+=" $3"
}

# Of each command that the program has there is a case.
each_command() {
    local commands="" command
    each_case note
    for command in $("$viz" --help |
        sed -n 's/^  others  *//; t names; s/^  \([a-z]*\) .*/\1/p; b; :names; s/,//g; p'); do
        [[ "$commands " == *" $command "* ]] && continue
        n=$((n + 1)) bad=$((bad + 1))
        echo "not ok $n - $command: has no case"
    done
}

table() {
    echo '| command | places | failed | signals sent | same output | errors | ended | wrong |'
    echo '|---|---|---|---|---|---|---|---|'
    awk 'NR > 1 {
            name = $2
            if (!(name in sites))
                order[++n] = name
            sites[name] += $5
            if ($1 == "signal" || $1 == "kill") sent[name] += $3
            else failed[name] += $3
            for (i = 4; i <= NF; i++) {
                if ($(i + 1) ~ /^the$/) same[name] += $i
                if ($(i + 1) ~ /^errors/) errors[name] += $i
                if ($(i + 1) ~ /^ended/) ended[name] += $i
                if ($(i + 1) ~ /^wrong/) wrong[name] += $i
            }
         }
         function row(name, s, f, g, a, e, d, w) {
            printf "| %s | %d | %d | %d | %d | %d | %d | %d |\n", name, s, f, g, a, e, d, w
            S += s; F += f; G += g; A += a; E += e; D += d; W += w
         }
         END {
            for (i = 1; i <= n; i++) {
                c = order[i]
                row(c, sites[c], failed[c], sent[c], same[c], errors[c], ended[c], wrong[c])
            }
            row("all", S, F, G, A, E, D, W)
         }' "$state"
}

# pair NAME ...: the kind and the case, a line
pair() {
    echo "$kind $1"
}

# Each kind with each case
each_pair() {
    for kind in "${kinds[@]}"; do
        each_case pair
        [ "$kind" != kill ] || each_corpus pair
    done
}

# In the order of the table; or, where time is short, shuffled
in_order() {
    if [ -z "${FAULT_MINUTES:-}" ]; then cat; else shuf --random-source=<(yes "$(date +%F)"); fi
}

each_command
while read -r kind name <&3; do
    if [ $SECONDS -ge $deadline ]; then
        unfinished+=" $kind:$name"
        continue
    fi
    [ -z "${FAULT_CASES:-}" ] || [[ " $FAULT_CASES " == *" $name "* ]] || continue
    only=$name
    each_case try
    each_corpus try
done 3< <(each_pair | in_order)
[ -z "$unfinished" ] || echo "# the time of $FAULT_MINUTES minutes was over; unfinished:$unfinished"
echo "1..$n"
echo "# tried: $tried of $places places and moments of signals ($tier)"
if [ -n "${state:-}" ]; then
    table
    ! grep -q ' [1-9][0-9]* wrong' "$state" || bad=1
fi
[ "$bad" -eq 0 ]
