#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Models of texts and of pictures in one file: which of them is read.
# shellcheck disable=SC2154
load helper

in_folder() {
    clip=$ref/families/clip
    siglip=$ref/families/siglip
    ids=$(jq -r '.runs[0].input_ids | join(",")' "$clip/expected.json")
    cd "$dir" || return 1
    unzip -p "$clip/expected.npz" r2.pixel_values.npy >clip.npy
    unzip -p "$siglip/expected.npz" r2.pixel_values.npy >siglip.npy
}

# photo MODEL KEYS: the model with a processor that makes pictures of its size
photo() {
    cp -r "$1" "$dir/${1##*/}"
    echo "$2" >"$dir/${1##*/}/preprocessor_config.json"
}

# edited FILTER: clip with another config.json
edited() {
    mkdir -p "$dir/edited"
    [ -f edited/model.safetensors ] || cp "$clip/model.safetensors" edited
    jq -c "$1" "$clip/config.json" >"$dir/edited/config.json"
}

@test "ids run the tower of texts, arrays that of pictures" {
    in_folder
    "$viz" stats -m "$clip" --ids "$ids" --json |
        jq -e '.family == "clip_text_model" and (.heads | length) == 4'
    "$viz" stats -m "$clip" --input clip.npy --json |
        jq -e '.family == "clip_vision_model" and .tokens == ["[CLS]", "0,0", "0,1", "1,0", "1,1"]
               and (.heads | length) == 6'
    "$viz" stats -m "$siglip" --input siglip.npy --json |
        jq -e '.tokens[0] == "0,0" and (.tokens | length) == 9'
    fails 2 "clip reads no text but an array" "$viz" stats -m "$clip" --tower picture --ids "$ids"
    fails 2 "reads a text, not an array" "$viz" stats -m "$clip" --tower text --input clip.npy
    fails 2 "clip reads no TEXT with it" "$viz" stats -m "$clip" --input clip.npy "the key"
    fails 2 "only one of them" "$viz" stats -m "$clip" --ids "$ids" --input clip.npy
    fails 2 "--tower: vit does not have towers of texts and of pictures" \
        "$viz" info -m "$ref/families/vit" --tower picture
    fails 2 "--attention, --tower" \
        "$viz" info --attention "$ref/precomputed/decoder.npz" --tower text
}

@test "--image runs the tower of pictures; what lies over one without [CLS] is of its middle" {
    in_folder
    photo "$clip" '{"image_processor_type":"CLIPImageProcessor","size":{"shortest_edge":8},
                    "crop_size":{"height":8,"width":8}}'
    photo "$siglip" '{"image_processor_type":"SiglipImageProcessor",
                      "size":{"height":12,"width":12}}'
    works "$viz" heatmap -m clip --image "$ref/media/rgb.png" -o clip.svg
    "$viz" heatmap -m clip --image "$ref/media/rgb.png" -o - --format terminal | tr '\n' ' ' |
        grep -q "what \[CLS\] attends to"
    works "$viz" heatmap -m siglip --image "$ref/media/rgb.png" -o siglip.svg
    "$viz" heatmap -m siglip --image "$ref/media/rgb.png" -o - --format terminal | tr '\n' ' ' |
        grep -q "what 1,1 attends to"
    "$viz" heatmap -m siglip --image "$ref/media/rgb.png" -o - --format terminal --from 0,2 |
        tr '\n' ' ' | grep -q "what 0,2 attends to"
    works "$viz" report -m siglip --image "$ref/media/rgb.png" -o siglip.html
    "$viz" diff -m clip --image "$ref/media/rgb.png" --image "$ref/media/grey.png" >out
    grep -q L0H0 out
}

@test "info describes both towers, or one" {
    in_folder
    "$viz" info -m "$clip" --json | jq -se 'map([.family, .tower]) ==
        [["clip_text_model", "text"], ["clip_vision_model", "picture"]] and .[0].hash != .[1].hash'
    "$viz" info -m "$clip" | grep -c "^tower" | grep -qx 2
    [ "$("$viz" info -m "$clip" --tsv | wc -l)" -eq 3 ]
    "$viz" info -m "$clip" --tower picture --json | jq -e '.tower == "picture"'
    works "$viz" info -m "$ref/families/clip_classes"
    [[ $output == *clip_vision_model* && $output != *clip_text_model* ]]
    "$viz" info -m "$ref/families/llama_nested" --json 2>err |
        jq -se 'map(.family) == ["llama", "clip_vision_model"]'
    grep -q "llama_nested: of this llava only the language model is read, a llama" err
    [ "$(wc -l <err)" -eq 1 ]
    "$viz" info --families --json | jq -se 'any(.family == "clip" and .stack == "towers")'
}

@test "weights of either tower: circuits" {
    in_folder
    "$viz" circuits -m "$clip" --json | jq -e '.heads | length == 4'
    "$viz" circuits -m "$clip" --tower picture --json | jq -e '.heads | length == 6'
}

@test "configs that name no tower" {
    in_folder
    edited 'del(.vision_config)'
    fails 3 "config.json: has no vision_config" "$viz" stats -m edited --input clip.npy
    edited '.text_config = 5'
    fails 3 "config.json: text_config: found 5, expected an object" "$viz" stats -m edited --ids 4
    edited '.vision_config.patch_size = 9'
    fails 3 "patch_size: 9 x 9 does not fit in the image of 8 x 8" \
        "$viz" stats -m edited --input clip.npy
    edited '.vision_config.num_attention_heads = 0'
    fails 3 "num_attention_heads: found 0" "$viz" stats -m edited --input clip.npy
    edited '.vision_config.patch_size = 2'
    fails 3 "vision_model.embeddings.patch_embedding.weight: shape [18,3,4,4], expected [18,3,2,2]" \
        "$viz" stats -m edited --input clip.npy
    cp "$ref/families/siglip_text_model/model.safetensors" edited/
    edited .
    fails 3 "has no tensor" "$viz" stats -m edited --input clip.npy
    cp "$ref/families/clip_classes/model.safetensors" edited/
    fails 3 "has no tensor" "$viz" stats -m edited --ids 4
    edited '.model_type = "llava" | .vision_config.model_type = "eyes"'
    fails 3 'model_type: found "eyes"' "$viz" stats -m edited --input clip.npy
}
