#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mechanisms: its numbers against the reference library's with each in a model's place; what
# is refused; tables and pictures.

# shellcheck disable=SC2154,SC2016
load helper

text="the cat saw the dog and the cat ran"

# The floats of an array of an npz, one per line.
member() {
    unzip -p "$1" "$2.npy" > "$dir/member"
    tail -c +$((11 + $(od -An -tu2 -j8 -N2 "$dir/member"))) "$dir/member" |
        od -An -v -tf4 -w4
}

# The first number of a tensor of a .safetensors file becomes NaN.
spoil() {
    local size at
    size=$(od -An -tu8 -N8 "$1" | tr -d ' ')
    at=$(tail -c +9 "$1" | head -c "$size" | jq --arg name "$2" '.[$name].data_offsets[0]')
    [ "$at" != null ]
    printf '\0\0\300\177' | dd of="$1" bs=1 seek=$((8 + size + at)) conv=notrunc status=none
}

# bats test_tags=once
@test "every number is what the library's model gives with that mechanism" {
    # Figures of float passes against double ones: 2e-5 of weights is up to 1e-4 of these;
    # bf16 and int8 round what differs in its last digits, now and then the other way.
    n=$(jq length tests/ref/mechanisms/cases.json)
    [ "$n" -ge 6 ]
    # run of bats has a counter i of its own, which is not local.
    for ((number = 0; number < n; number++)); do
        case=$(jq -c ".[$number]" tests/ref/mechanisms/cases.json)
        mapfile -t argv < <(jq -r '.argv[]' <<< "$case")
        works "$viz" mechanisms --json --propagate --runs 0 "${argv[@]}"
        jq -n -r --argjson case "$case" --argjson got "$output" '
            ($got.layers[0].mechanisms | map({(.mechanism): .}) | add) as $all |
            $case.want | to_entries[] | .key as $name | .value | to_entries[] |
            ($all[$name][.key] // -1) as $y |
            select(((.value - $y) | fabs) >
                   (if $name == "bf16" or $name == "int8" then 2e-3 else 2e-5 end) +
                   1e-4 * (.value | fabs)) |
            "\($name) \(.key): \($y), expected \(.value)"' > "$dir/off"
        cat "$dir/off"
        [ ! -s "$dir/off" ]
    done
}

@test "the heading of one token" {
    works "$viz" mechanisms --runs 0 --only local -m "$ref/bert" --ids 5
    [[ ${lines[0]} == "layer "*" heads, 1 token" ]]
}

@test "exact is the model itself, and all of them are there" {
    n=$(grep -c '^MECHANISM(' src/nn/mechanisms.def)
    works "$viz" mechanisms --json --propagate --runs 0 -l all "$text"
    echo "$output" | jq -e --argjson n "$n" '(.layers | length) == 6 and (.layers | all(
        (.mechanisms | length) == $n and .mechanisms[0].mechanism == "exact" and
        .mechanisms[0].error == 0 and .mechanisms[0].js == 0 and
        .mechanisms[0].links_kept == 1 and .mechanisms[0].output < 1e-6 and
        (.mechanisms | all(.mechanism == "linformer" or .error >= 0 and .js >= 0 and .js <= 0.6932 and .links_kept <= 1 and
                           .time == null and .memory > 0 and .refused == null))))' > /dev/null
}

# bats test_tags=threads
@test "the same bytes for any number of threads; another seed draws other numbers" {
    "$viz" mechanisms --json --propagate --runs 0 -t 1 "$text" > "$dir/one"
    "$viz" mechanisms --json --propagate --runs 0 -t 3 "$text" > "$dir/three"
    cmp "$dir/one" "$dir/three"
    "$viz" mechanisms --json --propagate --runs 0 --seed 2 "$text" > "$dir/two"
    for name in additive favor lsh; do
        for file in one two; do
            jq ".layers[0].mechanisms[] | select(.mechanism == \"$name\") | .error" "$dir/$file"
        done > "$dir/$name"
        [ "$(uniq "$dir/$name" | wc -l)" -eq 2 ]
    done
}

