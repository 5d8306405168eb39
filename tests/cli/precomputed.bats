#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Precomputed attention (--attention), and queries, keys and values (--qkv), compared with
# the values of tests/ref/make_precomputed.py.
# shellcheck disable=SC2054,SC2128,SC2154,SC2178

load helper

# qkv NAME: the three files of a case
qkv() {
    echo "$ref/precomputed/$1.q.npy,$ref/precomputed/$1.k.npy,$ref/precomputed/$1.v.npy"
}

# heads FILE ARG...: the heads that stats reports
heads() {
    "$viz" stats --json "$@" | jq -c .heads
}

# bats test_tags=once
@test "stats has the same numbers as NumPy for each head" {
    local n i
    n=$(jq length "$ref/precomputed/stats.json")
    [ "$n" -ge 10 ]
    for ((i = 0; i < n; i++)); do
        mapfile -t argv < <(jq -r ".[$i].argv[]" "$ref/precomputed/stats.json")
        want=$(jq -c ".[$i].heads | [., .]" "$ref/precomputed/stats.json")    # agree wants many
        got=$(heads "${argv[@]}")
        [ "$(jq -c '[.[] | [.stack, .layer, .head]]' <<<"$got")" = \
            "$(jq -c '.[0] | [.[] | [.stack, .layer, .head]]' <<<"$want")" ]
        agree "$want" "$(jq -c '[., .]' <<<"$got")" 0 2e-6
    done
}

@test "a model's own export gives the model's statistics" {
    text='the cat saw the dog and the cat ran'
    "$viz" export -o "$dir/own.npz" "$text"
    agree "$(heads "$text")" "$(heads --attention "$dir/own.npz")" 0 1e-6
    "$viz" export -l 1,3 -H 0-1 -o "$dir/some.npz" "$text"
    agree "$(heads -l 1,3 -H 0-1 "$text")" "$(heads --attention "$dir/some.npz")" 0 1e-6
    "$viz" export --format npy -o "$dir/all.npy" "$text"
    agree "$(heads "$text")" "$(heads --attention "$dir/all.npy")" 0 1e-6
    "$viz" stats --json "$text" | jq -c '[.tokens, .ids]' >"$dir/names"
    "$viz" stats --json --attention "$dir/own.npz" | jq -c '[.tokens, .ids]' | diff "$dir/names" -
    "$viz" stats --json --attention "$dir/all.npy" | jq -e '.tokens[:3] == ["0","1","2"]'
}

@test "special tokens and labels of an export are the model's" {
    "$viz" export -m "$ref/bert" -o "$dir/own.npz" 'the river bank' 'the small bank'
    "$viz" stats -m "$ref/bert" 'the river bank' 'the small bank' >"$dir/model"
    "$viz" stats --attention "$dir/own.npz" | diff "$dir/model" -
    "$viz" export -o "$dir/own.npz" '我喜欢 the cat'
    "$viz" stats --types none '我喜欢 the cat' >"$dir/model"
    "$viz" stats --attention "$dir/own.npz" | diff "$dir/model" -
}

