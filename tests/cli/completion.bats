#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Completions work in the shells that are here.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    viz=${MHA_VIZ:-./mha-viz}
}

# The answers to a command line that ends with the word to complete
complete_bash() {
    source <("$viz" completion bash)
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _mha_viz
    echo "${COMPREPLY[*]}"
}

@test "bash: commands" {
    [ "$(complete_bash mha-viz comple)" = completion ]
    [[ $(complete_bash mha-viz '') == *"heatmap"*"completion help --help --version" ]]
    [[ $(complete_bash mha-viz help stat) == stats ]]
    [ "$(complete_bash mha-viz --v)" = --version ]
}

@test "bash: options, their choices, and the = between" {
    [ "$(complete_bash mha-viz heatmap --cm)" = --cmap ]
    [ "$(complete_bash mha-viz heatmap --cmap v)" = viridis ]
    [ "$(complete_bash mha-viz heatmap --cmap = v)" = viridis ]
    [[ $(complete_bash mha-viz heatmap --cmap =) == "viridis magma "* ]]
    [ "$(complete_bash mha-viz completion --thr)" = --threads ]
}

@test "bash: files and texts are left to the shell" {
    [ -z "$(complete_bash mha-viz heatmap -m '')" ]
    [ -z "$(complete_bash mha-viz heatmap '')" ]
    [ "$(complete_bash mha-viz completion '')" = "bash zsh fish" ]
}

@test "bash: every option of every --help is offered" {
    for command in $(sed -n 's/^CMD(\(.*\))/\1/p' src/cmd/cmds.def); do
        offered=" $(complete_bash mha-viz "$command" --) "
        options=$("$viz" "$command" --help | grep -oE '^  (-., |    )--[a-z-]+' | grep -oE -- '--.*')
        [[ $options == *--threads* ]]
        for option in $options; do
            [[ $offered == *" $option "* ]]
        done
    done
}

@test "zsh: the script is sound" {
    command -v zsh || skip "zsh is not here"
    "$viz" completion zsh > "$BATS_TEST_TMPDIR/_mha-viz"
    zsh -n "$BATS_TEST_TMPDIR/_mha-viz"
    head -1 "$BATS_TEST_TMPDIR/_mha-viz" | grep -qx '#compdef mha-viz'
}

@test "fish: commands, options, choices" {
    command -v fish || skip "fish is not here"
    "$viz" completion fish > "$BATS_TEST_TMPDIR/mha-viz.fish"
    answer() { fish -N -c 'source $argv[1]; complete -C $argv[2]' "$BATS_TEST_TMPDIR/mha-viz.fish" "$1"; }
    answer 'mha-viz heat' | grep -q ^heatmap
    answer 'mha-viz heatmap --cma' | grep -q ^--cmap
    answer 'mha-viz heatmap --cmap v' | grep -q ^viridis
    answer 'mha-viz completion f' | grep -qx fish
}

@test "a shell that is not known is misuse" {
    run "$viz" completion tcsh
    [ "$status" -eq 2 ]
    [ "$output" = "mha-viz: completion: 'tcsh' is not one of bash, zsh, fish (try \`mha-viz completion --help\`)" ]
    run "$viz" completion
    [ "$status" -eq 2 ]
}
