#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016
# model: all heads of all layers.  What is in the pictures is tested in tests/image/board.c and
# by the texts of SVGs here.

load helper

samples=$BATS_TEST_DIRNAME/../../samples

# refused STATUS TEXT ARGUMENT...
refused() {
    fails "$1" "$2" "$viz" model "${@:3}"
}

# table LINE...: a file of them, with | for tabs
table() {
    printf '%s\n' "$@" | tr '|' '\t' > "$dir/t.tsv"
}

@test "numbers that no head has are drawn in every format" {
    for end in png svg pdf; do
        works "$viz" model --metric first --hide first -o "$dir/a.$end" x
        [ -s "$dir/a.$end" ]
    done
}

@test "without options: all heads of the built-in model, and its name" {
    cd "$dir"
    works "$viz" model
    [ "$output" = model.png ]
    [ "$(magic model.png 8)" = 89504e470d0a1a0a ]
    works "$viz" model -f "$samples/chinese.txt" --metric entropy --format svg
    [ "$output" = model.svg ]
    [ "$(list .)" = "model.png model.svg " ]
}

@test "a picture per text, or with --metric one of all" {
    printf 'the key\nthe cat saw the dog\n' > "$dir/lines"
    mkdir "$dir/out" "$dir/each"
    works "$viz" model -m "$ref/bert" -f "$dir/lines" -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.png 000002.png " ]
    refused 2 "DIR/" -m "$ref/bert" -f "$dir/lines" -o "$dir/a.png"
    works "$viz" model -m "$ref/bert" --metric entropy -f "$dir/lines" -o "$dir/each/"
    [ "$(list "$dir/each")" = "000001.png 000002.png " ]
    works "$viz" model -m "$ref/bert" --metric entropy -o "$dir/first.png" --no-metadata \
        --no-caption "the key"
    works "$viz" model -m "$ref/bert" --metric entropy --no-metadata --no-caption \
        -f "$dir/lines" -o "$dir/each/"
    cmp "$dir/first.png" "$dir/each/000001.png"
    works "$viz" model -m "$ref/bert" --metric entropy -f "$dir/lines" -o "$dir/mean.png"
    run ! cmp -s "$dir/first.png" "$dir/mean.png"
    refused 2 "a word has no mean over 2 texts" -m "$ref/bert" --metric kovaleva \
        -f "$dir/lines" -o "$dir/a.png"
}

@test "a map's caption names its text, however long it is: as that of a folder's picture" {
    printf 'tea with milk and lemon %.0s' {1..20} > "$dir/line"
    echo >> "$dir/line"
    mkdir "$dir/each"
    works "$viz" model --metric entropy --no-metadata -f "$dir/line" -o "$dir/each/"
    works "$viz" model --metric entropy --no-metadata -f "$dir/line" -o "$dir/a.png"
    cmp "$dir/a.png" "$dir/each/000001.png"
}

@test "--metric over a file draws the means that stats --summary reports" {
    printf 'the key\nthe cat saw the dog\nthe key is in the door\n' > "$dir/lines"
    "$viz" stats -q -m "$ref/bert" --summary --tsv -f "$dir/lines" > "$dir/heads.tsv"
    for metric in entropy distance; do
        works "$viz" model -q -m "$ref/bert" --metric $metric -f "$dir/lines" --no-caption \
            --no-metadata -o "$dir/a.png"
        works "$viz" model --table "$dir/heads.tsv" --metric ${metric}_mean --no-caption \
            --no-metadata -o "$dir/b.png"
        cmp "$dir/a.png" "$dir/b.png"
    done
}

@test "svg: cells say what they are" {
    works "$viz" model --metric entropy -o "$dir/a.svg" "the cat sat"
    [ "$(grep -c '<title>L[0-5], H[0-3]: [.0-9e-]*</title>' "$dir/a.svg")" -eq 24 ]
    works "$viz" model --metric type -o "$dir/a.svg" "the cat sat"
    grep -q '<title>L3, H1: previous</title>' "$dir/a.svg"
    works "$viz" model --sort type -o "$dir/a.svg" "the cat sat"
    [ "$(grep -c '<title>' "$dir/a.svg")" -ge 24 ]
    printf 'layer\thead\tx\n0\t0\t1.5\n1\t1\t2\n' >"$dir/t.tsv"
    works "$viz" model --table "$dir/t.tsv" --metric x -o "$dir/a.svg"
    grep -q '<title>L1, H1: 2</title>' "$dir/a.svg"
    works "$viz" model --metric entropy -o "$dir/a.pdf" "the cat sat"
}

@test "the same bytes for any number of threads" {
    for args in "" "--metric entropy_norm" "--metric type --types none" "--mds" "--sort prev"; do
        # shellcheck disable=SC2086
        for t in 1 3; do
            works "$viz" model -t $t $args -o "$dir/$t.svg" "tea with milk, tea with lemon"
        done
        cmp "$dir/1.svg" "$dir/3.svg"
    done
}

