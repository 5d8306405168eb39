#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# diff: its numbers against the reference library's attention, its forms, its exit status.

# shellcheck disable=SC2154,SC1111  # titles have typographic quotes
load helper

text="the key is in the door"

@test "every number is that of the reference library's attention" {
    # Weights agree within 2e-6: so do entropies, up to some logarithms, and divergences.
    n=$(jq length tests/ref/diff/cases.json)
    [ "$n" -ge 13 ]
    for ((k = 0; k < n; k++)); do          # run has an i of its own
        case=$(jq -c ".[$k]" tests/ref/diff/cases.json)
        jq -r '.lines // [] | .[]' <<< "$case" > "$dir/lines"
        mapfile -t argv < <(jq -r --arg lines "$dir/lines" \
            '.argv[] | if . == "LINES" then $lines else . end' <<< "$case")
        works "$viz" diff --json "${argv[@]}"
        agree "$(jq -c .want <<< "$case")" "$output" 1e-3 3e-6
    done
}

@test "two models: one and the same, its GGUF, others, a quantised one" {
    works "$viz" diff --json -m "$ref/bert" -m "$ref/bert" "$text"
    jq -e '.heads | length == 6 and all(.js == 0 and .entropy_change == 0 and
        .links_kept == 1 and .largest == 0)' <<< "$output" > /dev/null
    jq -e '.first.model == "bert" and .first.tokens == .second.tokens' <<< "$output" > /dev/null
    works "$viz" diff --json -m "$ref/bert" -m "$ref/gguf_bert" --ids 2,17,40,3
    jq -e '.heads | all(.js < 1e-12)' <<< "$output" > /dev/null
    works "$viz" diff --json -m "$ref/families/llama_llama3" -m "$ref/families/llama_yarn" --ids 2,17,40,3
    jq -e '.heads | any(.js > 1e-3)' <<< "$output" > /dev/null
    shared=${MHA_VIZ_SHARED:-../shared}/goldens
    [ -d "$shared/gguf_llama_q4_0" ] || skip "no quantised model: $shared is not there"
    works "$viz" diff --json -m "$shared/gguf_llama_f32" -m "$shared/gguf_llama_q4_0" --ids 2,17,40,3
    jq -e '.heads | all(.js > 1e-6 and .js < 0.2)' <<< "$output" > /dev/null
}

@test "--tolerance: exit 1 where a head differs by more" {
    works "$viz" diff -m "$ref/bert" -m "$ref/bert" --tolerance 0 "$text"
    run --separate-stderr "$viz" diff -m "$ref/bert" --tolerance 1e-4 "$text" "the door is in the key"
    [ "$status" -eq 1 ]
    [[ $stderr =~ ^"mha-viz: "L([0-9]+)H([0-9]+)" differs by "([0-9.e-]+)" nats, more than 0.0001"$ ]]
    worst=("${BASH_REMATCH[@]}")
    run --separate-stderr "$viz" diff --json -m "$ref/bert" "$text" "the door is in the key"
    jq -e --argjson l "${worst[1]}" --argjson h "${worst[2]}" --argjson js "${worst[3]}" '
        .heads | max_by(.js) | .layer == $l and .head == $h and
        (.js / $js - 1 | fabs) < 1e-2' <<< "$output" > /dev/null
    "$viz" diff -m "$ref/bert" --tolerance 1e-4 "$text" "the door is in the key" > "$dir/table" || true
    mapfile -t lines < "$dir/table"
    [[ ${lines[1]} == head*JS*entropy*change*"links kept"*largest ]]
    works "$viz" diff -m "$ref/bert" --tolerance 0.7 "$text" "the door is in the key"
}

# permuted: a copy of llama whose heads of layer 1 are in the reverse order
permuted() {
    cp -r "$ref/llama" "$dir/permuted"
    python3 - "$dir/permuted" <<'PYTHON'
import json, struct, sys
folder = sys.argv[1]
config = json.load(open(folder + "/config.json"))
H, G = config["num_attention_heads"], config["num_key_value_heads"]
path = folder + "/model.safetensors"
data = bytearray(open(path, "rb").read())
n, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + n])
def swap(name, count, axis):
    t = header[f"model.layers.1.self_attn.{name}_proj.weight"]
    rows, cols = t["shape"]
    start, end = (8 + n + x for x in t["data_offsets"])
    width = (end - start) // (rows * cols)
    old = bytes(data[start:end])
    at = lambda r, c: old[(r * cols + c) * width:(r * cols + c + 1) * width]
    size = t["shape"][axis] // count
    place = lambda i: (count - 1 - i // size) * size + i % size
    data[start:end] = b"".join(at(*((place(r), c) if axis == 0 else (r, place(c))))
                               for r in range(rows) for c in range(cols))
for name, count, axis in ("q", H, 0), ("k", G, 0), ("v", G, 0), ("o", H, 1):
    swap(name, count, axis)
open(path, "wb").write(data)
PYTHON
}

