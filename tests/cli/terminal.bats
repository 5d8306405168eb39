#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Pictures as text: on a terminal of any width, and in a pipe.  screen.py says what a terminal
# would show.

# shellcheck disable=SC2154
load helper

bare="--no-labels --no-titles --no-bars --no-caption --cmap gray --clip none"

screen() {
    python3 tests/cli/screen.py "$@"
}

# shows COLUMNS PATTERN...: the screen in $dir/all is no wider, and has lines of each of them
shows() {
    local columns=$1 pattern
    shift
    screen < "$dir/all" > "$dir/seen"
    [ "$(head -n 1 "$dir/seen")" -le "$columns" ] || { cat "$dir/seen"; return 1; }
    for pattern in "$@"; do
        grep -Eq -- "$pattern" "$dir/seen" || { cat "$dir/seen"; return 1; }
    done
}

# on_pty COLUMNS COMMAND: what it writes to a terminal of that width
on_pty() {
    script -qec "stty cols $1; $2" /dev/null
}

need_pty() {
    command -v python3 > /dev/null || skip "no python3 to read a screen"
    script -qec true /dev/null > /dev/null 2>&1 || skip "no pseudo-terminal here"
}

# words N: a sentence of about N tokens
words() {
    local i
    for ((i = 0; i < $1 / 4; i++)); do
        printf 'the cat sat down '
    done
}

setup_file() {
    # linux: a terminal that is not asked whether it shows pictures
    export TERM=linux COLORTERM=truecolor
    unset NO_COLOR COLUMNS
}

@test "on a terminal: a picture as text, whose colours are the weights, at three widths" {
    need_pty
    text="the cat saw the dog and the cat ran"
    "$viz" export -l 3 -o "$dir/w.npz" "$text"
    for columns in 40 80 200; do
        for colour in truecolor ""; do
            COLORTERM=$colour on_pty "$columns" "$viz heatmap -q -o - '$text'" > "$dir/all"
            shows "$columns" 'Head 3' '^ *dog' '^ +0\.00 +1\.00'
            COLORTERM=$colour on_pty "$columns" "$viz heatmap -q -o - -H 2 $bare '$text'" > "$dir/one"
            [ "$(screen heatmap "$dir/w.npz" 3 2 < "$dir/one")" = "55 cells of 2 columns" ]
        done
    done
    # More heads stand side by side where there is room
    on_pty 40 "$viz heatmap -q -o - '$text'" | screen > "$dir/narrow"
    on_pty 200 "$viz heatmap -q -o - '$text'" | screen > "$dir/wide"
    [ "$(grep -c Head "$dir/narrow")" = 4 ]
    [ "$(grep -c Head "$dir/wide")" = 1 ]
}

@test "a text too long for the width: half blocks, then pooled cells" {
    need_pty
    text=$(words 60)
    "$viz" export -l 3 -o "$dir/w.npz" "$text"
    on_pty 80 "$viz heatmap -q -o - -H 1 $bare '$text'" > "$dir/one"
    [[ $(screen heatmap "$dir/w.npz" 3 1 < "$dir/one") == *"cells of 1 columns" ]]
    grep -q ▀ "$dir/one"
    on_pty 40 "$viz heatmap -q -o - -H 1 $bare '$text'" > "$dir/one"
    [[ $(screen heatmap "$dir/w.npz" 3 1 2 < "$dir/one") == *"cells of 1 columns" ]]
    for columns in 40 80 200; do
        on_pty "$columns" "$viz heatmap -q -o - '$(words 300)'" > "$dir/all"
        shows "$columns" 'Head 0' '^ *key 0 +[1-9]0'
    done
}

@test "of a long text, marks where sentences begin" {
    local long
    long="$(words 59). The $(words 50)."
    COLUMNS=200 "$viz" heatmap -q --term -H 1 "$long" > "$dir/long"
    # below the cells, above the positions, at the column of "The"
    grep -B 1 '^ *key 0 ' "$dir/long" | head -n 1 | grep -q '^ *╵$'
    [ "$(grep -c '╴' "$dir/long")" = 1 ]
    COLUMNS=200 "$viz" heatmap -q --term -H 1 "$(words 110)" > "$dir/long"
    refute grep -qE '╴|╵' "$dir/long"
}

