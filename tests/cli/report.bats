#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# report: what is in the page, and what is refused.  How it looks and what its controls do is
# tested in tests/browser.

# shellcheck disable=SC2154,SC2016
load helper

page() {
    python3 tests/cli/page.py "$@"
}

# compared TEXT OPTION...: weights and statistics in the page are those of export and stats
compared() {
    local text=$1 precision
    shift
    "$viz" stats "$@" --json "$text" > "$dir/s.json"
    "$viz" export "$@" -o "$dir/e.npz" "$text"
    for precision in 8 16; do
        works "$viz" report "$@" --page-precision $precision -o "$dir/p.html" "$text"
        page "$dir/p.html" "$dir/s.json" "$dir/e.npz"
    done
}

@test "without options: report.html, and its name" {
    cd "$dir"
    works "$viz" report
    [ "$output" = report.html ]
    [ "$(list .)" = "report.html " ]
    [ "$(head -n 1 report.html)" = "<!DOCTYPE html>" ]
}

@test "weights and statistics are those of export and stats" {
    compared "the key is in the door"
    compared "the key is in the door" -m "$ref/bert"
    compared "the key" -m "$ref/gpt2" -l 1 -H 0,2
}

@test "--metric: other metrics, as stats has them" {
    works "$viz" report -m "$ref/bert" --metric neff,entropy -o "$dir/p.html" "the key"
    page --text "$dir/p.html" | jq -e '[.metrics[].name] == ["entropy", "neff"]'
    [ "$(page --text "$dir/p.html" | jq -c '.metrics[1].value')" = \
      "$("$viz" stats -m "$ref/bert" --metric neff --json "the key" | jq -c '[.heads[].neff]')" ]
}

@test "of an encoder-decoder: cross-attention, with two lists of tokens" {
    "$viz" stats -m "$ref/bart" --json "the key" "the door is" > "$dir/s.json"
    "$viz" export -m "$ref/bart" -o "$dir/e.npz" "the key" "the door is"
    works "$viz" report -m "$ref/bart" -o "$dir/p.html" "the key" "the door is"
    page "$dir/p.html" "$dir/s.json" "$dir/e.npz"
    page --text "$dir/p.html" | grep -q '"stack":"cross".*"keys":{'
}

@test "-f: all texts in one page, or into a folder a page each" {
    printf 'the key\nthe cat saw the dog\n' > "$dir/t"
    works "$viz" report -m "$ref/bert" -f "$dir/t" -o "$dir/p.html"
    "$viz" stats -m "$ref/bert" -f "$dir/t" --json > "$dir/s.json"
    "$viz" export -m "$ref/bert" -o "$dir/e.npz" "the cat saw the dog"
    page "$dir/p.html" "$dir/s.json" "$dir/e.npz" 1
    [ "$(grep -c '^<!DOCTYPE' "$dir/p.html")" -eq 1 ]
    mkdir "$dir/out"
    works "$viz" report -m "$ref/bert" -f "$dir/t" -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.html 000002.html " ]
    "$viz" report -m "$ref/bert" -o "$dir/one.html" "the cat saw the dog"
    diff <(page --text "$dir/one.html") <(page --text "$dir/out/000002.html" | sed 's/"index":1/"index":0/')
}

@test "the same bytes on every run, for any number of threads" {
    "$viz" report -t 1 -o "$dir/a.html" "the cat saw the dog"
    "$viz" report -t 2 -o - "the cat saw the dog" | cmp - "$dir/a.html"
}

@test "no token is markup" {
    text='<script>alert(1)</script> "><img src=x onerror=alert(1)> </script> <!--'
    works "$viz" report -m "$ref/gpt2" -o "$dir/p.html" "$text"
    # The command, which has the text, is the content of a meta element, and escaped.
    refute grep -q -e '<script>alert' -e '<img' -e '<!--' "$dir/p.html"
    [ "$(grep -c 'alert(1)' "$dir/p.html")" -eq 1 ]
    grep 'alert(1)' "$dir/p.html" | grep -q '^<meta name="mha-viz:command" content="[^"<>]*">$'
    "$viz" report -q --no-metadata -m "$ref/gpt2" -o "$dir/p.html" "$text"
    refute grep -q 'alert(1)' "$dir/p.html"
    page --text "$dir/p.html" | grep -qF '"text":"<script>alert(1)</script>'
    cp -r "$ref/bert" "$dir/<script>x"
    works "$viz" report -m "$dir/<script>x" -o "$dir/q.html" "the key"
    grep -qF '<title>&lt;script&gt;x' "$dir/q.html"
    [ "$(grep -c '<script>' "$dir/q.html")" -eq 1 ]
}