@test "--nearest: heads in another order are found" {
    permuted
    works "$viz" diff --nearest --json -m "$ref/llama" -m "$dir/permuted" --ids 5,6,7,8,5,9
    n=$(jq '[.heads[] | select(.layer == 1)] | length' <<< "$output")
    jq -e --argjson n "$n" '[.heads[] | select(.layer == 1) |
        .best_layer == 1 and .best_head == $n - 1 - .head and .js_best < 1e-9 and .js > 1e-6] |
        length > 1 and all' <<< "$output"
    jq -e '[.heads[] | select(.layer == 0) | .best_layer == 0 and .best_head == .head] | all' <<< "$output"
    works "$viz" diff --nearest -m "$ref/llama" -m "$dir/permuted" --ids 5,6,7,8,5,9
    [[ ${lines[1]} == *"best match" ]]
    [[ ${lines[-1]} == "L1H$((n - 1)) "*" L1H0 "* ]]
    # Without it the columns are those of before
    works "$viz" diff --json -m "$ref/llama" -m "$dir/permuted" --ids 5,6,7,8,5,9
    jq -e '.heads[0] | has("js_best") or has("best_head") | not' <<< "$output"
}

@test "several models: the first with each of the others, the bytes of each pair" {
    permuted
    models=(-m "$ref/llama" -m "$dir/permuted" -m "$ref/llama")
    printf 'the cat saw the dog\nthe key\n' > "$dir/lines"
    for texts in "--ids 5,6,7,8" "-f $dir/lines" "--summary -f $dir/lines"; do
        # shellcheck disable=SC2086  # several words
        {
            "$viz" diff --no-metadata --json $texts "${models[@]}" > "$dir/all"
            "$viz" diff --no-metadata --json $texts "${models[@]:0:4}" > "$dir/pairs"
            "$viz" diff --no-metadata --json $texts "${models[@]:0:2}" "${models[@]:4}" >> "$dir/pairs"
        }
        diff <(jq -c 'del(.model_second)' "$dir/all") <(jq -c . "$dir/pairs")
        [ "$(jq -r .model_second "$dir/all" | uniq | xargs)" = "$dir/permuted $ref/llama" ]
        [ "$(jq -c .heads "$dir/all" | tail -n 1 | jq '[.[].js | if type == "object" then .mean else . end] | max')" = 0 ]
    done
    "$viz" diff --tsv "${models[@]}" -f - < "$dir/lines" > "$dir/tsv"
    [ "$(head -n 1 "$dir/tsv" | cut -f 2)" = model_second ]
    [ "$(cut -f 2 "$dir/tsv" | tail -n +2 | uniq | xargs)" = "$dir/permuted $ref/llama" ]
    works "$viz" diff "${models[@]}" --ids 5,6,7,8
    [ "$(grep -c '^head ' <<< "$output")" -eq 2 ]
    [ "$("$viz" diff "${models[@]}" --ids 5,6,7,8 | grep -c '^$')" -eq 1 ]
    run -1 --separate-stderr "$viz" diff "${models[@]}" --tolerance 1e-6 --ids 5,6,7,8
    [[ $stderr == "mha-viz: $dir/permuted: L1H"*" nats, more than 1e-06" ]]
}

@test "a picture shows one comparison" {
    printf 'the key\nthe door is\n' > "$dir/lines"
    fails 2 "several texts require a folder for their pictures" "$viz" diff -m "$ref/bert" \
        --dtype f32 --dtype bf16 -f "$dir/lines" -o "$dir/x.png"
    layer=$ref/layers/q_linear.safetensors
    fails 2 "several texts require a folder for their pictures" "$viz" diff -m "$layer" \
        --heads 3 --dtype f32 --dtype bf16 --shape 2x5 -o "$dir/x.png"
    [ ! -e "$dir/x.png" ]
    works "$viz" diff -m "$layer" --heads 3 --dtype f32 --dtype bf16 --shape 5 -o "$dir/x.png"
    mkdir "$dir/out"
    works "$viz" diff -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/lines" --format png -o "$dir/out"
    [ "$(list "$dir/out")" = "000001.png 000002.png " ]
}

