#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stats, export, tokens and info: forms of output, order, selection.  The numbers are
# tested in tests/ref/program.c.

# shellcheck disable=SC2154,SC2016
load helper

text="the key is in the door"

@test "stats: a table with one row per head, no control characters" {
    works "$viz" stats -m "$ref/bert" "$text"
    [ "${#lines[@]}" -eq 7 ]
    [[ ${lines[0]} == head*entropy*norm*max*dist*prev*self*next*first*strongest* ]]
    [[ ${lines[1]} == L0H0* && ${lines[6]} == L1H2* ]]
}

@test "stats --tsv: a header, one row per head, the names of the metrics" {
    works "$viz" stats --tsv -m "$ref/bert" "$text"
    [ "${#lines[@]}" -eq 7 ]
    metrics=$(sed -nE 's/^METRIC\([a-z_]*, "([^"]*)".*, BASIC,$/\1/p' src/analysis/metrics.def | paste -s)
    [ "${lines[0]}" = "$(printf 'index\tstack\tlayer\thead\t%s\tlink_query\tlink_key\tlink_weight\trows_skipped\tn_tokens' "$metrics")" ]
    [ "$(cut -f 1-4 <<< "$output" | tail -1)" = "$(printf '0\tencoder\t1\t2')" ]
    [[ ${lines[0]} == *$'\t'n_tokens && ${lines[6]} == *$'\t'8 ]]
    printf 'the key\nthe door\n' > "$dir/two"
    works "$viz" stats --tsv -m "$ref/bert" -f "$dir/two"
    [ "${#lines[@]}" -eq 13 ]       # one header
    [ "$(cut -f 1 <<< "$output" | sort | uniq -c | tr -s ' \n' ' ')" = " 6 0 6 1 1 index " ]
}

@test "stats --metric: the metrics that are named, a group, both" {
    works "$viz" stats --tsv -m "$ref/bert" --metric self,entropy "$text"
    [[ ${lines[0]} == index$'\t'stack$'\t'layer$'\t'head$'\t'entropy$'\t'self$'\t'link_query* ]]
    "$viz" stats --tsv -m "$ref/bert" "$text" | cut -f 1-5,11,14- | cmp - <(echo "$output")
    works "$viz" stats -m "$ref/bert" --metric self "$text"
    [[ ${lines[0]} =~ ^head\ +self\ +strongest ]]
    works "$viz" stats --no-metadata --json -m "$ref/bert" --metric basic,self "$text"
    [ "$output" = "$("$viz" stats --no-metadata --json -m "$ref/bert" "$text")" ]
    # What sorts is computed
    works "$viz" stats -m "$ref/bert" --metric self --sort first "$text"
    [[ ${lines[0]} =~ ^head\ +self\ +first\ +strongest ]]
    # A table is for reading; the others have all
    works "$viz" stats -m "$ref/bert" --metric all "$text"
    [ "${lines[0]}" = "$("$viz" stats -m "$ref/bert" "$text" | head -n 1)" ]
    works "$viz" stats --tsv -m "$ref/bert" --metric all "$text"
    all=$(sed -nE '/, LIST, /d; s/^METRIC\([a-z0-9_]*, "([^"]*)".*, (BASIC|ALL),$/\1/p' \
        src/analysis/metrics.def | paste -s)
    [[ ${lines[0]} == *$'\t'head$'\t'$all$'\t'link_query* ]]
    fails 2 "--metric: 'entropi' is not a metric; did you mean 'entropy'?" \
        "$viz" stats -m "$ref/bert" --metric self,entropi "$text"
    fails 2 "--metric: '' is not a metric" "$viz" stats -m "$ref/bert" --metric '' "$text"
    # A group of its own, lists and words
    works "$viz" stats --tsv -m "$ref/bert" --metric scale "$text"
    [[ ${lines[0]} == *$'\t'query_independence$'\t'* ]]
    fails 2 "--metric: 'received' is a list: only --json prints it" \
        "$viz" stats -m "$ref/bert" --metric self,received "$text"
    fails 2 "--sort: 'received' is neither 'layer' nor a metric" \
        "$viz" stats -m "$ref/bert" --sort received "$text"
    works "$viz" stats --tsv -m "$ref/bert" --metric self --sort stable_rank "$text"
    cut -f 6 <<< "$output" | tail -n +2 | sort -rgc
    [[ ${lines[0]} == *$'\tself\tstable_rank\tlink_query'* ]]
    fails 2 "--metric: 'flow' is a matrix: only --json prints it" \
        "$viz" stats --tsv -m "$ref/bert" --metric self,flow "$text"
    fails 2 "--metric: 'rollout' is a matrix: it is of all layers and heads" \
        "$viz" stats --json -m "$ref/bert" -l 0 --metric rollout "$text"
    works "$viz" stats --json -m "$ref/bert" --metric rollout "$text"
    [ "$(jq -c '[has("rollout"), has("flow"), (.rollout[0][1] | add * 1e6 | round)]' \
        <<< "$output")" = '[true,false,1000000]' ]
    works "$viz" stats --json -m "$ref/bert" --metric received,kovaleva "$text"
    [ "$(jq -c '.heads[0] | keys_unsorted[:6]' <<< "$output")" = \
        '["stack","layer","head","received","kovaleva","rows_skipped"]' ]
    works "$viz" stats -m "$ref/bert" --metric kovaleva "$text"
    [[ ${lines[1]} =~ ^L0H0\ +(vertical|diagonal|vertical\+diagonal|heterogeneous)\  ]]
}

