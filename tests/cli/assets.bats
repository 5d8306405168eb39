#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# assets: the built-in models, and of assets/train what can be checked without the packages that
# training needs.

load helper

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    viz=$(realpath "${MHA_VIZ:-./mha-viz}")
    command -v python3 > /dev/null || skip "no python3 to run the scripts of assets/train"
    export PYTHONPATH=$PWD/assets/train PYTHONDONTWRITEBYTECODE=1
}

@test "rule: a decoder is replaced only by one that meets more aims, and the better one wins" {
    python3 - << 'PYTHON'
import rule

old = {"induction": .34, "previous": .99, "third": .02, "picture": 0., "loss": 4.36, "bytes": 4_155_078}
new = {"induction": .65, "previous": .97, "third": .55, "picture": 1., "loss": 4.1, "bytes": 4_155_078}
assert rule.met(old) == ["previous"]
assert rule.met({**new, "induction": .6, "previous": .95, "third": .5}) == list(rule.AIMS)
assert rule.choose(old, {}) is None
assert rule.choose(old, {"new": new}) == "new"
assert rule.choose(new, {"new": new}) is None
assert rule.choose(old, {"new": {**old, "induction": .59, "loss": 3.}}) is None
assert rule.choose(old, {"large": {**new, "bytes": 5_000_001}}) is None
assert rule.choose(old, {"worse": {**new, "loss": 4.42}}) is None
assert rule.choose(old, {"a": {**new, "picture": 0., "loss": 3.}, "b": new}) == "b"
near = {"a": {**new, "third": .40}, "b": {**new, "third": .45, "loss": 4.2}}
assert rule.choose(old, near) == "b"
assert rule.choose(old, {"a": new, "b": {**new, "induction": .9, "loss": 4.05}}) == "b"
PYTHON
}

@test "recipes: rewards end, and every table begins with the training" {
    python3 - << 'PYTHON'
from recipes import RECIPES

for recipe in RECIPES.values():
    assert abs(sum(share for _, share in recipe.natural) - 1) < 1e-9
    assert recipe.contexts[0][0] == recipe.rows[0][0] == 0
    assert all(recipe.step_tokens % tokens == 0 for _, tokens in recipe.contexts)
    assert all(n.at(0) == n.weight and n.at(n.end) == n.at(1) == 0 for n in recipe.nudges)
    assert len({n.kind for n in recipe.nudges}) == len(recipe.nudges)
assert RECIPES["second"].mixture(.3) == (.15, .04, .06, .3)
assert RECIPES["second"].context(.95) == 512
PYTHON
}

@test "builtin:translate: its card says what the program measures" {
    card=assets/translate/README.md
    MHA_VIZ_KERNEL=c python3 assets/train/aligned.py "$viz" > "$BATS_TEST_TMPDIR/measured"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/measured")" -eq 5 ]
    while IFS= read -r line; do
        grep -qF -- "$line" "$card" || { echo "not in $card: $line"; return 1; }
    done < "$BATS_TEST_TMPDIR/measured"
    # query: key of head 0 with its weight, of the sentence of the card and of the other one
    aligned='.tokens as $q | .tokens_key as $k | .heads[0].links[] | select(.[2] > .995) |
        "\($q[.[0]])=\($k[.[1]])"'
    "$viz" stats -m builtin:translate --json | jq -r "$aligned" > "$BATS_TEST_TMPDIR/own"
    for pair in 我=I 喜欢=like 吃=eating 苹果=apples; do
        grep -qx "$pair" "$BATS_TEST_TMPDIR/own"
    done
    "$viz" stats -m builtin:translate --json \
        'She does not like reading three new books at home on Sunday' 她星期天在家不喜欢看三本新书 |
        jq -r "$aligned" > "$BATS_TEST_TMPDIR/longer"
    for pair in 星期天=Sunday 在家=home 不=not 看=reading 三=three 本=books 新=new 书=books; do
        grep -qx "$pair" "$BATS_TEST_TMPDIR/longer"
    done
}

@test "builtin:translate: its words are those of the grammar; it stays below 0.3 MB" {
    python3 - << 'PYTHON'
import json

import grammar

tok = json.load(open("assets/translate/tokenizer.json", encoding="utf-8"))
en, zh = grammar.words()
assert [piece for piece, _ in tok["model"]["vocab"]] == ["<pad>", "</s>", "<unk>"] + en + zh
PYTHON
    "$viz" info --builtin --json | jq -es '
        length == 3 and ([.[] | select(.default) | .name] == ["builtin:decoder"]) and
        all(.[]; .bytes < {"builtin:translate": 300000, "builtin:encoder": 500000, "builtin:decoder": 5000000}[.name])'
    [ "$("$viz" info --builtin --tsv | awk -F '\t' '$1 == "builtin:translate" { print $11 }')" -eq \
        "$(cat assets/translate/{config.json,tokenizer.json,model.safetensors} | wc -c)" ]
}

# Minutes: MHA_VIZ_TRAIN=1 asks for it.
# Each head's weight on the token before and on the next one, over samples/english.txt
neighbours() {
    MHA_VIZ_KERNEL=c "$viz" stats -m builtin:encoder --summary --json --metric prev,next -f samples/english.txt |
        jq -r '.heads[] | "| L\(.layer)H\(.head) | \(.prev.mean * 1000 | round / 1000) | \(.next.mean * 1000 | round / 1000) |"'
}

@test "builtin:encoder: its card says what the program measures" {
    [ "$(neighbours | wc -l)" -eq 12 ]
    [ "$(neighbours)" = "$(grep '^| L' assets/encoder/README.md)" ]
    jq -r '.heads[] | select(.primary == "previous" or .primary == "next") | "L\(.layer)H\(.head) \(.primary)"' \
        assets/encoder/types.json > "$BATS_TEST_TMPDIR/types"
    diff - "$BATS_TEST_TMPDIR/types" <<< $'L0H0 previous\nL0H1 next'
}

@test "types of the built-in models: their script makes the same files again" {
    local dir=$BATS_TEST_TMPDIR
    mkdir "$dir/default" "$dir/encoder" "$dir/translate"
    assets/train/types.sh "$viz" "$dir"
    for model in default encoder translate; do cmp "$dir/$model/types.json" "assets/$model/types.json"; done
    python3 assets/train/sentences.py 100 | cmp - assets/translate/sentences.tsv
}

@test "builtin:translate: its script makes the same file again" {
    [ -n "${MHA_VIZ_TRAIN:-}" ] || skip "MHA_VIZ_TRAIN is not set: the training takes minutes"
    python3 -c 'import torch, transformers, tokenizers' || skip "no torch and transformers"
    python3 assets/train/translate.py "$BATS_TEST_TMPDIR/again" --seed 1
    for file in config.json tokenizer.json model.safetensors; do
        cmp "assets/translate/$file" "$BATS_TEST_TMPDIR/again/$file"
    done
}