# Two pairs with the same difference, -1/4 1/4 1/4 -1/4, and one with its opposite.
@test "--heatmap: the signed difference of the weights" {
    npy "$dir/a.npy" "1, 1, 2, 2" '\x00\x00\x00\x3f\x00\x00\x00\x3f\x00\x00\x80\x3e\x00\x00\x40\x3f'
    npy "$dir/b.npy" "1, 1, 2, 2" '\x00\x00\x80\x3e\x00\x00\x40\x3f\x00\x00\x00\x3f\x00\x00\x00\x3f'
    npy "$dir/c.npy" "1, 1, 2, 2" '\x00\x00\x40\x3f\x00\x00\x80\x3e\x00\x00\x80\x3e\x00\x00\x40\x3f'
    npy "$dir/d.npy" "1, 1, 2, 2" '\x00\x00\x00\x3f\x00\x00\x00\x3f\x00\x00\x00\x3f\x00\x00\x00\x3f'
    works "$viz" diff --attention "$dir/a.npy" --attention "$dir/b.npy" --no-caption --no-metadata \
        --heatmap "$dir/ab.png"
    [[ $output == *L0H0* ]]
    works "$viz" diff --attention "$dir/b.npy" --attention "$dir/a.npy" --no-caption --no-metadata \
        --heatmap "$dir/ba.png"
    refute cmp -s "$dir/ab.png" "$dir/ba.png"
    works "$viz" diff --attention "$dir/c.npy" --attention "$dir/d.npy" --no-caption --no-metadata \
        --heatmap "$dir/cd.png"
    cmp "$dir/ab.png" "$dir/cd.png"
    text="the key is in the door"
    works "$viz" diff -m "$ref/bert" -t 1 --heatmap "$dir/1.svg" --no-metadata "$text" "the door is in the key"
    works "$viz" diff -m "$ref/bert" -t 3 --heatmap "$dir/3.svg" --no-metadata "$text" "the door is in the key"
    cmp "$dir/1.svg" "$dir/3.svg"
    works "$viz" diff -m "$ref/bert" --from key --heatmap "$dir/at.pdf" --width 85mm "$text" "the door is in the key"
    fails 2 "--heatmap, --summary: only one" "$viz" diff --summary --dtype f32 --dtype bf16 \
        -f samples/english.txt --heatmap "$dir/x.png"
    fails 2 "--heatmap -: standard output has the report" "$viz" diff --heatmap - a b
    fails 2 "--heatmap: -o $dir/x.json: unknown file extension" "$viz" diff --heatmap "$dir/x.json" a b
    printf 'the key\nthe door is\n' > "$dir/lines"
    fails 2 "--heatmap DIR/" "$viz" diff --dtype f32 --dtype bf16 -f "$dir/lines" --heatmap "$dir/x.png"
    mkdir "$dir/out"
    works "$viz" diff --dtype f32 --dtype bf16 -f "$dir/lines" --heatmap "$dir/out/"
    [ "$(list "$dir/out")" = "000001.png 000002.png " ]
}

@test "-f: each line under both; lines that one side cannot use are named" {
    printf 'the key\nthe door is\n' > "$dir/lines"
    works "$viz" diff --json -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/lines"
    [ "$(jq -c '[.index, .second.dtype]' <<< "$output" | tr '\n' ' ')" = '[0,"bf16"] [1,"bf16"] ' ]
    works "$viz" diff -m "$ref/bert" --dtype f32 --dtype f16 -l 1 -H 2 -f "$dir/lines"
    [ "$(grep -c '^L1H2' <<< "$output")" = 2 ]
}

@test "TSV: one row per text and head, by the extension of -o too; a header for no text" {
    works "$viz" diff --tsv -m "$ref/bert" "$text" "the door is in the key"
    [ "${lines[0]}" = "$(printf '%s\t' index tokens_paired stack layer head js entropy_first \
        entropy_second entropy_change links_kept)largest" ]
    [ "${#lines[@]}" -eq 7 ]
    "$viz" diff --json -m "$ref/bert" "$text" "the door is in the key" |
        jq -r '.heads[] | [.layer, .head, .js, .links_kept] | @tsv' > "$dir/json"
    cut -f 4-6,10 <<< "$output" | tail -n +2 | cmp - "$dir/json"
    works "$viz" diff -m "$ref/bert" -o "$dir/x.tsv" "$text" "the door is in the key"
    "$viz" diff --tsv -m "$ref/bert" "$text" "the door is in the key" | cmp - "$dir/x.tsv"
    : > "$dir/lines"
    works "$viz" diff --tsv -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/lines"
    [ "$output" = "$(head -n 1 "$dir/x.tsv")" ]
}

@test "--dpi is of a PNG, whichever of the two pictures that is" {
    fails 2 "--dpi is of PNG" "$viz" diff --heatmap "$dir/a.svg" --dpi 100 "the cat" "the dog"
    fails 2 "--outlines is of SVG" "$viz" diff --heatmap "$dir/a.png" --outlines "the cat" "the dog"
    works "$viz" diff --heatmap "$dir/a.png" --dpi 100 "the cat" "the dog"
    works "$viz" diff --heatmap "$dir/b.svg" -o "$dir/b.png" --dpi 100 "the cat" "the dog"
}

@test "a picture of layers and heads" {
    for metric in entropy js links_kept; do
        works "$viz" diff -m "$ref/bert" --metric "$metric" -o "$dir/x.png" "$text" "the door"
        [ "$(magic "$dir/x.png" 4)" = 89504e47 ]
        works "$viz" diff -m "$ref/bert" --metric "$metric" -o "$dir/x.svg" "$text" "the door"
        [ "$(list "$dir")" = "x.png x.svg " ]
        rm "$dir"/x.*
    done
}

# bats test_tags=threads
@test "the same bytes for any number of threads" {
    for t in 1 3; do
        "$viz" diff --json -t $t -m "$ref/gpt2" --dtype bf16 --dtype f16 "$text" > "$dir/$t"
    done
    cmp "$dir/1" "$dir/3"
}

# bats test_tags=threads
@test "quantised linears: on any model, the same bytes for any number of threads" {
    for d in int8 q8_0 q5_0 q4_0; do
        works "$viz" diff --json --dtype f32 --dtype $d "the cat saw the dog" "the dog"
        jq -e --arg d $d '.second.dtype == $d and (.heads |
            all(.js < 0.01) and any(.js > 1e-7))' <<< "$output" > /dev/null
        for t in 1 3; do
            "$viz" export -t $t --logits --dtype $d "$text" -o "$dir/$t.npz"
        done
        cmp "$dir/1.npz" "$dir/3.npz"
    done
    # Fewer bits, more of a change.
    js() { "$viz" diff --json --dtype f32 --dtype "$1" "$text" | jq '[.heads[].js] | add'; }
    jq -en "$(js q8_0) < $(js q5_0) and $(js q5_0) < $(js q4_0)" > /dev/null
}