@test "an empty file of texts still has a header in TSV" {
    : > "$dir/empty"
    for command in stats tokens; do
        works "$viz" $command --tsv -m "$ref/bert" -f "$dir/empty"
        [ "$output" = "$("$viz" $command --tsv -m "$ref/bert" "$text" | head -n 1)" ]
        works "$viz" $command --json -m "$ref/bert" -f "$dir/empty"
        [ -z "$output" ]
    done
}

@test "stats --json: the keys that others rely on" {
    works "$viz" stats --json -m "$ref/bert" "$text" "on the river"
    echo "$output" | jq -e '.schema == "mha-viz/stats/2" and .index == 0 and .model == "bert" and
        .family == "bert" and .text == "the key is in the door" and .pair == "on the river" and
        (.tokens | length) == (.ids | length) and (.heads | length) == 6' > /dev/null
    echo "$output" | jq -e '(.labels | length) == (.tokens | length) and .labels[1] == "the" and
        has("tokens_key") == false' > /dev/null
    for key in stack layer head entropy entropy_norm max_mean distance distance_abs prev self next first links top; do
        echo "$output" | jq -e ".heads | all(has(\"$key\"))" > /dev/null
    done
    n=$(echo "$output" | jq '.tokens | length')
    echo "$output" | jq -e ".heads | all((.links | length) == $n and (.top | length) == 10)" > /dev/null
}

@test "stats --json: null where a number is undefined, never NaN" {
    works "$viz" stats --json --no-metadata -m "$ref/gpt2" --ids 5
    echo "$output" | jq -e '.heads | all(.prev == null and .next == null and .entropy_norm == null
        and .entropy == 0 and .self == 1)' > /dev/null
    refute grep -qi 'nan\|inf' <<< "$output"
    works "$viz" stats -m "$ref/gpt2" --ids 5
    refute grep -qi 'nan' <<< "$output"
    works "$viz" stats --tsv -m "$ref/gpt2" --ids 5
    refute grep -qi 'nan' <<< "$output"
}

@test "stats --sort and --reverse" {
    works "$viz" stats --json -m "$ref/llama" --sort entropy "$text"
    echo "$output" | jq -e '[.heads[].entropy] | . == (sort | reverse)' > /dev/null
    works "$viz" stats --json -m "$ref/llama" --sort entropy --reverse "$text"
    echo "$output" | jq -e '[.heads[].entropy] | . == sort' > /dev/null
    works "$viz" stats --json -m "$ref/llama" --sort layer --reverse "$text"
    echo "$output" | jq -e '.heads[0].layer == 1 and .heads[0].head == 3' > /dev/null
    # shellcheck disable=SC2013
    for metric in $(sed -n '/ NUMBER, /s/^METRIC([a-z0-9_]*, "\([^"]*\)",.*/\1/p' src/analysis/metrics.def); do
        works "$viz" stats --json -m "$ref/llama" --sort "$metric" "$text"
        echo "$output" | jq -e "[.heads[][\"$metric\"]] | . == (sort | reverse)" > /dev/null
    done
    fails 2 "--sort: 'entorpy' is neither 'layer' nor a metric; did you mean 'entropy'?" "$viz" stats --sort entorpy "$text"
    fails 2 "--sort: 'lyaer' is neither 'layer' nor a metric; did you mean 'layer'?" \
        "$viz" stats --sort lyaer -m "$dir/no_such_model" "$text"
    fails 2 "--sort: 'all' is neither 'layer' nor a metric" "$viz" stats --sort all "$text"
}

