#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --shard and merge: the parts of a corpus, joined to the bytes of one run.

# shellcheck disable=SC2154
load helper

# 30 texts of two languages
corpus() {
    python3 - >"$dir/lines.jsonl" <<'PYTHON'
import json
words = "the key is in the door in the key is the door".split()
for i in range(30):
    text = " ".join(words[(i * 5 + k * (i % 3 + 1)) % len(words)] for k in range(4 + i % 7))
    print(json.dumps({"text": text, "lang": "abc"[i * 7 % 3], "few": i if i < 2 else 2}))
PYTHON
}

stats() {
    "$viz" stats -q -m "$ref/bert" --jsonl "$@"
}

# shards N OPTIONS...: $dir/part.0 and so on
shards() {
    local n=$1 k
    shift
    rm -f "$dir"/part.*
    for ((k = 0; k < n; k++)); do
        stats -t $((k % 3 + 1)) --shard $k/"$n" -f "$dir/lines.jsonl" -o "$dir/part.$k" "$@"
    done
}

# same OPTIONS...: table, TSV (which has no reliability) and JSON of shards are those of one run,
# whatever their order
same() {
    local n form
    for n in ${counts:-1 3}; do
        shards "$n" "$@"
        for form in table tsv json; do
            [[ $form != tsv || $* != *--reliability* ]] || continue
            stats --summary --format $form -f "$dir/lines.jsonl" "$@" >"$dir/want"
            # shellcheck disable=SC2046
            "$viz" merge --format $form $(printf '%s\n' "$dir"/part.* | shuf) | cmp - "$dir/want"
        done
    done
}

# bats test_tags=threads
@test "shards, merged, are the bytes of one run" {
    corpus
    # More shards than texts: some have none.
    counts="2 40" same
    same --metric entropy,prev --sort entropy --bootstrap=50 --reliability
    same --by lang --metric all --sort prev --reverse
    same --by lang --metric js_cluster,entropy --clusters 3
    shards 3 --metric js,mds
    stats --summary --json -f "$dir/lines.jsonl" --metric js,mds > "$dir/want"
    "$viz" merge --json "$dir"/part.* | cmp - "$dir/want"
    fails 3 "'js' is a list: only --json prints it" "$viz" merge "$dir"/part.*
    # Groups of a text or two are compared exactly.
    head -n 9 "$dir/lines.jsonl" >"$dir/x"
    mv "$dir/x" "$dir/lines.jsonl"
    same --by few --metric entropy
    same --by lang --hide first --weight norm -l 1
}

@test "texts of a stream can be sharded, and texts that cannot be used are counted" {
    printf 'the key\n\xff\nthe door\nis in\n\xfe\n' >"$dir/lines"
    for k in 0 1; do
        run --separate-stderr "$viz" stats -m "$ref/bert" --shard $k/2 -o "$dir/part.$k" \
            <"$dir/lines"
        [ "$status" -eq 3 ]
    done
    run --separate-stderr "$viz" stats --no-metadata --json --summary -m "$ref/bert" -f "$dir/lines"
    [ "$status" -eq 3 ]
    one=$output
    works "$viz" merge --no-metadata --json "$dir/part.1" "$dir/part.0"
    [ "$output" = "$one" ]
    [[ $output == *'"n_texts":3,"n_unusable":2,'* ]]
}

# The checksum of the texts is that of all lines, however they are read.
@test "shards go together whatever read them, also where empty lines come first" {
    printf '\n\n\nthe cat\nthe key\n' > "$dir/lines"
    "$viz" stats -m "$ref/bert" --summary -f "$dir/lines" > "$dir/want"
    "$viz" stats -t 1 -m "$ref/bert" --shard 0/3 -o "$dir/part.0" -f "$dir/lines"
    "$viz" stats -t 3 -m "$ref/bert" --shard 1/3 -o "$dir/part.1" -f "$dir/lines"
    "$viz" stats -t 1 -m "$ref/bert" --shard 2/3 -o "$dir/part.2" < <(cat "$dir/lines")
    works "$viz" merge "$dir"/part.[012]
    [ "$output" = "$(cat "$dir/want")" ]
    "$viz" stats -m "$ref/bert" --shard 0/3 --keep-empty -o "$dir/part.0" -f "$dir/lines"
    fails 3 "options: found" "$viz" merge "$dir"/part.[012]
}

