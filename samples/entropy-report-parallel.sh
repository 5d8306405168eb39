#!/bin/sh
# SPDX-License-Identifier: MIT
# entropy-report.sh with several processes; their number does not change the output.
usage() {
    cat <<'USAGE'
usage: entropy-report-parallel.sh FILE [OPTION ...]

Splits FILE (one text per line, - is standard input) into parts, runs `mha-viz stats` on
several parts at a time and prints the report of entropy-report.sh over all of them.
The parts are joined in the order of the file, so the output is the same, to the byte, as
that of entropy-report.sh.  The options are passed to `mha-viz stats`.

  samples/entropy-report-parallel.sh samples/english.txt
  JOBS=8 samples/entropy-report-parallel.sh corpus.txt -m ~/models/gpt2

mha-viz itself uses all processors.  This script is faster if the texts are too short for
that, and is a starting point for a cluster, where each job processes one part.

Environment: MHA_VIZ, the program (default: mha-viz, or the one in this checkout);
JOBS, number of processes (default: the number of processors); LINES_PER_PART (default:
about 16 parts per process, with at least 8 lines each).
Exit status: that of mha-viz (3: some lines could not be used, and the report covers the
others); 2 for a wrong command line.
USAGE
}

die() {
    echo "entropy-report-parallel.sh: $*" >&2
    exit 2
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 1 ] || { usage >&2; exit 2; }
file=$1
shift

here=$(cd "$(dirname "$0")" && pwd) || exit 2
if [ -z "${MHA_VIZ:-}" ]; then
    MHA_VIZ=mha-viz
    command -v mha-viz >/dev/null || MHA_VIZ=$here/../mha-viz
fi
command -v "$MHA_VIZ" >/dev/null || die "$MHA_VIZ: no such program; run make, or set MHA_VIZ"

jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
case $jobs in '' | 0* | *[!0-9]*) die "JOBS: '$jobs' is not a number of processes" ;; esac

work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cat -- "$file" >"$work/texts" || die "$file: cannot be read"
[ -s "$work/texts" ] || die "$file: has no lines"

part=${LINES_PER_PART:-$(($(wc -l <"$work/texts") / (jobs * 16) + 8))}
case $part in 0* | *[!0-9]*) die "LINES_PER_PART: '$part' is not a number of lines" ;; esac
split -a 6 -l "$part" "$work/texts" "$work/part." || exit 4

# One process per part, with one thread; its messages and status go to files.
export MHA_VIZ
# shellcheck disable=SC2016  # the inner shell expands these
printf '%s\0' "$work"/part.?????? |
    xargs -0 -n 1 -P "$jobs" sh -c '
        for part; do :; done
        "$MHA_VIZ" stats --tsv -t 1 "$@" >"$part.tsv" 2>"$part.said"
        echo $? >"$part.status"' - "$@" -f

# Warnings name a part and a line in it; print the file and its line instead.  A message
# common to all parts (a wrong option) is printed once.
before=0
for p in "$work"/part.??????; do
    awk -v part="$p: line " -v file="$file: line " -v before="$before" '
    (at = index($0, part)) > 0 {
        rest = substr($0, at + length(part))
        line = rest + before
        sub(/^[0-9]+/, "", rest)
        $0 = substr($0, 1, at - 1) file line rest
    }
    !/ lines could not be used$/' "$p.said"
    before=$((before + part))
done | awk '!said[$0]++' >&2

status=$(cat "$work"/*.status | sort -n | tail -n 1)
case $status in
0 | 3) cat "$work"/part.??????.tsv | "$here/entropy-report.sh" --summary ;;
esac
exit "${status:-4}"
