#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs every `$ command` of README.md's console blocks, and of the literal blocks of the manual's
# tutorial and those of mha-viz-heads(7) that have output, and compares its output, to three
# decimals, with the block.  What CONTRIBUTING.md names is there, and the version of CITATION.cff is
# the Makefile's.
#   tests/readme.sh --update   writes the output to all, and to their Chinese versions, and draws
#                              README's figures, samples/*.png
cd "$(dirname "$0")/.." || exit 1
root=$PWD
program=$(realpath "${MHA_VIZ:-./mha-viz}")
[ -x "$program" ] || { echo "$program: no such program; run make" >&2; exit 1; }
# Kernels differ in the last digits; compilers and C libraries may.
export MHA_VIZ_KERNEL=c
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# again FILE BEGIN END: FILE with the output of its commands as it is now, which run in one folder.
# A command goes on after a \, which a page of the manual writes \e, and inside of quotes.
again() {
    local room inside='' line command=''
    room=$(mktemp -d "$dir/room.XXXX") && ln -s "$root/samples" "$root/tests" "$root/man" "$room" &&
        ln -s "$program" "$room/mha-viz" || exit 1
    while IFS= read -r line; do
        case $line in
        "$2") inside=yes ;;
        "$3") inside= ;;
        esac
        [[ -z $inside || $line == "$2" || $line == '$ '* || -n $command ]] || continue
        printf '%s\n' "$line"
        [[ -n $inside && $line == '$ '* || -n $command ]] || continue
        line=${line//\\e/\\}
        command+=${command:+$'\n'}${line#'$ '}
        [[ $line != *\\ ]] && bash -n -c "$command" 2>/dev/null || continue
        (cd "$room" && PATH=$room:$PATH bash -c "$command" 2>&1 </dev/null) ||
            echo "(exit status $?)"
        command=
    done < "$1"
}

tutorial=man/mha-viz-tutorial.7
heads=man/mha-viz-heads.7
mkdir "$dir/man"
again README.md '```console' '```' > "$dir/README.md"
again $tutorial '.Bd -literal -offset 2n' '.Ed' > "$dir/$tutorial"
again $heads '.Bd -literal' '.Ed' > "$dir/$heads"

if [ "${1:-}" = --update ]; then
    cp "$dir/README.md" README.md && cp "$dir/$tutorial" $tutorial && cp "$dir/$heads" $heads &&
        tests/readme_zh.sh --update
    unset MHA_VIZ_KERNEL
    MHA_VIZ=$program samples/figures.sh samples
    exit
fi
rounded() {
    sed -E 's/([0-9]\.[0-9]{3})[0-9]+/\1/g' "$1"
}
bad=0
for page in README.md $tutorial $heads; do
    diff -u --label $page <(rounded $page) --label printed <(rounded "$dir/$page") || bad=1
done
named='(build/)?(src|tests|man|samples|assets|\.ci)/[A-Za-z0-9_./*-]*[A-Za-z0-9_/]'
while IFS= read -r path; do
    compgen -G "$path" >/dev/null || { echo "CONTRIBUTING.md: $path: no such file"; bad=1; }
done < <(grep -oE "$named" CONTRIBUTING.md | grep -vE '^build/|NAME|CASE' | sort -u)
version=$(sed -n 's/^VERSION := //p' Makefile)
grep -qxF "version: $version" CITATION.cff || { echo "CITATION.cff: expected version: $version"; bad=1; }
exit $bad