@test "heatmap and export: --shard selects texts" {
    printf 'the key\nthe door\nis in\n' >"$dir/lines"
    mkdir "$dir/out" "$dir/arrays"
    works "$viz" heatmap -m "$ref/bert" --shard 1/2 -f "$dir/lines" -o "$dir/out/"
    [ "$(ls "$dir/out")" = 000002.png ]
    works "$viz" export -m "$ref/bert" --shard 0/2 -f "$dir/lines" -o "$dir/arrays/"
    [ "$(ls "$dir/arrays" | tr '\n' ' ')" = "000001.npz 000003.npz " ]
}

@test "what is no shard is misuse" {
    corpus
    for wrong in 4/4 5/4 -1/4 1 1/ /2 a/b 1/2/3 0/65537 ' 0/2'; do
        fails 2 "--shard: '$wrong': expected K/N" "$viz" stats --shard "$wrong" -o "$dir/x" \
            -f "$dir/lines.jsonl"
    done
    fails 2 "--shard requires -f FILE" "$viz" stats --shard 0/2 -o "$dir/x" the cat
    fails 2 "-o FILE is required" "$viz" stats --shard 0/2 -f "$dir/lines.jsonl"
    fails 2 "no format" "$viz" stats --shard 0/2 --json -o "$dir/x" -f "$dir/lines.jsonl"
    fails 2 "--links, --shard" "$viz" stats --shard 0/2 --links -o "$dir/x" \
        -f "$dir/lines.jsonl"
    fails 2 "not the folder" "$viz" stats --shard 0/2 -o "$dir/" -f "$dir/lines.jsonl"
    [ ! -e "$dir/x" ]
}

@test "parts that are not of one whole are refused by name" {
    corpus
    fails 2 "no PART" "$viz" merge
    fails 3 "$dir/none: No such file" "$viz" merge "$dir/none"
    shards 3
    fails 3 "shard 1/3 is missing: there are 2 of 3" "$viz" merge "$dir/part.0" "$dir/part.2"
    fails 3 "$dir/part.2: is shard 2/3, as $dir/part.2 is: expected each once" \
        "$viz" merge "$dir"/part.* "$dir/part.2"
    # when it comes, not after all the others
    fails 3 "$dir/part.2: is shard 2/3, as $dir/part.2 is: expected each once" \
        "$viz" merge "$dir/part.2" "$dir/part.2" "$dir/none"
    stats --shard 1/4 -f "$dir/lines.jsonl" -o "$dir/other"
    fails 3 "$dir/other: does not go with $dir/part.0: shards: found 4, expected 3" \
        "$viz" merge "$dir/part.0" "$dir/other" "$dir/part.2"
    stats --shard 1/3 -f "$dir/lines.jsonl" -o "$dir/other" --metric basic
    fails 3 'options: found ["--jsonl","--metric","basic"], expected ["--jsonl"]' \
        "$viz" merge "$dir/part.0" "$dir/other" "$dir/part.2"
    head -n 29 "$dir/lines.jsonl" >"$dir/less"
    stats --shard 1/3 -f "$dir/less" -o "$dir/other"
    fails 3 "texts: found 29, expected 30" "$viz" merge "$dir/part.0" "$dir/other" "$dir/part.2"
    sed '1s/key/door/' "$dir/lines.jsonl" >"$dir/edited"
    stats --shard 1/3 -f "$dir/edited" -o "$dir/other"
    fails 3 "checksum of the texts: found" "$viz" merge "$dir"/part.[02] "$dir/other"
    MHA_VIZ_KERNEL=c stats --shard 1/3 -f "$dir/lines.jsonl" -o "$dir/other"
    [ "$("$viz" --version | sed -n 's/.*kernel //p')" = c ] ||
        fails 3 'kernel: found "c"' "$viz" merge "$dir/part.0" "$dir/other" "$dir/part.2"
    cp -r "$ref/bert" "$dir/model"
    printf ' ' >>"$dir/model/config.json"
    "$viz" stats -q -m "$dir/model" --jsonl --shard 1/3 -f "$dir/lines.jsonl" -o "$dir/other"
    fails 3 "$dir/other: does not go with" "$viz" merge "$dir/part.0" "$dir/other" \
        "$dir/part.2"
}

@test "parts that are cut short or edited are refused" {
    corpus
    shards 2
    size=$(stat -c %s "$dir/part.1")
    for n in 1 15 16 30 $((size / 2)) $((size - 1)); do
        head -c "$n" "$dir/part.1" >"$dir/cut"
        run --separate-stderr "$viz" merge "$dir/part.0" "$dir/cut"
        [ "$status" -eq 3 ]
        [ -z "$output" ]
        [[ $stderr == "mha-viz: $dir/cut: is "* ]]
    done
    for at in 20 100 $((size / 2)) $((size - 5)); do
        python3 - "$dir/part.1" "$dir/bad" "$at" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[3])] ^= 1