@test "stats --top, --links, --entropy-eps" {
    works "$viz" stats --json --top 3 -m "$ref/bert" "$text"
    echo "$output" | jq -e '.heads | all((.top | length) == 3 and .top[0][2] >= .top[1][2])' > /dev/null
    works "$viz" stats --json --top 0 -m "$ref/bert" "$text"
    echo "$output" | jq -e '.heads | all((.top | length) == 0)' > /dev/null
    works "$viz" stats --json --top 100000 -m "$ref/bert" "the"
    echo "$output" | jq -e '.heads | all((.top | length) == 9)' > /dev/null
    # Room is taken for links that there are, not for all that were asked for.
    sanitised || works bash -c 'ulimit -v 1000000; "$@"' - \
        "$viz" stats --json --top 100000 -f samples/english.txt
    works "$viz" stats --links -m "$ref/bert" -l 0 -H 1 "$text"
    [[ $output == *CLS* && $output == *door* ]]
    works "$viz" stats --links --tsv -m "$ref/bert" -l 0 -H 0,2 "$text"
    echo "$output" | cut -f 3-5,7,9 > "$dir/links"
    "$viz" stats --json -m "$ref/bert" -l 0 -H 0,2 "$text" |
        jq -r '.heads[] | . as $h | .links[] | [$h.layer, $h.head, .[]] | @tsv' > "$dir/all"
    tail -n +2 "$dir/links" | awk '{ printf "%d %d %d %d %.6f\n", $1, $2, $3, $4, $5 }' > "$dir/a"
    awk '{ printf "%d %d %d %d %.6f\n", $1, $2, $3, $4, $5 }' "$dir/all" | cmp - "$dir/a"
    works "$viz" stats --links --json -m "$ref/bert" -l 0 -H 1 "$text"
    echo "$output" | jq -e '.schema == "mha-viz/stats-links/1" and (has("heads") | not) and
        (.links | length > 3 and all(.head == 1 and (.query_label | type == "string")))' > /dev/null
    works "$viz" stats --json --entropy-eps 1e-9 -m "$ref/gpt2" --ids 5
    echo "$output" | jq -e '.heads | all(.entropy < 0 and .entropy > -1.1e-9)' > /dev/null
    fails 2 "--top: '-1' is not in 0..100000" "$viz" stats --top -1 "$text"
    fails 2 "--entropy-eps: '2' is not in 0..1" "$viz" stats --entropy-eps 2 "$text"
}

@test "options that nothing would read are refused" {
    for wrong in "--top 3" "--top 3 --tsv" "--top 3 --json --links" "--clusters 8" "--budgets 16" \
        "--stream 4,64 --metric entropy" "--prompt 3 --metric cache_h2o_16" "--snap-window 32" \
        "--unigrams /dev/null" "--entropy-eps 0 --metric neff" "--links --metric prev" \
        "--entropy-eps 0 --links" "--links --types none" "--seed 1" "--types none --tsv" \
        "--types none --json"; do
        # shellcheck disable=SC2086
        fails 2 "${wrong%% *}" "$viz" stats $wrong "$text"
    done
    fails 2 "--top is of the JSON" "$viz" stats --top 3 --json --summary -f samples/english.txt
    for command in heatmap links model export; do
        fails 2 "--seed is of " "$viz" $command --seed 1 -o "$dir/$command" "$text"
    done
    fails 2 "--seed is of " "$viz" diff --seed 1 cat dog
    fails 2 "--seed is of " "$viz" types --no-probe --seed 1 "$text"
    fails 2 "--seed is of " "$viz" bench --seed 1 "$text"
    fails 2 "--seed is of " "$viz" stability --noise 0 --seed 1 "$text"
    fails 2 "--seed is of " "$viz" ablate --seed 1 "$text"
    fails 2 "--seed is of " "$viz" ablate --seed 1 -m "$ref/bert" --patch b a
    fails 2 "--seed is of " "$viz" mechanisms --only local,quest --seed 1 "$text"
    fails 2 "--seed is of " "$viz" circuits --sample 0 --seed 1
    fails 2 "--seed is of " "$viz" circuits -m "$ref/bert_old" --seed 1
    fails 2 "--seed is of copy_rank and negative_copy" "$viz" circuits --edges --seed 1
    fails 2 "--seed is of copy_rank" "$viz" circuits --metric successor --seed 1 -o "$dir/a.png"
    fails 2 "--sample is of copy_rank" "$viz" circuits --sample 7 -o "$dir/a.png"
    works "$viz" circuits --metric copy_rank --seed 1 --sample 7 -o "$dir/a.png"
    works "$viz" ablate -q --together -l 0 -H 0 --seed 1 "$text"
    for o in --masked --mask-id; do
        fails 2 "--patch, $o: only one" "$viz" ablate -m "$ref/bert" --patch b $o 3 a
    done
    for command in trace circuits mechanisms "neuron -H 0"; do
        for o in "--title x" "--width 60mm" "--dpi 200"; do
            # shellcheck disable=SC2086
            fails 2 "${o%% *} is of pictures" "$viz" $command $o
        done
    done
    for o in "circuits --metric copy_rank" "ablate --metric kl" "mechanisms --columns 3"; do
        # shellcheck disable=SC2086
        fails 2 "$(cut -d ' ' -f 2 <<< "$o") is of pictures" "$viz" $o
    done
    for o in "circuits --sort copy" "circuits --reverse" "ablate --sort kl" "trace --each token" \
        "neuron --dims -H 0" "mechanisms --error -H 0" "mechanisms --propagate -H 0"; do
        # shellcheck disable=SC2086
        fails 2 "$(cut -d ' ' -f 2 <<< "$o") is of the table, TSV and JSON" \
            "$viz" $o -o "$dir/a.png"
    done
    fails 2 "--dpi is of PNG" "$viz" heatmap --dpi 200 -o "$dir/a.svg" "$text"
    fails 2 "--outlines is of SVG" "$viz" heatmap --outlines -o "$dir/a.pdf" "$text"
    for o in --letters --no-titles; do
        fails 2 "$o requires --panels" "$viz" links $o -o "$dir/a.svg" "$text"
    done
    fails 2 "--keep-empty requires -f FILE" "$viz" stats --keep-empty "$text"
    for o in "--shared --mds" "--shared --metric entropy" "--scale log --metric type" \
        "--clip 99% --mds" "--cmap Blues --metric kovaleva" "--cell 20 --mds"; do
        # shellcheck disable=SC2086
        fails 2 "${o%% *} is of thumbnails" "$viz" model $o -o "$dir/a.png" "$text"
    done
    fails 2 "--window is of local, global or sinks, which --only leaves out" \
        "$viz" mechanisms --only low-rank --window 3 "$text"
    fails 2 "--rank is of low-rank, which --only leaves out" \
        "$viz" mechanisms --only local --rank 3 "$text"
}