# bats test_tags=threads
@test "more rows than a product takes without packing its weights" {
    local long
    long=$(printf 'the cat saw %.0s' {1..100})
    "$viz" mechanisms --tsv --runs 0 --error --only local --window 500 -t 1 "$long" > "$dir/one"
    "$viz" mechanisms --tsv --runs 0 --error --only local --window 500 -t 3 "$long" | cmp - "$dir/one"
    tail -n +2 "$dir/one" | cut -f 5 | awk '{ exit !($1 < 1e-6) }'
}

@test "the nearer a mechanism comes to the model's own, the smaller its error" {
    works "$viz" mechanisms --tsv --runs 0 --error --only local --window 100 "$text"
    [ "$(cut -f 5 <<< "${lines[1]}" | awk '{ print ($1 < 1e-6) }')" = 1 ]
    small=$("$viz" mechanisms --tsv --runs 0 --error --only top-k --top-k 1 "$text" | tail -n 1 | cut -f 5)
    large=$("$viz" mechanisms --tsv --runs 0 --error --only top-k --top-k 5 "$text" | tail -n 1 | cut -f 5)
    awk -v s="$small" -v l="$large" 'BEGIN { exit !(s > l) }'
}

@test "what a model's attention does not allow is refused, with the reason" {
    works "$viz" mechanisms --json --runs 0 -m "$ref/families/bloom" --ids 2,3,4,5
    echo "$output" | jq -e '[.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
        ["one-head","half-heads","elu","favor","linformer","lsh"]' > /dev/null
    echo "$output" | jq -e '.layers[0].mechanisms[] | select(.mechanism == "lsh") |
        .error == null and .memory == null and (.refused | test("added to scores"))' > /dev/null
    works "$viz" mechanisms --runs 0 --propagate --only half-heads,exact -m "$ref/gpt2" a
    [ "${lines[-1]}" = "half-heads: the number of heads is odd" ]
    works "$viz" mechanisms --json --runs 0 -m "$ref/seq2seq/bart" --ids 2,3,4 --decoder-ids 2,5
    echo "$output" | jq -e '.stack == "cross" and .queries == 2 and .keys == 3 and
        ([.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
         ["half-heads","local","global","sinks","strided","fixed","block","lsh","h2o"])' > /dev/null
    # A window that cuts rows, in one layer and not in the other
    works "$viz" mechanisms --runs 0 --propagate -l 1 --only elu \
        -m "$ref/families/gemma3" --ids 2,3,4,5,6,7,8,9,10,11,12,13
    [[ ${lines[-1]} == *elu* ]]
}

@test "every family: patterns that cover the text are the model's own attention" {
    # Softmax in another order of the same sums: 2e-6 of the output.
    for model in "$ref"/families/*/; do
        args=(--ids "2,3,4,5,6,7,8,9,10")
        [[ $model != */longformer* ]] || args+=(--global none)
        [[ $model != */gguf_gpt_oss* ]] || continue
        jq -e '(.model_type | IN("vit", "deit", "dinov2", "beit", "clip_vision_model",
            "siglip_vision_model", "wav2vec2", "hubert", "gpt_oss")) or
            (.architectures[0] | endswith("ForImageClassification"))' "$model/config.json" \
            > /dev/null && continue
        works "$viz" mechanisms -q -m "$model" "${args[@]}" -l all --tsv --runs 0 \
            --only exact,local,global,block,strided,fixed,top-k,plain,flash,sinks,quest,h2o \
            --window 50 --block 50 --stride 50 --top-k 50
        [ "${#lines[@]}" -gt 12 ]
        # h2o is for decoders.
        awk -F '\t' 'NR > 1 && !($4 == "h2o" && $14 ~ /decoder/) && !($5 < 2e-6) {
            print; bad = 1 } END { exit bad }' <<< "$output"
    done
}