@test "the policy allows the page's own script and style by their hashes, and nothing else" {
    "$viz" report -o "$dir/p.html" "the cat"
    python3 - "$dir/p.html" <<'END'
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
for tag in ("script", "style"):
    inside = re.search(f"<{tag}>(.*?)</{tag}>", page, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
    assert f"{tag}-src 'sha256-{digest}'" in policy, policy
assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy, policy
assert not re.search(r'(src|href)="|https?://(?!www\.w3\.org/2000/svg)|url\(|@import', page)
END
}

@test "types of a file, and none where a text is too short to tell" {
    works "$viz" report --types none -o "$dir/p.html" "the cat"
    page --text "$dir/p.html" | grep -qE '"types":\[(null,)+null\],"captions":\[\]'
    "$viz" types --json -o "$dir/t.json" "the cat saw the dog and the cat ran"
    works "$viz" report --types "$dir/t.json" -o "$dir/p.html" "the cat"
    label=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["heads"][0]["primary"])' "$dir/t.json")
    page --text "$dir/p.html" | grep -qF "\"types\":[\"$label\","
}

@test "--ablate: what heads are worth, of a text or of many" {
    "$viz" ablate --json -o "$dir/a.json" "the cat saw the dog"
    works "$viz" report --ablate "$dir/a.json" -o "$dir/p.html" "the cat"
    page --text "$dir/p.html" | jq -c '[.metrics[] | select(.help | startswith("ablation"))
        | [.name, .value]]' > "$dir/got"
    jq -c '. as $x | [("dloss", "kl", "direct") | . as $k | [$k, [$x.heads[][$k]]]]' "$dir/a.json" |
        diff - "$dir/got"
    printf 'the cat saw\nthe dog ran\n' > "$dir/t"
    "$viz" ablate --summary --json -l 2 -f "$dir/t" -o "$dir/s.json"
    works "$viz" report --ablate "$dir/s.json" -l 2,3 -o "$dir/p.html" "the cat"
    [ "$(page --text "$dir/p.html" | jq -c '.metrics[0].value')" = \
      "$(jq -c '[.heads[].dloss.mean] + [null, null, null, null]' "$dir/s.json")" ]
}

@test "--ablate: files that are something else" {
    "$viz" ablate --json -o "$dir/../a.json" "the cat saw"
    a=$dir/../a.json b=$dir/../b.json
    fails 3 ', of mha-viz default (6 layers x 4 heads), expected ' \
        "$viz" report -m "$ref/bert" --ablate "$a" -o "$dir/p.html" "the key"
    "$viz" types --json -o "$b" "the cat saw"
    fails 3 'schema: found "mha-viz/types/1", expected "mha-viz/ablate/1"' \
        "$viz" report --ablate "$b" -o "$dir/p.html" "the cat"
    jq -c '.heads = [{stack: "decoder", layer: 9, head: 0}]' "$a" > "$b"
    fails 3 "b.json: heads[0]: layer" "$viz" report --ablate "$b" -o "$dir/p.html" "the cat"
    jq -c '.heads[1].kl = "x"' "$a" > "$b"
    fails 3 "b.json: heads[1]: kl" "$viz" report --ablate "$b" -o "$dir/p.html" "the cat"
    jq -c '.heads = []' "$a" > "$b"
    fails 3 "b.json: heads: no numbers" "$viz" report --ablate "$b" -o "$dir/p.html" "the cat"
    [ -z "$(list "$dir")" ]
}

