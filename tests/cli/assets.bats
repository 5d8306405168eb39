#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# assets/train: what can be checked without the packages that training needs.

load helper

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
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
    assert [n.kind for n in recipe.nudges].count("previous") == 1
assert RECIPES["second"].mixture(.3) == (.15, .04, .06, .3)
assert RECIPES["second"].context(.95) == 512
PYTHON
}
