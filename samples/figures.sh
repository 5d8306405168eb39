#!/bin/sh
# SPDX-License-Identifier: MIT
# The figures of README.md, drawn again.
usage() {
    cat <<'USAGE'
usage: figures.sh FOLDER [NAME ...]

Draws the figures that README.md shows (or those named, such as links) into FOLDER, which is
created if necessary, as NAME.png, and prints the command of each.

Environment: MHA_VIZ, the program (default: mha-viz, or the one in this checkout).
Exit status: that of the first command that failed; 2 for a wrong command line.
USAGE
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 1 ] || { usage >&2; exit 2; }
folder=$1
shift
only=" $* "

here=$(cd "$(dirname "$0")" && pwd) || exit 2
if [ -z "${MHA_VIZ:-}" ]; then
    MHA_VIZ=mha-viz
    command -v mha-viz >/dev/null || MHA_VIZ=$here/../mha-viz
fi
command -v "$MHA_VIZ" >/dev/null || {
    echo "figures.sh: $MHA_VIZ: no such program; run make, or set MHA_VIZ" >&2
    exit 2
}
MHA_VIZ=$(command -v "$MHA_VIZ")
case $MHA_VIZ in /*) ;; *) MHA_VIZ=$PWD/$MHA_VIZ ;; esac

mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 4
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cd "$here/.." || exit 4
# draw NAME COMMAND ARGUMENT ...: without metadata, so that a new version leaves the bytes alone
draw() {
    name=$1
    shift
    case $only in '  ' | *" $name "*) ;; *) return ;; esac
    echo "mha-viz $* -o $name.png"
    "$MHA_VIZ" "$@" -q --no-metadata -o "$folder/$name.png" || exit
}

tea='tea with milk, tea with lemon: he drinks tea with lemon'
draw heatmap heatmap
draw links links -l 3 -H 1,2 "$tea"
draw model model --metric entropy "$tea"
draw neuron neuron -H L3H2 --from tea#3 'tea with milk, tea with lemon: he drinks tea'
"$MHA_VIZ" init --d-model 512 --heads 8 -o "$work/layer.safetensors" || exit
draw layer heatmap -m "$work/layer.safetensors" --tokens 'the cat saw it'
draw mechanisms mechanisms -l 1 -H 0 -c 4 --scale sqrt --cell 9 \
    --only exact,elu,favor,local,strided,block,top-k,lsh
