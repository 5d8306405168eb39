#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# --hide, --renorm and --merge words: what is left out of pictures and statistics, and words
# in place of their pieces; the numbers against NumPy (tests/ref/shown.py).

load helper

text='the cat saw unable 我喜欢'     # tokens: <|bos|> the cat saw un able ␣ 我 喜 欢

# numbers OPTION...: those of stats with the options are those of NumPy; KEYS, QUERIES and
# GROUPS say what is left out and merged, MODEL and TEXTS of what, LISTED the texts of keys
numbers() {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    "$viz" export --all "${model[@]}" -o "$dir/raw.npz" "${texts[@]}"
    every=$(sed -nE 's/^METRIC\([a-z0-9_]*, "([^"]*)".*/\1/p' src/analysis/metrics.def |
        grep -v '^cache_' | paste -sd ,),cache
    "$viz" stats --json --metric "$every" "${model[@]}" "$@" "${texts[@]}" > "$dir/stats.json"
    "$viz" tokens --json "${model[@]:0:2}" "${listed[@]-"${texts[@]}"}" > "$dir/tokens.json"
    TOKENS=$dir/tokens.json CONFIG=${model[1]:-assets/default}/config.json \
        HIDE_KEYS=${keys:-[]} HIDE_QUERIES=${queries:-${keys:-[]}} GROUPS_OF=$groups \
        python3 "$ref/shown.py" "$dir/raw.npz" "$dir/stats.json"
}

@test "metrics of rows that look both ways, back, through a window and at another text" {
    model=() texts=("$text")
    numbers
    texts=("to be or not to be , that is the question . to be or not to be")
    numbers
    texts=("$(printf 'to be, or not.\n\nto be')")
    numbers
    texts=("$(for _ in 1 2 3 4 5; do printf 'the cat saw the dog and the key ran . '; done)")
    numbers
    model=(-m "$ref/bert") texts=("the key , is in the door ." "a key")
    numbers
    for m in gpt2 families/mistral families/gemma3 families/bloom; do
        model=(-m "$ref/$m") texts=(--ids "5,6,7,8,5,6,9,10,11,5,6,7")
        numbers
    done
    model=(-m "$ref/bart") texts=("the key is in the door" "a key")
    numbers
}

@test "weight on rare tokens, by counts of a file" {
    export UNIGRAMS=$dir/counts
    # of the built-in model "the" and "cat"; the rest is rare, the full stop least so
    "$viz" tokens --json "the cat . ran" |
        jq -r '.ids | "\(.[0])\t100", "\(.[1])\t90", "\(.[2])\t50", "\(.[3])\t9"' > "$dir/counts"
    model=() texts=("$(for _ in 1 2; do printf 'the cat saw the dog and the key ran . '; done)")
    numbers --unigrams "$dir/counts"
    jq -e '.heads | all(.rare1 != null and .rare_rho != null)' "$dir/stats.json" > /dev/null
    keys='[0,3]' numbers --unigrams "$dir/counts" --hide 0,3 --renorm
    # By other counts; those of equally rare tokens go by position
    { printf '5\t7\n'; for ((i = 10; i < 40; i++)); do printf '%d\t%d\n' $i 1; done; } \
        > "$dir/counts"
    for m in gpt2 families/mistral; do
        model=(-m "$ref/$m") texts=(--ids "5,6,7,8,5,6,9,10,11,5,6,7")
        numbers --unigrams "$dir/counts"
    done
    model=(-m "$ref/bart") texts=("the key is in the door" "a key")
    numbers --unigrams "$dir/counts"
    model=(-m "$ref/bert") texts=("the key , is in the door ." "a key")
    numbers --unigrams "$dir/counts"
    # All tokens common: nothing is rare
    printf '5\t7\n6\t7\n' > "$dir/counts"
    model=(-m "$ref/gpt2") texts=(--ids "5,6,5,6")
    numbers --unigrams "$dir/counts"
    jq -e '.heads | all(.rare1 == null and .rare2 == null and .rare_rho == null)' \
        "$dir/stats.json" > /dev/null
}

