#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option that `mha-viz COMMAND --help` prints is in man/mha-viz-COMMAND.1 (the
# common ones: there or in man/mha-viz.1), and no page has an option that is not in the
# program.  Prints a line for each that is missing and fails.
cd "$(dirname "$0")/.." || exit 1
program=${MHA_VIZ:-./mha-viz}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

# -c and --columns of the lines of one group of --help ("Options", "Common options")
printed() {
    awk -v group="$1:" '
    /^[^ ]/ { inside = ($0 == group) }
    inside && /^  +-/ {
        for (i = 1; i <= NF && $i ~ /^-/; i++) {
            sub(/,$/, "", $i)
            print $i
        }
    }'
}

# The same of a page: what follows each Fl of its .It lines
documented() {
    [ -f "$1" ] || return 0
    awk '/^\.It / { for (i = 2; i < NF; i++) if ($i == "Fl") print "-" $(i + 1) }' "$1"
}

# Prints a line for each word of the first file that the second lacks
lacks() {
    sort -u "$1" > "$dir/one"
    sort -u "$2" > "$dir/two"
    comm -23 "$dir/one" "$dir/two" | sed "s|.*|$3: &|" > "$dir/missing"
    cat "$dir/missing"
    [ ! -s "$dir/missing" ] || bad=1
}

documented man/mha-viz.1 > "$dir/common-page"
"$program" --help | printed Options > "$dir/everywhere"
sed -n 's/^CMD(\(.*\))/\1/p' src/cmd/cmds.def > "$dir/commands"
while read -r command; do
    page=man/mha-viz-$command.1
    if [ ! -f "$page" ]; then
        echo "$page: is missing"
        bad=1
    fi
    documented "$page" > "$dir/page"
    "$program" "$command" --help > "$dir/help" || bad=1
    printed Options < "$dir/help" > "$dir/own"
    printed 'Common options' < "$dir/help" > "$dir/common"
    [ -s "$dir/common" ] || { echo "$command --help: no options found"; bad=1; }
    cat "$dir/page" "$dir/common-page" > "$dir/pages"
    cat "$dir/own" "$dir/common" > "$dir/all"
    cat "$dir/all" >> "$dir/everywhere"
    lacks "$dir/own" "$dir/page" "$page: lacks an option of the program"
    lacks "$dir/common" "$dir/pages" "$page or mha-viz.1: lacks an option of the program"
    lacks "$dir/page" "$dir/all" "$page: has an option that the program lacks"
done < "$dir/commands"
lacks "$dir/common-page" "$dir/everywhere" "man/mha-viz.1: has an option that no command has"
exit $bad