@test "-l, -H: the same numbers, fewer heads" {
    "$viz" stats --json -m "$ref/llama" "$text" | jq -c '.heads[]' > "$dir/all"
    "$viz" stats --json -m "$ref/llama" -l 1 -H 0,2-3 "$text" | jq -c '.heads[]' > "$dir/some"
    [ "$(wc -l < "$dir/some")" -eq 3 ]
    refute grep -vxFf "$dir/all" "$dir/some"
    works "$viz" stats --tsv -m "$ref/llama" -l all -H 3,3,3 "$text"
    [ "${#lines[@]}" -eq 3 ]
    for bad in "" x 1- -0 -2--1 1,,2 1-0 0- all,0; do
        fails 2 "--layer: '$bad' is not a list like 0,3-5, last, -1 or all" "$viz" stats -m "$ref/llama" "--layer=$bad" "$text"
        fails 2 "--head: '$bad' is not a list like 0,3-5, last, -1 or all" "$viz" stats -m "$ref/llama" "--head=$bad" "$text"
    done
    fails 2 "--layer: 2 is out of range: the model has layers 0 to 1" "$viz" stats -m "$ref/llama" -l 2 "$text"
    fails 2 "--layer: 2 is out of range" "$viz" stats -m "$ref/llama" -l 0-2 "$text"
    fails 2 "--head: 4 is out of range: the model has heads 0 to 3" "$viz" stats -m "$ref/llama" -H 4 "$text"
    fails 2 "--head: -5 is out of range: from the end, the model has heads -1 to -4" "$viz" stats -m "$ref/llama" -H -5 "$text"
    fails 2 "is out of range" "$viz" stats -m "$ref/llama" -H 99999999999999999999 "$text"
    fails 2 "--stack: 'encoder': llama has only the stack decoder" "$viz" stats -m "$ref/llama" -s encoder "$text"
    works "$viz" stats -m "$ref/llama" -s decoder "$text"
}

# heads LIST...: the heads that stats shows with these options
heads() {
    "$viz" stats --json -m "$ref/llama" "$@" "$text" | jq -r '.heads[] | "L\(.layer)H\(.head)"' | tr '\n' ' '
}

@test "-l and -H count from the end" {
    [ "$(heads -l -1 -H last)" = "L1H3 " ]
    [ "$(heads -l last -H 0,-1)" = "L1H0 L1H3 " ]
    [ "$(heads -l -2 -H -3,-4)" = "L0H0 L0H1 " ]
    [ "$(heads --layer=0,-1 -H 2)" = "L0H2 L1H2 " ]
}

@test "-H L0H1: heads of each layer by name" {
    [ "$(heads -H L0H3,L1H0,L0H1)" = "L0H1 L0H3 L1H0 " ]
    "$viz" stats --json -m "$ref/llama" "$text" | jq -c '.heads[]' > "$dir/all"
    "$viz" stats --json -m "$ref/llama" -H L0H1,L1H2 "$text" | jq -c '.heads[]' > "$dir/some"
    [ "$(wc -l < "$dir/some")" -eq 2 ]
    refute grep -vxFf "$dir/all" "$dir/some"
    fails 2 "--layer, --head: 'L0H1' names heads with their layers" \
        "$viz" stats -m "$ref/llama" -l 0 -H L0H1 "$text"
    fails 2 "--head: 'L0H4': 4 is out of range: the model has heads 0 to 3" \
        "$viz" stats -m "$ref/llama" -H L0H4 "$text"
    fails 2 "--head: 'L2H0': 2 is out of range: the model has layers 0 to 1" \
        "$viz" stats -m "$ref/llama" -H L2H0 "$text"
    for bad in L L0 L0H 'L0H1,' L0H1,2 LxH0 L0H1-2 L-1H0 L0H1L0H2; do
        fails 2 "--head: '$bad' is not a list like L4H1,L4H3" "$viz" stats -m "$ref/llama" -H "$bad" "$text"
    done
    for bad in 0,L0H1 L0H1,0; do
        fails 2 "; numbers and names cannot be mixed" "$viz" stats -m "$ref/llama" -H $bad "$text"
    done
    many=99999999999999999999
    for option in -l$many -l-$many -H$many -H0,$many -HL0H$many; do
        fails 2 "$many' is out of range: the model has " "$viz" stats -m "$ref/llama" "$option" "$text"
    done
}

