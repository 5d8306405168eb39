#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mechanisms: its numbers against the reference library's with each in a model's place; what
# is refused; tables and pictures.

# shellcheck disable=SC2154,SC2016
load helper

text="the cat saw the dog and the cat ran"

@test "every number is what the library's model gives with that mechanism" {
    # Figures of float passes against double ones: 2e-5 of weights is up to 1e-4 of these;
    # bf16 and int8 round what differs in its last digits, now and then the other way.
    n=$(jq length tests/ref/mechanisms/cases.json)
    [ "$n" -ge 6 ]
    # run of bats has a counter i of its own, which is not local.
    for ((number = 0; number < n; number++)); do
        case=$(jq -c ".[$number]" tests/ref/mechanisms/cases.json)
        mapfile -t argv < <(jq -r '.argv[]' <<< "$case")
        works "$viz" mechanisms --json --propagate --repeats 0 "${argv[@]}"
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
    works "$viz" mechanisms --repeats 0 --only local -m "$ref/bert" --ids 5
    [[ ${lines[0]} == "layer "*" heads, 1 token" ]]
}

@test "exact is the model itself, and all of them are there" {
    n=$(grep -c '^MECHANISM(' src/nn/mechanisms.def)
    works "$viz" mechanisms --json --propagate --repeats 0 -l all "$text"
    echo "$output" | jq -e --argjson n "$n" '(.layers | length) == 6 and (.layers | all(
        (.mechanisms | length) == $n and .mechanisms[0].mechanism == "exact" and
        .mechanisms[0].error == 0 and .mechanisms[0].js == 0 and
        .mechanisms[0].links_kept == 1 and .mechanisms[0].output < 1e-6 and
        (.mechanisms | all(.error >= 0 and .js >= 0 and .js <= 0.6932 and .links_kept <= 1 and
                           .time == null and .memory > 0 and .refused == null))))' > /dev/null
}

@test "the same bytes for any number of threads; another seed draws other numbers" {
    "$viz" mechanisms --json --propagate --repeats 0 -t 1 "$text" > "$dir/one"
    "$viz" mechanisms --json --propagate --repeats 0 -t 3 "$text" > "$dir/three"
    cmp "$dir/one" "$dir/three"
    "$viz" mechanisms --json --propagate --repeats 0 --seed 2 "$text" > "$dir/two"
    for name in additive favor lsh; do
        for file in one two; do
            jq ".layers[0].mechanisms[] | select(.mechanism == \"$name\") | .error" "$dir/$file"
        done > "$dir/$name"
        [ "$(uniq "$dir/$name" | wc -l)" -eq 2 ]
    done
}

@test "the nearer a mechanism comes to the model's own, the smaller its error" {
    works "$viz" mechanisms --tsv --repeats 0 --only local --window 100 "$text"
    [ "$(cut -f 5 <<< "${lines[1]}" | awk '{ print ($1 < 1e-6) }')" = 1 ]
    small=$("$viz" mechanisms --tsv --repeats 0 --only top-k --top-k 1 "$text" | tail -n 1 | cut -f 5)
    large=$("$viz" mechanisms --tsv --repeats 0 --only top-k --top-k 5 "$text" | tail -n 1 | cut -f 5)
    awk -v s="$small" -v l="$large" 'BEGIN { exit !(s > l) }'
}

@test "what a model's attention does not allow is refused, with the reason" {
    works "$viz" mechanisms --json --repeats 0 -m "$ref/families/bloom" --ids 2,3,4,5
    echo "$output" | jq -e '[.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
        ["one-head","half-heads","elu","favor","lsh"]' > /dev/null
    echo "$output" | jq -e '.layers[0].mechanisms[] | select(.mechanism == "lsh") |
        .error == null and .memory == null and (.refused | test("added to scores"))' > /dev/null
    works "$viz" mechanisms --repeats 0 --propagate --only half-heads,exact -m "$ref/gpt2" a
    [ "${lines[-1]}" = "half-heads: the number of heads is odd" ]
    works "$viz" mechanisms --json --repeats 0 -m "$ref/seq2seq/bart" --ids 2,3,4 --decoder-ids 2,5
    echo "$output" | jq -e '.stack == "cross" and .queries == 2 and .keys == 3 and
        ([.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
         ["half-heads","local","global","strided","fixed","block","lsh"])' > /dev/null
    # A window that cuts rows, in one layer and not in the other
    works "$viz" mechanisms --repeats 0 --propagate -l 1 --only elu \
        -m "$ref/families/gemma3" --ids 2,3,4,5,6,7,8,9,10,11,12,13
    [[ ${lines[-1]} == *elu* ]]
}

@test "every family: patterns that cover the text are the model's own attention" {
    # Softmax in another order of the same sums: 2e-6 of the output.
    for model in "$ref"/families/*/; do
        args=(--ids "2,3,4,5,6,7,8,9,10")
        [[ $model != */longformer* ]] || args+=(--global none)
        jq -e '.model_type == "vit"' "$model/config.json" > /dev/null && continue
        works "$viz" mechanisms -q -m "$model" "${args[@]}" -l all --tsv --repeats 0 \
            --only exact,local,global,block,strided,fixed,top-k --window 50 --block 50 \
            --stride 50 --top-k 50
        [ "${#lines[@]}" -gt 7 ]
        awk -F '\t' 'NR > 1 && !($5 < 2e-6) { print; bad = 1 } END { exit bad }' <<< "$output"
    done
}

