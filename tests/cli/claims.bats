#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No output takes the place of a file that the run reads, or of another output.

# shellcheck disable=SC2154,SC2016
load helper

# Copies of what is read, one of each kind, in $dir, which is the current folder
inputs() {
    cp -r "$ref/bert" "$ref/gpt2" "$dir"
    cp -r "$ref/bert" "$dir/second"
    cp -r "$ref/media/vit" "$ref/adapters/llama" "$ref/gguf_bert" "$dir"
    cp "$ref/media/rgb.png" "$dir/p.png"
    cp "$ref/media/voice.wav" "$dir/s.wav"
    cp samples/english.conllu "$dir/g.conllu"
    cp "$ref/bert/tokenizer.json" "$dir/other.json"
    cd "$dir" || return 1
    printf 'the key\nthe door\n' >t.txt
    printf 'the key\tthe door\n' >pairs.tsv
    printf '{"text":"the key"}\n' >t.jsonl
    printf '7\t3\n' >u.tsv
    printf '0-0\n' >a.align
    printf 'layer\thead\tx\n0\t0\t1\n' >table.tsv
    npy m.npy 2,2 '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    cp m.npy q.npy
    cp m.npy k.npy
    cp m.npy v.npy
    "$viz" export -m bert -o at.npz "the key"
    "$viz" stats --summary --shard 0/1 -m bert -f t.txt -o one.part
    "$viz" types --json -m bert -f t.txt -o types.json
    "$viz" ablate --json -m bert "the key" >costs.json
    "$viz" ablate --with mean --means-out means.npz -m bert -f t.txt >/dev/null
    "$viz" stats --summary -l 0 -m bert -f t.txt --hidden-out h -o h.part
    ln -s t.txt link.txt
    ln -s bert linked
    mkdir folder
    cp p.png folder/000001.png
}

sums() {
    find "$dir" -type f -exec sha256sum {} + | sort
}

# A line: what is replaced, then the command
table='
t.txt           stats -m bert -f t.txt --format json -o t.txt
t.txt           stats -m bert -f t.txt --format json -o ./t.txt
t.txt           stats -m bert -f link.txt --format json -o t.txt
link.txt        stats -m bert -f t.txt --format json -o link.txt
t.txt           stats -m bert -f t.txt --summary --format json -o t.txt
t.txt           tokens -m bert -f t.txt -o t.txt
t.txt           stability -m bert -f t.txt -o t.txt
t.txt           curve -m gpt2 -f t.txt --format svg -o t.txt
t.txt           ablate -m bert -f t.txt -o t.txt
t.txt           attribute -m bert -f t.txt -o t.txt
t.txt           diff -m bert -m gpt2 -f t.txt -o t.txt
t.txt           export -m bert -f t.txt --format npz -o t.txt
pairs.tsv       stats -m bert --pairs -f pairs.tsv -o pairs.tsv
t.jsonl         stats -m bert --jsonl -f t.jsonl -o t.jsonl
g.conllu        types -m bert --gold g.conllu --format json -o g.conllu
pairs.tsv       types -m bert --gold-pairs pairs.tsv -o pairs.tsv
a.align         types -m bert --pairs -f pairs.tsv --align a.align --format json -o a.align
u.tsv           stats -m bert -f t.txt --unigrams u.tsv -o u.tsv
types.json      heatmap -m bert --types types.json --format png -o types.json key
types.json      report -m bert --types types.json -o types.json key
costs.json      report -m bert --ablate costs.json -o costs.json key
table.tsv       model --table table.tsv --metric x --format svg -o table.tsv
means.npz       ablate -m bert --with mean --means means.npz --format json -o means.npz key
p.png           heatmap -m vit --image p.png -o p.png
p.png           heatmap -m vit --image p.png -o folder/../p.png
folder/         heatmap -m vit --image folder/000001.png -o folder/
p.png           diff -m vit --image p.png --image folder/000001.png -o p.png
s.wav           stats -m vit --audio s.wav --format json -o s.wav
m.npy           stats -m vit --input m.npy --format json -o m.npy
m.npy           stats -m bert --boxes m.npy --format json -o m.npy key
m.npy           stats -m bert --mask m.npy --format json -o m.npy key
m.npy           stats -m bert --mask causal+keys:m.npy --format json -o m.npy key
m.npy           stats -m bert --rotations m.npy --format json -o m.npy key
m.npy           stats -m bert --memory m.npy --format json -o m.npy
m.npy           mechanisms -m bert --additive m.npy --format json -o m.npy key
k.npy           stats --qkv q.npy,k.npy,v.npy --format json -o k.npy
at.npz          export --attention at.npz -o at.npz
at.npz          diff -m bert --attention at.npz --format json -o at.npz key
one.part        merge one.part --format json -o one.part
h               stats --summary -m bert --hidden-in h -o h
h               stats --summary -m bert --hidden-in h --hidden-out h -l 1 -o n.part
t.txt           stats --summary -l 0 -m bert -f t.txt -o n.part --hidden-out t.txt
t.txt           ablate -m bert --with mean -f t.txt --means-out t.txt
t.txt           diff -m bert -m gpt2 -f t.txt --heatmap t.txt -o n.tsv
t.txt           stats --summary -m bert -f t.txt --resume t.txt -o n.tsv
bert/model.safetensors          stats --summary -l 0 -m bert -f t.txt -o n.part --hidden-out bert/model.safetensors
bert/model.safetensors          tokens -m bert --format json -o bert/model.safetensors key
bert/model.safetensors          stats -m bert/model.safetensors --format json -o linked/model.safetensors key
linked/config.json              stats -m bert -o linked/config.json key
bert/tokenizer.json             stats -m bert -o bert/tokenizer.json key
bert/config.json                diff -m bert -m bert key -o bert/config.json
second/config.json              diff -m bert -m second key -o second/config.json
second/config.json              diff -m bert -m bert -m second key -o second/config.json
p.png           diff -m vit --image p.png --image folder/000001.png -o n.tsv --heatmap p.png
bert/config.json                info -m bert -o bert/config.json
bert/config.json                model -m bert --format svg -o bert/config.json
gpt2/config.json                circuits -m gpt2 -o gpt2/config.json
bert/config.json                bench -m bert -o bert/config.json
vit/preprocessor_config.json    stats -m vit --image p.png -o vit/preprocessor_config.json
vit/preprocessor_config.json    stats -m vit -o vit/preprocessor_config.json
llama/adapter/adapter_config.json   stats -m llama --adapter llama/adapter -o llama/adapter/adapter_config.json key
llama/config.json               stats -m llama/adapter -o llama/config.json key
x.svg           diff -m bert -m gpt2 key --heatmap x.svg -o x.svg
x.part          stats --summary -l 0 -m bert -f t.txt --hidden-out ./x.part -o x.part
x.json          stats --summary -m bert -f t.txt --resume x.json -o x.json
x.json.partial  stats --summary -m bert -f t.txt --resume x.json.partial -o x.json
x.npz           ablate -m bert --with mean -f t.txt --means-out x.npz --format json -o x.npz
'