@test "heads by name in pictures, exports, diff, stability and mechanisms" {
    works "$viz" heatmap -m "$ref/llama" -H L1H0,L1H2 -o "$dir/two.svg" "$text"
    grep -q 'mha-viz:layer: 1' "$dir/two.svg"
    works "$viz" heatmap -m "$ref/llama" -H L0H0,L1H1 -o "$dir/layers.svg" "$text"
    grep -q 'mha-viz:layer: 0-1' "$dir/layers.svg"
    works "$viz" export -m "$ref/llama" -H L0H1,L1H1 -o "$dir/heads.npy" "$text"
    works "$viz" export -m "$ref/llama" -H L0H0,L1H1,L1H2 --all -o "$dir/heads.npz" "$text"
    "$viz" stats --json --attention "$dir/heads.npy" | jq -r '.heads[].entropy' > "$dir/read"
    "$viz" stats --json -m "$ref/llama" -H L0H1,L1H1 "$text" | jq -r '.heads[].entropy' > "$dir/own"
    [ "$(wc -l < "$dir/read")" -eq 2 ]
    cut -c 1-6 "$dir/read" | cmp - <(cut -c 1-6 "$dir/own")
    # The numbers of the heads, as int32 after the line feed that ends npy's header
    od -An -v -tx1 "$dir/heads.npz" | tr -d ' \n' > "$dir/hex"
    grep -aqF heads.0.npy "$dir/heads.npz"
    grep -aqF heads.1.npy "$dir/heads.npz"
    grep -q 0a0100000002000000 "$dir/hex"
    for heads in L0H0,L1H1,L1H2 L0H0,L1H1; do
        fails 2 "--head: '$heads' names different heads in its layers; this requires an npz" \
            "$viz" export -m "$ref/llama" -H "$heads" -o "$dir/heads.npy" "$text"
    done
    works "$viz" export -m "$ref/llama" -l 1 -o "$dir/heads.npz" "$text"
    refute grep -aqF heads.1.npy "$dir/heads.npz"
    [ "$("$viz" diff -m "$ref/llama" --json -H L0H1,L1H0 "$text" "a cat" | jq '.heads | length')" -eq 2 ]
    [ "$("$viz" stability -m "$ref/llama" --json --runs 2 -H L0H1,L1H0 "$text" | jq '.heads | length')" -eq 2 ]
    "$viz" mechanisms -m "$ref/llama" --json --runs 0 --only local -H L1H1 "$text" |
        jq -c '[.layers[] | .layer]' > "$dir/layers"
    [ "$(cat "$dir/layers")" = "[1]" ]
}

# bats test_tags=threads
@test "the same bytes on every run, for any threads, batch and place in it" {
    head -n 40 samples/english.txt > "$dir/lines"
    "$viz" stats --json -t 1 -f "$dir/lines" > "$dir/want"
    for threads in 1 2 3 4; do
        "$viz" stats --json -t $threads -f "$dir/lines" | cmp - "$dir/want"
    done
    for n in 1 17 40; do
        line=$(sed -n ${n}p "$dir/lines")
        "$viz" stats --json "$line" | jq -c '.heads' > "$dir/alone"
        sed -n ${n}p "$dir/want" | jq -c '.heads' | cmp - "$dir/alone"
    done
    "$viz" stats -t 1 -f "$dir/lines" > "$dir/want"
    "$viz" stats -t 4 -f "$dir/lines" | cmp - "$dir/want"
}

@test "-o writes what standard output would get" {
    for c in "stats" "stats --json" "stats --tsv" "tokens" "tokens --json" "tokens --tsv"; do
        # shellcheck disable=SC2086
        "$viz" $c -m "$ref/bert" "$text" > "$dir/want"
        # shellcheck disable=SC2086
        works "$viz" $c -m "$ref/bert" -o "$dir/got" "$text"
        [ -z "$output" ]
        cmp "$dir/got" "$dir/want"
    done
    "$viz" export -m "$ref/bert" -o - "$text" > "$dir/want"
    "$viz" export -m "$ref/bert" -o "$dir/got.npz" "$text"
    cmp "$dir/got.npz" "$dir/want"
    [ "$(list "$dir")" = "got got.npz want " ]
}

@test "-v names tensors that are not used, -q says nothing" {
    run --separate-stderr "$viz" stats -v -m "$ref/bert_old" "$text"
    [ "$status" -eq 0 ]
    [[ $stderr == *"tensor pooler.dense.bias is not used"* ]]
    works "$viz" stats -q -v -m "$ref/bert_old" "$text"
    works "$viz" stats -m "$ref/bert_old" "$text"
}