@test "--compare: two texts, each as it is alone" {
    works "$viz" report -m "$ref/bert" --compare -o "$dir/p.html" "the cat" "the cat saw the dog"
    "$viz" stats -m "$ref/bert" --json "the cat saw the dog" > "$dir/s.json"
    "$viz" export -m "$ref/bert" -o "$dir/e.npz" "the cat saw the dog"
    cat "$dir/s.json" "$dir/s.json" > "$dir/twice.json"
    page "$dir/p.html" "$dir/twice.json" "$dir/e.npz" 1
    page --text "$dir/p.html" 0 | jq -e '.side == 0 and .text == "the cat"'
    page --text "$dir/p.html" 1 | jq -e '.side == 1 and .index == 0'
    page --text "$dir/p.html" 0 | jq -e 'has("pair") | not'
}

@test "two models: each text of both" {
    cp -r "$ref/bert" "$dir/other"
    printf 'the key\nthe cat saw the dog\n' > "$dir/t"
    works "$viz" report -m "$ref/bert" -m "$dir/other" -f "$dir/t" -o "$dir/p.html"
    for i in 0 1 2 3; do
        page --text "$dir/p.html" "$i" | jq -c '[.side, .model, .index]'
    done > "$dir/got"
    printf '%s\n' '[0,"bert",0]' '[0,"bert",1]' '[1,"other",0]' '[1,"other",1]' | diff - "$dir/got"
    [ "$(grep -c '^<!DOCTYPE' "$dir/p.html")" -eq 1 ]
    works "$viz" report -m "$ref/bert" -m "$dir/other" -o - "the key"
    [ "$(echo "the key" | "$viz" report -m "$ref/bert" -m "$dir/other" -f - -o - | head -n 1)" = \
      "<!DOCTYPE html>" ]
}

@test "two models: types and ablation of each, in their order" {
    local i key
    cp -r "$ref/gpt2" "$dir/other"
    for key in types ablate; do
        "$viz" $key -m "$ref/gpt2" --json -o "$dir/a.$key" "the cat saw the dog"
        "$viz" $key -m "$dir/other" --json -o "$dir/b.$key" "the key is in the door and the cat"
    done
    works "$viz" report -m "$ref/gpt2" -m "$dir/other" --types "$dir/a.types" --types "$dir/b.types" \
        --ablate "$dir/a.ablate" --ablate "$dir/b.ablate" -o "$dir/p.html" "the cat"
    for i in 0 1; do
        file=$([ $i = 0 ] && echo a || echo b)
        page --text "$dir/p.html" $i | jq -c '[.typed, .types]' > "$dir/got"
        jq -c '[true, [.heads[].primary]]' "$dir/$file.types" | diff - "$dir/got"
        [ "$(page --text "$dir/p.html" $i | jq -c '.metrics[] | select(.name == "dloss").value')" = \
          "$(jq -c '[.heads[].dloss]' "$dir/$file.ablate")" ]
    done
    # given once: of the first
    works "$viz" report -m "$ref/gpt2" -m "$dir/other" --ablate "$dir/a.ablate" --types none \
        -o "$dir/p.html" "the cat"
    page --text "$dir/p.html" 0 | jq -e '[.metrics[].name] | index("dloss") != null'
    page --text "$dir/p.html" 1 | jq -e '[.metrics[].name] | index("dloss") == null'
    fails 2 "--types: given twice, expected once, or two of -m" "$viz" report --types none --types none a
    fails 2 "--ablate: given twice" "$viz" report --ablate a --ablate b a
}

@test "what cannot be compared" {
    fails 2 "expected two texts" "$viz" report --compare -o "$dir/p.html" "the cat"
    fails 2 "--compare, two of -m" \
        "$viz" report --compare -m "$ref/bert" -m "$ref/bert" -o "$dir/p.html" "the" "key"
    fails 2 "what is compared is one page" "$viz" report --compare -o "$dir/" "the cat" "the dog"
    fails 3 "bert has 2 layers of 3 heads, bert_old has 3 of 4: expected the same" \
        "$viz" report -m "$ref/bert" -m "$ref/bert_old" -o "$dir/p.html" "the key"
    [ -z "$(list "$dir")" ]
}

