#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Completions work in the shells that are installed.
# bats file_tags=once

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    viz=$(realpath "${MHA_VIZ:-./mha-viz}")
}

# The answers to a command line that ends with the word to complete
complete_bash() {
    cd "$BATS_TEST_TMPDIR" || return 1
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
    [[ $(complete_bash mha-viz help met) == metrics ]]
    [[ -z $(complete_bash mha-viz met) ]]
    [ "$(complete_bash mha-viz --v)" = --version ]
}

@test "bash: options, their choices, and the = between" {
    [ "$(complete_bash mha-viz heatmap --cm)" = --cmap ]
    [ "$(complete_bash mha-viz heatmap --cmap v)" = "viridis viridis_r" ]
    [ "$(complete_bash mha-viz heatmap --cmap = v)" = "viridis viridis_r" ]
    [[ $(complete_bash mha-viz heatmap --cmap =) == "viridis magma "* ]]
    # where the user took = out of COMP_WORDBREAKS
    [ "$(complete_bash mha-viz heatmap --cmap=vi)" = "--cmap=viridis --cmap=viridis_r" ]
    [ "$(complete_bash mha-viz completion --thr)" = --threads ]
}

@test "bash: files and texts are left to the shell" {
    export HF_HUB_CACHE=$BATS_TEST_TMPDIR/nothing
    [ -z "$(complete_bash mha-viz heatmap -m '')" ]
    [ -z "$(complete_bash mha-viz heatmap '')" ]
    [ "$(complete_bash mha-viz completion '')" = "bash zsh fish" ]
}

@test "bash: words for stacks, layers, masks and lists of mechanisms" {
    [ "$(complete_bash mha-viz stats -s '')" = "encoder decoder cross" ]
    [ "$(complete_bash mha-viz stats --stack = d)" = decoder ]
    [ "$(complete_bash mha-viz heatmap -l '')" = "all last" ]
    [ "$(complete_bash mha-viz diff --dtype b)" = bf16 ]
    [ "$(complete_bash mha-viz mechanisms --only l)" = "linformer low-rank local lsh" ]
    [ "$(complete_bash mha-viz mechanisms --only exact,favor,loc)" = exact,favor,local ]
    [ "$(complete_bash mha-viz mechanisms --only=exact,favor,loc)" = --only=exact,favor,local ]
    [ "$(complete_bash mha-viz stats --mask ca)" = causal ]
    [ "$(complete_bash mha-viz stats --mask causal+pad)" = causal+padding: ]
}

@test "bash: files beside the words of an option" {
    touch "$BATS_TEST_TMPDIR/random.npy" "$BATS_TEST_TMPDIR/q.npy" "$BATS_TEST_TMPDIR/k.npy"
    [ "$(complete_bash mha-viz stats --memory ran)" = "random random.npy" ]
    [ "$(complete_bash mha-viz stats --mask causal+q)" = causal+q.npy ]
    [ "$(complete_bash mha-viz stats --qkv q.npy,k)" = q.npy,k.npy ]
    # readline itself completes files where nothing else is offered
    [ -z "$(complete_bash mha-viz stats --mask q)" ]
    [ -z "$(complete_bash mha-viz stats -o q)" ]
}

@test "models of the local cache, in bash and one per line" {
    export HF_HUB_CACHE=$BATS_TEST_TMPDIR/hub
    mkdir -p "$HF_HUB_CACHE"/{models--org--tiny-bert,models--gpt2,datasets--org--x,models----x}
    own=$'builtin:decoder\nbuiltin:translate\nbuiltin:encoder'
    [ "$("$viz" completion --values stats m)" = "$own"$'\ngpt2\norg/tiny-bert' ]
    [ "$("$viz" completion --values diff model)" = "$own"$'\ngpt2\norg/tiny-bert' ]
    [ "$(complete_bash "$viz" stats -m '')" = "${own//$'\n'/ } gpt2 org/tiny-bert hub" ]
    [ "$(complete_bash "$viz" stats --model = org)" = org/tiny-bert ]
    HF_HUB_CACHE=$BATS_TEST_TMPDIR/nothing run "$viz" completion --values stats model
    [ "$status" -eq 0 ]
    [ "$output" = "$own" ]
    # where : parts words, as it does unless the user says otherwise
    [ "$(complete_bash "$viz" stats -m builtin :)" = "decoder translate encoder" ]
    [ "$(complete_bash "$viz" stats -m builtin : tr)" = translate ]
    [ "$(complete_bash "$viz" stats --model = builtin : d)" = decoder ]
    [ "$(complete_bash "$viz" stats -m builtin:d)" = builtin:decoder ]
}