@test "what a sink takes that is not a key is exported, and read back" {
    argv=(-m "$ref/families/gpt_oss" --ids 5,9,13,21,8,30,7)
    metrics=null_mass,entropy_renorm,neff_renorm,max_mean_renorm,entropy
    "$viz" export --no-metadata "${argv[@]}" -o "$dir/sink.npz"
    unzip -Z1 "$dir/sink.npz" | grep -qx sink.1.npy
    want=$("$viz" stats --json --metric $metrics "${argv[@]}" | jq -c .heads)
    jq -e 'all(.[]; .null_mass > 0.01 and .null_mass < 0.99)' <<<"$want"
    agree "$want" "$("$viz" stats --json --metric $metrics --attention "$dir/sink.npz" |
        jq -c .heads)" 0 1e-6
    "$viz" export --no-metadata --attention "$dir/sink.npz" -o "$dir/again.npz"
    cmp "$dir/sink.npz" "$dir/again.npz"
    sed 's/sink\.1\.npy/sank.1.npy/g' "$dir/sink.npz" >"$dir/less.npz"
    fails 3 "its weights sum to 0." "$viz" stats --attention "$dir/less.npz"
    sed 's/sink\.0\.npy/sink.2.npy/g; s/sink\.1\.npy/sink.0.npy/g; s/sink\.2\.npy/sink.1.npy/g' \
        "$dir/sink.npz" >"$dir/other.npz"
    fails 3 "what a sink takes is 0." "$viz" stats --attention "$dir/other.npz"
    fails 3 "its softmax has a sink that is not a key, which no mechanism has" \
        "$viz" mechanisms "${argv[@]}"
    "$viz" neuron "${argv[@]}" -l 1 -H 2 --from 6 --json >"$dir/row"
    jq -e '(([.keys[].weight] | add) + .sink_weight - 1 | fabs) < 1e-6 and (.sink | type) == "number"' \
        "$dir/row"
    "$viz" neuron "${argv[@]}" -l 1 -H 2 --from 6 | head -1 | grep -q "a sink that is not a key has the score"
    want=$("$viz" stats --json --metric null_mass -l 1 "${argv[@]}" | jq .heads[2].null_mass)
    "$viz" heatmap "${argv[@]}" -l 1 -H 2 -o "$dir/sink.svg"
    sed 's/<[^>]*>/ /g' "$dir/sink.svg" | tr -s ' \n' ' ' |
        grep -q "last column: what a sink takes that is not a key"
    grep -o '→ sink: [0-9.e-]*' "$dir/sink.svg" |
        awk -v want="$want" '{ sum += $3 } END { exit !(NR == 7 && (sum / 7 - want) ^ 2 < 1e-6) }'
    "$viz" heatmap "${argv[@]}" -l 1 --average heads -o "$dir/mean.svg"
    all=$("$viz" stats --json --metric null_mass -l 1 "${argv[@]}" |
        jq '[.heads[].null_mass] | add / length')
    grep -o '→ sink: [0-9.e-]*' "$dir/mean.svg" |
        awk -v want="$all" '{ sum += $3 } END { exit !(NR == 7 && (sum / 7 - want) ^ 2 < 1e-6) }'
    for not in --rollout '--weight norm'; do
        "$viz" heatmap $not "${argv[@]}" -l 1 -o "$dir/not.svg"
        refute grep -q '→ sink' "$dir/not.svg"
    done
    "$viz" export --no-metadata --weight norm "${argv[@]}" -o "$dir/norm.npz"
    refute grep -q sink <(unzip -Z1 "$dir/norm.npz")
}