@test "quantised linears: integers leave nothing for a kernel to round" {
    layer=$ref/layers/q_linear.safetensors
    for k in c avx2 avx512; do
        MHA_VIZ_KERNEL=$k "$viz" --version > /dev/null 2>&1 || continue
        MHA_VIZ_KERNEL=$k "$viz" export -m "$layer" --heads 3 --shape 5 --dtype int8 --all \
            -o "$dir/$k.npz"
        unzip -p "$dir/$k.npz" q.0.npy > "$dir/$k"
        [ -s "$dir/$k" ]
        cmp "$dir/c" "$dir/$k"
    done
}

@test "quantised linears: a width that blocks do not divide, and no linears at all" {
    fails 3 "bert.encoder.layer.0.attention.self.query.weight: has rows of 24 weights, which the blocks of 32 of --dtype q4_0 do not divide" \
        "$viz" diff -m "$ref/bert" --dtype f32 --dtype q4_0 "$text"
    works "$viz" diff -m "$ref/bert" --dtype f32 --dtype int8 "$text"
    # Only what is computed: the mlp after the last attention that is shown is not.
    "$viz" init --encoder --d-model 32 --heads 4 --d-ff 24 -o "$dir/one.safetensors"
    "$viz" init --encoder --layers 2 --d-model 32 --heads 4 --d-ff 24 -o "$dir/two.safetensors"
    works "$viz" stats -m "$dir/one.safetensors" --dtype q4_0
    works "$viz" stats -l 0 -m "$dir/two.safetensors" --dtype q4_0
    fails 3 "one.safetensors: feed_forward.3.weight: has rows of 24 weights" \
        "$viz" export -m "$dir/one.safetensors" --dtype q4_0 --hidden -o "$dir/x.npz"
    fails 3 "two.safetensors: layers.0.feed_forward.3.weight: has rows of 24 weights" \
        "$viz" stats -m "$dir/two.safetensors" --dtype q4_0 --shape 3x4
    [ "${#stderr_lines[@]}" -eq 1 ]
    a=$ref/precomputed/heads
    fails 2 "--dtype int8 quantises linears, of which" "$viz" stats --dtype int8 \
        --qkv "$a.q.npy,$a.k.npy,$a.v.npy"
}

@test "standard input: both sides read all of it" {
    printf '%s\n%s\n' "$text" "the key" > "$dir/lines"
    two="diff --no-metadata --json -m $ref/bert --dtype f32 --dtype bf16"
    "$viz" $two -f "$dir/lines" > "$dir/want"
    [ "$(wc -l < "$dir/want")" -eq 2 ]
    for from in "" "-f -"; do
        "$viz" $two $from < "$dir/lines" > "$dir/a"
        cat "$dir/lines" | "$viz" $two $from > "$dir/b"
        cmp "$dir/want" "$dir/a"
        cmp "$dir/want" "$dir/b"
    done
    "$viz" $two "the key" > "$dir/want"
    echo "the key" | "$viz" $two - > "$dir/a"
    cmp "$dir/want" "$dir/a"
}

@test "nothing to compare, too much of it, and what cannot be compared" {
    fails 2 "nothing to compare: expected two texts, -f FILE with --pairs, --attention, or two of -m, --dtype, --fast, --mask, --global, --ids, --input, --image or --audio" \
        "$viz" diff "$text"
    fails 2 "nothing to compare" "$viz" diff -f x
    fails 2 "--ids: '4' is one too many: at most 2" "$viz" diff --ids 2 --ids 3 --ids 4
    fails 2 "--attention, --file: only one of them can be given" "$viz" diff --attention "$ref/precomputed/causal.npy" -f x
    fails 2 "--attention: expected two of them, or one and a model" \
        "$viz" diff --attention "$ref/precomputed/causal.npy" --mask causal --mask none
    fails 2 "--mask none: bert is not a bare layer" "$viz" diff -m "$ref/bert" --mask none --ids 2,3 --ids 3,2
    fails 2 "--model: given 3 times, expected twice where a picture is written" "$viz" diff -o x.png -m a -m b -m c x
    fails 2 "--model: given 3 times, expected twice where a picture" "$viz" diff --heatmap x.png -m a -m b -m c x
    fails 2 "--model: given 3 times, expected twice where a folder is written" "$viz" diff -o "$dir/" -m a -m b -m c x
    fails 2 "--summary, --nearest: only one of them" "$viz" diff --summary --nearest --dtype f32 --dtype bf16 -f samples/english.txt
    fails 2 "--nearest: a picture does not show it" "$viz" diff -o x.png --nearest x y
    fails 2 "--dtype: 'int4' is not one of f32, bf16, f16, int8, q8_0, q5_0, q4_0" \
        "$viz" diff --dtype int4 x y
    # Names of 1 - links_kept in 0.1.0
    for name in links links_changed flips; do
        fails 2 "--metric: '$name' was renamed: links_kept" "$viz" diff --metric $name -o x.png x y
    done
    fails 2 "--metric: 'link' is not one of entropy, js, links_kept; did you mean 'links_kept'?" \
        "$viz" diff --metric link -o x.png x y
    fails 2 "unknown file extension; known are .txt, .tsv, .csv, .json, .jsonl, .png, .svg, .pdf" "$viz" diff -o x.jpg x y
    fails 3 "expected the same" "$viz" diff -m "$ref/bert" -m "$ref/bart" --ids 2,3
    fails 3 "its decoder: expected the same stack" "$viz" diff -m "$ref/bert" -m "$ref/gpt2" --ids 2,3
    [ ! -e x.png ]
    fails 2 "TEXT, --ids: expected two texts of one kind, not one of each" "$viz" diff --ids 1,2,3 "$text"
    fails 2 "--from: given twice, as '1' and '2', expected once" "$viz" diff --from 1 --from 2 x y
    # Texts that are the two sides are none for the decoder
    for texts in "le chat" "--pairs -f $dir/pairs"; do
        # shellcheck disable=SC2086  # several words
        fails 2 "'cross' requires a text for the decoder, but the two texts are the two sides" \
            "$viz" diff -m "$ref/seq2seq/t5" -s cross $texts
    done
    "$viz" export -l 0 -o "$dir/one.npz" "$text"
    fails 3 "one.npz has 1 layer of 4 heads, bert has 2 of 3: expected the same" \
        "$viz" diff --attention "$dir/one.npz" -m "$ref/bert" "$text"
}