@test "--values: choices and words; what does not exist is misuse" {
    [ "$("$viz" completion --values stats format)" = $'auto\ntable\ntsv\ncsv\njson' ]
    [ "$("$viz" completion --values stats s)" = $'encoder\ndecoder\ncross' ]
    [ -z "$("$viz" completion --values stats ids)" ]
    for words in "nothing model" "stats nothing" "stats" ""; do
        # shellcheck disable=SC2086
        run "$viz" completion --values $words
        [ "$status" -eq 2 ]
    done
}

@test "bash: every option of every --help is offered" {
    for command in $(sed -n 's/^[A-Z]*(\(.*\))$/\1/p' src/task/tasks.def src/cmd/cmds.def); do
        offered=" $(complete_bash mha-viz "$command" --) "
        options=$("$viz" "$command" --help | grep -oE '^  (-., |    )--[a-z-]+' | grep -oE -- '--.*')
        [[ $options == *--threads* ]]
        for option in $options; do
            [[ $offered == *" $option "* ]]
        done
    done
}

@test "bash: what an option of the line excludes is not offered" {
    offered=" $(complete_bash mha-viz ablate --greedy --patch '' --) "
    [[ $offered == *" --points "* ]]
    for option in --together --patch-ids --summary --shard --with; do
        [[ $offered != *" $option "* ]]
    done
    [[ " $(complete_bash mha-viz stats -mx --) " != *" --attention "* ]]
    [[ " $(complete_bash mha-viz stats --links=1 --) " == *" --links --legend "* ]]
    # the word that is completed excludes nothing itself
    [ "$(complete_bash mha-viz ablate --patch)" = "--patch --patch-ids" ]
    # what stands after it does
    cd "$BATS_TEST_TMPDIR"
    source <("$viz" completion bash)
    COMP_WORDS=(mha-viz heatmap --roll --average) COMP_CWORD=2
    _mha_viz || true
    [ "${#COMPREPLY[@]}" -eq 0 ]
}

@test "zsh: what an option excludes is in its specification" {
    "$viz" completion zsh > "$BATS_TEST_TMPDIR/_mha-viz"
    grep -qF "'(--average --best)--rollout[" "$BATS_TEST_TMPDIR/_mha-viz"
    grep -qF "'(--rollout --best)--average=[" "$BATS_TEST_TMPDIR/_mha-viz"
    grep -qF "'(-m --model --builtin --families" <(sed -n '/^    info)/,/;;$/p' "$BATS_TEST_TMPDIR/_mha-viz")
}

@test "fish: an option has a condition for what excludes it" {
    "$viz" completion fish | grep -q "from heatmap; and not __fish_contains_opt average best' -l rollout "
    "$viz" completion fish | grep -q "from info; and not __fish_contains_opt builtin families attention' -s m -l model "
}

@test "zsh: the script is sound" {
    command -v zsh || skip "zsh is not installed"
    "$viz" completion zsh > "$BATS_TEST_TMPDIR/_mha-viz"
    zsh -n "$BATS_TEST_TMPDIR/_mha-viz"
    head -1 "$BATS_TEST_TMPDIR/_mha-viz" | grep -qx '#compdef mha-viz'
}

@test "fish: commands, options, choices" {
    command -v fish || skip "fish is not installed"
    "$viz" completion fish > "$BATS_TEST_TMPDIR/mha-viz.fish"
    answer() { fish -N -c 'source $argv[1]; complete -C $argv[2]' "$BATS_TEST_TMPDIR/mha-viz.fish" "$1"; }
    answer 'mha-viz heat' | grep -q ^heatmap
    answer 'mha-viz heatmap --cma' | grep -q ^--cmap
    answer 'mha-viz heatmap --cmap v' | grep -q ^viridis
    answer 'mha-viz heatmap --cmap=v' | grep -q ^--cmap=viridis
    answer 'mha-viz stats -s d' | grep -q ^decoder
    answer 'mha-viz mechanisms --only exact,lo' | grep -q ^exact,local
    answer 'mha-viz stats --mask causal+pad' | grep -q ^causal+padding:
    answer 'mha-viz completion f' | grep -qx fish
    answer 'mha-viz ablate --pat' | grep -q ^--patch-ids
    [ -z "$(answer 'mha-viz ablate --greedy --pat')" ]
    [ -z "$(answer 'mha-viz stats -m x --att')" ]
}

@test "a shell that is not known is misuse" {
    run "$viz" completion tcsh
    [ "$status" -eq 2 ]
    [ "$output" = "mha-viz: completion: 'tcsh' is not one of bash, zsh, fish (try \`mha-viz completion -h\`)" ]
    run "$viz" completion
    [ "$status" -eq 2 ]
}