@test "-l and -H leave out rows and columns" {
    table 'layer|head|x' '1|2|0.5' '1|4|0.25' '3|4|1'
    works "$viz" model --table "$dir/t.tsv" --metric x -o "$dir/t.png"
    works "$viz" model -l 2-3 -H 0,3 -o "$dir/a.png"
    works "$viz" model -H L4H1,L5H3 -o "$dir/b.png"
    works "$viz" model -H L4H1,L5H3 --metric entropy --sort entropy -o "$dir/c.png"
}

# Of each command the rows of L4 and L2, as a terminal has them, and the heads below.
@test "layers and heads stand in the order of -l and -H, here, in ablate, circuits, diff and trace" {
    rows() {
        case $1 in
        circuits) ;;
        diff) set -- "$@" "the cat saw the dog" "the dog saw the cat" ;;
        *) set -- "$@" "the cat saw the dog" ;;
        esac
        NO_COLOR=1 "$viz" "$@" --term --no-caption
    }
    for command in "model --metric entropy" ablate circuits "diff --metric js" trace; do
        # shellcheck disable=SC2086
        rows $command -l 4,2 -H 1 > "$dir/typed"
        # shellcheck disable=SC2086
        rows $command -l 2,4 -H 1 > "$dir/sorted"
        diff <(sed -n 's/^ *\(L[24] *[.0-9 ]*\)$/\1/p' "$dir/typed") \
            <(sed -n 's/^ *\(L[24] *[.0-9 ]*\)$/\1/p' "$dir/sorted" | tac)
        [ "$(grep -o '^ *L[24]' "$dir/typed" | head -n 1 | tr -d ' ')" = L4 ]
    done
    for command in "model --metric entropy" ablate circuits "diff --metric js"; do
        # shellcheck disable=SC2086
        [ "$(rows $command -l 2 -H 3,0,1 | sed -n 's/^ *\([3] 0 1\)$/\1/p')" = "3 0 1" ]
        # shellcheck disable=SC2086
        rows $command -H L4H3,L2H0 | tr -d ' ' > "$dir/named"
        [ "$(grep -o '^L[24]\|^30$' "$dir/named" | tr '\n' ' ')" = "L4 L2 30 " ]
    done
    "$viz" model -H 3,1 -l 4,2 -o "$dir/a.svg" "the cat saw the dog"
    [ "$(grep -o '>[LH][0-9]<' "$dir/a.svg" | tr -d '<>' | tr '\n' ' ')" = "L4 L2 H3 H1 " ]
}

@test "--width: as wide as asked for, and too narrow a page is refused with what would do" {
    works "$viz" model --width 85mm --dpi 100 -o "$dir/a.png"
    [[ $(magic "$dir/a.png" 20) == *0000014f ]]         # 335 pixels
    refused 2 "--width 3mm: too narrow for 4 heads side by side: expected at least" \
        --width 3mm -o "$dir/b.png"
    works "$viz" model --width 40mm --metric entropy -o "$dir/c.pdf"
    works "$viz" model --width 40mm --metric type -o "$dir/d.svg"
    works "$viz" model --width 40mm --mds -o "$dir/e.svg"
}

@test "--table: standard input, gzip and a byte-order mark" {
    table 'layer|head|x' '0|0|0.5' '0|1|0.25'
    works "$viz" model --table "$dir/t.tsv" --metric x --no-metadata --no-caption -o "$dir/a.png"
    gzip -k "$dir/t.tsv"
    works "$viz" model --table "$dir/t.tsv.gz" --metric x --no-metadata --no-caption -o "$dir/b.png"
    cmp "$dir/a.png" "$dir/b.png"
    printf '\xef\xbb\xbf' | cat - "$dir/t.tsv" > "$dir/marked.tsv"
    works "$viz" model --table "$dir/marked.tsv" --metric x --no-metadata --no-caption \
        -o "$dir/b.png"
    cmp "$dir/a.png" "$dir/b.png"
    { echo '# {"program":"mha-viz"}'; cat "$dir/t.tsv"; } > "$dir/said.tsv"
    for file in t.tsv t.tsv.gz marked.tsv said.tsv; do
        "$viz" model --table - --metric x --no-metadata --no-caption -o "$dir/b.png" \
            < "$dir/$file"
        cmp "$dir/a.png" "$dir/b.png"
    done
    refused 2 "$dir/t.tsv.gz" --table "$dir/t.tsv.gz" --metric x --format png -o "$dir/t.tsv.gz"
    refused 3 "said.tsv: line 2: no column 'y'" --table "$dir/said.tsv" --metric y -o "$dir/b.png"
    refused 3 "standard input: line 1: empty" --table - --metric x -o "$dir/b.png" < /dev/null
    head -c 30 "$dir/t.tsv.gz" > "$dir/cut.gz"
    refused 3 "cut.gz" --table "$dir/cut.gz" --metric x -o "$dir/b.png"
}