open(sys.argv[2], "wb").write(data)
PYTHON
        run --separate-stderr "$viz" merge "$dir/part.0" "$dir/bad"
        [ "$status" -eq 3 ]
        [ -z "$output" ]
        [[ $stderr == "mha-viz: $dir/bad: is "* ]]
    done
    # With a checksum that fits, too: another version, options that are none, fewer numbers.
    edit() {
        python3 - "$dir/part.0" "$dir/bad" "$1" "$2" <<'PYTHON'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
n = struct.unpack("<Q", data[16:24])[0]
head, rest = data[24:24 + n], data[24 + n:-4]
assert sys.argv[3].encode() in head
head = head.replace(sys.argv[3].encode(), sys.argv[4].encode())
data = data[:16] + struct.pack("<Q", len(head)) + head + rest
open(sys.argv[2], "wb").write(data + struct.pack("<I", zlib.crc32(data)))
PYTHON
    }
    version=$("$viz" --version | sed -n 's/^mha-viz //p')
    edit "\"version\":\"$version\"" '"version":"0.0.1"'
    fails 3 'bad: version: found "0.0.1", expected' "$viz" merge "$dir/bad"
    edit '"command":"stats"' '"command":"heatmap"'
    fails 3 'bad: command: found "heatmap", expected' "$viz" merge "$dir/bad"
    shards 1
    edit '"program":' '"programs":'
    fails 3 'bad: provenance: found {"programs":' "$viz" merge --json "$dir/bad"
    works "$viz" merge "$dir/bad"
    shards 2
    edit '"shards":2' '"shards":1'
    works "$viz" merge "$dir/bad"
    cp "$dir/bad" "$dir/part.0"
    edit '["--jsonl"]' '["--jsonl","--no-such"]'
    fails 3 "bad: options: stats: --no-such: unknown option" "$viz" merge "$dir/bad"
    edit '["--jsonl"]' '["--help"]'
    fails 3 'bad: options: found ["--help"]' "$viz" merge "$dir/bad"
    edit '["--jsonl"]' '["--reliability"]'
    fails 3 "bad: has " "$viz" merge "$dir/bad"
    edit '[null,15]' '[null,0]'
    fails 3 "bad: groups: found 0, expected a whole number" "$viz" merge "$dir/bad"
    edit '[null,15]' '["a",15]'
    fails 3 "bad: groups: found" "$viz" merge "$dir/bad"
}

# bats test_tags=once
@test "samples/shards.mk: shards by make, in any order" {
    command -v make >/dev/null || skip "make is not here"
    unset MAKEFLAGS MAKELEVEL       # of the make that runs the tests
    corpus
    works make -s -j 2 -f samples/shards.mk VIZ="$viz" CORPUS="$dir/lines.jsonl" N=3 \
        OUT="$dir/heads.tsv" OPTIONS="--jsonl -m $ref/bert"
    stats --summary --tsv -f "$dir/lines.jsonl" | cmp - "$dir/heads.tsv"
    works make -s -f samples/shards.mk VIZ="$viz" CORPUS="$dir/lines.jsonl" N=2 \
        COMMAND=types OUT="$dir/types.tsv" OPTIONS="--jsonl -m $ref/bert"
    "$viz" types --tsv --jsonl -m "$ref/bert" -f "$dir/lines.jsonl" | cmp - "$dir/types.tsv"
}

# 12 texts, several of each length
texts() {
    local -a word=(the key is in the door of the room)
    for i in {0..11}; do
        echo "${word[*]:i % 3:4 + i % 4}"
    done
}

# one_run OPTIONS...: table, TSV and JSON of the shards of $command are those of one run
one_run() {
    local k form
    for k in 0 1 2; do
        "$viz" "$command" -q -t $((k + 1)) --shard $k/3 -f "$dir/lines" -o "$dir/part.$k.tsv" "$@"
    done
    for form in table tsv json; do
        [[ $form != tsv || $* != *--reliability* ]] || continue
        "$viz" "$command" -q ${summary:-} --format $form -f "$dir/lines" "$@" >"$dir/want"
        "$viz" merge --format $form "$dir"/part.{2,0,1}.tsv | cmp - "$dir/want"
    done
}

