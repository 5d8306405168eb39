#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of `mha-viz report` in a browser: tests/browser/page.mjs, with node, chromium and
# playwright-core.  Without one of them it says so and is skipped; playwright-core and, for the
# check of accessibility, axe-core come with
#     npm install --no-save --prefix build/browser playwright-core@1.60 axe-core@4 @biomejs/biome@1.9
# or are in BROWSER_MODULES, another node_modules.  Once all are here, a browser that does not start
# is a failure.
# bats file_tags=slices
cd "$(dirname "$0")/.." || exit 1
viz=$(realpath "${MHA_VIZ:-./mha-viz}")
modules=${BROWSER_MODULES:-$PWD/build/browser/node_modules}
browser=$(command -v chromium || command -v chromium-browser)

command -v node >/dev/null || { echo "skip: no node"; exit 77; }
sed -n 's/^SCRIPT("\(.*\)")/\1/p' src/report/page/files.def | xargs cat |
    node --check - || exit 1
[ -n "$browser" ] || { echo "skip: no chromium"; exit 77; }
[ -d "$modules/playwright-core" ] || { echo "skip: no playwright-core in $modules"; exit 77; }

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
printf '%s\n' 'the cat saw the dog and the cat ran' 'the key is in the door' \
    '<script>alert(1)</script> "><img src=x onerror=alert(1)> &amp; </script>' > "$dir/texts"
"$viz" report -q -f "$dir/texts" -o "$dir/texts.html" &&
    "$viz" stats -q -f "$dir/texts" --json > "$dir/texts.json" &&
    "$viz" neuron -q -f "$dir/texts" -H L2H0 --from 4 --json > "$dir/neuron.json" &&
    "$viz" report -q -m tests/ref/bert -o "$dir/pair.html" 'the key is in the door' 'the cat' &&
    "$viz" report -q --compare -o "$dir/compared.html" 'the cat saw the dog' 'the dog ran' &&
    "$viz" report -q -m tests/ref/bart -o "$dir/cross.html" 'the key' 'the door is' &&
    "$viz" report -q -m tests/ref/families/gpt_oss --ids 5,9,13,21,8 -o "$dir/sink.html" &&
    "$viz" report -q -m tests/ref/media/vit --image tests/ref/media/rgb.png -o "$dir/picture.html" &&
    "$viz" init -q --encoder --layers 32 --heads 32 --d-model 64 --d-ff 4 -o "$dir/many.safetensors" &&
    "$viz" report -q -m "$dir/many.safetensors" --shape 60 -o "$dir/many.html" &&
    "$viz" report -q --truncate -o "$dir/long.html" "$(tr '\n' ' ' < samples/english.txt)" || exit 1
BROWSER=$browser MODULES=$modules node tests/browser/page.mjs "$dir"
