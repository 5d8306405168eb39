#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --image: pictures that a model reads, and those that none does.
# shellcheck disable=SC2154
load helper

in_folder() {
    vit=$ref/media/vit
    media=$ref/media
    cd "$dir" || return 1
}

# has_jpeg: whether this program was built with libjpeg-turbo
has_jpeg() {
    "$viz" stats -m "$vit" --image "$media/rgb.jpg" >jpeg.out 2>jpeg.err || {
        grep -q "built without libjpeg-turbo" jpeg.err
        return 1
    }
}

@test "vit: a picture gives the reference's attention" {
    in_folder
    "$viz" export -m "$vit" --image "$media/rgb.png" -o got.npz
    unzip -p got.npz attn.1.npy | tail -c +129 | od -An -v -w4 -tf4 >got
    unzip -p "$media/expected.npz" attn.1.npy | tail -c +129 | od -An -v -w4 -tf4 >want
    [ "$(wc -l <want)" = 1250 ]
    paste got want | awk '{ d = $1 - $2; if (d > 2e-6 || d < -2e-6) bad = 1 } END { exit bad }'
}

@test "its patches are named, the file is in the record" {
    in_folder
    "$viz" stats -m "$vit" --image "$media/rgb.png" --json >rgb.json
    jq -e '.tokens[0:2] == ["[CLS]","0,0"] and .tokens[-1] == "3,5"' rgb.json
    jq -e '.text == "" and .ids == null and (.input | endswith("/rgb.png"))' rgb.json
    "$viz" stats -m "$vit" --image "$media/interlaced.png" --json | jq -c .heads >interlaced
    jq -c .heads rgb.json | diff - interlaced
    works "$viz" heatmap -m "$vit" --image "$media/rgb.png" -o a.svg
    works "$viz" report -m "$vit" --image "$media/rgb.png" -o a.html
    works "$viz" links -m "$vit" --image "$media/rgb.png" -o a.png
    "$viz" diff -m "$vit" --image "$media/rgb.png" --image "$media/grey.png" --json >diff.json
    jq -e '[.heads[].js] | max > 0' diff.json
}

@test "JPEG, or what a build without it lacks" {
    in_folder
    if has_jpeg; then
        "$viz" stats -m "$vit" --image "$media/cmyk.jpg" --json | jq -e '.tokens | length == 25'
        fails 3 "cut.jpg: is no JPEG that can be read: Premature end" \
            "$viz" stats -m "$vit" --image "$media/bad/cut.jpg"
    else
        fails 4 "rgb.jpg: is a JPEG, and this program was built without libjpeg-turbo" \
            "$viz" stats -m "$vit" --image "$media/rgb.jpg"
    fi
}

@test "pictures that lie, are cut short, or have a kind that is not read" {
    in_folder
    fails 3 "lies.png: claims 30000 x 3000 pixels, which 69 bytes cannot hold" \
        "$viz" stats -m "$vit" --image "$media/bad/lies.png"
    fails 3 "cut.png: is no PNG that can be read: it is cut short" \
        "$viz" stats -m "$vit" --image "$media/bad/cut.png"
    fails 3 "grey16.png: has 16 bits of grey" "$viz" stats -m "$vit" --image "$media/bad/grey16.png"
    fails 3 "no.jpg: is neither a PNG nor a JPEG" \
        "$viz" stats -m "$vit" --image "$media/bad/no.jpg"
    fails 3 "absent.png" "$viz" stats -m "$vit" --image absent.png
}

@test "the processor: in its own file or among all, absent, of another kind, for another model" {
    in_folder
    cp -r "$vit" model
    "$viz" stats -m model --image "$media/rgb.png" --tsv >want
    jq '{image_processor: .}' model/preprocessor_config.json >model/processor_config.json
    rm model/preprocessor_config.json
    "$viz" stats -m model --image "$media/rgb.png" --tsv | diff - want
    echo '{"image_processor":{"size":0}}' >model/processor_config.json
    fails 3 "model/processor_config.json: image_processor: size: found 0" \
        "$viz" stats -m model --image "$media/rgb.png"
    rm model/processor_config.json
    fails 3 "model/preprocessor_config.json: is not there" \
        "$viz" stats -m model --image "$media/rgb.png"
    echo '{"size":32}' >model/preprocessor_config.json
    fails 3 "preprocessor_config.json makes it: shape [3,32,32], expected [3,16,24]" \
        "$viz" stats -m model --image "$media/rgb.png"
    echo '{"image_processor_type":"CLIPImageProcessor"}' >model/preprocessor_config.json
    fails 3 'found "CLIPImageProcessor", expected "ViTImageProcessor"' \
        "$viz" stats -m model --image "$media/rgb.png"
    echo '{' >model/preprocessor_config.json
    fails 3 "model/preprocessor_config.json: " "$viz" stats -m model --image "$media/rgb.png"
}

@test "misuse" {
    in_folder
    fails 2 "reads a text, not a picture" "$viz" stats --image "$media/rgb.png"
    fails 2 "reads no pictures" "$viz" stats -m "$ref/seq2seq/whisper" --image "$media/rgb.png"
    fails 2 "an array has no tokens" "$viz" tokens --image "$media/rgb.png"
    fails 2 "vit_stack.safetensors is a bare layer and reads no pictures" \
        "$viz" stats -m "$ref/layers/vit_stack.safetensors" --heads 2 --image "$media/rgb.png"
    fails 2 "vit reads no TEXT with it" "$viz" stats -m "$vit" --image "$media/rgb.png" text
    fails 2 "expected --image FILE or --input FILE.npy" "$viz" stats -m "$vit"
    fails 2 "only one of them" "$viz" stats -m "$vit" --image a.png --input a.npy
}
