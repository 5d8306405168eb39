#!/bin/sh
# SPDX-License-Identifier: MIT
# One heatmap per line of a file, and an index of the pictures.
usage() {
    cat <<'USAGE'
usage: heatmaps.sh FILE DIR [OPTION ...]

Draws every line of FILE (- is standard input) to the folder DIR, which is created if
necessary: DIR/000001.png is the first line, and so on.  DIR/index.tsv has one line per
picture: its name, a tab, the text.  The options are passed to `mha-viz heatmap`.

  samples/heatmaps.sh samples/english.txt pictures
  samples/heatmaps.sh samples/chinese.txt pictures -l 0 --cmap magma
  samples/heatmaps.sh samples/english.txt pictures --generate 8
  head -n 3 samples/english.txt | samples/heatmaps.sh - pictures --format svg

Environment: MHA_VIZ, the program (default: mha-viz, or the one in this checkout).
Exit status: that of mha-viz; 2 for a wrong command line, 4 if DIR cannot be written.
USAGE
}

die() {
    echo "heatmaps.sh: $2" >&2
    exit "$1"
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 2 ] || { usage >&2; exit 2; }
file=$1 dir=$2
shift 2

here=$(cd "$(dirname "$0")" && pwd) || exit 2
if [ -z "${MHA_VIZ:-}" ]; then
    MHA_VIZ=mha-viz
    command -v mha-viz >/dev/null || MHA_VIZ=$here/../mha-viz
fi
command -v "$MHA_VIZ" >/dev/null ||
    die 2 "$MHA_VIZ: no such program; run make, or set MHA_VIZ"

mkdir -p "$dir" || die 4 "$dir: cannot be created"
copy=
trap '[ -z "$copy" ] || rm -f "$copy"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ "$file" = - ]; then        # read twice: for the pictures and for the index
    copy=$(mktemp) || exit 4
    cat >"$copy"
    file=$copy
fi
[ -r "$file" ] || die 3 "$file: cannot be read"

"$MHA_VIZ" heatmap -f "$file" -o "$dir/" "$@"
status=$?

# A line that could not be used has no picture, so it is not in the index.
n=0
while IFS= read -r text || [ -n "$text" ]; do
    n=$((n + 1))
    for picture in "$dir/$(printf '%06d' $n)".*; do
        [ -e "$picture" ] && printf '%s\t%s\n' "${picture##*/}" "$text"
    done
done <"$file" >"$dir/index.tsv"
exit $status