# bats test_tags=once
@test "statistics of few keys are those of NumPy" {
    CACHE='[[4,7,16],2,5,0,3]'
    model=() texts=("$(for _ in 1 2 3 4; do printf 'the cat saw the dog and the key ran . '; done)")
    export CACHE
    numbers --budgets 4,7,16 --stream 2,5 --snap-window 3
    for m in gpt2 llama families/mistral; do
        model=(-m "$ref/$m") texts=(--ids "5,6,7,8,5,6,9,10,11,5,6,7,12,13,5,6")
        numbers --budgets 4,7,16 --stream 2,5 --snap-window 3
        CACHE='[[2,4,6],0,2,9,1]' \
            numbers --budgets 2,4,6 --stream 0,2 --snap-window 1 --prompt 9
    done
    keys='[0,3]' numbers --budgets 4,7,16 --stream 2,5 --snap-window 3 --hide 0,3
    keys='[0,3]' numbers --budgets 4,7,16 --stream 2,5 --snap-window 3 --hide 0,3 --renorm
}

# bats test_tags=once
@test "statistics of what --hide leaves are those of NumPy" {
    model=() texts=("$text")
    keys='[0]' numbers --hide first
    keys='[0]' numbers --hide-special
    keys='[0]' numbers --hide special --renorm
    keys='[0,2,3,9]' numbers --hide first,2-3,9
    keys='[0,2,3,9]' numbers --hide 9,2-3,0 --renorm
    model=(-m "$ref/bert") texts=("the key is in the door" "a key")
    keys=$("$viz" tokens "${model[@]}" --json "${texts[@]}" |
        jq -c '[.special | to_entries[] | select(.value == 1).key]')
    numbers --hide special
    numbers --hide special --renorm
}

# bats test_tags=once
@test "statistics of words are those of NumPy" {
    model=() texts=("$text") groups=0,1,2,3,4,4,5,5,5,5
    numbers --merge words
    keys='[0]' numbers --merge words --hide first
    keys='[0,5,8]' numbers --merge words --hide 0,5,8 --renorm
    model=(-m "$ref/bert") texts=("the keyhole saw")
    groups=$("$viz" tokens "${model[@]}" --words --json "${texts[@]}" |
        jq -r '[foreach .words[] as $w ([-1, -2]; if $w != null and $w == .[1] then .
                else [.[0] + 1, $w] end; .[0])] | join(",")')
    numbers --merge words --words
    numbers --merge words
}

# bats test_tags=once
@test "words of many pieces: the numbers of NumPy, the same bytes each time" {
    local piece="我喜欢吃苹果我喜欢吃苹果我喜欢吃苹果我喜欢吃苹果"
    model=() texts=("$piece the cat")
    groups=$("$viz" tokens --json "${texts[@]}" |
        jq -r '(.tokens | length) as $n | [0, (range(3; $n) | 1), 2, 3] | join(",")')
    numbers --merge words
    keys='[0]' numbers --merge words --hide first --renorm
    for _ in {1..8}; do
        echo "$piece the cat $piece"
    done > "$dir/lines"
    "$viz" stats --json --merge words -f "$dir/lines" > "$dir/one"
    for threads in 1 2 3; do
        "$viz" stats --json --threads $threads --merge words -f "$dir/lines" | cmp - "$dir/one"
    done
    works "$viz" diff --summary --json --merge words --dtype f32 --dtype bf16 -f "$dir/lines"
    echo "$output" | jq -e '.heads | all(.js.mean >= 0 and .js.mean < 0.1)' > /dev/null
}

@test "cross-attention: positions are of the keys, first and special of both texts" {
    model=(-m "$ref/seq2seq/t5" -s cross) texts=(--ids "3,4,5,1" --decoder-ids "0,6,7")
    listed=(--ids "3,4,5,1")
    keys='[1,2]' queries='[]' numbers --hide 1-2
    keys='[0]' queries='[0]' numbers --hide first --renorm
    works "$viz" stats --json "${model[@]}" --hide 1-2 "${texts[@]}"
    [ "$(echo "$output" | jq -c '[.hidden, .hidden_key]')" = '[[],[1,2]]' ]
}