@test "a sink that is not a key: model, links, diff --heatmap and report show it, or say what it takes" {
    argv=(-m "$ref/families/gpt_oss" --ids 5,9,13,21,8,30,7)
    other=(-m "$ref/families/gpt_oss" --ids 5,9,13,22,8,30,7)
    taken() { "$viz" stats --json --metric null_mass "$@" | jq -c '[.heads[].null_mass]'; }
    drawn() { sed 's/<[^>]*>/ /g' "$1" | tr -s ' \n' ' '; }
    "$viz" model "${argv[@]}" -o "$dir/model.svg"
    drawn "$dir/model.svg" | grep -q "; last column: what a sink takes that is not a key"
    "$viz" model "${argv[@]}" --metric entropy -o "$dir/model.svg"
    drawn "$dir/model.svg" >"$dir/words"
    run ! grep -q sink "$dir/words"
    # A link to it from each row where it is one of the three strongest
    "$viz" links "${argv[@]}" -l 0 -H 0 --top-share 100 --term >"$dir/links"
    grep -q "; last place: what a sink takes that is not a key" <(tr '\n' ' ' <"$dir/links")
    "$viz" heatmap "${argv[@]}" -l 0 -H 0 -o "$dir/sink.svg"
    for n in $(grep '█' "$dir/links" | grep -o 'sink *[0-9.]*' | tr -dc '0-9.\n'); do
        grep -o '→ sink: [0-9.e-]*' "$dir/sink.svg" | awk -v n="$n" '($3 - n) ^ 2 < 0.0051 ^ 2 { found = 1 }
            END { exit !found }'
        echo "$n" >>"$dir/count"
    done
    [ "$(wc -l <"$dir/count")" = 6 ]
    for arcs in '' --arcs; do
        "$viz" links $arcs "${argv[@]}" -l 0 -o "$dir/links.svg"
        drawn "$dir/links.svg" | grep -q "[^a] sink "
    done
    "$viz" links "${argv[@]}" --type-ids 0,0,0,0,1,1,1 -l 1 -H 2 --between B-A -o "$dir/links.svg"
    at=$(for i in 4 5 6; do "$viz" neuron "${argv[@]}" -l 1 -H 2 --from $i --json; done |
        jq -s 'map(.sink_weight) | add / 3 * 100 | round / 100')
    drawn "$dir/links.svg" | grep -q "not shown: a sink that is not a key, which takes on average $at of a row"
    drawn "$dir/links.svg" >"$dir/words"
    run ! grep -q "[^a] sink " "$dir/words"
    "$viz" trace "${argv[@]}" --at 3 | head -1 | grep -q "4 heads; without what a sink takes that is not a key$"
    # Cells are the second's less the first's
    "$viz" diff "${argv[@]}" "${other[@]:2}" --heatmap "$dir/diff.svg" >"$dir/table"
    grep -o '→ sink: [0-9.e+-]*' "$dir/diff.svg" | awk '{ print $3 }' | jq -cs --argjson a \
        "$(taken "${argv[@]}")" --argjson b "$(taken "${other[@]}")" -e '. as $v | length == 56 and
        ([range(0; 8) as $h | ($v[7 * $h:7 * $h + 7] | add / 7) - ($b[$h] - $a[$h]) | fabs] | max < 2e-4)'
    "$viz" report "${argv[@]}" -o "$dir/a.html"
    python3 tests/cli/page.py --text "$dir/a.html" >"$dir/text"
    jq -c '.metrics[] | select(.name == "null_mass") | .value' "$dir/text" >"$dir/v"
    taken "${argv[@]}" | diff - "$dir/v"
    jq -e .sink "$dir/text"
    "$viz" report -o "$dir/a.html" 'the cat'
    python3 tests/cli/page.py --text "$dir/a.html" |
        jq -e '.sink == false and all(.metrics[]; .name != "null_mass")'
}

@test "stacks of an encoder-decoder's export" {
    argv=(-m "$ref/seq2seq/t5" --ids 1,2,3,4 --decoder-ids 5,6,7)
    "$viz" export "${argv[@]}" -o "$dir/t5.npz"
    for stack in encoder decoder cross; do
        agree "$(heads "${argv[@]}" -s $stack)" "$(heads --attention "$dir/t5.npz" -s $stack)" 0 1e-6
        "$viz" export "${argv[@]}" -s $stack -o "$dir/one.npz"
        agree "$(heads "${argv[@]}" -s $stack)" "$(heads --attention "$dir/one.npz")" 0 1e-6
    done
    fails 2 "--stack: 'encoder': one.npz has only the stack cross" \
        "$viz" stats --attention "$dir/one.npz" -s encoder
}

@test "copies of keys: sums are shown, and both are exported again" {
    text=(-m "$ref/families/big_bird_random" --ids "$(seq -s, 1 30)")
    "$viz" export --no-metadata "${text[@]}" -o "$dir/a.npz"
    unzip -Z1 "$dir/a.npz" | grep -qx eff.0.npy
    agree "$(heads "${text[@]}" | jq -c 'map(del(.entropy_norm))')" \
        "$(heads --attention "$dir/a.npz")" 0 1e-6
    "$viz" export --no-metadata --attention "$dir/a.npz" -o "$dir/b.npz"
    cmp "$dir/a.npz" "$dir/b.npz"
}

@test "an export of an export is the same file" {
    "$viz" export --no-metadata -o "$dir/a.npz" 'the cat saw the dog'
    "$viz" export --no-metadata --attention "$dir/a.npz" -o "$dir/b.npz"
    cmp "$dir/a.npz" "$dir/b.npz"
    "$viz" export --no-metadata --attention "$ref/precomputed/causal.npy" -o "$dir/c.npy" --format npy
    "$viz" export --no-metadata --attention "$dir/c.npy" -o "$dir/d.npy"
    cmp "$dir/c.npy" "$dir/d.npy"
    diff <(heads --attention "$dir/d.npy") <(heads --attention "$ref/precomputed/causal.npy")
    "$viz" export --no-metadata -m "$ref/layers/decoder.safetensors" --heads 3 -o "$dir/e.npz"
    "$viz" export --no-metadata --attention "$dir/e.npz" -o "$dir/f.npz"
    for name in dec.0 cross.0; do
        cmp <(unzip -p "$dir/e.npz" $name.npy) <(unzip -p "$dir/f.npz" $name.npy)
    done
}

