#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of `mha-viz report --live` in a browser: tests/browser/live.mjs, with what
# tests/browser.sh needs, and a program built after `make live`; without one of them it says so
# and is skipped.  What cannot be typed is in tests/cli/report.bats.
# bats file_tags=slices
cd "$(dirname "$0")/.." || exit 1
viz=$(realpath "${MHA_VIZ:-./mha-viz}")
modules=${BROWSER_MODULES:-$PWD/build/browser/node_modules}
browser=$(command -v chromium || command -v chromium-browser)

command -v node >/dev/null || { echo "skip: no node"; exit 77; }
node --check src/report/page/worker.js || exit 1
[ -n "$browser" ] || { echo "skip: no chromium"; exit 77; }
[ -d "$modules/playwright-core" ] || { echo "skip: no playwright-core in $modules"; exit 77; }

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
said=$("$viz" report --live -q -o "$dir/builtin.html" 'the cat saw the dog' 2>&1) || {
    [[ $said == *"make live"* ]] && { echo "skip: a program without the module: make live"; exit 77; }
    echo "$said"
    exit 1
}

# 300 texts: lines of the samples, what is markup, signs of several bytes, and pairs of lines
{
    cat samples/english.txt samples/chinese.txt
    printf '%s\n' '<script>alert(1)</script> "><img src=x onerror=alert(1)>' '🙂 👩‍👩‍👧 naïve café' 'a' \
        '-x --help' 'مرحبا بالعالم' '  two  spaces  '
    paste -d ' ' samples/english.txt <(sed 1d samples/english.txt)
} | head -n 300 | iconv -c -t utf-8 > "$dir/texts"
[ "$(wc -l < "$dir/texts")" -eq 300 ] || { echo "expected 300 texts"; exit 1; }
export MHA_VIZ_KERNEL=c
"$viz" stats -q --no-metadata -f "$dir/texts" --json > "$dir/texts.json" &&
    head -n 20 samples/english.txt | cut -c 1-24 > "$dir/few" &&
    for m in bert gguf_llama; do
        path=tests/ref/$m
        [ $m = bert ] || path=$path/model.gguf
        "$viz" report --live -q -m $path -o "$dir/$m.html" 'the key' &&
            "$viz" stats -q --no-metadata -m $path -f "$dir/few" --json > "$dir/$m.json" || exit 1
    done &&
    # with the weights that the page has: its last file, which is not packed
    "$viz" report --live -q --page-precision q8_0 -m tests/ref/bert -o "$dir/rounded.html" 'the key' &&
    mkdir -p "$dir/rounded/bert" && cp tests/ref/bert/*.json "$dir/rounded/bert" &&
    sed -n 's/^<script type="text\/plain" id="f3-[0-9]*">\(.*\)<\/script>$/\1/p' "$dir/rounded.html" |
        base64 -d > "$dir/rounded/bert/model.safetensors" &&
    "$viz" stats -q --no-metadata -m "$dir/rounded/bert" -f "$dir/few" --json > "$dir/rounded.json" &&
    "$viz" report --live -q -m builtin:translate -o "$dir/cross.html" \
        'Mother loves four small cats .' '妈妈爱四只小猫。' || exit 1
# pictures: PNG of all kinds, as the browser decodes these to the same pixels
mkdir "$dir/pictures" "$dir/deit" &&
    cp tests/ref/families/deit/{config.json,model.safetensors} "$dir/deit" &&
    echo '{"image_processor_type":"ViTImageProcessor","size":{"height":8,"width":12}}' \
        > "$dir/deit/preprocessor_config.json" &&
    cp tests/ref/media/{rgb,rgba,grey,grey_alpha,palette,bit,interlaced,turned6}.png \
        tests/ref/media/rgb.jpg tests/ref/media/bad/{cut,huge}.png "$dir/pictures" &&
    cp tests/ref/media/rgb.png "$dir/pictures/vit" &&
    "$viz" report --live -q -m tests/ref/media/vit --image "$dir/pictures/rgb.png" -o "$dir/vit.html" &&
    "$viz" report --live -q -m "$dir/deit" --image "$dir/pictures/rgb.png" -o "$dir/deit.html" || exit 1
for picture in rgb rgba grey grey_alpha palette bit interlaced turned6; do
    (cd "$dir/pictures" &&
        "$viz" stats -q --no-metadata -m "$OLDPWD/tests/ref/media/vit" --image $picture.png --json > "$dir/vit.$picture.json" &&
        "$viz" stats -q --no-metadata -m "$dir/deit" --image $picture.png --json > "$dir/deit.$picture.json") || exit 1
done
"$viz" stats -q --no-metadata --generate 12 --json 'the dog saw' > "$dir/generated.json" &&
    "$viz" stats -q --no-metadata -m builtin:translate --generate 8 --json 'I like buying flowers .' > "$dir/translated.json" ||
    exit 1
BROWSER=$browser MODULES=$modules node tests/browser/live.mjs "$dir"