# bats test_tags=threads
@test "precomputed attention and threads: the same numbers" {
    "$viz" export -o "$dir/raw.npz" "$text"
    for options in "--hide first,3 --renorm" "--hide 0,5"; do
        # shellcheck disable=SC2086
        "$viz" stats --json $options "$text" | jq -c .heads > "$dir/one"
        # shellcheck disable=SC2086
        "$viz" stats --json --threads 3 $options "$text" | jq -c .heads | cmp - "$dir/one"
        # shellcheck disable=SC2086
        agree "$(cat "$dir/one")" \
            "$("$viz" stats --json --attention "$dir/raw.npz" $options | jq -c .heads)" 1e-6 1e-6
    done
    fails 2 "--merge words requires a text, not ids or arrays" \
        "$viz" stats --attention "$dir/raw.npz" --merge words
    "$viz" stats --json --merge words --threads 1 "$text" > "$dir/one"
    "$viz" stats --json --merge words --threads 3 "$text" | cmp - "$dir/one"
}

@test "reports say what is left out; metrics are of divided rows, links as --renorm says" {
    works "$viz" stats --json --hide first,2-3 "$text"
    [ "$(echo "$output" | jq -c '[.hide, .renorm, .hidden, has("divided"), has("merge")]')" = \
        '["first,2-3",false,[0,2,3],false,false]' ]
    echo "$output" | jq -e '.heads | all(.first == null and .rows_skipped == 0 and
        ([.links[][0]] == [1, 4, 5, 6, 7, 8, 9]))' > /dev/null
    works "$viz" stats --json --merge words "$text"
    [ "$(echo "$output" | jq -c '[.merge, .labels, .ids, has("hide")]')" = \
        '["words",["<|bos|>","the","cat","saw","unable","我喜欢"],null,false]' ]
    [ "$("$viz" stats -l 0 --hide 0 "$text" | head -n 1)" = \
        "token 0 hidden, weights not renormalised; metrics are of rows divided by what is left" ]
    [ "$("$viz" stats -l 0 --hide first,2-3 --renorm "$text" | head -n 1)" = \
        "first token, tokens 2-3 hidden, rows divided by what is left" ]
    [ "$("$viz" stats --tsv --hide 0 "$text" | head -n 2 | cut -f 2,3 | paste -s)" = "$(printf 'hide\trenorm\t0\t0')" ]
    [ "$("$viz" stats --tsv "$text" | head -n 1 | cut -f 2)" = stack ]
}

# bats test_tags=once
@test "every metric is of divided rows, with --renorm or without; weights of links with it" {
    local all="--metric all --hide special,2" short="the cat saw the dog and the key"

    for options in "" "--merge words" "--weight norm"; do
        # shellcheck disable=SC2086
        "$viz" stats --json $all $options "$short" > "$dir/plain"
        # shellcheck disable=SC2086
        "$viz" stats --json $all $options --renorm "$short" > "$dir/renorm"
        for of in plain renorm; do
            jq -c '[.heads[] | del(.links, .top)]' "$dir/$of" > "$dir/$of.metrics"
        done
        cmp "$dir/plain.metrics" "$dir/renorm.metrics"
        jq -s -e 'map([.heads[].links[][2]] | add) | .[0] < .[1]' "$dir/plain" "$dir/renorm" > /dev/null
    done
    for options in "" --renorm; do
        # shellcheck disable=SC2086
        "$viz" diff --json --hide special $options --heatmap "$dir/map$options.svg" --no-metadata \
            "the cat saw" "the dog saw" > "$dir/diff$options"
    done
    cmp "$dir/diff" "$dir/diff--renorm"
    refute cmp -s "$dir/map.svg" "$dir/map--renorm.svg"
}

# bats test_tags=once
@test "what the model's own sink took is a part of what --hide leaves" {
    "$viz" export -m "$ref/families/gpt_oss" --ids 5,6,7,8,9,10 -o "$dir/a.npz"
    "$viz" stats --json -m "$ref/families/gpt_oss" --metric basic,sinks,local_16 \
        --ids 5,6,7,8,9,10 --hide 2 > "$dir/stats.json"
    python3 - "$dir/a.npz" "$dir/stats.json" <<'PYTHON'
import json, sys
import numpy as np
arrays, heads = np.load(sys.argv[1]), json.load(open(sys.argv[2]))["heads"]
for head in heads:
    a = np.float64(arrays[f"attn.{head['layer']}"][head["head"]])
    sink = 1 - a.sum(1)
    a[:, 2] = 0
    rows = [i for i in range(len(a)) if i != 2 and a[i].sum() > 0]
    whole = (a.sum(1) + sink)[:, None]
    a, sink = (a / whole)[rows], (sink / whole[:, 0])[rows]
    p = np.where(a > 0, a, 1)
    for name, want in (("max_mean", a.max(1).mean()), ("null_mass", sink.mean()),
                       ("entropy", -(p * np.log(p)).sum(1).mean()),
                       ("local_16", a.sum(1).mean())):
        assert abs(head[name] - want) < 2e-6, (head["layer"], head["head"], name, head[name], want)
PYTHON
    # In a text of 40 tokens, what the sink takes is not far away
    "$viz" stats --json -m "$ref/families/gpt_oss" --metric sinks,far,local_16 \
        --ids "$(seq -s, 5 44)" |
        jq -e '.heads | all(.far >= -1e-6 and (.far + .local_16 + .null_mass - 1 | fabs) < 1e-6)' > /dev/null
}