@test "tokens of an export: arrays of strings, of both halves" {
    "$viz" export -m "$ref/seq2seq/t5" --ids 1,2,3,4 --decoder-ids 5,6,7 -o "$dir/t5.npz"
    works "$viz" stats --json -s cross --attention "$dir/t5.npz"
    [ "$(jq -c '[.tokens, .ids, .tokens_key, .ids_key]' <<< "$output")" = \
        "$("$viz" stats --json -s cross -m "$ref/seq2seq/t5" --ids 1,2,3,4 --decoder-ids 5,6,7 |
            jq -c '[.tokens, .ids, .tokens_key, .ids_key]')" ]
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    printf '%s\n' 'import sys, numpy as np' 'z = np.load(sys.argv[1])' \
        'assert {k: z[k].shape for k in z.files}["decoder_tokens"] == (3,)' \
        'assert z["tokens"].dtype.kind == "U" and z["tokens"][0] == "<id 1>"' \
        'np.savez(sys.argv[2], **{**z, "tokens": z["tokens"][1:]})' > "$dir/check.py"
    python3 "$dir/check.py" "$dir/t5.npz" "$dir/bad.npz"
    fails 3 "bad.npz: tokens: 3 names for 4 rows, expected the same number" \
        "$viz" stats --attention "$dir/bad.npz"
}

# bats test_tags=threads
@test "the same for one thread and many" {
    "$viz" stats --json --threads 1 --attention "$ref/precomputed/skipped.npy" >"$dir/one"
    "$viz" stats --json --threads 3 --attention "$ref/precomputed/skipped.npy" | cmp - "$dir/one"
}

@test "pictures: cells above the diagonal of a causal layer are gray" {
    "$viz" export -o "$dir/a.npz" 'the cat saw the dog'
    "$viz" heatmap -l 2 --no-metadata -o "$dir/model.png" --title x 'the cat saw the dog'
    works "$viz" heatmap -l 2 --attention "$dir/a.npz" --no-metadata -o "$dir/file.svg"
    works "$viz" heatmap --attention "$ref/precomputed/causal.npy" -H 1 -o "$dir/c.svg" --tokens "a b c d e f"
    [ "$(magic "$dir/model.png" 4)" = 89504e47 ]
    run "$viz" heatmap --attention "$ref/precomputed/gaps.npz"  -o "$dir/gaps.png"
    [ "$status" -eq 0 ]
    works "$viz" heatmap --attention "$ref/precomputed/gaps.npz" -l 3 -o "$dir/gaps.pdf"
}