@test "--table: without --metric the only column of numbers" {
    table 'layer|name|head|x|note' '0|a|0|0.5|' '0|b|1|nan|' '1|c|0|0.25|'
    works "$viz" model --table "$dir/t.tsv" --no-metadata -o "$dir/a.svg"
    works "$viz" model --table "$dir/t.tsv" --metric x --no-metadata -o "$dir/b.svg"
    cmp "$dir/a.svg" "$dir/b.svg"
    table 'layer|head|x|y|note' '0|0|1|2|a' '0|1|3||b'
    refused 2 "t.tsv: expected --metric with one of the columns of numbers: x, y" \
        --table "$dir/t.tsv" -o "$dir/c.svg"
    "$viz" stats --tsv 'the cat' > "$dir/t.tsv"
    refused 2 "columns of numbers: index, entropy, entropy_norm, " --table "$dir/t.tsv"
    table 'layer|head|x'
    refused 3 "no line below the names of its columns" --table "$dir/t.tsv" -o "$dir/c.svg"
    table 'layer|head|note|x' '0|0|a|' '0|1|b|nan'
    refused 3 "no column of numbers beside layer and head; found layer, head, note, x" \
        --table "$dir/t.tsv" -o "$dir/c.svg"
    table 'head|x' '0|1'
    refused 3 "line 1: no column 'layer' among head, x" --table "$dir/t.tsv" -o "$dir/c.svg"
    # A name of the file is text, whatever it is
    printf 'layer\thead\t<b>&\033[31m\n0\t0\t1\n' > "$dir/t.tsv"
    works "$viz" model --table "$dir/t.tsv" --no-metadata -o "$dir/d.svg"
    grep -q '&lt;b&gt;&amp;' "$dir/d.svg"
    run ! grep -q $'\033' "$dir/d.svg"
    works "$viz" model --table "$dir/t.tsv" --term
    [[ $output == *'<b>&'* && $output != *$'\033[31m'* ]]
    [ ! -e "$dir/c.svg" ]
}

@test "--table: what is wrong is said with its line" {
    table 'layer|head|x' '0|0|0.5' '0|1|nan' '1|0|' '1|1|-1e3'
    works "$viz" model --table "$dir/t.tsv" --metric x -o "$dir/a.png"
    refused 3 "t.tsv: line 1: no column 'y' among layer, head, x" \
        --table "$dir/t.tsv" --metric y -o "$dir/b.png"
    refused 3 "no column 'z'" --table "$dir/t.tsv" --metric x --sort z -o "$dir/b.png"
    table 'layer|head|x|x' '0|0|1|1'
    refused 3 "line 1: column 'x' is there twice" --table "$dir/t.tsv" --metric x -o "$dir/b.png"
    table 'layer|head|x' '0|0|1' '0|0|2'
    refused 3 "line 3: L0H0 stands in line 2 already" --table "$dir/t.tsv" --metric x \
        -o "$dir/b.png"
    for field in inf 0x1 1,5 abc 1e99 '1 '; do
        table 'layer|head|x' "0|0|$field"
        refused 3 "line 2: x: found '$field', expected a number" --table "$dir/t.tsv" \
            --metric x -o "$dir/b.png"
    done
    for index in -1 1.5 1024 99999999999 ''; do
        table 'layer|head|x' "0|$index|1"
        refused 3 "line 2: head: found '$index', expected a whole number from 0 to 1023" \
            --table "$dir/t.tsv" --metric x -o "$dir/b.png"
    done
    table 'layer|head|x' '0|0'
    refused 3 "line 2: 2 fields, expected 3 as in line 1" --table "$dir/t.tsv" --metric x \
        -o "$dir/b.png"
    table 'layer|head|x'
    refused 3 "no line below the names of its columns" --table "$dir/t.tsv" --metric x \
        -o "$dir/b.png"
    : > "$dir/t.tsv"
    refused 3 "line 1: empty" --table "$dir/t.tsv" --metric x -o "$dir/b.png"
    refused 3 "No such file" --table "$dir/none" --metric x -o "$dir/b.png"
    [ ! -e "$dir/b.png" ]
}