@test "ablate: shards, merged, are the bytes of one run" {
    command=ablate summary=--summary
    texts >"$dir/lines"
    one_run -m "$ref/gpt2" --sort dloss
    one_run -m "$ref/gpt2" --with mean --together -l 1
    # Texts of other shards are partners, too.
    one_run -m "$ref/gpt2" --with resample -H 1
    one_run -m "$ref/bert" --with uniform --masked 2
}

@test "ablate: what cannot be sharded is refused by name" {
    texts >"$dir/lines"
    fails 2 "--greedy, --shard: only one of them can be given" "$viz" ablate --greedy \
        --shard 0/2 -f "$dir/lines" -o "$dir/x"
    fails 2 "--greedy, --resume: only one of them can be given" "$viz" ablate --greedy \
        --summary --resume "$dir/state" -f "$dir/lines" -o "$dir/x"
    fails 2 "--patch, --shard: only one of them can be given" "$viz" ablate --patch 'the key' \
        --shard 0/2 -f "$dir/lines" -o "$dir/x"
    fails 2 "--with mean: a shard of texts from a pipe requires --means FILE" \
        "$viz" ablate --with mean --shard 0/2 -o "$dir/x" <"$dir/lines"
    "$viz" ablate -q -m "$ref/gpt2" --summary --with mean --means-out "$dir/means.npz" \
        -f "$dir/lines" >"$dir/want"
    for k in 0 1; do
        "$viz" ablate -q -m "$ref/gpt2" --with mean --means "$dir/means.npz" --shard $k/2 \
            -o "$dir/part.$k" <"$dir/lines"
    done
    "$viz" merge "$dir"/part.? | cmp - "$dir/want"
    # Other means are other options, whatever their file is called.
    head -n 5 "$dir/lines" >"$dir/few"
    "$viz" ablate -q -m "$ref/gpt2" --summary --with mean --means-out "$dir/means.npz" \
        -f "$dir/few" >"$dir/x"
    "$viz" ablate -q -m "$ref/gpt2" --with mean --means "$dir/means.npz" --shard 1/2 \
        -f "$dir/lines" -o "$dir/part.1"
    fails 3 "part.1: does not go with $dir/part.0: files: found" "$viz" merge "$dir"/part.?
    "$viz" stats -q -m "$ref/gpt2" --shard 1/2 -f "$dir/lines" -o "$dir/part.1"
    fails 3 "command: found \"stats\", expected \"ablate\"" "$viz" merge "$dir"/part.?
}

@test "types: shards, merged, are the bytes of one run" {
    command=types summary=
    texts >"$dir/lines"
    one_run -m "$ref/gpt2" --threshold rows:30,texts:5
    one_run -m "$ref/bert" --no-probe --weight norm -l 1
    [[ $("$viz" merge --json "$dir"/part.?.tsv) == *'"texts":12,'*'"probe_texts":0,'* ]]
    printf '0\t1\t2\n5\t0\t3\n7\t3\t1\n' >"$dir/pairs"
    one_run -m "$ref/bert" --gold-pairs "$dir/pairs" --threshold pairs:2
    printf 'I like eating apples\t我 喜欢 吃 苹果\nI like apples\t我 喜欢 苹果\n' >"$dir/lines"
    printf '0-0 1-1 2?2 3-3\n0-0 1-1 2-2\n' >"$dir/links"
    one_run -m builtin:translate --pairs --align "$dir/links"
}

@test "types: trees of --gold are sharded by sentence, documents by piece" {
    for k in {0..6}; do sed "s/^# newdoc id = house/&$k/" samples/english.conllu; done \
        >"$dir/trees.conllu"
    for k in 0 1 2; do
        "$viz" types -q -m "$ref/bert" --shard $k/3 --gold "$dir/trees.conllu" -o "$dir/part.$k"
    done
    for form in table json; do
        "$viz" types -q -m "$ref/bert" --format $form --gold "$dir/trees.conllu" >"$dir/want"
        "$viz" merge --format $form "$dir"/part.{1,2,0} | cmp - "$dir/want"
    done
    [[ $(<"$dir/want") == *'"coreferent":'[1-9]* ]]
    # Another file of the same name, another threshold, a part of other heads.
    sed -i '0,/det/s//amod/' "$dir/trees.conllu"
    "$viz" types -q -m "$ref/bert" --shard 1/3 --gold "$dir/trees.conllu" -o "$dir/other"
    fails 3 "other: does not go with $dir/part.0: " "$viz" merge "$dir"/part.[02] "$dir/other"
    "$viz" types -q -m "$ref/bert" --shard 1/3 --gold "$dir/trees.conllu" -l 1 -o "$dir/other"
    fails 3 "options: found " "$viz" merge "$dir"/part.[02] "$dir/other"
    fails 3 "shard 0/3 is missing: there are 2 of 3" "$viz" merge "$dir"/part.[12]
    fails 2 "--shard requires -f FILE, or --gold FILE" "$viz" types --shard 0/2 -o "$dir/x"
    fails 2 "--shard: '5/4': expected K/N" "$viz" types --shard 5/4 -f "$dir/x" -o "$dir/x"
    fails 2 "--shard: '5/4': expected K/N" "$viz" ablate --shard 5/4 -f "$dir/x" -o "$dir/x"
}