@test "masks: hidden keys are in no mechanism" {
    works "$viz" mechanisms --json --runs 0 --mask padding:2 "$text"
    echo "$output" | jq -e '[.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
        ["elu","favor","linformer"] and
        (.layers[0].mechanisms | all(.refused != null or .error >= 0))' > /dev/null
}

@test "a causal mask is what a decoder hides; one of a head's own joins no heads" {
    works "$viz" mechanisms --tsv --runs 0 "$text"
    plain=$output
    works "$viz" mechanisms --tsv --runs 0 --mask causal "$text"
    [ "$output" = "$plain" ]
    printf '\x93NUMPY\x01\x00v\x00%-117s\n' \
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 4, 1, 2), }" > "$dir/m.npy"
    printf '\1\1\1\1\1\1\1\0' >> "$dir/m.npy"
    works "$viz" mechanisms --json --runs 0 --ids 5,6 --mask "$dir/m.npy"
    echo "$output" | jq -e '[.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
        ["one-head","half-heads","elu","favor","linformer"]' > /dev/null
}

@test "a bare layer: its options, its rows, its names in the picture" {
    layer=$ref/layers/q_linear.safetensors
    works "$viz" mechanisms -q --runs 0 -m "$layer" --heads 3 --tokens '我 喜欢 吃 苹果' \
        -o "$dir/m.svg"
    [ "$(magic "$dir/m.svg" 5)" = 3c3f786d6c ]
    works "$viz" mechanisms --tsv --runs 0 --only local -m "$layer" --heads 3 --shape 2x5 \
        --memory random
    [ "$(wc -l <<< "$output")" -eq 3 ]
    works "$viz" mechanisms --runs 0 --only dot -m "$ref/layers/shaw.safetensors" \
        --relative shaw --seed 3
    one=$output
    works "$viz" mechanisms --runs 0 --only dot -m "$ref/layers/shaw.safetensors" \
        --relative shaw --seed 4
    [ "$output" != "$one" ]
}

@test "one token" {
    works "$viz" mechanisms --json --propagate --no-special a
    echo "$output" | jq -e '.queries == 1 and (.layers[0].mechanisms | all(
        .mechanism == "additive" or .mechanism == "linformer" or .mechanism == "gqa" or
        .mechanism == "kivi" or .mechanism == "low-rank" or (.error < 1e-6 and .js < 1e-6 and .links_kept == 1)))' > /dev/null
}

@test "texts of a file: one table each, one TSV, one object per line" {
    printf 'one two\n\xff\nthree four five\n' > "$dir/three"
    run --separate-stderr "$viz" mechanisms --tsv --runs 0 --only exact,local -f "$dir/three"
    [ "$status" -eq 3 ]
    [[ $stderr == *"line 2"* ]]
    [ "${#lines[@]}" -eq 5 ]
    [ "$(cut -f 1 <<< "$output" | tr '\n' ' ')" = "index 0 0 2 2 " ]
    run --separate-stderr "$viz" mechanisms --json --runs 0 -f "$dir/three"
    [ "$(jq -s length <<< "$output")" -eq 2 ]
    run --separate-stderr "$viz" mechanisms --runs 0 --outputs-only -f "$dir/three"
    [[ $output == *"text 3, layer "* ]]
    [[ ${lines[1]} == "mechanism "*error*scores*memory*growth ]]
    [[ ${lines[1]} != *JS* && ${lines[1]} != *time* ]]
}

@test "sizes that the text and the model give are stated as they are used" {
    works "$viz" mechanisms --json --runs 0      # 17 tokens, 4 heads
    echo "$output" | jq -e '.parameters | .stride == 5 and .recent == 8 and .groups == 2 and
        .buckets == 10 and .budget == null' > /dev/null
    works "$viz" mechanisms --json --runs 0 --budget 7 --only h2o
    echo "$output" | jq -e '.parameters.recent == 4' > /dev/null
    # The caption has them too: the same picture where they are given.
    works "$viz" mechanisms --only h2o,lsh,strided,gqa --no-metadata -o "$dir/x.svg"
    works "$viz" mechanisms --only h2o,lsh,strided,gqa --no-metadata -o "$dir/y.svg" \
        --recent 8 --stride 5 --groups 2 --buckets 10
    cmp "$dir/x.svg" "$dir/y.svg"
}

