#!/bin/bash
# SPDX-License-Identifier: MIT
# Every file says its licence: by a tag in its first lines, or by a row of REUSE.toml where it
# cannot carry one; each row is of use, and LICENSES/ has the text of each licence that is named.
# `reuse lint` finds the same, and more slowly.  Prints a line for each fault and fails.
# bats file_tags=once
cd "$(dirname "$0")/.." || exit 1
list=$(mktemp) || exit 1
trap 'rm -f "$list" "$list.all" "$list.tags"' EXIT
bad=0

# What is committed; without git, or in a checkout that git refuses, all but what was made here
# (.gitignore).
{ [ -e .git ] && git ls-files > "$list.all" 2>/dev/null; } ||
    find . -type f -not -path './.git' -not -path './.git/*' -not -path './build/*' -not -path './debian/*' -not -path './.pc/*' \
        -not -path '*/__pycache__/*' -not -path '*/.pytest_cache/*' -not -path './mha-viz' \
        -not -path './mha-viz-*.tar.gz' -not -path './heatmap.png' -not -path './mechanisms.png' |
    sed 's|^\./||' > "$list.all"
sed 's|^LICENSES/.*||; s|^LICENSE$||; /^$/d' "$list.all" > "$list"

# file, tab, licences
xargs -d '\n' awk 'FNR > 20 { nextfile }
    sub(/.*SPDX-License-Identifie[r]: /, "") {
        sub(/ *(\*\/|-->|").*/, ""); print FILENAME "\t" $0; nextfile
    }' < "$list" > "$list.tags" 2>/dev/null

awk -F '\t' '
# A pattern of REUSE.toml as a regular expression: ** crosses folders
function pattern(glob) {
    gsub(/[.+()]/, "\\\\&", glob)
    gsub(/\*\*/, "\001", glob)
    gsub(/\*/, "[^/]*", glob)
    gsub(/\001/, ".*", glob)
    return "^" glob "$"
}
function strings(line) {
    while (match(line, /"[^"]*"/)) {
        row[++n_waiting] = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
    }
}
FILENAME == "REUSE.toml" && /^\[\[/ { n_waiting = 0 }
FILENAME == "REUSE.toml" && /^path = / { in_path = 1 }
FILENAME == "REUSE.toml" && in_path {
    strings($0)
    in_path = !/\]$/ && !/^path = "/
}
FILENAME == "REUSE.toml" && sub(/^SPDX-License-Identifier = /, "") {
    gsub(/"/, "")
    named[$0]
    for (i = 1; i <= n_waiting; i++) {
        glob[++n] = row[i]
        regex[n] = pattern(row[i])
    }
}
FILENAME == "REUSE.toml" { next }
FILENAME ~ /\.tags$/ { tag[$1] = $2; named[$2]; next }
{
    for (i = 1; i <= n; i++)
        if ($0 ~ regex[i]) {
            used[i] = 1
            break
        }
    if (i > n && !($0 in tag)) {
        print $0 ": no SPDX-License-Identifier in its first 20 lines, and no row in REUSE.toml"
        bad = 1
    }
}
END {
    for (i = 1; i <= n; i++)
        if (!(i in used)) {
            print "REUSE.toml: " glob[i] ": no such file, or all are in rows before it"
            bad = 1
        }
    for (licence in named) {
        m = split(licence, part, / (AND|OR) /)
        for (j = 1; j <= m; j++)
            if ((getline line < ("LICENSES/" part[j] ".txt")) <= 0) {
                print "LICENSES/" part[j] ".txt: not there, but a file names that licence"
                bad = 1
            }
    }
    exit bad
}' REUSE.toml "$list.tags" "$list" || bad=1
cmp LICENSE LICENSES/MIT.txt || bad=1
exit $bad
