#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a file says of the run that wrote it, and whether that gives the file again.

# shellcheck disable=SC2154,SC2016
load helper

# The folder of the inputs, and a program mha-viz beside it
begin() {
    cp -r "$ref/bert" "$ref/gguf_bert" "$dir/"
    mkdir "$dir/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$viz" > "$dir/bin/mha-viz"
    chmod +x "$dir/bin/mha-viz"
    cd "$dir" || return
    nasty=$'the cat\'s "key" `id` $HOME 我喜欢 <b>&amp;\n\tdoor'
}

# said FILE KEY: what it says
said() {
    python3 "$BATS_TEST_DIRNAME/metadata.py" "$@"
}

# replays FILE COMMAND...: what sh makes of the command that the file says is the same file again
replays() {
    local file=$1 line
    shift
    "$viz" "$@" -q -t 2 -o "$file"
    line=$(said "$file" mha-viz:command)
    PATH=$dir/bin:$PATH sh -c "$line -o again.${file##*.}" > out.txt
    cmp "$file" "again.${file##*.}"
}

@test "the command of a picture of every kind gives it again, whatever its words are" {
    begin
    for kind in png svg pdf; do
        replays a.$kind heatmap -m bert --truncate "$nasty"
        replays a.$kind heatmap -m bert --title "$nasty" 'the key' 'the door'
        replays a.$kind heatmap -l 0-1 --compare 'it is' 'it was'
        replays a.$kind links -m bert -l 1 'the cat' "the dog's"
        replays a.$kind model -m bert --title "it's" 'the key'
        replays a.$kind curve -m bert --metric entropy "the cat's door"
        replays a.$kind trace -m bert --at key 'the key' --title '我 & "you"'
        replays a.$kind neuron -H L1H1 'good  morning'
        replays a.$kind diff -m bert -m gguf_bert --ids 2,17,3
        replays a.$kind diff -m bert "the cat's" 'the dog'
        replays a.$kind ablate --metric dloss "the cat's door"
        replays a.$kind circuits --metric copy
        replays a.$kind mechanisms -l 1 --only exact,block 'a b  c'
    done
}

@test "the command of a page, of arrays and of a layer gives them again" {
    begin
    replays a.html report -m bert --truncate "$nasty"
    replays a.html report --compare 'the cat' "the dog's"
    replays a.npz export -m bert --all --truncate "$nasty"
    replays a.npz mechanisms --only exact,block "it's  so"
    replays a.safetensors init --heads 2 --d-model 8 --seed 3
}

# command_of FILE: what a report says
command_of() {
    case $(head -c 1 "$1") in
    '#') sed -n '1s/^# //p' "$1" | jq -r .command ;;
    *) head -n 1 "$1" | jq -r .provenance.command ;;
    esac
}

@test "the command of a report gives it again" {
    begin
    printf 'the key\nis in the door\nis in\n' > lines.txt
    for command in "stats -m bert" "stats -m bert --links" "tokens -m bert" "types" \
        "stats -m bert --summary" "stats -m bert -m gguf_bert --summary" "ablate --summary" \
        "diff -m bert -m gguf_bert" "stability --runs 2 -m bert"; do
        for form in --json "--tsv --provenance"; do
            # shellcheck disable=SC2086
            "$viz" $command $form -q -t 2 -f lines.txt > a
            PATH=$dir/bin:$PATH sh -c "$(command_of a)" > b
            cmp a b
        done
    done
    for command in "info -m bert" "info --families" "circuits -m bert" "trace -m bert key" \
        "neuron -m bert key" "attribute key" "mechanisms --only exact --runs 0 key"; do
        "$viz" $command --json > a
        PATH=$dir/bin:$PATH sh -c "$(command_of a)" > b
        cmp a b
    done
}

