#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs every `$ command` of README.md's console blocks and compares its output, to three
# decimals, with the block.  tests/readme.sh --update writes the output to README.md and
# man/README.zh.md and draws the pictures, samples/{heatmap,layer,mechanisms}.png.
cd "$(dirname "$0")/.." || exit 1
root=$PWD
program=$(realpath "${MHA_VIZ:-./mha-viz}")
[ -x "$program" ] || { echo "$program: no such program; run make" >&2; exit 1; }
# Kernels differ in the last digits; compilers and C libraries may.
export MHA_VIZ_KERNEL=c
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
ln -s "$root/samples" "$root/tests" "$root/man" "$dir" && ln -s "$program" "$dir/mha-viz" || exit 1

# README.md with the output of its commands as it is now
inside=
while IFS= read -r line; do
    case $line in
    '```console') inside=yes ;;
    '```') inside= ;;
    esac
    [[ -z $inside || $line == '```console' || $line == '$ '* ]] || continue
    printf '%s\n' "$line"
    [[ -n $inside && $line == '$ '* ]] || continue
    (cd "$dir" && bash -c "${line#'$ '}" 2>&1 </dev/null) ||
        echo "(exit status $?)"
done < README.md > "$dir/README.md"

if [ "${1:-}" = --update ]; then
    cp "$dir/README.md" README.md && tests/readme_zh.sh --update
    unset MHA_VIZ_KERNEL
    "$program" heatmap --no-metadata -o samples/heatmap.png
    "$program" init --d-model 512 --heads 8 -o "$dir/layer.safetensors"
    "$program" heatmap --no-metadata -m "$dir/layer.safetensors" --tokens '我 喜欢 吃 苹果' \
        -o samples/layer.png
    "$program" mechanisms --no-metadata -l 1 -H 0 -c 4 --scale sqrt --cell 9 \
        --only exact,elu,favor,local,strided,block,top-k,lsh -o samples/mechanisms.png
    exit
fi
rounded() {
    sed -E 's/([0-9]\.[0-9]{3})[0-9]+/\1/g' "$1"
}
diff -u --label README.md <(rounded README.md) --label printed <(rounded "$dir/README.md")
