#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# --from and --to: figures of some queries and some keys.

load helper

text="the cat saw the dog and the cat"     # tokens: <|bos|> the cat saw the dog and the cat

# map OPTION...: one head on a terminal: rows of weights, each after its label
map() {
    NO_COLOR=1 "$viz" heatmap -l 3 -H 3 --term --shared --vmin 0 --vmax 1 --no-caption "$@"
}

# rows OPTION...: the rows alone
rows() {
    map "$@" | grep -E '^(query)? *[^ ]+ +[0-9.]( [0-9.])*$' | sed 's/^ *//'
}

@test "rows and columns are those of the whole map" {
    rows "$text" > "$dir/all"
    [ "$(wc -l < "$dir/all")" -eq 9 ]
    for of in "8:-1" "8:last" "8:cat#2" "2:cat" "3 4 5:3-5" "1 2:the,cat" "1 2:cat,1" "4:the#2"; do
        for i in ${of%%:*}; do sed -n "$((i + 1))p" "$dir/all"; done > "$dir/want"
        rows --from "${of#*:}" "$text" | diff - "$dir/want"
    done
    # columns: fields of the rows, after the label
    rows --to 1,3-4 --from 5,6 "$text" > "$dir/got"
    sed -n '6,7p' "$dir/all" | awk '{ print $1, $3, $5, $6 }' | diff <(tr -s ' ' < "$dir/got") -
}

@test "a word is all of its tokens; with --merge words, and of what was generated" {
    [ "$(rows --from unable "the unable cat" | wc -l)" -eq 2 ]
    [ "$(rows --from unable --merge words "the unable cat" | wc -l)" -eq 1 ]
    [ "$(rows --from generated --generate 3 "$text" | wc -l)" -eq 3 ]
    fails 3 "--to: generated: no token of these was generated (--generate N)" \
        "$viz" heatmap --to generated -o "$dir/a.svg" "$text"
}

@test "generated tokens of a decoder are no keys of its encoder" {
    works "$viz" heatmap -m builtin:translate -s cross --generate 4 --from generated -o "$dir/a.svg" 'I like apples'
    for text in 'he he' 'I like eating apples'; do
        fails 3 "--to: generated: no token of these was generated" \
            "$viz" links -m builtin:translate --generate 30 --to generated --csv "$text"
    done
    [ "$(rows --generate 3 --to generated "$text" | tail -n 1 | wc -w)" -eq 4 ]
    [ "$(rows --generate 3 --merge words --from generated "the cat" | wc -l)" -ge 1 ]
}

@test "links: lines from these tokens to those" {
    "$viz" stats -m "$ref/bert" -l 1 -H 0 --json "the key is in the door" |
        jq '[.heads[0].links[] | select(.[0] == 2)] | length' > "$dir/want"
    "$viz" links -m "$ref/bert" -l 1 -H 0 --top-share 1 --from 2 -o "$dir/a.svg" "the key is in the door"
    [ "$(grep -c 'stroke:rgb.* C \|stroke="rgb.* C ' "$dir/a.svg")" -eq "$(cat "$dir/want")" ]
    grep -q "1 link" "$dir/a.svg"
    grep -q "only queries 2" "$dir/a.svg"
    # other tokens keep their places in both lists
    [ "$(grep -o '>door<' "$dir/a.svg" | wc -l)" -eq 2 ]
    works "$viz" links --arcs --from cat --to the -o "$dir/b.svg" "$text"
}

@test "thumbnails, averages and rollouts; the same bytes for any threads" {
    for command in "model" "heatmap --average heads" "heatmap --rollout" "heatmap --compare" "links"; do
        texts=("$text")
        [[ $command != *compare ]] || texts+=("the cat ran")
        for t in 1 3; do
            # shellcheck disable=SC2086
            "$viz" $command -t $t --from cat --to the,cat --no-metadata -o "$dir/$t.svg" "${texts[@]}"
        done
        cmp "$dir/1.svg" "$dir/3.svg"
        sed 's/<[^>]*>/ /g' "$dir/1.svg" | tr -s ' \n' ' ' | grep -q "only queries cat"
    done
    fails 2 "--from is of thumbnails" "$viz" model --metric entropy --from cat "$text"
}

@test "lists that are none, and tokens that are not there" {
    for list in '' ',' 'cat,' 'cat#0'; do
        fails 2 "--from: " "$viz" heatmap --from "$list" -o "$dir/a.svg" "$text"
    done
    fails 3 "--to: the text has no token or word 'cow'" "$viz" heatmap --to cow -o "$dir/a.svg" "$text"
    fails 3 "--from: 3-9 is out of range: the text has tokens 0 to 8" \
        "$viz" heatmap --from 3-9 -o "$dir/a.svg" "$text"
    fails 3 "--from: 0 is hidden (--hide)" "$viz" heatmap --hide first --from 0 -o "$dir/a.svg" "$text"
    [ ! -e "$dir/a.svg" ]
    # a line without the word is named, and the others are drawn
    printf 'the cat\nthe dog\nmy cat\n' > "$dir/lines"
    mkdir "$dir/out"
    run --separate-stderr "$viz" heatmap --from cat -f "$dir/lines" -o "$dir/out/"
    [ "$status" -eq 3 ]
    [[ $stderr == *"lines: line 2: --from: the text has no token or word 'cat'"* ]]
    [ "$(list "$dir/out")" = "000001.png 000003.png " ]
}

@test "what is no region, and a region of hidden cells" {
    fails 2 "--from: '5-3': expected the smaller position first" "$viz" heatmap --from 5-3 a
    fails 3 "--to: 3-99999999999999999999 is out of range: the text has tokens 0 to 1" \
        "$viz" heatmap --to 3-99999999999999999999 -o "$dir/a.svg" a
    run --separate-stderr "$viz" heatmap --from 0 --to 3-4 -o "$dir/a.svg" "$text"
    [ "$status" -eq 0 ]
    [ "$stderr" = "mha-viz: note: none of these queries sees any of these keys: every cell is hidden" ]
}