@test "the first object of a file of JSON says of the run what a picture says, the others nothing" {
    begin
    printf 'the key\nis in the door\nis in\n' > lines.txt
    sum=$(sha256sum < lines.txt)
    for t in 1 4; do
        "$viz" stats -m bert -f lines.txt -t $t -o a.json
        jq -s -e 'map(has("provenance")) == [true, false, false]' a.json
        jq -s -c 'map(del(.provenance))[]' a.json |
            cmp - <("$viz" stats -m bert -f lines.txt --json --no-metadata | jq -c .)
    done
    jq -s -e --arg sum "${sum%% *}" --arg hash "$("$viz" info -m bert --json | jq -r .hash)" \
        --arg program "$("$viz" --version | sed -n '1s/^\(mha-viz [0-9.]*\).*/\1/p')" '
        .[0].provenance == {program: $program, file: "lines.txt", sha256: $sum,
            command: "mha-viz stats --format json -m bert -f lines.txt",
            models: [{name: "bert", family: "bert", hash: $hash}]}' a.json
    # Where each text has a file, each says its line
    mkdir d
    "$viz" stats -m bert -f lines.txt --json -o d/
    jq -s -e 'map(.provenance.line) == ["1", "2", "3"]' d/*.json
    "$viz" stats -m bert -f lines.txt --tsv --provenance -o d/
    [ "$(sed -n '1s/^# //p' d/000003.tsv | jq -r .line)" = 3 ]
    # Both towers
    "$viz" info -m "$ref/families/clip" --json |
        jq -s -e 'map(.hash) == (.[0].provenance.models | map(.hash)) and length == 2'
    fails 2 "--provenance is of TSV" "$viz" stats --provenance --json key
    fails 2 "only one of them can be given" "$viz" stats --provenance --no-metadata --tsv key
}

@test "merge says what one run says" {
    begin
    printf 'the key\nis in the door\nis in\n' > lines.txt
    for k in 0 1; do
        "$viz" stats -t 1 -m "$dir/bert" --shard $k/2 -f lines.txt -o part.$k
    done
    "$viz" stats -m bert --summary -f lines.txt --json > one.json
    "$viz" merge --json part.0 part.1 | cmp - one.json
    "$viz" merge --tsv --provenance part.1 part.0 |
        cmp - <("$viz" stats -m bert --summary -f lines.txt --tsv --provenance)
    "$viz" merge --no-metadata --json part.0 part.1 |
        cmp - <("$viz" stats -m bert --summary -f lines.txt --json --no-metadata)
    # Of parts that were told otherwise, what the first says, in any order
    "$viz" stats --shard 1/2 -f lines.txt -m bert -t 3 --metadata=paths -o part.1
    "$viz" merge --json part.1 part.0 | cmp - one.json
    "$viz" stats --shard 1/2 -f lines.txt -m bert --no-metadata -o part.1
    "$viz" merge --json part.1 part.0 | cmp - one.json
    "$viz" stats --shard 0/2 -f lines.txt -m bert --no-metadata -o part.0
    "$viz" merge --json part.1 part.0 | jq -e 'has("provenance") | not'
    # Of processes of layers, whose own the layers are
    "$viz" stats -m bert -f lines.txt -l 0 --hidden-out - -o first |
        "$viz" stats -m bert --hidden-in - -o second
    "$viz" merge --json second first | cmp - one.json
    "$viz" stats -m bert -f lines.txt -l 0 -H 2 --hidden-out - -o first |
        "$viz" stats -m bert --hidden-in - -o second
    "$viz" merge --json second first > a
    [ "$(command_of a)" = \
        "mha-viz stats --format json --summary -m bert -f lines.txt -H L0H2,L1H0,L1H1,L1H2" ]
    PATH=$dir/bin:$PATH sh -c "$(command_of a)" | cmp - a
}

@test "a PDF has title, creator, subject and keywords" {
    begin
    "$viz" heatmap -m bert -o a.pdf key
    [ "$(said a.pdf Title)" = "$(said a.pdf mha-viz:model)" ]
    [ "$(said a.pdf Software)" = "$("$viz" --version | sed -n '1s/^\(mha-viz [0-9.]*\).*/\1/p')" ]
    "$viz" heatmap -m bert --title "it's" -o a.pdf key
    [ "$(said a.pdf Title)" = "it's" ]
    [ "$(said a.pdf mha-viz:layer)" = 1 ]
}