# bats test_tags=once
@test "times if they are asked for" {
    works "$viz" mechanisms --json --runs 2 --only exact,favor "$text"
    echo "$output" | jq -e '.layers[0].mechanisms | all(.time > 0)' > /dev/null
}

@test "pictures: one head, one panel per mechanism, gray where nothing looks" {
    run --separate-stderr "$viz" mechanisms -l 1 -H 2 -o "$dir/all.png" "$text"
    [ "$status" -eq 0 ]
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == "mha-viz: warning: linformer: for encoders only"* ]]
    [ "$(magic "$dir/all.png" 4)" = 89504e47 ]
    works "$viz" mechanisms -l 1 --only block,lsh,exact --no-metadata -o "$dir/two.svg" "$text"
    [ "$(grep -c '<image' "$dir/two.svg")" -ge 3 ]
    works "$viz" mechanisms -l 1 --only block,lsh,exact --no-metadata -o "$dir/again.svg" "$text"
    cmp "$dir/two.svg" "$dir/again.svg"
    mkdir "$dir/pictures"
    head -n 2 samples/english.txt > "$dir/lines"
    works "$viz" mechanisms --only exact,local --format png -f "$dir/lines" -o "$dir/pictures/"
    [ "$(list "$dir/pictures")" = "000001.png 000002.png " ]
    fails 2 "several layers" "$viz" mechanisms -l 0,1 -o "$dir/x.png" a
    fails 2 "several heads" "$viz" mechanisms -H 0,1 -o "$dir/x.png" a
    fails 2 "a picture requires rows" "$viz" mechanisms --outputs-only -o "$dir/x.png" a
    fails 3 "no mechanism is applicable to layer" "$viz" mechanisms --only elu \
        -m "$ref/families/bloom" --ids 1,2 -l 0 -o "$dir/x.png"
    [ ! -e "$dir/x.png" ]
}

@test "bad options" {
    fails 2 "did you mean 'local'" "$viz" mechanisms --only loca a
    fails 2 "unknown mechanism ''" "$viz" mechanisms --only exact, a
    fails 2 "--window" "$viz" mechanisms --window 0 a
    fails 2 "--block" "$viz" mechanisms --block 0 a
    fails 2 "--bits: '3' is not one of 2, 4" "$viz" mechanisms --bits 3 a
    [[ $stderr != *"did you mean"* ]]
    fails 2 "--buckets: 3 is odd" "$viz" mechanisms --buckets 3 a
    fails 2 "--chunk" "$viz" mechanisms --chunk 0 a
    fails 2 "unknown file extension" "$viz" mechanisms -o "$dir/x.gif" a
}

# bats test_tags=once
@test "gqa: the numbers of each head are those of NumPy" {
    qkv=$(printf "$ref/mechanisms/qkv/%s.npy," q k v)
    qkv=${qkv%,}
    works "$viz" mechanisms --qkv "$qkv" --mask causal --only gqa --error --json --runs 0
    jq -n -r --argjson got "$output" --slurpfile want "$ref/mechanisms/numpy.json" '
        $got.layers[0].mechanisms[0] as $gqa |
        [$gqa.error, ($gqa.heads[] | .head, .error, .js, .links_kept, .entropy, .scores)] as $x |
        [$want[0].error, ($want[0].heads[] |
         .head, .error, .js, .links_kept, .entropy, .scores)] as $y |
        ($x | length) as $n | if $n != ($y | length) then "lengths" else
        range($n) | select(($x[.] - $y[.]) | fabs > 1e-6) | "\(.): \($x[.]) \($y[.])" end
        ' > "$dir/off"
    cat "$dir/off"
    [ ! -s "$dir/off" ]
    works "$viz" mechanisms -H 1,3 --only gqa,elu --json --runs 0
    echo "$output" | jq -e '.layers[0].mechanisms | all([.heads[].head] == [1,3])' > /dev/null
    works "$viz" mechanisms --only gqa --groups 3 --runs 0
    [[ ${lines[-1]} == *"4 heads of keys and values"*"3 groups of the same size" ]]
}