@test "which of two texts a message is about" {
    run --separate-stderr "$viz" diff -m "$ref/bert" "蝙 蝙" "key 蝙"
    [ "${stderr_lines[0]}" = "mha-viz: warning: the first text: 2 of 2 tokens are not in the vocabulary, and read as unknown" ]
    [ "${stderr_lines[1]}" = "mha-viz: warning: the second text: 1 of 2 tokens is not in the vocabulary, and read as unknown" ]
    printf 'key\t蝙\n' > "$dir/pairs"
    run --separate-stderr "$viz" diff -m "$ref/bert" --pairs -f "$dir/pairs"
    [[ ${stderr_lines[0]} == "mha-viz: warning: text 1, the second text: 1 of 1 token is not"* ]]
    fails 3 "the second text: --hide: 4 is out of range: the text has tokens 0 to 3" \
        "$viz" diff -m "$ref/bert" --hide 4 "the key is in" "the key"
    fails 3 "the second text: token 1: id 99999 is not in the vocabulary" \
        "$viz" diff -m "$ref/bert" --ids 2,3,4 --ids 4,99999
    fails 3 "the first text: token 0: id 99999" "$viz" diff -m "$ref/bert" --ids 99999 --ids 4
    run --separate-stderr "$viz" diff -m "$ref/bert" --mask causal --mask causal --hide 9 "the key"
    [ "$status" -eq 3 ]
    [ "$stderr" = "mha-viz: --hide: 9 is out of range: the text has tokens 0 to 3" ]
}

@test "the side that is given first is the first, and the title names both" {
    layer=$ref/layers/q_linear.safetensors
    "$viz" export -m "$layer" --heads 3 --mask causal --shape 5 -o "$dir/mine.npz"
    works "$viz" diff --attention "$dir/mine.npz" -m "$layer" --heads 3 --shape 5
    [ "${lines[0]}" = "mine.npz → q_linear.safetensors" ]
    first=${lines[2]}
    works "$viz" diff -m "$layer" --heads 3 --shape 5 --attention "$dir/mine.npz"
    [ "${lines[0]}" = "q_linear.safetensors → mine.npz" ]
    # The same change, the other way round
    read -r _ js entropy change _ <<< "$first"
    read -r _ js2 entropy2 change2 _ <<< "${lines[2]}"
    [ "$js" = "$js2" ]
    awk "BEGIN { exit !($change + $change2 == 0 && $entropy + $change - $entropy2 < 0.0011) }"
    works "$viz" diff --json --attention "$dir/mine.npz" -m "$layer" --heads 3 --shape 5
    jq -e '.first.model == "mine.npz" and .second.model == "q_linear.safetensors"' <<< "$output"
    # Two models of one name
    mkdir "$dir/a" "$dir/b"
    cp -r "$ref/bert" "$dir/a/net"
    cp -r "$ref/bert" "$dir/b/net"
    works "$viz" diff -m "$dir/a/net" -m "$dir/b/net" "$text"
    [ "${lines[0]}" = "$dir/a/net → $dir/b/net" ]
}

