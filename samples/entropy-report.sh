#!/bin/sh
# SPDX-License-Identifier: MIT
# The mean entropy of each head over all texts of a file, the most focused head first.
usage() {
    cat <<'USAGE'
usage: entropy-report.sh FILE [OPTION ...]
       entropy-report.sh --summary < STATS.tsv

Prints one line per head, as TSV: head, number of texts, and the means over all texts of
its entropy in nats, its normalised entropy and its largest weight; sorted by entropy.
FILE has one text per line (- is standard input); the options are passed to `mha-viz stats`.
With --summary, reads the output of `mha-viz stats --tsv` (or of several runs, joined)
instead of running it.

  samples/entropy-report.sh samples/english.txt
  samples/entropy-report.sh samples/english.txt -m ~/models/gpt2 -l 0-3 | column -t
  mha-viz stats --tsv -f samples/chinese.txt | samples/entropy-report.sh --summary

Environment: MHA_VIZ, the program (default: mha-viz, or the one in this checkout).
Exit status: that of mha-viz (3: some lines could not be used, and the report covers the
others); 2 for a wrong command line, 1 if there is nothing to report.
USAGE
}

die() {
    echo "entropy-report.sh: $*" >&2
    exit 2
}

# Columns are found by name, so that further metrics can be added.  An empty field is an
# undefined number (a single token has no normalised entropy) and left out of the mean.
summary() {
    LC_ALL=C awk -F '\t' -v OFS='\t' '
    function add(i, name) {
        if ($column[name] != "") {
            sum[i, name] += $column[name]
            n[i, name]++
        }
    }
    function mean(i, name) {
        return n[i, name] ? sprintf("%.6f", sum[i, name] / n[i, name]) : ""
    }
    $1 == "index" {
        for (i = 1; i <= NF; i++)
            column[$i] = i
        next
    }
    {
        i = $column["layer"] "H" $column["head"]
        if (!(i in texts))
            order[++heads] = i
        texts[i]++
        add(i, "entropy")
        add(i, "entropy_norm")
        add(i, "max_mean")
    }
    END {
        for (k = 1; k <= heads; k++) {
            i = order[k]
            print "L" i, texts[i], mean(i, "entropy"), mean(i, "entropy_norm"), \
                mean(i, "max_mean")
        }
        exit heads == 0
    }' | {
        printf 'head\ttexts\tentropy\tentropy_norm\tmax_mean\n'
        LC_ALL=C sort -t "$(printf '\t')" -k 3,3n -k 1,1
    }
}

case ${1:-} in
-h | --help) usage; exit 0 ;;
--summary) [ $# -eq 1 ] || { usage >&2; exit 2; }; summary; exit ;;
'') usage >&2; exit 2 ;;
esac
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
"$MHA_VIZ" stats --tsv -f "$file" "$@" >"$work/stats.tsv"
status=$?
[ -s "$work/stats.tsv" ] && summary <"$work/stats.tsv"
exit $status