@test "a budget: those that keep a number of keys, side by side, and why the others do not" {
    works "$viz" mechanisms --budget 8 --json --runs 0
    echo "$output" | jq -e '.parameters.budget == 8 and ([.layers[0].mechanisms[] |
        select(.refused == null) | .mechanism] ==
        ["exact","local","sinks","block","top-k","h2o","quest"])' > /dev/null
    # 17 tokens: 36 pairs of the first 8 rows, 8 of each other
    echo "$output" | jq -e '[.layers[0].mechanisms[] | select(.mechanism == "local" or
        .mechanism == "sinks" or .mechanism == "h2o") | .scores * 153] | all(. > 107.9 and
        . < 108.1)' > /dev/null
    works "$viz" mechanisms --budget 8 --runs 0
    [[ $output == *"bf16, int8, kivi: left out with --budget: it keeps all keys, in fewer bits"* ]]
    [[ $output == *"elu, favor: left out with --budget: it keeps sums, no keys"* ]]
    # All rows are covered: nothing differs.
    works "$viz" mechanisms --budget 17 --tsv --runs 0
    awk -F '\t' 'NR > 1 && $14 == "" && !($5 < 1e-6) { print; bad = 1 } END { exit bad }' \
        <<< "$output"
    # A small budget has room for fewer first tokens, and for smaller pages.
    works "$viz" mechanisms --budget 4 --only sinks,quest --json --runs 0
    echo "$output" | jq -e '.parameters.sinks == 2 and .parameters.page == 4 and
        (.layers[0].mechanisms | all(.refused == null and .error > 0 and
        .scores * 153 < 62.1))' > /dev/null    # 10 pairs of the first 4 rows, 4 of each other
    works "$viz" mechanisms --budget 3 --sinks 3 --runs 0 --only sinks
    [ "${lines[-1]}" = "sinks: the first tokens of --sinks alone fill the budget" ]
    for option in --window --n-global --stride --n-columns --block --top-k --segments; do
        fails 2 "--budget, $option: only one of them can be given" \
            "$viz" mechanisms --budget 8 "$option" 2 a
    done
    fails 3 "--budget: 30 keys per row, but the text has 17; expected at most 17" \
        "$viz" mechanisms --budget 30
    printf 'one\none two three four five six seven\n' > "$dir/lines"
    run --separate-stderr "$viz" mechanisms --budget 5 --tsv --runs 0 --only local \
        -f "$dir/lines"
    [ "$status" -eq 0 ]
    [ "$stderr" = "mha-viz: warning: --budget 5 leaves nothing out of 1 of 2 texts: it has fewer keys" ]
    [ "${#lines[@]}" -eq 3 ]
    head -n 9 samples/english.txt > "$dir/nine"
    run --separate-stderr "$viz" mechanisms --budget 999 --runs 0 --only local -f "$dir/nine"
    [ "$stderr" = "mha-viz: warning: --budget 999 leaves nothing out of 9 of 9 texts: they have fewer keys" ]
    fails 2 "--recent: 20 of the 16 keys" "$viz" mechanisms --recent 20
}