@test "a page that is too large: its size, and what makes it smaller" {
    # 24 heads of 1,001 tokens: 24 x 1001 x (1001 + 4) bytes
    ids=$(seq -s , 1000)
    fails 2 "the page would hold 23.0 MiB of weights, more than --max-size 1 MiB; --layer, --head" \
        "$viz" report --max-size 1 -o "$dir/p.html" --ids "$ids,1"
    [ -z "$(list "$dir")" ]
    works "$viz" report --max-size 1 -l 0 -H 0 -o "$dir/p.html" --ids "$ids,1"
}

# neuron OPTION...: queries and keys in the page are those of `neuron`
neuron() {
    local at
    works "$viz" report -q "$@" --neuron always -o "$dir/p.html"
    for at in "L0H0" "L0H1 --at 1"; do
        # shellcheck disable=SC2086
        "$viz" neuron -q "$@" --json -H $at > "$dir/n.json"
        page --neuron "$dir/p.html" "$dir/n.json"
    done
}

@test "queries and keys, what scores get beside products, and masks, of many families" {
    ids=2,17,40,9,33,5,3
    for model in gpt2 llama families/gemma2 families/deepseek_v2 families/falcon_new \
                 families/bloom families/deberta_v2 families/xlnet families/big_bird \
                 families/mistral families/reformer families/longformer; do
        neuron -m "$ref/$model" --ids $ids
    done
    neuron -m "$ref/seq2seq/t5" --ids $ids --decoder-ids 2,5,7 -s decoder
    neuron -m "$ref/seq2seq/t5" --ids $ids --decoder-ids 2,5,7 -s cross
    neuron -m "$ref/bert" --mask padding:1 --mask-value -3 "the key"
    neuron -m "$ref/bert" --mask block:0-1,2-3 "the key is in the door"
}

@test "--neuron: without it up to 2 MiB; always counts for --max-size" {
    ids=$(seq -s , 700)
    "$viz" report -o "$dir/p.html" --ids "$ids"
    page --text "$dir/p.html" | jq -e '[.blocks[] | has("vectors")] | any | not'
    "$viz" report --neuron always -l 0 -o "$dir/p.html" --ids "$ids"
    page --text "$dir/p.html" | jq -e '[.blocks[] | has("vectors")] | all'
    fails 2 "of weights, queries and keys (--neuron), more than --max-size 13 MiB" \
        "$viz" report --neuron always --max-size 13 -o "$dir/q.html" --ids "$ids"
    works "$viz" report --max-size 13 -o "$dir/q.html" --ids "$ids"
    "$viz" report --neuron never -o "$dir/p.html" "the cat"
    refute grep -q 'id="v0' "$dir/p.html"
}

@test "global tokens have no queries and keys to show" {
    model=$ref/families/longformer_class
    works "$viz" report -m "$model" -o "$dir/p.html" --ids 2,17,40,9
    page --text "$dir/p.html" | jq -e '[.blocks[] | has("vectors")] | any | not'
    fails 3 "use --global none" "$viz" report -m "$model" --neuron always -o "$dir/q.html" --ids 2,17,40
}

# live COMMAND...: where the program has the module
live() {
    run "$viz" report --live -o "$dir/live.html" "the cat"
    [[ $output != *"make live"* ]] || skip "built without the module: make live"
    "$@"
}

@test "--live: a program without the module says how to get it" {
    run "$viz" report --live -o "$dir/live.html" "the cat"
    [ "$status" -eq 0 ] || { [ "$status" -eq 2 ] && [[ $output == *'`make live` builds it'* ]]; }
}

@test "--live: the page as it is without, the module and the model's files" {
    live works "$viz" report --live -o "$dir/l.html" "the cat saw the dog"
    "$viz" report -o "$dir/p.html" "the cat saw the dog"
    [ "$(grep -o 'id="[tw]0[-0-9]*".*' "$dir/l.html")" = "$(grep -o 'id="[tw]0[-0-9]*".*' "$dir/p.html")" ]
    grep -q "'wasm-unsafe-eval'; worker-src blob:; style-src" "$dir/l.html"
    refute grep -q "wasm-unsafe-eval" "$dir/p.html"
    # Its last file is the weights, as they are
    sed -n 's/^<script type="text\/plain" id="f3-[0-9]*">\(.*\)<\/script>$/\1/p' "$dir/l.html" |
        base64 -d | cmp - assets/default/model.safetensors
    "$viz" report --live -o - "the cat saw the dog" | cmp - "$dir/l.html"
}

