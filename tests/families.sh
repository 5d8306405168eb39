#!/bin/sh
# SPDX-License-Identifier: MIT
# Every family of src/model/families.def has a case of reference data in tests/ref and a
# line in the table of man/mha-viz-models.7, with the position of its norms and its token
# positions as in its source, and the table has no other lines.  Prints a line for each
# difference and fails.
cd "$(dirname "$0")/.." || exit 1
page=man/mha-viz-models.7
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

# model_type, stack, place and positions of each family, as the table of the page has them
sed -n 's/^FAMILY(\(.*\))$/src\/model\/family\/\1.c/p' src/model/families.def |
while read -r row; do
    awk '
    # A decoder stands before its encoder, so that the last of each counts.
    match($0, /\.name = "[^"]*"/) {
        name = substr($0, RSTART + 9, RLENGTH - 10)
    }
    /STACK_ENCODER/ { stack = "encoder" }
    /STACK_DECODER/ { stack = "decoder" }
    /\.decoder = &/ { pair = 1 }
    match($0, /\.norm_place = PLACE_[A-Z]*/) {
        place = tolower(substr($0, RSTART + 20, RLENGTH - 20))
    }
    match($0, /\.positions = POS_[A-Z_]*/) {
        positions = tolower(substr($0, RSTART + 17, RLENGTH - 17))
    }
    /BIAS_ALIBI/ { positions = "alibi" }
    /BIAS_BUCKETS/ { positions = positions == "none" ? "buckets" : positions " buckets" }
    /BIAS_DISENTANGLED|BIAS_XL/ {
        positions = positions == "none" ? "relative" : positions " relative"
    }
    END {
        sub(/_from_ids/, "", positions)
        sub(/_closed/, "", positions)
        print name, pair ? "both" : stack, place, positions
    }' "$row"
done | sort >"$dir/rows"

# The rows of the table: .It Cm NAME Ta STACK Ta PLACE Ta POSITIONS, blanks unbreakable
sed -n 's/^\.It Cm \([^ ]*\) Ta \([a-z]*\) Ta \([a-z]*\) Ta \([a-z\\ ]*\)$/\1 \2 \3 \4/p' \
    "$page" | tr -d '\\' | sort >"$dir/page"
if ! diff "$dir/rows" "$dir/page" >"$dir/differ"; then
    echo "the families of src/model (<) and of $page (>) differ:"
    cat "$dir/differ"
    bad=1
fi

for f in tests/ref/*/expected.json tests/ref/*/*/expected.json; do
    sed -n 's/^ "family": "\(.*\)",$/\1/p' "$f"
done | sort -u >"$dir/cases"
while read -r name _; do
    if ! grep -qx -e "$name" "$dir/cases"; then
        echo "tests/ref has no case of the family $name"
        bad=1
    fi
done <"$dir/rows"
exit $bad