@test "what is left out of a table, a picture or an npz is said, once" {
    works "$viz" mechanisms --only local,half-heads,elu --runs 0 -m "$ref/families/bloom" \
        --ids 2,3,4
    [ "${#lines[@]}" -eq 5 ]        # the layer, the heading, local; why half-heads, elu are not
    [[ ${lines[2]} == local* && ${lines[3]} == half-heads:* && ${lines[4]} == elu:* ]]
    works "$viz" mechanisms --only gqa --groups 3 --runs 0
    [ "${#lines[@]}" -eq 2 ]
    head -n 3 samples/english.txt > "$dir/lines"
    mkdir "$dir/figures"
    for output in "-o $dir/x.png" "-o $dir/x.npz" \
        "-f $dir/lines --format svg -o $dir/figures/"; do
        # shellcheck disable=SC2086
        run --separate-stderr "$viz" mechanisms --budget 4 --only top-k,elu,favor,bf16 $output
        [ "$status" -eq 0 ]
        [ "${#stderr_lines[@]}" -eq 2 ]
        [ "${stderr_lines[0]}" = "mha-viz: warning: elu, favor: left out with --budget: it keeps sums, no keys" ]
    done
    rm "$dir"/x.*
    for file in x.npz x.png; do
        fails 3 ": elu: left out with --budget: it keeps sums, no keys" \
            "$viz" mechanisms -l 2 --budget 4 --only elu -o "$dir/$file"
        [[ $stderr == *"no mechanism is applicable to layer 2 of "* ]]
        [ ! -e "$dir/$file" ]
    done
    # A window cuts rows in one of the layers.
    run --separate-stderr "$viz" mechanisms -l 0,1 --only elu,exact \
        -m "$ref/families/gemma3" --ids 2,3,4,5,6,7,8,9,10,11,12,13 -o "$dir/x.npz"
    [ "$status" -eq 0 ]
    [[ $stderr == "mha-viz: warning: layer "[01]": elu: "* ]]
}

@test "an encoder: linformer is there, h2o is not; a budget is centred" {
    works "$viz" mechanisms --json --runs 0 -m "$ref/bert" --ids 5,6,7,8,9,10,11,12,13,14
    echo "$output" | jq -e '[.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
        ["half-heads","h2o"]' > /dev/null
    works "$viz" mechanisms --json --runs 0 --budget 4 -m "$ref/bert" \
        --ids 5,6,7,8,9,10,11,12,13,14
    echo "$output" | jq -e '.layers[0].mechanisms[] | select(.mechanism == "linformer") |
        .error > 0 and .scores == 0.4' > /dev/null
}

@test "one mechanism by itself has no error unless that is asked for; the rest is the same" {
    works "$viz" mechanisms --only h2o --json --no-metadata --runs 0
    one=$output
    works "$viz" mechanisms --only h2o,h2o --no-error --json --no-metadata --runs 0
    [ "$output" = "$one" ]
    works "$viz" mechanisms --only h2o --error --json --runs 0
    jq -n -e --argjson one "$one" --argjson two "$output" '
        $one.layers[0].mechanisms[0] as $x | $two.layers[0].mechanisms[0] as $y |
        $x.error == null and $x.js == null and $x.links_kept == null and
        $x.heads[0].error == null and $y.error > 0 and $x.entropy == $y.entropy and
        $x.scores == $y.scores and $x.memory == $y.memory' > /dev/null
    for only in "h2o" "exact" "h2o,exact --no-error"; do
        # shellcheck disable=SC2086
        works "$viz" mechanisms --runs 0 --only $only
        [[ ${lines[1]} == "mechanism "*entropy*scores* && ${lines[1]} != *error* ]]
    done
    for only in "h2o --error" "h2o,exact"; do
        # shellcheck disable=SC2086
        works "$viz" mechanisms --runs 0 --only $only
        [[ ${lines[1]} == "mechanism "*error*JS*"links kept"*entropy* ]]
    done
    works "$viz" mechanisms --tsv --runs 0 --only h2o
    [ "$(cut -f 5-7 <<< "${lines[1]}")" = $'\t\t' ]
    fails 2 "--error, --no-error: only one of them can be given" \
        "$viz" mechanisms --error --no-error a
}