@test "--renorm is of weights: where there are none it is refused" {
    for command in types curve "model --metric entropy" "stats --summary -f samples/english.txt" \
        "diff a b" "diff -o x.svg a b"; do
        # shellcheck disable=SC2086
        fails 2 "--renorm is of weights: numbers of heads are of divided rows without it" \
            "$viz" $command --hide first --renorm
    done
    [[ $("$viz" stats -q --summary --hide first -f samples/english.txt | head -n 1) == \
        *"hidden: first, rows divided by what is left"* ]]
}

@test "captions say what is hidden, and only what is" {
    caption() {
        "$viz" heatmap --no-metadata -o "$dir/a.svg" "$@"
        "$viz" heatmap -o "$dir/plain.svg" "${@: -1}"
        refute cmp -s "$dir/a.svg" "$dir/plain.svg"
    }
    caption --hide special "$text"
    caption --hide 1,2 --renorm "$text"
    caption --merge words "$text"
    [ "$("$viz" stats -m "$ref/gpt2" -l 0 --hide-special "the key" | head -n 1)" = \
        "no special tokens to hide" ]
}

@test "captions name tokens that there are, once" {
    line() { "$viz" stats -l 0 "$@" | grep -m 1 -E 'hidden|to hide'; }
    [[ $(line --hide 1,1,1 "$text") == "token 1 hidden, "* ]]
    [[ $(line --hide 3,1,2,7,first,first "$text") == "first token, tokens 1-3, 7 hidden, "* ]]
    printf 'a b\nthe cat saw\n' > "$dir/lines"
    [ "$(head -n 1 "$dir/lines" | line --hide 7)" = "no such tokens to hide: 7" ]
    [[ $(head -n 1 "$dir/lines" | line --hide 1-7) == "tokens 1-2 hidden, "* ]]
    printf 'a\tb\n' > "$dir/pairs"
    [[ $("$viz" diff -q --hide 9 --pairs -f "$dir/pairs") == *"; no such tokens to hide: 9"* ]]
    printf 'the cat saw\tthe cat\n' > "$dir/pairs"
    [[ $("$viz" diff -q --hide 3 --pairs -f "$dir/pairs") == *"; token 3 hidden, "* ]]
}

@test "a text that nothing is left of is an error, one of several is left out" {
    for command in stats heatmap "diff --dtype f32 --dtype bf16"; do
        # shellcheck disable=SC2086
        fails 3 "--hide: nothing is left of the text" "$viz" $command --hide 0-3 "a b c"
        printf 'a b c\nthe cat saw the dog\n' > "$dir/lines"
        mkdir "$dir/out"
        # shellcheck disable=SC2086
        run -3 --separate-stderr "$viz" $command -f "$dir/lines" --hide 0-3 -o "$dir/out/"
        [[ $stderr == *"line 1: --hide: nothing is left of the text"*"1 of 2 lines could not"* ]]
        [[ $(list "$dir/out") == 000002.* ]]
        rm -r "$dir/out"
    done
    fails 3 "--hide: nothing is left of the text" "$viz" diff --hide 0-3 "a b c" "a b d"
    fails 3 "the first text: --from: token 2 is hidden (--hide)" \
        "$viz" diff --hide 2 --from cat "the cat sat" "my cat ran"
    fails 3 "the second text: --from: token 3 is hidden (--hide)" \
        "$viz" diff --hide 3 --from cat "the cat sat" "my big cat"
    works "$viz" diff -q --json --hide first "a" "b c"      # no two rows are paired
    jq -e '.tokens_paired == 1 and (.heads | all(.js == null and .largest == null))' <<< "$output"
}

