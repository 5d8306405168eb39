#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What every command has in common: help, misuse, exit statuses, streams that fail.

# shellcheck disable=SC2154

load helper

@test "no command is misuse" {
    run "$viz"
    [ "$status" -eq 2 ]
    [ "$output" = 'mha-viz: no command (try `mha-viz -h`)' ]
}

@test "--help, -h and help are the same, on standard output" {
    help=$("$viz" --help 2>/dev/null)
    [ "${help%%$'\n'*}" = "usage: mha-viz COMMAND [OPTIONS] [OPERANDS] | --version" ]
    [ "$help" = "$("$viz" -h)" ]
    [ "$help" = "$("$viz" help)" ]
}

@test "every command is in --help and has a help of its own, with all its examples" {
    for command in $(sed -n 's/^[A-Z]*(\(.*\))$/\1/p' src/task/tasks.def src/cmd/cmds.def); do
        "$viz" --help | grep -qE "^  $command |^  others.* $command(,|$)"
        run "$viz" "$command" --help
        [ "$status" -eq 0 ]
        [[ ${lines[0]} == "usage: mha-viz $command [OPTIONS]"* ]]
        [[ $output == *Examples:* ]]
        [ "$output" = "$("$viz" help "$command")" ]
    done
}

@test "-h is one screen: the command's own options, and the names of the others" {
    run "$viz" stats -h
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -le 32 ]
    for option in -o -m -f -l -H; do
        [ "$(grep -c -e "^  $option, " <<< "$output")" -eq 1 ]
    done
    [[ $output == *"--sort NAME"* ]]
    [[ $output != *"--mask "* ]]
    # wherever lines break
    [[ $(tr -s '\n ' ' ' <<< "$output") == *"layers and heads (-l -H -s)"* ]]
    [[ $output == *'`mha-viz help stats` describes all options'* ]]
}

# bats test_tags=once
@test "help metrics: each in a line, and each as the manual has it" {
    local every
    every=$(sed -nE 's/^METRIC\([a-z0-9_]*, "([^"]*)".*/\1/p' src/analysis/metrics.def)
    "$viz" help metrics > "$dir/list"
    [ "$(sed -nE 's/^  ([^ ]+)( .*)?$/\1/p' "$dir/list" | sort)" = "$(sort <<< "$every")" ]
    refute grep -E '^.{81}' "$dir/list"
    for metric in $every; do
        "$viz" help metrics "$metric" > "$dir/one"
        [ "$(head -n 1 "$dir/one")" = "$metric" ]
        [ "$(grep -c . "$dir/one")" -ge 3 ]     # the line, and a paragraph
        # nothing of the page's macros
        refute grep -E '\\|^ *\.[A-Z]|(^| )(Va|Fl|Pq|Cm|Xr|Ql|Dq|Ar)( |$)|.{81}' "$dir/one"
    done
    # each number, sign and name of the page's paragraph
    works "$viz" help metrics entropy
    [[ $(tr -s '\n ' ' ' <<< "$output") == *" -sum over j of a(i,j) ln a(i,j), in nats, where 0 ln 0 is 0. From 0, all weight on one key, to ln n(i), uniform. "* ]]
    # what is the same of something stands after it
    works "$viz" help metrics tau_rowmax
    [[ $(tr -s '\n ' ' ' <<< "$output") == *" tau_uniform: the share of all entries "*" tau_rowmax: the same of entries "* ]]
    [ "$("$viz" help participation)" = "$("$viz" help metrics participation)" ]
    [ "$("$viz" help help)" = "$("$viz" --help)" ]
    fails 2 "help metrics: 'previous' is not a metric; did you mean 'prev'?" "$viz" help metrics previous
    fails 2 "unexpected operand 'self', expected at most 2" "$viz" help metrics prev self
}

@test "help COMMAND GROUP: the options of one heading" {
    works "$viz" help heatmap bare-layers
    [[ $output == *"--norm-first"* ]]
    [[ $output != *"--cmap"* ]]
    fails 2 "help heatmap: no group of options 'bare', expected one of options, output, " \
        "$viz" help heatmap bare
}