@test "npz: rows and outputs, as NumPy has them" {
    qkv=$(printf "$ref/mechanisms/qkv/%s.npy," q k v)
    qkv=${qkv%,}
    works "$viz" mechanisms --qkv "$qkv" --mask causal --only exact,gqa -o "$dir/x.npz"
    [ -z "$output" ]
    for array in 0.exact 0.gqa; do
        for part in rows out; do
            member "$dir/x.npz" "$part.$array" > "$dir/got"
            member "$ref/mechanisms/qkv/want.npz" "$part.$array" > "$dir/want"
            [ -s "$dir/want" ]
            [ "$(wc -l < "$dir/got")" -eq "$(wc -l < "$dir/want")" ]
            paste "$dir/got" "$dir/want" | awk '
                { off = $1 - $2; if (off > 5e-7 || off < -5e-7) { print NR, $0; bad = 1 } }
                END { exit bad }'
        done
    done
    run --separate-stderr "$viz" mechanisms -l 0,1 -H 0,2 -o "$dir/y.npz"
    [ "$status" -eq 0 ]
    [[ ${#stderr_lines[@]} -eq 1 && $stderr == "mha-viz: warning: linformer: for encoders only"* ]]
    "$viz" mechanisms -q -l 0,1 -H 0,2 -t 1 -o "$dir/one.npz"
    cmp "$dir/y.npz" "$dir/one.npz"
    unzip -l "$dir/y.npz" > "$dir/list"
    for name in rows.0.h2o rows.1.quest out.1.kivi heads.0 heads.1 tokens; do
        grep -q " $name.npy$" "$dir/list"
    done
    run ! grep -q linformer "$dir/list"     # refused
    [ "$(member "$dir/y.npz" rows.1.exact | wc -l)" -eq $((2 * 17 * 17)) ]
    fails 2 "an npz holds rows" "$viz" mechanisms --outputs-only -o "$dir/z.npz" a
    [ ! -e "$dir/z.npz" ]
}

@test "--dtype: rounded in every mechanism; exact is the model's own in that format" {
    for dtype in bf16 f16; do
        works "$viz" mechanisms --dtype "$dtype" --propagate --json --runs 0 \
            --only exact,flash,plain,local
        echo "$output" | jq -e '.layers[0].mechanisms | all(.mechanism == "local" or
            .output < 5e-3) and .[0].error == 0 and .[0].output < 1e-6' > /dev/null
    done
    works "$viz" mechanisms --runs 0 --only local --error --json
    plain=$(jq '.layers[0].mechanisms[0].js' <<< "$output")
    works "$viz" mechanisms --dtype bf16 --runs 0 --only local --error --json
    [ "$(jq '.layers[0].mechanisms[0].js' <<< "$output")" != "$plain" ]
}

@test "what is not finite is refused, as by stats" {
    cp -r "$ref/bert" "$dir/nan"
    spoil "$dir/nan/model.safetensors" bert.encoder.layer.1.attention.self.query.bias
    fails 3 "layer 1, head 0: the attention of row 0 is not finite" \
        "$viz" stats -m "$dir/nan" --ids 1,2,3
    fails 3 "layer 1, head 0: the query of row 0 is not finite: the weights or the input" \
        "$viz" mechanisms -m "$dir/nan" --ids 1,2,3 -l 1
    fails 3 "the query of row 0 is not finite" "$viz" mechanisms -m "$dir/nan" --ids 1,2,3 \
        -l 1 -o "$dir/x.npz"
    [ ! -e "$dir/x.npz" ]
    # With --propagate the model runs to its end.
    cp -r "$ref/bert" "$dir/last"
    spoil "$dir/last/model.safetensors" bert.encoder.layer.1.output.dense.bias
    fails 3 "the last hidden state of token 0 is not finite" "$viz" mechanisms --propagate \
        -m "$dir/last" --ids 1,2,3 -l 0 --only exact,local
}

@test "an output projection that is not finite is refused, in every form of output" {
    cp -r "$ref/gpt2" "$dir/nan"
    shard=$(jq -r '.weight_map["transformer.h.0.attn.c_proj.weight"]' \
        "$dir/nan/model.safetensors.index.json")
    spoil "$dir/nan/$shard" transformer.h.0.attn.c_proj.weight
    want="layer 0, all heads: the output of row 0 after the output projection is not finite"
    for option in --runs=0 --tsv --propagate --no-error --outputs-only; do
        fails 3 "$want" "$viz" mechanisms -m "$dir/nan" --ids 1,2,3 -l 0 --only exact,h2o \
            "$option"
    done
    for file in x.npz x.png; do
        fails 3 "$want" "$viz" mechanisms -m "$dir/nan" --ids 1,2,3 -l 0 --only exact,h2o \
            -o "$dir/$file"
        [ ! -e "$dir/$file" ]
    done
}

@test "favor: scores beyond 1e5 give numbers; what is undefined is null" {
    printf '\x93NUMPY\x01\x00v\x00%-117s\n' \
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 3, 2), }" > "$dir/big.npy"
    # Integers are read as floats: 1000, -900, 800, 1000, -1000, 700
    {
        printf '\xe8\x03\0\0\x7c\xfc\xff\xff\x20\x03\0\0'
        printf '\xe8\x03\0\0\x18\xfc\xff\xff\xbc\x02\0\0'
    } >> "$dir/big.npy"
    works "$viz" mechanisms --qkv "$dir/big.npy,$dir/big.npy,$dir/big.npy" --only favor,elu \
        --runs 0 --json
    echo "$output" | jq -e '.layers[0].mechanisms | all(.error >= 0 and .js >= 0 and
        .entropy >= 0 and .links_kept >= 0)' > /dev/null
}