@test "without colour: digits, in a pipe, on a dumb terminal, with NO_COLOR" {
    need_pty
    text="the cat saw the dog and the cat ran"
    "$viz" export -l 3 -o "$dir/w.npz" "$text"
    # shellcheck disable=SC2086
    "$viz" heatmap -q --term -H 3 $bare "$text" > "$dir/pipe"
    [ "$(screen heatmap "$dir/w.npz" 3 3 < "$dir/pipe")" = "55 cells of 2 columns" ]
    for dull in NO_COLOR=1 TERM=dumb TERM= --term=digits; do
        option=$([[ $dull != --* ]] || echo "$dull") variable=$([[ $dull == --* ]] || echo "$dull")
        on_pty 80 "env $variable $viz heatmap -q $option -o - -H 3 $bare '$text'" | tr -d '\r' |
            cmp - "$dir/pipe"
    done
    on_pty 80 "NO_COLOR= $viz heatmap -q -o - -H 3 '$text'" | grep -q $'\e\[48;2;'
    refute grep -q $'\e' "$dir/pipe"
    # A long text in a pipe, whose width COLUMNS says
    "$viz" export -l 3 -o "$dir/w.npz" "$(words 60)"
    # shellcheck disable=SC2086
    COLUMNS=40 "$viz" heatmap -q --term -H 3 $bare "$(words 60)" > "$dir/pipe"
    [ "$(screen < "$dir/pipe" | head -n 1)" -le 40 ]
    screen heatmap "$dir/w.npz" 3 3 2 < "$dir/pipe"
}

@test "colours in a pipe where blocks are asked for" {
    command -v python3 > /dev/null || skip "no python3 to read a screen"
    "$viz" export -l 3 -o "$dir/w.npz" "the cat"
    for colour in truecolor ""; do
        # shellcheck disable=SC2086
        COLORTERM=$colour "$viz" heatmap -q --term=blocks -H 3 $bare "the cat" > "$dir/pipe"
        screen heatmap "$dir/w.npz" 3 3 < "$dir/pipe"
        grep -q "$([ "$colour" ] && echo '48;2;' || echo '48;5;')" "$dir/pipe"
    done
}

@test "labels are as wide as a terminal shows them, and inert" {
    command -v python3 > /dev/null || skip "no python3 to read a screen"
    evil=$'我喜欢吃苹果 \e]0;title\a \e[2J e\xcc\x81 \xe2\x80\xae <b> 한국어'
    for columns in 40 80 200; do
        COLUMNS=$columns "$viz" heatmap -q --term=blocks --title "$evil" "$evil" > "$dir/all"
        shows "$columns" 喜欢 '\\x1b' '\\u202e'
    done
    shows 200 '^ *喜 *$'
    # The cells of a row begin where those of the others do, whatever its label
    COLUMNS=80 "$viz" heatmap -q --term=blocks -H 0 "$evil" > "$dir/all"
    [ "$(python3 tests/cli/screen.py edges < "$dir/all" | sort -u | wc -l)" = 1 ]
}

@test "several texts below each other; a file of digits; a file per text" {
    printf 'the key\n我喜欢\n' > "$dir/lines"
    works "$viz" heatmap --term -f "$dir/lines"
    [ "$(grep -c 'Head 0' <<< "$output")" = 2 ]
    mkdir "$dir/out"
    works "$viz" heatmap --format terminal -f "$dir/lines" -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.txt 000002.txt " ]
    works "$viz" heatmap --term -o "$dir/one" "the key"
    cmp "$dir/one" "$dir/out/000001.txt"
    # Other commands' pictures
    works "$viz" diff --dtype f32 --dtype bf16 --term "the key"
    [[ $output == *"change of entropy"*L5* ]]
    works "$viz" circuits --term
    [[ $output == *L0*L5*"by the weights alone"* ]]
    works "$viz" mechanisms -q --runs 0 --term "the key"
    [[ $output == *"each mechanism its own range"* ]]
    works "$viz" ablate --term "the key to the door"
    [[ $output == *"change of the loss"* ]]
}

