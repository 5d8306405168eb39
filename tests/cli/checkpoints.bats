#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# stats --summary of several models.

load helper

setup_lines() {
    printf 'the cat saw the dog\nthe key is in the door\nto be or not to be\n' > "$dir/lines"
}

@test "a summary of each model: the bytes of each alone, one after the other" {
    setup_lines
    options=(--summary --metric "entropy,prev" -f "$dir/lines")
    for m in "$ref/llama" "$ref/bert"; do
        "$viz" stats "${options[@]}" --json -m "$m" >> "$dir/alone"
    done
    "$viz" stats "${options[@]}" -m "$ref/llama" -m "$ref/bert" -o "$dir/both.json"
    diff <(jq -c 'del(.provenance)' "$dir/alone") \
        <(jq -c 'del(.score_r, .provenance)' "$dir/both.json")
    # The first says what both were
    [ "$(jq -c '.provenance.models // [] | map(.name)' "$dir/both.json" | xargs)" = \
        "[llama,bert] []" ]
    # other layers and heads: nothing to correlate
    [ "$(jq -c .score_r "$dir/both.json")" = "null
$(jq -nc '[{metric:"entropy",r:null},{metric:"prev",r:null}]')" ]
    "$viz" stats "${options[@]}" --tsv -m "$ref/llama" -m "$ref/bert" > "$dir/tsv"
    [ "$(cut -f 1 "$dir/tsv" | uniq | xargs)" = "model llama bert" ]
}

@test "score_r: correlation with the first model's means over the heads" {
    setup_lines
    cp -r "$ref/llama" "$dir/llama"
    python3 - "$dir/llama/model.safetensors" <<'PYTHON'
import struct, sys
path = sys.argv[1]
data = bytearray(open(path, "rb").read())
at = 8 + struct.unpack("<Q", data[:8])[0]
for i in range(at, len(data), 6):      # bfloat16: the first bit of the fraction
    data[i] ^= 0x40
open(path, "wb").write(data)
PYTHON
    "$viz" stats --summary --metric entropy,max_mean --json -m "$ref/llama" -m "$dir/llama" \
        -m "$ref/llama" -f - < "$dir/lines" > "$dir/all"
    jq -s -e '
        def mean: add / length;
        def r($x; $y): ($x | mean) as $a | ($y | mean) as $b |
            ([range($x | length) | ($x[.] - $a) * ($y[.] - $b)] | add) /
            (([$x[] - $a | . * .] | add) * ([$y[] - $b | . * .] | add) | sqrt);
        def near($x): . - $x | fabs < 1e-9;
        . as $all | [$all[] | [.heads[].entropy.mean]] as $entropy |
        ($all[1].score_r[0] | .metric == "entropy" and (.r | near(r($entropy[0]; $entropy[1])))
         and .r < 0.999999) and
        ($all[2].score_r | all(.r | near(1)))' "$dir/all"
    # one name, two models: each is called by its path
    [ "$(jq -r .model "$dir/all" | xargs)" = "$ref/llama $dir/llama $ref/llama" ]
}

@test "lines that a model cannot use are counted for it; a table for each model" {
    setup_lines
    printf '\xff\n' >> "$dir/lines"
    for ((i = 0; i < 3000; i++)); do printf 'cat '; done >> "$dir/lines"
    run -3 --separate-stderr "$viz" stats --summary --metric prev -m "$ref/llama" \
        -m "$ref/bert" -f "$dir/lines"
    [ "$(grep -c '^llama: mean of [34] texts$' <<< "$output")" -eq 1 ]
    [ "$(grep -c '^bert: mean of [34] texts$' <<< "$output")" -eq 1 ]
}

@test "several models are refused where one is expected" {
    setup_lines
    fails 2 "--model: given 2 times, expected once without --summary" \
        "$viz" stats -m "$ref/llama" -m "$ref/bert" the cat
    fails 2 "--shard, --model: expected one model" "$viz" stats -m "$ref/llama" \
        -m "$ref/bert" --summary --shard 0/2 -f "$dir/lines" -o "$dir/part"
    fails 2 "--resume, --model: expected one model" "$viz" stats -m "$ref/llama" \
        -m "$ref/bert" --summary --resume "$dir/state" -f "$dir/lines"
    fails 2 "--summary requires several texts" "$viz" stats -m "$ref/llama" -m "$ref/bert" \
        --summary "the cat"
    for command in heatmap export types ablate circuits attribute info mechanisms; do
        fails 2 "--model: given twice, as 'a' and 'b', expected once" "$viz" "$command" \
            -m a -m b
    done
}