@test "export: npz and npy, the selected arrays" {
    fails 2 "-o FILE is required" "$viz" export -m "$ref/bert" "$text"
    fails 2 "unknown file extension; known are .npz, .npy, .tsv, .csv; or give --format" "$viz" export -m "$ref/bert" -o "$dir/a.ods" "$text"
    fails 2 "--hidden requires an npz" "$viz" export -m "$ref/bert" --hidden -o "$dir/a.npy" "$text"
    fails 3 "--logits: bert_old has no output head in its weights" \
        "$viz" export -m "$ref/bert_old" --logits -o "$dir/a.npz" "$text"
    works "$viz" export -m "$ref/bert" -l 1 -H 0,2 --hidden --logits -o "$dir/a.npz" "$text"
    for name in attn.1.npy ids.npy hidden.npy logits.npy tokens.npy; do
        grep -aqF "$name" "$dir/a.npz"
    done
    refute grep -aqF attn.0.npy "$dir/a.npz"
    grep -aqF "'shape': (2, 8, 8)" "$dir/a.npz"
    works "$viz" export -m "$ref/bert" -l 1 -H 0,2 -o "$dir/a.npy" "$text"
    [ "$(magic "$dir/a.npy" 8)" = 934e554d50590100 ]
    grep -aqF "'shape': (1, 2, 8, 8)" "$dir/a.npy"
    [ "$(wc -c < "$dir/a.npy")" -eq $((128 + 2 * 8 * 8 * 4)) ]
    printf 'the\nkey\n' > "$dir/two"
    fails 2 "several texts require a folder" "$viz" export -m "$ref/bert" -f "$dir/two" -o "$dir/b.npz"
    mkdir "$dir/out"
    works "$viz" export -m "$ref/bert" -f "$dir/two" --format npy -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.npy 000002.npy " ]
    [ "$(list "$dir")" = "a.npy a.npz out two " ]
}

@test "export: npy and npz hold the same numbers" {
    works "$viz" export -m "$ref/llama" -l 0 -o "$dir/a.npy" "$text"
    works "$viz" export -m "$ref/llama" -l 0 -o "$dir/a.npz" "$text"
    tail -c +129 "$dir/a.npy" | od -An -v -tx1 | tr -d ' \n' > "$dir/npy"
    od -An -v -tx1 "$dir/a.npz" | tr -d ' \n' > "$dir/npz"
    grep -qFf "$dir/npy" "$dir/npz"
}

@test "tokens: table, TSV, JSON; code points and bytes; no model needed" {
    mkdir "$dir/m"
    cp "$ref/bert/tokenizer.json" "$dir/m"
    works "$viz" tokens -m "$dir/m" --json "Key 窗 é"
    [ "$(jq -c .offsets <<< "$output")" = "[[0,0],[0,3],[4,5],[6,7],[0,0]]" ]
    [ "$(jq -c .bytes <<< "$output")" = "[[0,0],[0,3],[4,7],[8,10],[0,0]]" ]
    [ "$(jq -c .special <<< "$output")" = "[1,0,0,0,1]" ]
    [ "$(jq -c .tokens <<< "$output")" = '["[CLS]","key","窗","e","[SEP]"]' ]
    [ "$(jq -c .labels <<< "$output")" = '["[CLS]","key","窗","e","[SEP]"]' ]
    [ "$(jq -c '[.schema, .index, .text, .model, .family]' <<< "$output")" = \
        '["mha-viz/tokens/1",0,"Key 窗 é","m",null]' ]
    works "$viz" tokens --json "the"
    [ "$(jq .model <<< "$output")" = "$("$viz" stats --json "the" | jq .model)" ]
    works "$viz" tokens -m "$dir/m" --tsv "the" "key"
    [ "${#lines[@]}" -eq 6 ]
    [[ ${lines[0]} == index*position*id*token* ]]
    works "$viz" tokens -m "$dir/m" "the"
    [ "${#lines[@]}" -eq 4 ]
    works "$viz" tokens "the built-in one"
    fails 3 "no such model" "$viz" tokens -m "$dir/none" "the"
}

@test "info: 4 x 512 x 512 = 1,048,576 weights in an attention layer" {
    mkdir "$dir/m"
    echo '{"model_type":"gpt2","n_layer":1,"n_head":8,"n_embd":512,"n_positions":8,"vocab_size":10}' > "$dir/m/config.json"
    header='' at=0
    add() {     # NAME ROWS [COLUMNS]
        local n=$(($2 * ${3:-1} * 4))
        header+=$(printf '%s"%s":{"dtype":"F32","shape":[%s],"data_offsets":[%d,%d]}' \
            "${header:+,}" "$1" "$2${3:+,$3}" "$at" $((at + n)))
        at=$((at + n))
    }
    add wte.weight 10 512
    add wpe.weight 8 512
    for norm in h.0.ln_1 h.0.ln_2 ln_f; do
        add $norm.weight 512
        add $norm.bias 512
    done
    add h.0.attn.c_attn.weight 512 1536
    add h.0.attn.c_attn.bias 1536
    add h.0.attn.c_proj.weight 512 512
    add h.0.attn.c_proj.bias 512
    add h.0.mlp.c_fc.weight 512 2048
    add h.0.mlp.c_fc.bias 2048
    add h.0.mlp.c_proj.weight 2048 512
    add h.0.mlp.c_proj.bias 512
    safetensors "$dir/m/model.safetensors" "{$header}" $at
    works "$viz" info -m "$dir/m"
    [[ $output == *"one attention layer: 4 x 512 x 512 = 1,048,576 weights, 2,048 biases"* ]]
    works "$viz" info --json -m "$dir/m"
    jq -e '.attention_layer.weights == 1048576 and .heads == 8 and .d_model == 512 and
        .family == "gpt2" and .causal == true and .run_memory > 0' <<< "$output" > /dev/null
    jq -e '[.parameters[] | .weights + .biases] | add == 1048576 + 2048 + 2 * 512 * 2048 + 2048 + 512 +
        6 * 512 + 18 * 512' <<< "$output" > /dev/null
}