@test "misuse" {
    refused 2 "did you mean 'entropy'" --metric entropi -o "$dir/a.png"
    refused 2 "--metric: profile is not one number of a head" --metric profile -o "$dir/a.png"
    refused 2 "--sort: mds is not one number of a head" --sort mds -o "$dir/a.png"
    refused 2 "needs counts of tokens: expected --table" --metric rare1 -o "$dir/a.png"
    refused 2 "a text, --table: only one of them" --table "$dir/t.tsv" --metric x "a text"
    refused 2 "--table, --model: only one of them can be given: no model is run" --table "$dir/t.tsv" --metric x -m bert
    refused 2 "--mds, --metric: only one of them" --mds --metric entropy
    refused 2 "--mds, --sort: only one of them" --mds --sort entropy
    refused 2 "--numbers is of mha-viz heatmap" --numbers
    refused 2 "--letters is of mha-viz heatmap" --letters --metric entropy
    refused 2 "--clip" --clip 0% -o "$dir/a.png"
    refused 2 "--width" --width 5 -o "$dir/a.png"
    [ "$(list "$dir")" = "" ]
}

@test "--term: numbers, more of them than a terminal has columns; points and types" {
    NO_COLOR=1 works "$viz" model --metric entropy --term "the cat saw the dog"
    [[ $output == *"L5"*"entropy"* ]]
    { printf 'layer\thead\tx\n'
      for h in $(seq 0 99); do printf '0\t%d\t%d\n1\t%d\t1\n' "$h" $((h % 10)) "$h"; done
    } > "$dir/t.tsv"
    for columns in 20 40 80 200; do
        COLUMNS=$columns works "$viz" model --term --table "$dir/t.tsv" --metric x --no-bars \
            --no-caption
        [ "$(wc -L <<< "$output")" -le "$columns" ]
        [ "$(sed -n 's/^ *L0 //p' <<< "$output" | tr -d '\n')" = \
            "$(for _ in $(seq 10); do printf .123456789; done)" ]
    done
    works "$viz" model --mds --term "the cat saw the dog"
    [[ $output == *L0H0*"√nats"* ]]
    works "$viz" model --term --metric type
    [[ $output == *L5*type* ]]
}

@test "--types is refused where no type is shown" {
    "$viz" types --no-probe --json -o "$dir/types.json" "the cat"
    for o in "" "--metric entropy" "--sort entropy"; do
        # shellcheck disable=SC2086
        fails 2 "--types is of --metric type, --sort type and --mds" \
            "$viz" model $o --types "$dir/types.json" -o "$dir/a.svg" "the cat"
    done
    works "$viz" model --sort type --types "$dir/types.json" -o "$dir/a.svg" "the cat"
}

@test "--tsv, --json: the number or the word of each head" {
    works "$viz" model --metric entropy --tsv "the cat saw"
    # the mean of one text, to the rounding of a sum
    paste <(tail -n +2 <<< "$output") <("$viz" stats --metric entropy --tsv "the cat saw" | tail -n +2) |
        awk -F '\t' '{ d = $4 - $10; if (d < 0) d = -d; if ($2 != $8 || $3 != $9 || d > 1e-13) exit 1 } END { exit NR != 24 }'
    works "$viz" model --metric type --json "the cat saw"
    jq -e '.metric == "type" and .n_texts == 1 and (.heads | length == 24 and all(.value == null))' <<< "$output"
    works "$viz" model --mds --json -f samples/english.txt -l 0
    jq -e '.n_texts == 118 and (.heads | length == 4 and all((has("value") | not) and .x != null))' <<< "$output"
    mkdir "$dir/out"
    head -n 2 samples/english.txt > "$dir/two"
    works "$viz" model --metric entropy --format tsv -f "$dir/two" -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.tsv 000002.tsv " ]
    works "$viz" model --table "$dir/out/000001.tsv" -o "$dir/a.png"
    fails 2 "thumbnails have no number of each head" "$viz" model --tsv "the cat"
    fails 2 "--table: its numbers are there already" "$viz" model --table "$dir/out/000001.tsv" --tsv
    fails 2 "--sort is of pictures" "$viz" model --metric entropy --sort entropy --tsv "the cat"
}

@test "--table reads CSV, with quotes" {
    "$viz" stats --tsv "the cat" > "$dir/a.tsv"
    "$viz" stats --csv "the cat" > "$dir/a.csv"
    for table in a.tsv a.csv; do
        "$viz" model --no-caption --table "$dir/$table" --metric entropy --term > "$dir/$table.out"
    done
    cmp "$dir/a.tsv.out" "$dir/a.csv.out"
    printf 'layer,head,"a, ""b"""\n0,0,"1.5"\n0,1,2\n' > "$dir/quoted.csv"
    "$viz" model --table "$dir/quoted.csv" --term | grep -q 'a, "b" of each head'
    printf 'layer,head,x\n0,0,1,2\n' > "$dir/quoted.csv"
    fails 3 "4 fields, expected 3 as in line 1" "$viz" model --table "$dir/quoted.csv" -o "$dir/a.svg"
    printf 'layer,head,"x\n0,0,1\n' > "$dir/quoted.csv"
    fails 3 "" "$viz" model --table "$dir/quoted.csv" --metric y -o "$dir/a.svg"
}