@test "names: of the file, of --tokens and --key-tokens, or numbers" {
    names() { "$viz" stats --json "$@" | jq -c '[.tokens, .ids, .tokens_key, .ids_key, .text]'; }
    [ "$(names --attention "$ref/precomputed/plain.npz")" = '[["a","b","c","d","ü"],null,null,null,""]' ]
    [ "$(names --attention "$ref/precomputed/plain.npz" --tokens "1 2 3 4 我")" = \
        '[["1","2","3","4","我"],null,null,null,"1 2 3 4 我"]' ]
    [ "$(names --attention "$ref/precomputed/decoder.npz")" = \
        '[["a","b","c","d"],[9,10,11,12],["k0","k1","k2","k3","k4"],[0,1,2,3,4],""]' ]
    [ "$(names --attention "$ref/precomputed/cross.npy" --key-tokens "a b c d e f g")" = \
        '[["0","1","2","3"],null,["a","b","c","d","e","f","g"],null,""]' ]
    [ "$(names --qkv "$(qkv cross)" --tokens "a b c d e" --key-tokens "1 2 3 4 5 6 7")" = \
        '[["a","b","c","d","e"],null,["1","2","3","4","5","6","7"],null,"a b c d e"]' ]
    [ "$(names --qkv "$(qkv heads)")" = '[["0","1","2","3","4"],null,null,null,""]' ]
    [ "$(names -m "$ref/layers/w_q.safetensors" --heads 4 --input "$ref/layers/npz/x.npy" \
        --memory "$ref/layers/npz/y.npy" --key-tokens "a b c d e f" | jq -c '.[2]')" = \
        '["a","b","c","d","e","f"]' ]
    fails 2 "--tokens: 2 names for 5 rows, expected the same number" \
        "$viz" stats --attention "$ref/precomputed/plain.npz" --tokens "a b"
    fails 2 "--key-tokens: 1 name for 5 rows, expected the same number" \
        "$viz" stats --attention "$ref/precomputed/decoder.npz" --key-tokens a
    fails 2 "--key-tokens: plain.npz has no cross-attention" \
        "$viz" stats --attention "$ref/precomputed/plain.npz" --key-tokens a
    fails 2 "--key-tokens: 1 name for 7 rows" "$viz" stats --qkv "$(qkv cross)" --key-tokens a
    fails 2 "--key-tokens: the keys come from the same rows" "$viz" stats --key-tokens a \
        -m "$ref/layers/w_q.safetensors" --heads 4
    fails 2 "--key-tokens requires a bare layer" "$viz" stats --key-tokens a b
}

@test "info says what a file holds" {
    works "$viz" info --attention "$ref/precomputed/decoder.npz"
    [[ $output == *"encoder     layers 0-1, 4 heads, 5 queries, 5 keys, F32"* ]]
    [[ $output == *"decoder     layers 0-2, 3 heads, 4 queries, 4 keys, F32, causal"* ]]
    [[ $output == *"cross       layers 0-2, 3 heads, 4 queries, 5 keys, F32"* ]]
    works "$viz" info --json --attention "$ref/precomputed/causal.npy"
    [ "$(jq -c .stacks <<<"$output")" = \
        '{"decoder":{"layers":[0,1],"heads":3,"queries":6,"keys":6,"dtype":"F16","causal":true}}' ]
    works "$viz" info --attention "$ref/precomputed/gaps.npz"
    [[ $output == *"layers 1,3, 2 heads"* ]]
}

@test "diff: two files, or a model and a file" {
    text='the cat saw the dog'
    "$viz" export -o "$dir/a.npz" "$text"
    "$viz" export -o "$dir/b.npz" --dtype bf16 "$text"
    works "$viz" diff --json --attention "$dir/a.npz" --attention "$dir/b.npz"
    files=$output
    works "$viz" diff --json --dtype f32 --dtype bf16 "$text"
    agree "$(jq -c .heads <<<"$output")" "$(jq -c .heads <<<"$files")" 0 1e-6
    works "$viz" diff --json --tolerance 1e-6 --attention "$dir/a.npz" "$text"
    [ "$(jq .tokens_paired <<<"$output")" -eq 6 ]
    works "$viz" diff --json --qkv "$(qkv heads)" --dtype f32 --dtype bf16
    "$viz" export -l 1 -o "$dir/c.npz" "$text"
    fails 3 "has 6 layers of 4 heads, c.npz has 2 of 4" \
        "$viz" diff --attention "$dir/a.npz" --attention "$dir/c.npz"
    "$viz" export -l 5 -o "$dir/d.npz" "$text"
    fails 3 "layer 0 is only in a.npz" "$viz" diff --attention "$dir/a.npz" --attention "$dir/d.npz"
    works "$viz" diff -l 5 --attention "$dir/a.npz" --attention "$dir/d.npz"
    fails 2 "--attention: expected two of them, or one and a model" \
        "$viz" diff -m "$ref/gpt2" --attention "$dir/a.npz" --attention "$dir/d.npz"
}

@test "files that hold no attention, or bad rows, are named with what is wrong" {
    local n=0
    while IFS=$'\t' read -r name message; do
        fails 3 "$message" "$viz" stats --attention "$ref/precomputed/bad/$name"
        n=$((n + 1))
    done < <(jq -r 'to_entries[] | [.key, .value] | @tsv' "$ref/precomputed/bad.json")
    [ "$n" -eq "$(list "$ref/precomputed/bad" | wc -w)" ]
    fails 3 "negative.npz" "$viz" heatmap --attention "$ref/precomputed/bad/negative.npz" -o "$dir/x.png"
    [ "$(list "$dir")" = "" ]
    head -c 400 "$ref/precomputed/causal.npy" >"$dir/short.npy"
    fails 3 "short.npy: .npy holds 272 bytes of data, expected 432" "$viz" stats --attention "$dir/short.npy"
    fails 3 "none.npz" "$viz" stats --attention "$dir/none.npz"
}

