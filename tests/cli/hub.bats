#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Models by name, from a cache laid out as Hugging Face's tools do it.

# shellcheck disable=SC2154,SC2016,SC2088
load helper

main=aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd
old=1234567890123456789012345678901234567890

# snapshot FOLDER COMMIT FIXTURE: links to blobs, as the cache has them
snapshot() {
    local repo=$1 commit=$2 file name
    mkdir -p "$repo/blobs" "$repo/refs" "$repo/snapshots/$commit"
    for file in "$ref/$3"/*; do
        name=$(basename "$file")
        cp "$file" "$repo/blobs/$commit-$name"
        ln -s "../../blobs/$commit-$name" "$repo/snapshots/$commit/$name"
    done
}

cache() {
    unset HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_HOME XDG_CACHE_HOME
    export HOME=$dir/home
    hub=$HOME/.cache/huggingface/hub
    bert=$hub/models--bert-tiny
    org=$hub/models--an-org--GPT_2.x
    snapshot "$bert" $main bert
    printf %s $main > "$bert/refs/main"
    snapshot "$org" $main gpt2
    snapshot "$org" $old bert
    printf '%s\n' $main > "$org/refs/main"
    mkdir "$org/refs/pr"
    printf %s $old > "$org/refs/pr/1"
}

# named NAME COMMAND...: info works and calls the model so
named() {
    local name=$1
    shift
    works "$@"
    [[ $output == *"model       $name"* ]] || { echo "$output"; return 1; }
}

@test "a model by its name, with and without an organisation, with a revision" {
    cache
    named bert-tiny "$viz" info -m bert-tiny
    named an-org/GPT_2.x "$viz" info -m an-org/GPT_2.x
    [[ $output == *gpt2* ]]
    for revision in pr/1 $old ${old:0:7}; do
        named an-org/GPT_2.x@1234567 "$viz" info -m "an-org/GPT_2.x@$revision"
        [[ $output == *bert* ]]
    done
    works "$viz" tokens -m bert-tiny "the key"
    works "$viz" stats -m bert-tiny "the key"
    works "$viz" heatmap -m an-org/GPT_2.x --ids 1,2 -o "$dir/x.svg"
    grep -q an-org/GPT_2.x "$dir/x.svg"
}

@test "a path that is there goes first; the cache is only read" {
    cache
    cp -r "$ref/gpt2" "$dir/bert-tiny"
    cd "$dir"
    find "$hub" | sort > before
    named bert-tiny "$viz" info -m bert-tiny
    [[ $output == *gpt2* ]]
    works "$viz" stats -m an-org/GPT_2.x --ids 1,2
    find "$hub" | sort | cmp - before
}

@test "the cache's folder: five variables in their order" {
    cache
    mv "$HOME/.cache/huggingface" "$dir/hf"
    fails 3 "$HOME/.cache/huggingface/hub/models--bert-tiny" "$viz" info -m bert-tiny
    XDG_CACHE_HOME=$dir/xdg fails 3 "$dir/xdg/huggingface/hub/models--" "$viz" info -m bert-tiny
    XDG_CACHE_HOME=$dir/xdg HF_HOME=$dir/hf named bert-tiny "$viz" info -m bert-tiny
    HF_HOME='~/../hf' named bert-tiny "$viz" info -m bert-tiny
    base=$dir HF_HOME='$base/hf' named bert-tiny "$viz" info -m bert-tiny
    base=$dir HF_HUB_CACHE='${base}/hf/hub' HF_HOME=/none named bert-tiny "$viz" info -m bert-tiny
    HF_HUB_CACHE='' HUGGINGFACE_HUB_CACHE=$dir/hf/hub HF_HOME=/none \
        named bert-tiny "$viz" info -m bert-tiny
    HF_HUB_CACHE=/none HUGGINGFACE_HUB_CACHE=$dir/hf/hub fails 3 "/none/models--bert-tiny" \
        "$viz" info -m bert-tiny
    HF_HUB_CACHE='$none/x' fails 3 '$none/x/models--bert-tiny' "$viz" info -m bert-tiny
}

@test "a model that is missing: the folder searched, the command that downloads it" {
    cache
    fails 3 "the cache has no $hub/models--org--none; to download it: hf download org/none" \
        "$viz" stats -m org/none x
    fails 3 "hf download org/none --revision v1" "$viz" stats -m org/none@v1 x
    fails 3 "has no revision v2; to download it: hf download bert-tiny --revision v2" \
        "$viz" tokens -m bert-tiny@v2 x
    fails 3 "has no revision 123456;" "$viz" tokens -m bert-tiny@123456 x
    rm -r "$bert/snapshots/$main"
    fails 3 "the cache has no $bert/snapshots/$main; to download it" "$viz" info -m bert-tiny
}

@test "no refs/main: the one snapshot, with a note; of several none is guessed" {
    cache
    rm "$bert/refs/main" "$org/refs/main"
    run --separate-stderr "$viz" info -m bert-tiny
    [ "$status" -eq 0 ]
    [[ $output == *bert-tiny* ]]
    [[ $stderr == *"no refs/main; using its only snapshot, $main" ]]
    works "$viz" info -q -m bert-tiny
    fails 3 "has no refs/main and 2 snapshots; expected an-org/GPT_2.x@REVISION of" \
        "$viz" info -m an-org/GPT_2.x
    printf 'no commit' > "$bert/refs/main"
    run --separate-stderr "$viz" info -m bert-tiny
    [ "$status" -eq 0 ]
    rm -r "$bert/snapshots/$main"
    fails 3 "has no revision main" "$viz" info -m bert-tiny
}

@test "a snapshot that was not downloaded completely" {
    cache
    snap=$bert/snapshots/$main
    rm "$bert/blobs/$main-model.safetensors"
    fails 3 "lacks model.safetensors in $snap; to download it: hf download bert-tiny" \
        "$viz" stats -m bert-tiny x
    works "$viz" tokens -m bert-tiny "the key"
    rm "$snap/model.safetensors"
    fails 3 "lacks model.safetensors in" "$viz" stats -m bert-tiny x
    rm "$snap/config.json"
    fails 3 "lacks config.json in" "$viz" info -m bert-tiny
    rm "$bert/blobs/$main-tokenizer.json"
    fails 3 "lacks tokenizer.json in" "$viz" tokens -m bert-tiny x
    snapshot "$hub/models--in-parts" $main families/mistral
    rm "$hub/models--in-parts/snapshots/$main/model-00002-of-00003.safetensors"
    fails 3 "lacks model-00002-of-00003.safetensors in" "$viz" info -q -m in-parts
    echo '{}' > "$bert/blobs/$main-model.safetensors"
    fails 3 "no such model" "$viz" stats -m bert-tiny/model.safetensors x
}

@test "strings that are not names never reach the cache" {
    cache
    mkdir -p "$hub/models--x/snapshots" "$dir/home/.cache/huggingface/models--y"
    for name in ../models--y x/../y .. . a/b/c ./none -x .hidden a--b a/ /a a/.b a/-b x@ x@../y \
        x@/etc x@a//b x@.git x@a/.. 'x y' $'x\ny' 'x@$(id)' "$(printf 'a%.0s' {1..100})" é x.; do
        run --separate-stderr "$viz" info "--model=$name"
        [ "$status" -eq 3 ] || { echo "$name: $status $output"; return 1; }
        [[ $stderr != *hub* && $stderr != *"hf download"* && ${#stderr_lines[@]} -eq 1 ]] ||
            [ "$name" = . ] || { echo "$name: $stderr"; return 1; }
    done
}

@test "what a model is called when its folder's name says nothing" {
    cache
    named bert-tiny "$viz" info -m "$bert/snapshots/$main"
    named bert-tiny "$viz" info -m "$bert/snapshots/$main/"
    named bert-tiny "$viz" info -m "$bert/snapshots/$main/model.safetensors"
    named an-org/GPT_2.x@1234567 "$viz" info -m "$org/snapshots/$old"
    (cd "$bert/snapshots/$main" && named bert-tiny "$viz" info -m . &&
        named bert-tiny "$viz" info -m ./model.safetensors)
    mkdir -p "$dir/mine/model"
    cp "$ref/bert"/* "$dir/mine/model"
    named mine "$viz" info -m "$dir/mine/model"
    named mine "$viz" info -m "$dir/mine/model/model.safetensors"
    cd "$dir/mine/model"
    named mine "$viz" info -m .
    named mine "$viz" info -m ../model/
    named mine "$viz" info -m model.safetensors
    for name in Model model/$main snapshots/$main; do
        mkdir -p "$dir/copy/$name"
        cp "$ref/bert"/* "$dir/copy/$name"
        named copy "$viz" info -m "$dir/copy/$name"
    done
    # A snapshot by another name than its commit's, and a copy of a repository's folder
    for name in models--an-org--x/snapshots/v1.0 models--an-org--x; do
        mkdir -p "$dir/copy/$name"
        cp "$ref/bert"/* "$dir/copy/$name"
    done
    named an-org/x "$viz" info -m "$dir/copy/models--an-org--x/snapshots/v1.0"
    named an-org/x "$viz" info -m "$dir/copy/models--an-org--x"
    (cd "$dir/copy/models--an-org--x/snapshots/v1.0" && named an-org/x "$viz" info -m .)
    cp model.safetensors better.safetensors
    named better.safetensors "$viz" info -m better.safetensors
}