@test "one's own attention against a layer: its input, mask and heads are the layer's" {
    layer=$ref/layers/q_linear.safetensors
    # numpy.save of a 4 x 12 array of small numbers
    { printf '\x93NUMPY\x01\x00\x76\x00'
      printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 12), }"
      for i in $(seq 48); do printf '\x00\x00'"\\x$(printf %02x $((i * 5 % 128)))"'\x3f'; done; } > "$dir/x.npy"
    "$viz" export -m "$layer" --heads 3 --mask causal --input "$dir/x.npy" -o "$dir/mine.npz"
    works "$viz" diff --json --tolerance 0 --attention "$dir/mine.npz" -m "$layer" --heads 3 \
        --mask causal --input "$dir/x.npy"
    jq -e '.tokens_paired == 4 and (.heads | length == 3 and all(.js == 0 and .largest == 0))' <<< "$output"
    works "$viz" diff --json --attention "$dir/mine.npz" -m "$layer" --heads 3 --input "$dir/x.npy"
    jq -e '.second.input == "'"$dir/x.npy"'" and (.heads | all(.js > 1e-3))' <<< "$output"
    fails 2 "--attention: q_linear.safetensors would read random rows: expected --input FILE.npy with those that $dir/mine.npz is of" \
        "$viz" diff --attention "$dir/mine.npz" -m "$layer" --heads 3
    fails 3 "q_linear.safetensors has 7 rows, mine.npz 4: expected the same number" \
        "$viz" diff -m "$layer" --attention "$dir/mine.npz" --heads 3 --shape 7
    { printf '\x93NUMPY\x01\x00\x76\x00'
      printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 12), }"
      tail -c 192 "$dir/x.npy"; } > "$dir/two.npy"
    fails 3 "number of texts: 1 of $dir/x.npy, 2 of $dir/two.npy, expected the same" \
        "$viz" diff -m "$layer" --heads 3 --input "$dir/x.npy" --input "$dir/two.npy"
    fails 3 "number of texts: 1 of mine.npz, 2 of q_linear.safetensors, expected the same" \
        "$viz" diff --attention "$dir/mine.npz" -m "$layer" --heads 3 --shape 2x4
    works "$viz" diff --json -m "$layer" --heads 3 --input "$dir/x.npy" --input "$dir/x.npy"
    jq -e '.tokens_paired == 4 and (.heads | all(.js == 0))' <<< "$output"
}

@test "--pairs, --jsonl: the first text of each line against the second, also from a pipe" {
    printf '%s\t%s\n' "$text" "the door is in the key" "the key" "the door is" > "$dir/pairs"
    works "$viz" diff --no-metadata --json -m "$ref/bert" --pairs -f "$dir/pairs"
    "$viz" diff --no-metadata --json -m "$ref/bert" "$text" "the door is in the key" > "$dir/one"
    head -n 1 <<< "$output" | cmp - "$dir/one"
    [ "$(tail -n 1 <<< "$output" | jq -c '[.index, .first.text, .second.text]')" = '[1,"the key","the door is"]' ]
    want=$output
    jq -R -c 'split("\t") | {text: .[0], pair: .[1]}' "$dir/pairs" > "$dir/jsonl"
    works "$viz" diff --no-metadata --json -m "$ref/bert" --jsonl -f "$dir/jsonl"
    [ "$output" = "$want" ]
    # A line that cannot be used is named once; of two models, each line is both texts
    { printf 'no tab\n'; cat "$dir/pairs"; } > "$dir/bad"
    run --separate-stderr "$viz" diff -m "$ref/bert" --pairs -f - < "$dir/bad"
    [ "$status" -eq 3 ]
    [ "${stderr_lines[0]}" = "mha-viz: warning: standard input: line 1: has no tab, expected two texts separated by a tab" ]
    [ "${stderr_lines[1]}" = "mha-viz: standard input: 1 of 3 lines could not be used" ]
    [ "${#stderr_lines[@]}" -eq 2 ]
    [ "$(grep -c '→' <<< "$output")" = 2 ]
    works "$viz" diff --json -m "$ref/bert" --dtype f32 --dtype bf16 --pairs -f - < "$dir/pairs"
    jq -e -s 'length == 2 and all(.first.text == .second.text and (.first.tokens | index("[SEP]") != null))' <<< "$output"
    printf '{"text":"the key"}\n{"ids":[2,3]}\n' > "$dir/jsonl"
    run --separate-stderr "$viz" diff -m "$ref/bert" --jsonl -f "$dir/jsonl"
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *'line 1: has no pair, expected {"text":…,"pair":…}' ]]
    [[ ${stderr_lines[1]} == *'line 2: has ids, expected {"text":…,"pair":…}' ]]
}

@test "a file of pairs for an encoder-decoder compares the encoder's texts" {
    printf 'the river\tthe old river\n' > "$dir/pairs"
    works "$viz" diff --no-metadata --json -m "$ref/bart" --pairs -f "$dir/pairs"
    "$viz" diff --no-metadata --json -m "$ref/bart" "the river" "the old river" | cmp - <(echo "$output")
}