# about PAGE: what a live page knows of its model
about() {
    python3 -c 'import base64, re, sys, zlib
block = re.search(r"id=\"live\">([^<]*)<", open(sys.argv[1]).read()).group(1)
print(zlib.decompress(base64.b64decode(block), -15).decode())' "$1"
}

@test "--live: a button to generate where the model predicts a next token, and no option did" {
    live works "$viz" report --live -o "$dir/l.html" "the cat"
    about "$dir/l.html" | jq -e .generates
    "$viz" report --live --generate 2 -o "$dir/l.html" "the cat"
    about "$dir/l.html" | jq -e '.generates | not'
    "$viz" report --live -m "$ref/bert" -o "$dir/l.html" "the key"
    about "$dir/l.html" | jq -e '.generates | not'
    "$viz" report --live -m builtin:translate -o "$dir/l.html" "I like you" "我喜欢你"
    about "$dir/l.html" | jq -e .generates
    # a text that is generated has no such mask
    "$viz" report --live -m builtin:translate -s cross --memory-mask causal -o "$dir/l.html" \
        "I like you" "我喜欢你"
    about "$dir/l.html" | jq -e '.generates | not'
}

# seen PAGE: the picture of its first text, in bytes
seen() {
    python3 -c 'import base64, re, sys, zlib
block = re.search(r"id=\"p0-0\">([^<]*)<", open(sys.argv[1]).read()).group(1)
sys.stdout.buffer.write(zlib.decompress(base64.b64decode(block), -15))' "$1"
}

@test "--image: the page has the picture as the model sees it, and where its patches are" {
    "$viz" report -m "$ref/media/vit" --image "$ref/media/rgb.png" -o "$dir/p.html"
    page --text "$dir/p.html" |
        jq -e '.picture == {"width":24,"height":16,"columns":6,"first":1} and .text == ""'
    [ "$(seen "$dir/p.html" | wc -c)" -eq $((24 * 16 * 3)) ]
    # float(p / 255) - 0.5, divided by 0.5: what the model reads of it
    seen "$dir/p.html" | python3 -c 'import sys, numpy as np
rgb = np.frombuffer(sys.stdin.buffer.read(), np.uint8).reshape(16, 24, 3).transpose(2, 0, 1)
mean = std = np.float32(0.5)
np.save(sys.argv[1], ((rgb * (1 / 255)).astype(np.float32) - mean) / std)' "$dir/x.npy" ||
        skip "no numpy"
    "$viz" stats -m "$ref/media/vit" --input "$dir/x.npy" --json | jq .heads > "$dir/input"
    "$viz" stats -m "$ref/media/vit" --image "$ref/media/rgb.png" --json | jq .heads | cmp - "$dir/input"
    "$viz" report -o "$dir/p.html" "the cat"
    page --text "$dir/p.html" | jq -e 'has("picture") | not'
    refute grep -q 'id="p0' "$dir/p.html"
}

@test "--live: a page of pictures has the processor, and no picture in its options" {
    live works "$viz" report --live -m "$ref/media/vit" --image "$ref/media/rgb.png" -l 1 -o "$dir/l.html"
    about "$dir/l.html" | jq -e '.picture and .texts == [] and
        (.options | index("--image") == null and index("-l") != null) and
        ([.files[].path] | index("vit/preprocessor_config.json") != null)'
    fails 2 "--live, --input: only one of them can be given: a page that is typed into is of texts" \
        "$viz" report --live -m "$ref/media/vit" --input "$dir/x.npy" -o "$dir/l.html"
}

