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
    for command in $(sed -n 's/^CMD(\(.*\))/\1/p' src/cmd/cmds.def); do
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
    [ "${#lines[@]}" -le 24 ]
    [[ $output == *"--sort NAME"* ]]
    [[ $output != *"--mask "* ]]
    # wherever lines break
    [[ $(tr -s '\n ' ' ' <<< "$output") == *"layers and heads (-l -H -s)"* ]]
    [[ $output == *'`mha-viz help stats` describes all options'* ]]
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