@test "help topic: the pages of section 7, by man" {
    works "$viz" help topic
    for page in man/mha-viz-*.7; do
        [[ $page == *mechanisms.7 || -n $(grep -o "^  $(basename "${page#man/mha-viz-}" .7) " <<< "$output") ]]
    done
    printf '#!/bin/sh\necho "man $*"\n' > "$dir/man"
    chmod +x "$dir/man"
    # A page that lies beside the program, or else where man finds it
    mkdir -p "$dir/built/man" "$dir/alone"
    ln -s "$viz" "$dir/built/viz"
    ln -s "$viz" "$dir/alone/viz"
    : > "$dir/built/man/mha-viz-heads.7"
    [ "$(PATH=$dir:$PATH "$dir/built/viz" help topic heads)" = "man -l $dir/built/man/mha-viz-heads.7" ]
    [ "$(PATH=$dir:$PATH "$dir/alone/viz" help topic heads)" = "man 7 mha-viz-heads" ]
    fails 4 "man could not be run: No such file or directory (Debian: man-db); the page is $dir/built/" \
        env PATH="$dir/none" "$dir/built/viz" help topic heads
    fails 2 "help topic: no page 'tutoral'; did you mean 'tutorial'?" "$viz" help topic tutoral
}

@test "the value of an option that may stand alone is after =" {
    fails 2 "--bootstrap 100: its value stands after '=': expected --bootstrap=100, or the operand '100' before it" \
        "$viz" stats --summary --bootstrap 100 -f samples/english.txt
    fails 2 "--greedy once: its value stands after '='" "$viz" ablate --greedy once x
    fails 2 "TEXT" "$viz" stats --summary --bootstrap x -f samples/english.txt
}

@test "the words of other programs are known, and those of other commands" {
    local n=0
    while read -r command option want; do
        n=$((n + 1))
        fails 2 "$command: ${option%%=*}: unknown option; $want" "$viz" "$command" "$option" 3
    done <<'GUESSES'
heatmap --color did you mean --cmap?
heatmap --colour did you mean --cmap?
heatmap --colormap did you mean --cmap?
heatmap --dark did you mean --cmap magma?
heatmap --out did you mean --output?
stats --out did you mean --output?
heatmap --save did you mean --output?
heatmap --pdf of a picture, the name chooses the format: heatmap -o FILE.pdf
heatmap --csv links, model, curve and 15 more commands have --csv
heatmap --layers did you mean --layer?
heatmap --topk stats and trace have --top
stats --topk did you mean --top?
heatmap --query did you mean --from?
trace --query heatmap, links, model and 2 more commands have --from
heatmap --no-cls did you mean --hide special?
heatmap --figsize did you mean --width?
heatmap --size did you mean --width?
heatmap --normalize did you mean --scale row?
stats --normalize did you mean --renorm?
heatmap --max-length did you mean --truncate?
heatmap --max_length did you mean --truncate?
heatmap --device everything runs on the processor; --threads chooses on how many cores
heatmap --text a text stands by itself, in quotes, and several lie in the file of -f
trace --sort model, stats, diff and 3 more commands have --sort
curve --sort model, stats, diff and 3 more commands have --sort
stats --from heatmap, links, model and 2 more commands have --from
heatmap --json links, model, curve and 14 more commands have --json
heatmap --threshold types has --threshold
stats --stat did you mean --metric?
stats --metrics did you mean --metric?
model --stat did you mean --metric?
tokens --metric heatmap, links, model and 6 more commands have --metric
report --no-cls heatmap, links, model and 4 more commands have --hide special
heatmap --norm=log did you mean --scale?
stats --entropy did you mean --metric entropy?
heatmap --height did you mean --cell?
model --metrics did you mean --metric?
heatmap --no_caption did you mean --no-caption?
GUESSES
    [ "$n" -eq 38 ]
    fails 2 "--heads requires -m LAYER; did you mean -H, which chooses heads?" "$viz" heatmap --heads 3 x
    fails 2 "did you mean 'prev'?" "$viz" stats --metric previous x
    fails 2 "did you mean 'bluered'?" "$viz" heatmap --cmap coolwarm x
    fails 2 "'the cat sat' is not a command; of a text: mha-viz heatmap 'the cat sat'" "$viz" 'the cat sat'
    fails 2 "-p: unknown option; a text stands by itself" "$viz" heatmap -p x
    fails 2 "-n: unknown option; did you mean --generate?" "$viz" heatmap -n 5
    fails 2 "-n: unknown option; everything runs on the processor" "$viz" heatmap -ngl 5
    fails 2 "'metrics' is not a command; did you mean 'help metrics'?" "$viz" metrics
    fails 2 "'plot' is not a command; did you mean 'heatmap'?" "$viz" plot
}

@test "--version names the program, its libraries and the kernel" {
    run "$viz" --version
    [ "$status" -eq 0 ]
    [[ ${lines[0]} =~ ^mha-viz\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    for name in cairo pango libpng zlib jansson utf8proc pcre2 kernel; do
        [[ ${lines[1]} =~ $name\ [0-9ac] ]]
    done
    [ "${#lines[@]}" -eq 2 ]
}

@test "MHA_VIZ_KERNEL chooses the kernel, and an unknown one is misuse" {
    MHA_VIZ_KERNEL=c run "$viz" --version
    [[ $output == *"; kernel c" ]]
    MHA_VIZ_KERNEL=abacus run "$viz" completion bash
    [ "$status" -eq 2 ]
    [[ $output == "mha-viz: MHA_VIZ_KERNEL: 'abacus' is not a kernel"* ]]
    [ "${#lines[@]}" -eq 1 ]
}

@test "a command that does not exist: the nearest one is named" {
    run "$viz" completoin
    [ "$status" -eq 2 ]
    [ "$output" = "mha-viz: 'completoin' is not a command; did you mean 'completion'? (try \`mha-viz -h\`)" ]
    run "$viz" $'\e[31mred'
    [ "$status" -eq 2 ]
    [ "$output" = "mha-viz: '\\x1b[31mred' is not a command (try \`mha-viz -h\`)" ]
}

@test "commands are not abbreviated, options neither" {
    run "$viz" completio bash
    [ "$status" -eq 2 ]
    run "$viz" completion --verb bash
    [ "$status" -eq 2 ]
    [ "$output" = 'mha-viz: completion: --verb: unknown option; did you mean --verbose? (try `mha-viz completion -h`)' ]
}

@test "options before the command are misuse" {
    run "$viz" -q completion bash
    [ "$status" -eq 2 ]
    [[ $output == *"unknown option; options go after the command"* ]]
}

@test "an error about a number states the range" {
    run "$viz" completion --threads 4x bash
    [ "$status" -eq 2 ]
    [ "$output" = "mha-viz: completion: --threads: '4x' is not a whole number (0..1024) (try \`mha-viz completion -h\`)" ]
    run "$viz" completion --threads=1025 bash
    [ "$status" -eq 2 ]
    [ "$output" = "mha-viz: completion: --threads: '1025' is not in 0..1024 (try \`mha-viz completion -h\`)" ]
}

@test "a full disk is a system error" {
    run bash -c '"$1" completion bash > /dev/full' - "$viz"
    [ "$status" -eq 4 ]
    [ "$output" = "mha-viz: standard output: write failed: No space left on device" ]
    run bash -c '"$1" --help > /dev/full' - "$viz"
    [ "$status" -eq 4 ]
}

@test "a closed standard output is a system error, and no file takes its place" {
    run bash -c '"$1" completion bash >&-' - "$viz"
    [ "$status" -eq 4 ]
    [[ $output == "mha-viz: standard output: write failed"* ]]
}

@test "a closed pipe ends the program silently, also where SIGPIPE is ignored" {
    run unread bash -c 'trap "" PIPE; "$1" completion bash' - "$viz"
    [ "$status" -eq 141 ]
    [ -z "$output" ]
}

@test "help options: one option, by any of its names" {
    "$viz" help options -o | diff - <("$viz" help options --output)
    "$viz" help options output | grep -q -- '--output FILE'
    fails 2 "help options: --compute is called --metric now" "$viz" help options compute
    fails 2 "help options: no command has -?" "$viz" help options '-?'
}