@test "--ids, --global and --mask given twice" {
    works "$viz" diff --json -m "$ref/bert" --ids 2,17,40,3 --ids 2,18,40,3
    jq -e '.tokens_paired == 4 and (.heads | any(.js > 1e-4))' <<< "$output"
    works "$viz" diff --json -m "$ref/gpt2" -m "$ref/gpt2" --ids 2,17,40 --ids 2,17,40
    jq -e '.heads | all(.js == 0)' <<< "$output"
    long=$ref/families/longformer
    ids=$(seq -s, 5 24)
    works "$viz" diff -m "$long" --ids "$ids" --global 0 --global 0,7
    [[ ${lines[0]} == *", global 0 → "*", global 0,7" ]]
    works "$viz" diff --json -m "$long" --ids "$ids" --global 0 --global 0,7
    jq -e '.first.global == "0" and .second.global == "0,7" and (.heads | any(.js > 1e-3))' <<< "$output"
    works "$viz" diff --json -m "$long" --ids "$ids" --ids "$ids" --global 0,7
    jq -e '.heads | all(.js == 0)' <<< "$output"
    works "$viz" diff --json -m "$ref/bert" --mask none --mask padding:1 "$text"
    jq -e '.first.mask == "none" and .second.mask == "padding:1" and (.heads | all(.js > 0))' <<< "$output"
    works "$viz" diff --json -m "$ref/bert" --mask padding:1 --mask none "$text"
    jq -e '.second.mask == "none"' <<< "$output"
    # A bare decoder layer's own mask
    layer=$ref/layers/decoder.safetensors
    works "$viz" diff --json -m "$layer" --heads 4 --mask none --mask causal --shape 5
    jq -e '.heads | all(.js > 1e-3)' <<< "$output"
}

@test "--from: a token of each text, and what is said where there is none" {
    works "$viz" diff -m "$ref/bert" --from door "$text" "the door is in"
    [ "${lines[0]}" = "“$text” → “the door is in”, at door (token 6 → 2)" ]
    [[ ${lines[1]} == *"first looks at  second looks at" ]]
    works "$viz" diff --tsv -m "$ref/bert" --from the#2 "$text" "the door and the key"
    [[ ${lines[0]} == *key_first$'\t'key_second ]]
    fails 3 "the second text: --from: 'the#2': the text has 'the' only 1 time" \
        "$viz" diff -m "$ref/bert" --from the#2 "$text" "the door"
    fails 3 "--from: 9 is out of range: the text has tokens 0 to 7" \
        "$viz" diff -m "$ref/bert" --from 9 --mask none --mask causal "$text"
    fails 2 "--from: '' names no token" "$viz" diff --from '' a b
    printf 'the key\tthe door\nthe door\tin the door\n' > "$dir/pairs"
    run --separate-stderr "$viz" diff --json -m "$ref/bert" --from door --pairs -f "$dir/pairs"
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == *"pairs: line 1: the first text: --from: the text has no token or word 'door'" ]]
    [ "$(jq -c '[.index, .first.at, .second.at, .tokens_paired]' <<< "$output")" = "[1,2,3,1]" ]
    works "$viz" diff -m "$ref/bert" --from door -o "$dir/x.png" "$text" "the door is in"
}

@test "--from: what a token cannot see changes no number" {
    numbers() { "$viz" diff -q --tsv --from bank "$@" | cut -f 2-; }
    [ "$(numbers "the river bank" "the small bank")" = "$(numbers "the river bank" "the small bank is")" ]
    [ "$(numbers "the bank" "a bank")" = "$(numbers "the bank, yes" "a bank.")" ]
    works "$viz" diff --json -l 0 -H 0 --from bank "the river bank" "the small bank is"
    jq -e '.heads[0].js < 1e-4' <<< "$output" > /dev/null
    printf 'the river bank\tthe small bank\na bank, yes\tthe bank\n' > "$dir/plain"
    printf 'the river bank is\tthe small bank\na bank\tthe bank, no\n' > "$dir/more"
    numbers --pairs -f "$dir/plain" --summary > "$dir/one"
    numbers --pairs -f "$dir/more" --summary | cmp - "$dir/one"
    run --separate-stderr "$viz" diff --from bank --pairs --summary -f "$dir/more"
    [ -z "$stderr" ]
    echo "the bank	the old bank" >> "$dir/more"
    run --separate-stderr "$viz" diff --from bank --pairs --summary -f "$dir/more"
    [ "$stderr" = "mha-viz: note: --from: in 1 of 3 pairs the token stands at two positions: keys are compared where both texts have them, in the others by position" ]
}

@test "texts that share little: a note says how rows are paired" {
    note() { run --separate-stderr "$viz" diff -m "$ref/bert" "$@"; [ "$status" -eq 0 ]; }
    note "the key" "in door"
    [ "$stderr" = "mha-viz: note: the texts share 0 of 2 tokens, special ones not counted; rows and keys are compared by position" ]
    note "the key" "door"
    [ "$stderr" = "mha-viz: note: the texts share 0 of 2 tokens, special ones not counted; rows and keys are compared where both texts have them" ]
    [ "${lines[0]}" = "“the key” → “door” (2 tokens paired)" ]
    note --from 1 "the key" "door"
    [ "$stderr" = "mha-viz: note: the texts share 0 of 2 tokens, special ones not counted; keys are compared by position before the token, after it where both texts have them" ]
    note --from 1 "the key" "in door"
    [[ $stderr == *"; keys are compared by position" ]]
    note -q "the key" "door"
    [ -z "$stderr" ]
    note "the key" "key"
    [ -z "$stderr" ]
    printf 'the key\tin door\nthe key\tkey\n' > "$dir/pairs"
    note --pairs -f "$dir/pairs"
    [[ $stderr == "mha-viz: note: in 1 of 2 pairs the texts share under 20 % of their tokens; "* ]]
    note --from 1 --pairs -f "$dir/pairs"
    [[ $stderr == *"; keys are compared by position where the token stands at one position, else"* ]]
}