@test "rows that are not selected are not checked" {
    works "$viz" stats --attention "$ref/precomputed/bad/sum.npy" -H 0
    fails 3 "head 1, row 33" "$viz" stats --attention "$ref/precomputed/bad/sum.npy" -H 1
}

@test "layers that a file lacks" {
    fails 2 "--layer: gaps.npz holds layers 1,3, not 2" \
        "$viz" stats --attention "$ref/precomputed/gaps.npz" -l 2
    works "$viz" stats --attention "$ref/precomputed/gaps.npz" -l 1-3
    fails 2 "--layer: 4 is out of range: the model has layers 0 to 3" \
        "$viz" stats --attention "$ref/precomputed/gaps.npz" -l 4
    works "$viz" stats --attention "$ref/precomputed/gaps.npz" -l all
}

@test "what does not go with --attention and --qkv" {
    a=(--attention "$ref/precomputed/plain.npz") q=(--qkv "$(qkv heads)")
    fails 2 "--attention, --qkv: only one of them can be given" "$viz" stats "${a[@]}" "${q[@]}"
    for option in --model=x --heads=2 --norm-first --activation=gelu --relative=shaw --input=x \
        --shape=3 --memory=x --key=x --value=x --ids=1 --decoder-ids=1 --file=x; do
        name=${option%%=*}
        argv=("$name")
        [ "$option" = "$name" ] || argv+=("${option#*=}")
        fails 2 "--attention, $name: only one of them can be given" "$viz" stats "${a[@]}" "${argv[@]}"
        [ "$name" = --heads ] || fails 2 "--qkv, $name: only one of them can be given" "$viz" stats "${q[@]}" "${argv[@]}"
    done
    fails 2 "--attention reads no TEXT" "$viz" stats "${a[@]}" text
    fails 2 "--qkv reads no TEXT" "$viz" stats "${q[@]}" text
    fails 2 "--mask: the attention of plain.npz is precomputed" "$viz" stats "${a[@]}" --mask causal
    fails 2 "--dtype: the attention of plain.npz is precomputed" "$viz" stats "${a[@]}" --dtype bf16
    fails 2 "--memory-mask: the attention of plain.npz is precomputed" \
        "$viz" stats "${a[@]}" --memory-mask causal
    fails 2 "--score-scale requires --qkv" "$viz" stats "${a[@]}" --score-scale 1
    fails 2 "--score-scale requires --qkv" "$viz" stats --score-scale 1 text
    for option in --hidden --all; do
        fails 2 "plain.npz holds only rows of attention: this requires a model" \
            "$viz" export "${a[@]}" $option -o "$dir/x.npz"
    done
    fails 3 "--logits: plain.npz has no output head" "$viz" export "${a[@]}" --logits -o "$dir/x.npz"
    fails 2 "--attention: noise requires a model or a layer" "$viz" stability "${a[@]}"
    fails 2 "--attention has no queries, keys and values; give a model or --qkv" "$viz" mechanisms "${a[@]}"
    fails 2 "--qkv: noise requires a model or a layer" "$viz" stability "${q[@]}"
    [ "$(list "$dir")" = "" ]
}

@test "--qkv of several texts is each of them alone" {
    mkdir "$dir/out"
    "$viz" export --no-metadata --qkv "$(qkv texts)" -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.npz 000002.npz " ]
    "$viz" export --no-metadata --qkv "$(qkv groups)" -o "$dir/one.npz"
    cmp "$dir/one.npz" "$dir/out/000001.npz"
    heads --qkv "$(qkv groups)" >"$dir/one"
    "$viz" stats --json --qkv "$(qkv texts)" | head -n 1 | jq -c .heads | diff "$dir/one" -
}