@test "an output that is an input, or another output, is refused, and nothing is written" {
    inputs
    sums >"$BATS_TEST_TMPDIR/before"
    n=0
    while read -r replaced line; do
        [ -n "$line" ] || continue
        # shellcheck disable=SC2086
        run --separate-stderr "$viz" $line
        n=$((n + 1))
        if [ "$status" -ne 2 ] || [[ $stderr != "mha-viz: "*": is the same file as "*": expected another name"* &&
            $stderr != *"may be "*": expected another folder"* ]]; then
            echo "$status: $line ($replaced): $stderr"
            wrong=1
        fi
        sums | cmp - "$BATS_TEST_TMPDIR/before" || { echo "changed by: $line"; return 1; }
    done <<<"$table"
    [ -z "${wrong:-}" ]
    [ "$n" -ge 60 ]
}

@test "both names are in the message" {
    inputs
    fails 2 "-o ./t.txt: is the same file as -f link.txt, which is read: expected another name" \
        "$viz" stats -m bert -f link.txt -o ./t.txt
    fails 2 "-o linked/config.json: is the same file as bert/config.json, which is read" \
        "$viz" stats -m bert -o linked/config.json key
    fails 2 "--heatmap x.svg: is the same file as -o ./x.svg, which is written, too" \
        "$viz" diff -m bert -m gpt2 key --heatmap x.svg -o ./x.svg
    fails 2 "-o folder/: a file in it may be --image folder/000001.png, which is read" \
        "$viz" heatmap -m vit --image folder/000001.png -o folder/
    before=$(sums)
    run --separate-stderr "$viz" stats -m bert -f - -o t.txt <t.txt
    [ "$status" -eq 2 ]
    [[ $stderr == "mha-viz: -o t.txt: is the same file as standard input, which is read: "* ]]
    [ "$(sums)" = "$before" ]
    cp p.png heatmap.png
    fails 2 "heatmap.png: is the same file as --image heatmap.png" \
        "$viz" heatmap -m vit --image heatmap.png
}

@test "what an earlier run wrote is replaced, in the folder of the model, too" {
    inputs
    for _ in 1 2; do
        works "$viz" stats -m bert -f t.txt -o bert/result.json
        works "$viz" heatmap -m bert -o folder/ key
        works "$viz" heatmap -m bert -o heatmap.png key
        works "$viz" types --json -m bert -f t.txt -o bert/types.json
        works "$viz" heatmap -m bert --types bert/types.json -o bert/p.png key
        works "$viz" stats --summary -m bert -f t.txt --resume bert/state -o bert/n.tsv
        works "$viz" stats --summary -l 0 -m bert -f t.txt --hidden-out bert/h -o bert/h.part
        (cd bert && works "$viz" stats -m . -f ../t.txt -o result.json)
    done
    works "$viz" heatmap -m vit --image folder/000001.png --format svg -o folder/
}