@test "--summary: a table, TSV, a picture, the tolerance" {
    printf 'the key\nthe door is\nin the key\n' > "$dir/lines"
    both=(-m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/lines" --summary)
    works "$viz" diff "${both[@]}"
    [ "${lines[0]}" = "bert in f32 → bert in bf16, mean of 3 texts" ]
    [[ ${lines[1]} == head*JS*"95 %"*change*"95 %"*"links kept"*"95 %"*largest*"95 %" ]]
    [ "${#lines[@]}" -eq 8 ]
    works "$viz" diff "${both[@]}" --tsv
    [ "${#lines[@]}" -eq 7 ]
    [ "$(cut -f 1-8 <<< "${lines[0]}" | tr '\t' ' ')" = "stack layer head js_mean js_sd js_low js_high js_n" ]
    for t in 1 3; do "$viz" diff "${both[@]}" --json -t $t > "$dir/$t"; done
    cmp "$dir/1" "$dir/3"
    works "$viz" diff "${both[@]}" -o "$dir/x.png"
    [ "$(magic "$dir/x.png" 4)" = 89504e47 ]
    run --separate-stderr "$viz" diff "${both[@]}" --tolerance 0
    [ "$status" -eq 1 ]
    # One text has no interval, and none no mean
    head -n 1 "$dir/lines" > "$dir/one"
    works "$viz" diff --json --summary -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/one"
    jq -e '.n_texts == 1 and (.heads | all(.js.n == 1 and .js.mean > 0 and .js.low == null))' <<< "$output"
    : > "$dir/none"
    works "$viz" diff --json --summary -m "$ref/bert" --dtype f32 --dtype bf16 -f "$dir/none"
    jq -e '.n_texts == 0 and (.heads | all(.js.n == 0 and .js.mean == null))' <<< "$output"
    fails 2 "--summary requires several texts" "$viz" diff --summary a b
    fails 2 "--summary gives one report" "$viz" diff "${both[@]}" --format png -o "$dir"
}

@test "a picture's caption and metadata: what is compared, of what, and both models" {
    # An SVG of outlines has a glyph for each letter and blank: $1 more of them than in the picture of key
    count() {
        works "$viz" diff -m "$ref/bert" --metric links_kept --outlines -o "$dir/x.svg" "$@"
        n=$(grep -o '<use ' "$dir/x.svg" | wc -l)
    }
    more() {
        local want=$1
        shift
        count "$@"
        [ $((n - one)) -eq "$want" ] || { echo "$*: $((n - one)), expected $want"; return 1; }
    }
    two=(--dtype f32 --dtype bf16)
    count "${two[@]}" key                           # bert in f32 → bert in bf16, “key”
    one=$n
    more 13 "${two[@]}" --mask causal key           # ; mask causal
    more 5 "${two[@]}" "key door"                   # door
    more 5 "${two[@]}" --title Words key            # Words
    more -14 key key                                # “key” → “key”, bert
    printf 'key\nkey door\n' > "$dir/lines"
    more 10 "${two[@]}" --summary -f "$dir/lines"   # , mean of 2 texts
    works "$viz" diff -m "$ref/bert" -m "$ref/gguf_bert" --ids 2,17,3 -o "$dir/x.svg"
    grep -q 'mha-viz:command' "$dir/x.svg"
    grep -q 'mha-viz:second-model' "$dir/x.svg"
    works "$viz" diff -m "$ref/bert" -m "$ref/gguf_bert" --ids 2,17,3 --no-metadata -o "$dir/x.svg"
    refute grep -q 'mha-viz:' "$dir/x.svg"
}

@test "--sort, --reverse: heads by a number" {
    for of in js entropy_change links_kept largest; do
        "$viz" diff --tsv "the cat saw" "the dog saw" > "$dir/plain"
        column=$(head -n 1 "$dir/plain" | tr '\t' '\n' | grep -nx "$of" | cut -d : -f 1)
        "$viz" diff --tsv --sort "$of" "the cat saw" "the dog saw" | tail -n +2 | cut -f "$column" > "$dir/sorted"
        tail -n +2 "$dir/plain" | cut -f "$column" | sort -gr | diff - "$dir/sorted"
        "$viz" diff --tsv --sort "$of" --reverse "the cat saw" "the dog saw" | tail -n +2 | cut -f "$column" |
            diff - <(tac "$dir/sorted")
    done
    printf 'the cat\ta cat\nthe dog\ta dog\n' > "$dir/pairs"
    "$viz" diff --pairs -f "$dir/pairs" --summary --json --sort js | jq -e '[.heads[].js.mean] | . == (sort | reverse)'
    works "$viz" diff --reverse "the cat" "a cat"
    [[ ${lines[2]} == L5H3* ]]
    fails 2 "--sort is of the table" "$viz" diff --sort js -o "$dir/a.png" a b
    fails 2 "--reverse is of the table" "$viz" diff --reverse -o "$dir/a.png" a b
}
