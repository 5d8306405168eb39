#!/bin/sh
# SPDX-License-Identifier: MIT
# The effect of each attention mechanism on a layer, as means over the texts of a file.
usage() {
    cat <<'USAGE'
usage: mechanisms.sh FILE [OPTION ...]

Prints, as TSV, for each layer and attention mechanism the means over all texts of FILE
(one text per line, - is standard input) of: the error of the layer's output, the
Jensen-Shannon divergence of the rows (nats), the share of strongest links that stay the
same, the entropy (nats), and the share of scores that are computed.  Mechanisms are sorted
by error.  The options are passed to `mha-viz mechanisms`; mha-viz-mechanisms(7) describes
the mechanisms.

  samples/mechanisms.sh samples/english.txt -l all
  samples/mechanisms.sh samples/chinese.txt --only local,global,block --window 2
  head -n 20 samples/english.txt | samples/mechanisms.sh - --top-k 2 -m ~/models/gpt2

Environment: MHA_VIZ, the program (default: mha-viz, or the one in this checkout).
Exit status: that of mha-viz (3: some lines could not be used, and the means cover the
others); 2 for a wrong command line.
USAGE
}

die() {
    echo "mechanisms.sh: $*" >&2
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

work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$MHA_VIZ" mechanisms --tsv --runs 0 --error -f "$file" "$@" >"$work/all.tsv"
status=$?

# An empty field is an undefined number and left out of the mean.
printf 'layer\tmechanism\ttexts\terror\tjs\tlinks_kept\tentropy\tscores\n'
LC_ALL=C awk -F '\t' -v OFS='\t' '
    function mean(column) {
        return n[key, column] > 0 ? sprintf("%.4f", sum[key, column] / n[key, column]) : ""
    }
    NR > 1 {
        texts[$3 OFS $4]++
        for (c = 5; c <= 9; c++)
            if ($c != "") { sum[$3 OFS $4, c] += $c; n[$3 OFS $4, c]++ }
    }
    END {
        for (key in texts)
            print key, texts[key], mean(5), mean(6), mean(7), mean(8), mean(9)
    }' "$work/all.tsv" | LC_ALL=C sort -t "$(printf '\t')" -k 1,1n -k 4,4g -k 2,2
exit $status