@test "masks: hidden keys are in no mechanism" {
    works "$viz" mechanisms --json --repeats 0 --mask padding:2 "$text"
    echo "$output" | jq -e '[.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
        ["elu","favor"] and
        (.layers[0].mechanisms | all(.refused != null or .error >= 0))' > /dev/null
}

@test "a causal mask is what a decoder hides; one of a head's own joins no heads" {
    works "$viz" mechanisms --tsv --repeats 0 "$text"
    plain=$output
    works "$viz" mechanisms --tsv --repeats 0 --mask causal "$text"
    [ "$output" = "$plain" ]
    printf '\x93NUMPY\x01\x00v\x00%-117s\n' \
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 4, 1, 2), }" > "$dir/m.npy"
    printf '\1\1\1\1\1\1\1\0' >> "$dir/m.npy"
    works "$viz" mechanisms --json --repeats 0 --ids 5,6 --mask "$dir/m.npy"
    echo "$output" | jq -e '[.layers[0].mechanisms[] | select(.refused != null) | .mechanism] ==
        ["one-head","half-heads","elu","favor"]' > /dev/null
}

@test "a bare layer: its options, its rows, its names in the picture" {
    layer=$ref/layers/q_linear.safetensors
    works "$viz" mechanisms --repeats 0 -m "$layer" --heads 3 --tokens '我 喜欢 吃 苹果' \
        -o "$dir/m.svg"
    [ "$(magic "$dir/m.svg" 5)" = 3c3f786d6c ]
    works "$viz" mechanisms --tsv --repeats 0 --only local -m "$layer" --heads 3 --shape 2x5 \
        --memory random
    [ "$(wc -l <<< "$output")" -eq 3 ]
    works "$viz" mechanisms --repeats 0 --only dot -m "$ref/layers/shaw.safetensors" \
        --relative shaw --seed 3
    one=$output
    works "$viz" mechanisms --repeats 0 --only dot -m "$ref/layers/shaw.safetensors" \
        --relative shaw --seed 4
    [ "$output" != "$one" ]
}

@test "one token" {
    works "$viz" mechanisms --json --propagate --no-special a
    echo "$output" | jq -e '.queries == 1 and (.layers[0].mechanisms | all(
        .mechanism == "additive" or (.error < 1e-6 and .js < 1e-6 and .links_kept == 1)))' > /dev/null
}

@test "texts of a file: one table each, one TSV, one object per line" {
    printf 'one two\n\xff\nthree four five\n' > "$dir/three"
    run --separate-stderr "$viz" mechanisms --tsv --repeats 0 --only exact,local -f "$dir/three"
    [ "$status" -eq 3 ]
    [[ $stderr == *"line 2"* ]]
    [ "${#lines[@]}" -eq 5 ]
    [ "$(cut -f 1 <<< "$output" | tr '\n' ' ')" = "index 0 0 2 2 " ]
    run --separate-stderr "$viz" mechanisms --json --repeats 0 -f "$dir/three"
    [ "$(jq -s length <<< "$output")" -eq 2 ]
    run --separate-stderr "$viz" mechanisms --repeats 0 --outputs-only -f "$dir/three"
    [[ $output == *"text 3, layer "* ]]
    [[ ${lines[1]} == "mechanism "*error*scores*memory*growth ]]
    [[ ${lines[1]} != *JS* && ${lines[1]} != *time* ]]
}

@test "times if they are asked for" {
    works "$viz" mechanisms --json --repeats 2 --only exact,favor "$text"
    echo "$output" | jq -e '.layers[0].mechanisms | all(.time > 0)' > /dev/null
}

@test "pictures: one head, one panel per mechanism, gray where nothing looks" {
    works "$viz" mechanisms -l 1 -H 2 -o "$dir/all.png" "$text"
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
    fails 2 "--buckets: 3 is odd" "$viz" mechanisms --buckets 3 a
    fails 2 "--chunk" "$viz" mechanisms --chunk 0 a
    fails 2 "unknown file extension" "$viz" mechanisms -o "$dir/x.gif" a
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
    works "$viz" mechanisms --json --repeats 0 -m "$ref/llama" --ids 1,2 --only additive \
        --additive "$dir/zero.safetensors"
    echo "$output" | jq -e '.layers[0].mechanisms[0].entropy | . > 0.34657 and . < 0.34658' > /dev/null
}