@test "info --tsv: one header for all models, one row each" {
    for model in bert llama seq2seq/t5 families/vit families/mixtral layers/q_linear.safetensors; do
        heads=()
        [[ $model != layers/* ]] || heads=(--heads 3)
        works "$viz" info --tsv -m "$ref/$model" "${heads[@]}"
        [ "${#lines[@]}" -eq 2 ]
        echo "${lines[0]}" >> "$dir/headers"
        json=$("$viz" info --json -m "$ref/$model" "${heads[@]}")
        for path in layers d_head decoder.heads parameters.mlp.weights attention_layer.biases \
            experts.chosen run_memory; do
            column=$(tr '\t' '\n' <<< "${lines[0]}" | grep -nx "${path//./_}" | cut -d : -f 1)
            [ "$(cut -f "$column" <<< "${lines[1]}")" = "$(jq -r ".$path // \"\"" <<< "$json")" ]
        done
    done
    [ "$(uniq "$dir/headers" | wc -l)" -eq 1 ]
    works "$viz" info --tsv --attention "$ref/precomputed/gaps.npz"
    [ "$(cut -f 9 <<< "${lines[0]}")" = stacks_decoder_layers ]
    [[ $output == *$'\t'1,3$'\t'* ]]
}

@test "info: the built-in model, and no operands" {
    works "$viz" info
    [[ $output == *"family      llama, decoder, causal"* ]]
    works "$viz" info --length 100000
    fails 2 "info: unexpected operand 'x', expected none" "$viz" info x
    fails 2 "--length: '0' is not in" "$viz" info -n 0
}

@test "--budgets, --stream: what is no list of numbers of keys is misuse" {
    cache=(stats --json --metric "cache,streaming")
    for wrong in "" "," "16," ,16 16,,64 0 0,16 -1 16.5 16x "16 64" 16777217 99999999999999999999; do
        fails 2 "--budgets: '" "$viz" "${cache[@]}" --budgets "$wrong" "the cat"
        [[ $stderr == *"expected whole numbers from 1 to 16777216 with commas between"* ]]
    done
    fails 2 "--budgets: expected at most 3 numbers" "$viz" "${cache[@]}" --budgets 1,2,3,4 "the cat"
    fails 2 "--budgets: 64 is there twice" "$viz" "${cache[@]}" --budgets 64,16,64 "the cat"
    for wrong in "" -1,4 "4,64," 4,x 16777217,4; do
        fails 2 "--stream: '" "$viz" "${cache[@]}" --stream "$wrong" "the cat"
        [[ $stderr == *"expected whole numbers from 0 to 16777216 with commas between"* ]]
    done
    fails 2 "--stream: '4': expected two numbers, such as 4,64" "$viz" "${cache[@]}" --stream 4 "the cat"
    fails 2 "--stream: expected at most 2 numbers" "$viz" "${cache[@]}" --stream 1,2,3 "the cat"
    fails 2 "--snap-window: '0' is not in 1..1048576" "$viz" "${cache[@]}" --snap-window 0 "the cat"
    # A budget that is not asked for has no name, and one that is has its number
    fails 2 "'cache_h2o_16' is not a metric" "$viz" stats --budgets 32 --metric cache_h2o_16 "the cat"
    works "$viz" "${cache[@]}" --budgets 2 --stream 0,0 "the cat saw the dog"
    jq -e '.heads[0] | has("cache_h2o_2") and (has("cache_h2o_16") | not)' <<< "$output"
}

@test "stats --metric received: the keys that receive most" {
    "$viz" stats -m "$ref/bert" --metric received --json "$text" > "$dir/a.json"
    works "$viz" stats -m "$ref/bert" --metric received --tsv --top 3 "$text"
    [ "${lines[0]}" = $'index\tkey\tkey_label\treceived\tmax\tstack\tlayer\thead' ]
    [ "${#lines[@]}" -eq 4 ]
    # the mean and the largest of what the JSON has of each head
    echo "$output" > "$dir/a.tsv"
    python3 - "$dir/a.json" "$dir/a.tsv" <<'PYTHON'
import csv, json, sys
report = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2]), delimiter="\t"))
received = [h["received"] for h in report["heads"]]
mean = [sum(h[k] for h in received) / len(received) for k in range(len(received[0]))]
best = sorted(range(len(mean)), key=lambda k: -mean[k])[:3]
assert [int(r["key"]) for r in rows] == best, (rows, mean)
for r in rows:
    k = int(r["key"])
    most = max(report["heads"], key=lambda h: h["received"][k])
    assert abs(float(r["received"]) - mean[k]) < 1e-12
    assert float(r["max"]) == most["received"][k]
    assert (int(r["layer"]), int(r["head"])) == (most["layer"], most["head"])
PYTHON
    works "$viz" stats -m "$ref/bert" --metric received "$text"
    [[ ${lines[0]} =~ ^key\ +received\ +max\ +head\ of\ max$ ]]
    [ "${#lines[@]}" -eq 9 ]
    works "$viz" stats -m "$ref/bert" --metric received --legend "$text"
    [[ $output != *$'\n: '* ]]
    works "$viz" stats -m "$ref/bert" --metric received --average heads --top 1 -l 1 "$text"
    [[ ${lines[2]} =~ L1$ ]]
    fails 2 "--top is of the JSON of a text's heads, or of the keys" \
        "$viz" stats -m "$ref/bert" --top 3 "$text"
}

@test "--best: the first heads of an order, in reports and in figures" {
    "$viz" stats -m "$ref/bert" --sort prev --tsv "$text" | head -4 > "$dir/want"
    "$viz" stats -m "$ref/bert" --sort prev --best 3 --tsv "$text" | diff "$dir/want" -
    printf '%s\n' "$text" "the door" > "$dir/two"
    "$viz" stats -m "$ref/bert" --summary --sort prev -f "$dir/two" | head -4 > "$dir/want"
    "$viz" stats -m "$ref/bert" --summary --sort prev --best 2 -f "$dir/two" | diff "$dir/want" -
    fails 2 "--best requires --sort: by what heads are the best" "$viz" stats --best 3 "$text"
    names=$("$viz" stats -m "$ref/bert" --sort prev --tsv "$text" | sed -n 2,4p |
        awk '{ printf("%sL%dH%d", NR > 1 ? "," : "", $3, $4) }')
    for command in heatmap "links --panels"; do
        # shellcheck disable=SC2086
        "$viz" $command --no-caption --no-metadata -m "$ref/bert" --best 3 --metric prev -o "$dir/a.svg" "$text"
        # shellcheck disable=SC2086
        "$viz" $command --no-caption --no-metadata -m "$ref/bert" -H "$names" -o "$dir/b.svg" "$text"
        cmp "$dir/a.svg" "$dir/b.svg"
    done
    "$viz" links -m "$ref/bert" --best 1 --metric prev --tsv "$text" | sed -n 2p | cut -f 3-4 |
        grep -qx "$(cut -d, -f 1 <<< "$names" | sed 's/L\(.*\)H\(.*\)/\1\t\2/')"
    "$viz" heatmap -m "$ref/bert" --best 3 --metric prev -o "$dir/a.svg" "$text"
    grep -q "the 3 heads with the largest prev" "$dir/a.svg"
    "$viz" heatmap -m "$ref/bert" --best 1 --reverse --metric prev -o "$dir/a.svg" "$text"
    grep -q "the head with the smallest prev" "$dir/a.svg"
    works "$viz" links --best 2 --metric spectral -o "$dir/a.svg" "$text"
    # in the order of the ranking
    "$viz" links --best 3 --metric prev --no-metadata --tsv "the cat saw the dog" | tail -n +2 | cut -f 3-4 | uniq > "$dir/got"
    "$viz" stats --sort prev --best 3 --tsv "the cat saw the dog" | tail -n +2 | cut -f 3-4 | diff - "$dir/got"
    mkdir "$dir/pictures"
    "$viz" heatmap -m "$ref/bert" --best 2 --metric prev -o "$dir/pictures/" -f "$dir/two"
    [ "$(find "$dir/pictures" -name '*.png' | wc -l)" -eq 2 ]
    rm "$dir/a.svg"
    fails 2 "--best requires --metric: by what heads are the best" "$viz" heatmap --best 3 -o "$dir/a.svg" "$text"
    fails 2 "--metric requires --best: mha-viz model --metric draws" "$viz" links --metric prev -o "$dir/a.svg" "$text"
    fails 2 "expected a metric that is one number of a head" \
        "$viz" heatmap --best 3 --metric received -o "$dir/a.svg" "$text"
    fails 2 "'previous' is not a metric; did you mean 'prev'?" \
        "$viz" heatmap --best 3 --metric previous -o "$dir/a.svg" "$text"
    fails 2 "--rollout, --best: only one" "$viz" heatmap --rollout --best 3 --metric prev -o "$dir/a.svg" "$text"
    fails 2 "'type' is not a metric; expected one, of those that" \
        "$viz" heatmap --best 3 --metric type -o "$dir/a.svg" "$text"
    fails 2 "--best, --average: only one" "$viz" heatmap --best 3 --metric prev --average heads -o "$dir/a.svg" "$text"
    fails 3 "it is not defined for any head of this text" \
        "$viz" heatmap -m "$ref/bert" --best 3 --metric prev -o "$dir/a.svg" --ids 5
    [ ! -e "$dir/a.svg" ]
}