# held PAGE MODEL: the folder of MODEL, with the weights that the page has, in $dir/held
held() {
    local last
    last=$(grep -o 'id="f[0-9]*-0"' "$1" | tail -n 1 | tr -dc '0-9 -' | cut -d - -f 1)
    rm -rf "$dir/held" && mkdir "$dir/held" && cp "$2"/*.json "$dir/held"
    rm -f "$dir/held/model.safetensors.index.json"
    sed -n "s/^<script type=\"text\/plain\" id=\"f$last-[0-9]*\">\(.*\)<\/script>$/\1/p" "$1" |
        base64 -d > "$dir/held/model.safetensors"
}

@test "--live --page-precision f16 of weights that are F16 already: they are not called rounded" {
    live works "$viz" report --live --page-precision f16 -o "$dir/l.html" "the cat"
    [ "$(about "$dir/l.html" | jq -c '[.type, .rounded]')" = '["F16",false]' ]
    works "$viz" report --live --page-precision q8_0 -o "$dir/l.html" "the cat"
    [ "$(about "$dir/l.html" | jq -c '[.type, .rounded]')" = '["Q8_0",true]' ]
}

@test "--live --page-precision: weights in another type, which the page was made with" {
    live true
    for m in bert gpt2; do
        for type in f16 q8_0; do
            works "$viz" report --live --page-precision $type -m "$ref/$m" -o "$dir/l.html" "the key"
            held "$dir/l.html" "$ref/$m"
            grep -aqE "\"(F16|${type^^})\"" "$dir/held/model.safetensors"
            "$viz" report -m "$dir/held" -o "$dir/p.html" "the key"
            [ "$(grep -o 'id="w0[-0-9]*".*' "$dir/l.html")" = "$(grep -o 'id="w0[-0-9]*".*' "$dir/p.html")" ]
        done
    done
    "$viz" report --live --page-precision 16 -o "$dir/l.html" "the cat"
    "$viz" report --page-precision 16 -o "$dir/p.html" "the cat"
    [ "$(grep -o 'id="w0[-0-9]*".*' "$dir/l.html")" = "$(grep -o 'id="w0[-0-9]*".*' "$dir/p.html")" ]
    fails 2 "weights of a GGUF file stay in their types" "$viz" report --live --page-precision f16 \
        -m "$ref/gguf_llama/model.gguf" -o "$dir/q.html" "the key"
}

@test "--live: what no page can answer" {
    live true
    fails 2 "--live, --compare: only one of them can be given: a live page puts two texts beside each other by itself" \
        "$viz" report --live --compare -o "$dir/p.html" "the cat" "the dog"
    fails 2 "--live, two of -m" \
        "$viz" report --live -m "$ref/bert" -m "$ref/bert" -o "$dir/p.html" "the key"
    fails 2 "--live, --ids" "$viz" report --live -o "$dir/p.html" --ids 1,2,3
    fails 2 "--live, --mask" "$viz" report --live --mask causal -m "$ref/bert" -o "$dir/p.html" "the"
    fails 2 "--live, --boxes" "$viz" report --live -m "$ref/families/layoutlm" --boxes "$dir/x.npy" \
        -o "$dir/p.html" "the"
    fails 2 "--live is one page" "$viz" report --live -o "$dir/" "the cat"
    cp -r "$ref/bert" "$dir/large"
    truncate -s 300M "$dir/large/more.json"
    fails 3 "large: its files hold 300.1 MiB, more than the 300 MiB of a live page; --page-precision f16 or q8_0" \
        "$viz" report --live -m "$dir/large" -o "$dir/p.html" "the key"
    [ ! -e "$dir/p.html" ]
}

@test "usage errors" {
    fails 2 "unknown file extension; known are .html, .htm" "$viz" report -o "$dir/p.png" "the cat"
    fails 2 "--page-precision" "$viz" report --page-precision 9 "the cat"
    fails 2 "--page-precision f16: the model's weights are in a page of --live" "$viz" report --page-precision f16 "the cat"
    fails 2 "a page has numbers" "$viz" report --metric received -o "$dir/p.html" "the cat"
    fails 2 "--neuron" "$viz" report --neuron maybe "the cat"
    "$viz" export -o "$dir/../e.npz" "the cat"
    fails 2 "has weights, not queries and keys" \
        "$viz" report --neuron always --attention "$dir/../e.npz" -o "$dir/p.html"
    fails 2 "--max-size" "$viz" report --max-size 0 "the cat"
    fails 3 "t.json" "$viz" report --types "$dir/t.json" -o "$dir/p.html" "the cat"
    [ -z "$(list "$dir")" ]
}