@test "curve, model, links, neuron and trace at 20, 40, 80 and 200 columns, with colours and without" {
    need_pty
    printf 'the cat sat\nthe dog ran on\nwe like it\n' > "$dir/lines"
    for columns in 20 40 80 200; do
        for dull in "" NO_COLOR=1; do
            while read -r pattern command <&3; do
                on_pty "$columns" "env $dull $viz $command" > "$dir/all"
                shows "$columns" "$pattern" || { echo "$columns $dull $command"; return 1; }
                [[ -z $dull ]] || refute grep -q $'\e\[[0-9;]*[34]8;' "$dir/all"
            done 3<<LIST
┤ curve -q -o - 'the cat saw the dog'
• curve -q -o - --each head -l 2 -H 1 'the cat saw the dog'
L5 model -q -o - 'the cat saw the dog'
L5 model -q -o - --shared 'the cat saw the dog'
L5 model -q -o - --metric type 'the cat saw the dog'
L5 model -q -o - --metric entropy 'the cat saw the dog'
L[0-5]H[0-3] model -q -o - --mds 'the cat saw the dog'
Head links -q -o - -H 0 'the cat saw the dog'
score neuron -q -o - --format terminal 'the cat saw the dog'
LIST
        done
    done
    for command in "curve" "model" "model --mds" "model --metric type" "links" "neuron" \
        "diff --dtype f32 --dtype bf16" "trace" "heatmap --no-labels"; do
        for columns in 1 10 19; do
            # shellcheck disable=SC2086
            COLUMNS=$columns fails 2 "a terminal of $columns column" "$viz" $command --term "the key"
        done
    done
    COLUMNS=10 fails 2 "a terminal of 10 columns" "$viz" circuits --term
}

@test "the table of stats fits a terminal, and is as it was in a pipe" {
    need_pty
    text="the cat saw the dog and the 我喜欢 ran"
    "$viz" stats "$text" > "$dir/pipe"
    for columns in 20 40 80 200; do
        for dull in "" NO_COLOR=1; do
            on_pty "$columns" "env $dull $viz stats -q '$text'" < /dev/null > "$dir/all"
            shows "$columns" '^“the.*, [0-9]+ tokens' '^─+$' '^L5H3' '^head'
            [ "$(grep -c '^─' "$dir/seen")" = 6 ]
            [[ -z $dull ]] || refute grep -q $'\e\[' "$dir/all"
        done
        on_pty "$columns" "$viz stats -q --legend -l 0 '$text'" < /dev/null > "$dir/all"
        shows "$columns" '^entropy: '
        # Sorted by a number, layers do not follow one another
        on_pty "$columns" "$viz stats -q --sort entropy '$text'" < /dev/null > "$dir/all"
        shows "$columns" L5H3
        [ "$(grep -c '^─' "$dir/seen")" = 1 ]
    done
    on_pty 80 "$viz stats -q '$text'" < /dev/null > "$dir/all"
    grep -q $'\e\[1;33m-*[0-9.]*\e\[0m\*' "$dir/all"
    shows 80 '\(no room: norm, \|dist\|' '[0-9]\*'
    # All that is left out and cut is in a wide one
    on_pty 200 "$viz stats -q '$text'" < /dev/null > "$dir/all"
    screen < "$dir/all" | grep '^L' | tr -d '*' | sed 's/  */ /g; s/ $//' > "$dir/wide"
    grep '^L' "$dir/pipe" | sed 's/  */ /g' | cmp - "$dir/wide"
    # Into a pipe: no header, no rule, no star
    head -n 1 "$dir/pipe" | grep -q '^head  *entropy'
    refute grep -q '[─*]' "$dir/pipe"
    "$viz" stats --legend "$text" > "$dir/legend"
    head -n "$(wc -l < "$dir/pipe")" "$dir/legend" | cmp - "$dir/pipe"
    grep -q '^strongest link: ' "$dir/legend"
    for other in --tsv --json --summary; do
        fails 2 "--legend is of the table of a text" "$viz" stats --legend $other "$text"
    done
}

@test "thumbnails on a terminal are the weights' largest; kinds have their names or letters" {
    text="the cat saw the dog and the cat ran"
    "$viz" export -l 3 -o "$dir/w.npz" "$text"
    # As many cells as tokens: what the heatmap shows of the head
    COLUMNS=200 works "$viz" model --term --clip none -l 3 -H 2 --no-caption --no-labels "$text"
    thumbnail=$output
    works "$viz" heatmap --term --clip none -l 3 -H 2 --no-caption --no-labels --no-titles --no-bars "$text"
    [ "$(head -n 1 <<< "$thumbnail" | wc -m)" -gt 1 ]
    [[ $thumbnail == *9* ]]
    COLUMNS=200 works "$viz" model --term --metric type "the cat"
    [[ $output == *L5*"H0"* || $output == *H0* ]]
    wide=$(sed -n 2p <<< "$output" | awk '{ print $2 }')
    [ "${#wide}" -gt 1 ]
    COLUMNS=20 works "$viz" model --term --metric type "the cat"
    [[ $output =~ [A-Z]\ [a-z] ]]
}

