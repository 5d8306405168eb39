#!/bin/sh
# SPDX-License-Identifier: MIT
# Every family that info --families lists is one of src/model/families.def, has a case of
# reference data in tests/ref, and a line in the table of man/mha-viz-models.7, with the position of
# its norms and its token positions; README.md and man/README.zh.md have their number.  The page
# names every architecture of GGUF files.
# Prints a line for each difference and fails.
cd "$(dirname "$0")/.." || exit 1
page=man/mha-viz-models.7
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

"${MHA_VIZ:-./mha-viz}" info --families --tsv >"$dir/tsv" || exit 1
cut -f 1-4 "$dir/tsv" | sed 1d | tr '\t' ' ' | sort >"$dir/rows"

# The rows of the table: .It Cm NAME Ta STACK Ta PLACE Ta POSITIONS, blanks unbreakable
sed -n 's/^\.It Cm \([^ ]*\) Ta \([a-z]*\) Ta \([a-z]*\) Ta \([a-z\\ ]*\)$/\1 \2 \3 \4/p' \
    "$page" | tr -d '\\' | sort >"$dir/page"
if ! diff "$dir/rows" "$dir/page" >"$dir/differ"; then
    echo "the families of src/model (<) and of $page (>) differ:"
    cat "$dir/differ"
    bad=1
fi

n=$(wc -l <"$dir/rows")
if [ "$(grep -c '^FAMILY(' src/model/families.def)" -ne "$n" ]; then
    echo "info --families lists $n, src/model/families.def has others"
    bad=1
fi

for readme in README.md man/README.zh.md; do
    if ! grep -q "\<$n\>.*info --families" "$readme"; then
        echo "$readme: expected the number of families, $n, before info --families"
        bad=1
    fi
done

# "Its architectures are a, b\n(command-r, cohere), ..."
for arch in $(sed 1d "$dir/tsv" | cut -f 7 | tr ',' ' '); do
    if ! sed -n '/^\.Ss .*GGUF/,/^\.Ss [^G]*$/p' "$page" | grep -q -w -e "$arch"; then
        echo "$page: does not name the GGUF architecture $arch"
        bad=1
    fi
done

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