# edited PART OLD NEW: $dir/bad, with a checksum that fits
edited() {
    python3 - "$1" "$dir/bad" "$2" "$3" <<'PYTHON'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
n = struct.unpack("<Q", data[16:24])[0]
head, rest = data[24:24 + n], data[24 + n:-4]
assert sys.argv[3].encode() in head, head
head = head.replace(sys.argv[3].encode(), sys.argv[4].encode())
data = data[:16] + struct.pack("<Q", len(head)) + head + rest
open(sys.argv[2], "wb").write(data + struct.pack("<I", zlib.crc32(data)))
PYTHON
}

@test "parts of types and ablate that are not what they say are refused" {
    texts >"$dir/lines"
    "$viz" types -q -m "$ref/gpt2" --shard 0/1 -f "$dir/lines" -o "$dir/types"
    "$viz" types -q -m "$ref/gpt2" --shard 0/1 --gold samples/english.conllu -o "$dir/gold"
    "$viz" ablate -q -m "$ref/gpt2" --shard 0/1 -f "$dir/lines" -o "$dir/ablate"
    refused() {
        edited "$dir/$1" "$2" "$3"
        fails 3 "bad: $4" "$viz" merge "$dir/bad"
    }
    refused types '"probes":{"texts":10' '"probes":{"texts":-1' "probes: texts: found -1"
    refused types '"probes":' '"prob":' "has "
    refused types '"heads of a layer":3' '"heads of a layer":2' "heads: found"
    refused types '"layers":2' '"layers":70000' "layers: found 70000 of 3 heads each"
    refused types '"layers":2' '"layers":2000' "has "
    refused types '["decoder",0,0]' '["decoders",0,0]' "heads: found"
    refused gold '"det"' '"root"' "relations: found"
    refused gold '"mentions":' '"mention":' "mentions: found nothing"
    refused gold '"tags":[' '"tags":["X",' "has "
    refused ablate '"measure":"next"' '"measure":"nex"' 'measure: found "nex"'
    refused ablate '"options":[]' '"options":["--together"]' "has "
    for part in types ablate; do
        head -c 900 "$dir/$part" >"$dir/bad"
        fails 3 "bad: is cut short" "$viz" merge "$dir/bad"
    done
}

@test "names of models and files that are not UTF-8 go into sums, and come out of them" {
    local name=$'\xff' want
    cp -r "$ref/bert" "$dir/bert$name"
    printf 'the cat saw\nthe key is in the door\nthe dog ran\n' >"$dir/lines$name"
    seq 0 140 | sed 's/.*/&\t&/' >"$dir/counts$name"
    run_of() { "$viz" stats -q --summary -m "$dir/bert$name" --metric basic,rare1 \
        --unigrams "$dir/counts$name" "$@"; }
    want=$(run_of -f "$dir/lines$name" --json)
    [[ $want == *$'"model":"bert\xef\xbf\xbd"'* ]]
    for k in 0 1; do
        run_of -f "$dir/lines$name" --shard $k/2 -o "$dir/part$name$k"
    done
    [ "$("$viz" merge --json "$dir/part$name"[01])" = "$want" ]
    run_of -f "$dir/lines$name" --json --resume "$dir/state$name" -o "$dir/out$name"
    [ "$(<"$dir/out$name")" = "$want" ]
    # The second process takes the options, with the path, from the stream.
    run_of -f "$dir/lines$name" -l 0 --hidden-out "$dir/stream$name" -o "$dir/first"
    "$viz" stats -q --summary -m "$dir/bert$name" -l 1 --hidden-in "$dir/stream$name" -o "$dir/second"
    [ "$("$viz" merge --json "$dir/first" "$dir/second")" = "$want" ]
    "$viz" types -q -m "$dir/bert$name" -f "$dir/lines$name" --shard 0/1 -o "$dir/part"
    "$viz" types -q -m "$dir/bert$name" -f "$dir/lines$name" --json >"$dir/want"
    "$viz" merge -q --json "$dir/part" | cmp - "$dir/want"
}