@test "curves on a terminal stand where the numbers are" {
    command -v python3 > /dev/null || skip "no python3"
    text="the cat saw the dog and the cat ran"
    "$viz" stats --json --metric entropy "$text" > "$dir/stats"
    COLUMNS=80 "$viz" curve --term --no-caption --metric entropy "$text" > "$dir/plot"
    python3 - "$dir" <<'PYTHON'
import json, re, sys
rows = open(sys.argv[1] + "/plot").read().split("\n")
ticks = [(i, float(r.split("┤")[0])) for i, r in enumerate(rows) if "┤" in r]
(i, a), (j, b) = ticks[0], ticks[-1]
heads = json.load(open(sys.argv[1] + "/stats"))["heads"]
layers = [[h["entropy"] for h in heads if h["layer"] == l] for l in range(heads[-1]["layer"] + 1)]
want = [sum(l) / len(l) for l in layers]
found = {}
for k, row in enumerate(rows):
    for m in re.finditer("•", row):
        found[m.start()] = a + (b - a) * (k - i) / (j - i)
got = [found[c] for c in sorted(found)]
assert len(got) == len(want), (got, want)
step = abs(a - b) / (j - i)
for x, y in zip(got, want):
    assert abs(x - y) <= 1.1 * step, (x, y, step)
PYTHON
}

@test "a terminal that says it shows pictures gets them; one that is silent gets blocks" {
    need_pty
    python3 tests/cli/answer.py "" "$viz" heatmap -q -o - "the cat" > "$dir/all"
    grep -q $'\e\[48;5;' "$dir/all"
    python3 tests/cli/answer.py '\e[?62;4c' "$viz" heatmap -q -o - "the cat" > "$dir/all"
    grep -q $'\eP''q"1;1;' "$dir/all"
    python3 tests/cli/answer.py '\e_Gi=31;OK\e\\\e[?62c' "$viz" heatmap -q --term "the cat" > "$dir/all"
    grep -q $'\e_Ga=T,f=100' "$dir/all"
    # Nobody is asked where it was said, or where there is no terminal
    python3 tests/cli/answer.py - "$viz" heatmap -q --term=blocks "the cat" > "$dir/all"
    python3 tests/cli/answer.py - env NO_COLOR=1 "$viz" heatmap -q --term "the cat" > "$dir/all"
    works "$viz" heatmap --term=sixel -o "$dir/a" "the cat"
    [ "$(magic "$dir/a" 3)" = 1b5071 ]
    works "$viz" heatmap --term=kitty -o "$dir/a" "the cat"
    [ "$(magic "$dir/a" 3)" = 1b5f47 ]
}

@test "no room on a terminal, and what cannot be asked for" {
    need_pty
    run on_pty 10 "$viz heatmap -q -o - 'the key'"
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == *"mha-viz: a terminal of 10 columns has no room for a heatmap; expected at least "* ]]
    for command in links model curve "neuron --from 1" "trace --at 1"; do
        run on_pty 10 "$viz $command -q --term 'the key'"
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == *"mha-viz: a terminal of 10 columns has no room for a "*"; expected at least 2"* ]]
    done
    run on_pty 10 "$viz heatmap -q -o - 'the key'"
    least=$(tr -dc '0-9\n' <<< "${output##*least}")
    COLUMNS=$least works "$viz" heatmap --term "the key"
    COLUMNS=$((least - 1)) fails 2 "expected at least $least" "$viz" heatmap --term "the key"
    COLUMNS=nonsense works "$viz" heatmap --term "the key"
    fails 2 "--term: --format asks for svg" "$viz" heatmap --term --format svg "the key"
    fails 2 "--term" "$viz" heatmap --term=colours "the key"
    # Another format is not shown there
    run on_pty 80 "$viz heatmap --format png -o - 'the key'"
    [ "$status" -eq 2 ]
    [[ $output == *"standard output is a terminal, which shows no png"* ]]
}
