#!/bin/sh
# SPDX-License-Identifier: MIT
# The strongest links of each head over all texts of a file, with their tokens.  Requires jq.
usage() {
    cat <<'USAGE'
usage: strongest-links.sh FILE [OPTION ...]

Prints, as TSV, the TOP strongest links of each head over all texts of FILE (one text per
line, - is standard input): head, weight, query token, key token, distance from query to
key, line of the text.  The candidates are the strongest links of all rows of attention.
Links to the first token and to the token itself say little and would fill the list, so
they are left out unless ALL=1.  The options are passed to `mha-viz stats`.

  samples/strongest-links.sh samples/english.txt -l 1
  samples/strongest-links.sh samples/english.txt -l 4 --generate 12
  TOP=20 samples/strongest-links.sh samples/chinese.txt -l 0 -H 0
  ALL=1 samples/strongest-links.sh samples/english.txt -m ~/models/gpt2 | column -ts "$(printf '\t')"

Environment: MHA_VIZ, the program (default: mha-viz, or the one in this checkout);
TOP, number of links per head (default: 5); ALL, see above.  Requires jq.
Exit status: that of mha-viz (3: some lines could not be used, and the list covers the
others); 2 for a wrong command line.
USAGE
}

die() {
    echo "strongest-links.sh: $*" >&2
    exit 2
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 1 ] || { usage >&2; exit 2; }
file=$1
shift
top=${TOP:-5}
case $top in 0* | *[!0-9]*) die "TOP: '$top' is not a number of links" ;; esac

here=$(cd "$(dirname "$0")" && pwd) || exit 2
if [ -z "${MHA_VIZ:-}" ]; then
    MHA_VIZ=mha-viz
    command -v mha-viz >/dev/null || MHA_VIZ=$here/../mha-viz
fi
command -v "$MHA_VIZ" >/dev/null || die "$MHA_VIZ: no such program; run make, or set MHA_VIZ"
command -v jq >/dev/null || die "jq: no such program; install it (Debian: jq)"

work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$MHA_VIZ" stats --json --top 0 -f "$file" "$@" >"$work/stats.json"
status=$?

# Sorted by layer and head, in columns that are removed afterwards, then by weight.
printf 'head\tweight\tquery\tkey\tdistance\tline\n'
jq -r --argjson all "$([ -n "${ALL:-}" ] && echo true || echo false)" '
    .index as $index | .tokens as $token | .heads[] | . as $head | .links[]
    | select(.[1] != null)
    | select($all or (.[1] != 0 and .[1] != .[0]))
    | [$head.layer, $head.head, "L\($head.layer)H\($head.head)", .[2],
       $token[.[0]], $token[.[1]], .[1] - .[0], $index + 1] | @tsv' \
    "$work/stats.json" |
    LC_ALL=C sort -t "$(printf '\t')" -k 1,1n -k 2,2n -k 4,4gr -k 8,8n -k 7,7n |
    LC_ALL=C awk -F '\t' -v OFS='\t' -v top="$top" '
    seen[$3]++ < top { print $3, sprintf("%.4f", $4), $5, $6, $7, $8 }'
exit $status