@test "wide heads: nothing is cubic in their width" {
    works timeout "$patience" "$viz" init --d-model 64 --heads 1 --d-k 4096 -o "$dir/wide.safetensors"
    works timeout "$patience" "$viz" mechanisms -m "$dir/wide.safetensors" --heads 1 --shape 1x6 \
        --runs 0 --json
    echo "$output" | jq -e '.layers[0].mechanisms | all(.refused != null or .error >= 0)' \
        > /dev/null
}

@test "files of weights for additive are checked" {
    fails 3 "$dir/none" "$viz" mechanisms --additive "$dir/none.safetensors" a
    safetensors "$dir/two.safetensors" \
        '{"W":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}' 24
    fails 3 "W: shape [2,3], expected [a," "$viz" mechanisms --additive "$dir/two.safetensors" a
    safetensors "$dir/v.safetensors" \
        '{"W":{"dtype":"F32","shape":[2,10],"data_offsets":[0,80]},"U":{"dtype":"F32","shape":[3,10],"data_offsets":[80,200]}}' 200
    fails 3 "U: shape [3,10], expected [2,10]" "$viz" mechanisms -m "$ref/llama" --ids 1 \
        --additive "$dir/v.safetensors"
    safetensors "$dir/int.safetensors" \
        '{"W":{"dtype":"I32","shape":[2,10],"data_offsets":[0,80]}}' 80
    fails 3 "type I32 holds no weights" "$viz" mechanisms -m "$ref/llama" --ids 1 \
        --additive "$dir/int.safetensors"
    safetensors "$dir/w.safetensors" \
        '{"W":{"dtype":"F32","shape":[2,10],"data_offsets":[0,80]}}' 80
    fails 3 "no tensor U" "$viz" mechanisms -m "$ref/llama" --ids 1 \
        --additive "$dir/w.safetensors"
    # Weights of 0 make all scores equal
    safetensors "$dir/zero.safetensors" \
        '{"W":{"dtype":"F32","shape":[2,10],"data_offsets":[0,80]},"U":{"dtype":"F32","shape":[2,10],"data_offsets":[80,160]},"v":{"dtype":"F32","shape":[2],"data_offsets":[160,168]}}' 168
    works "$viz" mechanisms --json --runs 0 -m "$ref/llama" --ids 1,2 --only additive \
        --additive "$dir/zero.safetensors"
    echo "$output" | jq -e '.layers[0].mechanisms[0].entropy | . > 0.34657 and . < 0.34658' > /dev/null
}