@test "the command has the format that -o chose, and needs no -o then" {
    begin
    "$viz" heatmap -o x.svg 'the cat'
    [ "$(said x.svg mha-viz:command)" = "mha-viz heatmap --format svg 'the cat'" ]
    PATH=$dir/bin:$PATH sh -c "$(said x.svg mha-viz:command)"
    cmp x.svg heatmap.svg
    "$viz" heatmap -o x.png 'the cat'
    [ "$(said x.png mha-viz:command)" = "mha-viz heatmap 'the cat'" ]
    "$viz" ablate -o y.png 'the cat'
    [ "$(said y.png mha-viz:command)" = "mha-viz ablate --format png 'the cat'" ]
}

@test "absolute paths are shortened, but with --metadata=paths" {
    begin
    "$viz" heatmap -m "$dir/bert" -o a.svg 'the key'
    refute grep -q "$dir" a.svg
    [ "$(said a.svg mha-viz:command)" = "mha-viz heatmap --format svg -m bert 'the key'" ]
    "$viz" heatmap -m bert -o b.svg 'the key'
    cmp a.svg b.svg
    "$viz" heatmap -m "$dir/bert" --metadata=paths -o a.svg 'the key'
    grep -q -- "-m $dir/bert" a.svg
}

@test "of a file of texts: its name, its SHA-256 and the line" {
    begin
    printf 'key\nthe key\n' > "$dir/lines.txt"
    sum=$(sha256sum < lines.txt)
    mkdir d
    "$viz" heatmap -m bert -f "$dir/lines.txt" -o "$dir/d/"
    [ "$(said d/000002.png mha-viz:file)" = lines.txt ]
    [ "$(said d/000002.png mha-viz:sha256)" = "${sum%% *}" ]
    [ "$(said d/000002.png mha-viz:line)" = 2 ]
    "$viz" model -m bert --metric entropy -f lines.txt -o m.svg
    [ "$(said m.svg mha-viz:sha256)" = "${sum%% *}" ]
    refute said m.svg mha-viz:line
    "$viz" heatmap -m bert -f - -o s.svg <<< key
    [ "$(said s.svg mha-viz:file)" = - ]
    refute said s.svg mha-viz:sha256
    "$viz" report -m bert -f lines.txt -o r.html
    [ "$(said r.html mha-viz:sha256)" = "${sum%% *}" ]
    "$viz" export -m bert -f lines.txt -o d/
    [ "$(said d/000001.npz mha-viz:line)" = 1 ]
    "$viz" heatmap -m bert -o t.svg key
    refute said t.svg mha-viz:file
}

@test "the model's hash is that of info, and another for other weights" {
    begin
    "$viz" heatmap -m bert -o a.svg key
    hash=$("$viz" info -m bert --json | jq -r .hash)
    [ "$(said a.svg mha-viz:model)" = "bert (bert, $hash)" ]
    python3 -c 'd = bytearray(open("bert/model.safetensors", "rb").read()); d[-1] ^= 1; open("bert/model.safetensors", "wb").write(d)'
    "$viz" heatmap -m bert -o a.svg key
    [ "$(said a.svg mha-viz:model)" != "bert (bert, $hash)" ]
}

@test "--no-metadata: the same bytes whatever the command line was" {
    begin
    for kind in png svg pdf; do
        "$viz" heatmap -m bert --no-metadata -o a.$kind 'the key'
        "$viz" heatmap -m "$dir/bert" -l 1 --metadata none -o b.$kind -- 'the key'
        cmp a.$kind b.$kind
    done
    refute grep -aq 'mha-viz' a.png
    "$viz" heatmap -m bert --no-metadata -o a.pdf key
    refute said a.pdf Software
    refute said a.pdf Title
    "$viz" report -m bert --no-metadata -o a.html 'the key'
    "$viz" report -m "$dir/bert" -t 1 --metadata=none -o b.html -- 'the key'
    cmp a.html b.html
    refute said a.html Software
    "$viz" export -m bert --no-metadata -o a.npz key
    "$viz" export -m "$dir/bert" --no-metadata -o b.npz -- key
    cmp a.npz b.npz
    "$viz" init --heads 2 --d-model 8 --no-metadata -o a.safetensors
    refute said a.safetensors Software
}