@test "a word is named by its text, and marked once as unknown" {
    works "$viz" stats -q --json -l 0 -m "$ref/bert" --merge words 'the, "dog" 蝙'
    [ "$(jq -c .labels <<< "$output")" = '["[CLS]","the,","[UNK] \"dog\"","[UNK] 蝙","[SEP]"]' ]
    works "$viz" stats --json -l 0 --merge words "the unbelievably good"
    [ "$(jq -c .tokens <<< "$output")" = '["<|bos|>","the","unbelievably","good"]' ]
    [ "$(jq -c .labels <<< "$output")" = '["<|bos|>","the","unbelievably","good"]' ]
}

@test "refusals of --hide, --renorm and --merge" {
    fails 3 "--hide: 10 is out of range: the text has tokens 0 to 9" "$viz" stats --hide 3,10 "$text"
    fails 3 "--hide: 10 is out of range" "$viz" heatmap --hide 7-10 -o "$dir/a.png" "$text"
    fails 2 "--hide: 'last' is not a list such as first,special,0,5-7" "$viz" stats --hide last "$text"
    fails 2 "--hide: '' is not a list" "$viz" stats --hide "" "$text"
    fails 2 "--hide: '3-1' is not a list" "$viz" stats --hide 3-1 "$text"
    fails 2 "--hide, --hide-special: only one" "$viz" stats --hide 1 --hide-special "$text"
    fails 2 "--renorm requires --hide" "$viz" stats --renorm "$text"
    fails 3 "--hide: nothing is left of the text" "$viz" heatmap --hide 0-9 -o "$dir/a.png" "$text"
    fails 2 "--merge, --ids: only one of them can be given: words are of a text" "$viz" stats --merge words --ids 1,2
    fails 2 "--merge, --pretokenized: only one of them can be given: --pretokenized gives pieces, not words" "$viz" stats --merge words --pretokenized the
    printf '%s\n' "the cat" "the cat saw the dog" > "$dir/lines"
    works "$viz" stats --json --hide 4 -f "$dir/lines"
    [ "$(jq -c .hidden <<< "$output" | paste -s -d ' ')" = "[] [4]" ]
    echo '{"ids":[1,2]}' > "$dir/ids"
    run -3 "$viz" stats --merge words --jsonl -f "$dir/ids"
    [[ $output == *"--merge words: ids have no words"* ]]
}

@test "a word that some pieces are left of is not hidden: it is those pieces" {
    works "$viz" stats --json -m "$ref/bert" --merge words --hide 2,5 'unable door'
    [ "$(jq -c '[.tokens, .hidden]' <<< "$output")" = '[["[CLS]","unable","door","[SEP]"],[]]' ]
    some=$(jq -c '.heads[0].entropy' <<< "$output")
    works "$viz" stats --json -m "$ref/bert" --merge words 'unable door'
    [ "$(jq -c '.heads[0].entropy' <<< "$output")" != "$some" ]
    works "$viz" stats --json -m "$ref/bert" --merge words --hide 1-6 'unable door'
    [ "$(jq -c .hidden <<< "$output")" = '[1]' ]
}

@test "diff: of what is left, and of words" {
    works "$viz" diff --json --hide special "the key is" "a key is"
    works "$viz" diff --json --merge words "the unable cat" "the able cat"
    [ "$(jq -c '[.first.labels, .second.labels]' <<< "$output")" = \
        '[["<|bos|>","the","unable","cat"],["<|bos|>","the","able","cat"]]' ]
    [ "$(jq -c '[.merge, has("hide")]' <<< "$output")" = '["words",false]' ]
    # shellcheck disable=SC1111  # the title has such quotes
    [ "$("$viz" diff --hide special "the key" "a key" | head -n 1)" = \
        "“the key” → “a key”; special tokens hidden, rows divided by what is left" ]
    works "$viz" diff --json --merge words --from unable "the unable cat" "an unable cat"
    [ "$(jq -c '[.first.at, .second.at]' <<< "$output")" = '[2,2]' ]
    printf 'the key\ta key\nthe dog\ta dog\n' > "$dir/pairs"
    works "$viz" diff --json --pairs -f "$dir/pairs" --summary --hide first
    [ "$(jq -c '[.hide, has("renorm")]' <<< "$output")" = '["first",false]' ]
}