@test "--qkv with --heads: heads are columns of rows, of each text" {
    r=$ref/precomputed
    heads --qkv "$(qkv texts)" >"$dir/want"
    heads --heads 6 --qkv "$(qkv joined)" | diff "$dir/want" -
    mkdir "$dir/texts" "$dir/joined"
    "$viz" export --no-metadata --all --qkv "$(qkv texts)" -o "$dir/texts/"
    "$viz" export --no-metadata --all --heads 6 --qkv "$(qkv joined)" -o "$dir/joined/"
    diff -r "$dir/texts" "$dir/joined"
    # Other rows for keys: a text of 5 queries and one of 5 keys with names.
    works "$viz" stats --json --heads 6 --qkv "$(qkv joined)" --key-tokens "a b c d e"
    [ "$(jq -r '.heads[0].stack' <<<"${lines[0]}")" = cross ]
    # One text, one head: rows as they are.
    heads --qkv "$(qkv one_head)" >"$dir/want"
    heads --heads 1 --qkv "$(qkv one_head)" | diff "$dir/want" -
    fails 2 "joined.q.npy has shape [2,5,24], whose 24 columns are not those of 5 heads" \
        "$viz" stats --heads 5 --qkv "$(qkv joined)"
    fails 2 "joined.k.npy has shape [2,5,8], whose 8 columns are not those of 2 heads, or of fewer" \
        "$viz" stats --heads 2 --qkv "$(qkv joined)"
    fails 3 "texts.q.npy: shape [2,6,5,4], with --heads expected [rows, d_model] or [texts, rows, d_model]" \
        "$viz" stats --heads 6 --qkv "$(qkv texts)"
}

@test "mechanisms on --qkv: its exact row is the attention itself" {
    works "$viz" mechanisms --json --runs 0 --qkv "$(qkv heads)" --propagate \
        --tokens "a b c d e"
    jq -e '.layers[0].mechanisms | length > 5 and .[0].mechanism == "exact" and .[0].error == 0' \
        <<<"$output"
    works "$viz" mechanisms --runs 0 --qkv "$(qkv causal)" --mask causal --only exact,local
    run "$viz" mechanisms --runs 0 --qkv "$(qkv heads)" -H 0 -o "$dir/m.png"
    [ "$(magic "$dir/m.png" 4)" = 89504e47 ]
}

@test "--qkv: files that do not fit together" {
    r=$ref/precomputed
    fails 2 "--qkv: 'a,b' is not a list of three files" "$viz" stats --qkv a,b
    fails 2 "--qkv: 'a,b,c,d' is not a list of three files" "$viz" stats --qkv a,b,c,d
    fails 3 "plain.npz: holds 2 arrays, expected one" "$viz" stats \
        --qkv "$r/plain.npz,$r/heads.k.npy,$r/heads.v.npy"
    fails 3 "expected queries and keys of one width" "$viz" stats \
        --qkv "$r/heads.q.npy,$r/one_head.k.npy,$r/one_head.v.npy"
    fails 3 "expected as many values as keys" "$viz" stats \
        --qkv "$r/cross.q.npy,$r/cross.k.npy,$r/values.v.npy"
    fails 3 "expected as many heads of values as of keys" "$viz" stats \
        --qkv "$r/heads.q.npy,$r/heads.k.npy,$r/values.v.npy"
    fails 3 "expected heads of keys that divide those of queries" "$viz" stats \
        --qkv "$r/heads.q.npy,$r/values.k.npy,$r/values.v.npy"
    fails 3 "expected as many texts" "$viz" stats \
        --qkv "$r/texts.q.npy,$r/groups.k.npy,$r/groups.v.npy"
    fails 3 "nan.npz: element [0,39,39] is NaN as a float" "$viz" stats \
        --qkv "$r/bad/nan.npz,$r/bad/nan.npz,$r/bad/nan.npz"
    fails 3 "fortran.npy: .npy header" "$viz" stats \
        --qkv "$r/bad/fortran.npy,$r/heads.k.npy,$r/heads.v.npy"
    fails 3 "the mask has the shape [5,7], expected [5,5], [3,5,5], [texts,5,5] or [texts,3,5,5]" \
        "$viz" stats --qkv "$(qkv heads)" --mask "$r/added.npy"
}
