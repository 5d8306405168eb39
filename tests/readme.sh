#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs every `$ command` of README.md's console blocks and compares its output, to three
# decimals, with the block.  tests/readme.sh --update writes the output to README.md and
# man/README.zh.md and draws its figures, samples/*.png.
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
    MHA_VIZ=$program samples/figures.sh samples
    exit
fi
rounded() {
    sed -E 's/([0-9]\.[0-9]{3})[0-9]+/\1/g' "$1"
}
diff -u --label README.md <(rounded README.md) --label printed <(rounded "$dir/README.md")
