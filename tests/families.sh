#!/bin/sh
# SPDX-License-Identifier: MIT
# Every family that info --families lists is one of src/model/families.def, has a case of
# reference data in tests/ref, a line in the table of man/mha-viz-models.7, with the position of
# its norms and its token positions, and its name in the tables of README.md and
# man/README.zh.md; those have no other names.  The page names every architecture of GGUF files.
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

# Stacks of tokens have a line each; gemma3_text and gemma3n_text are called by the
# names of their models.
for readme in README.md man/README.zh.md; do
    if ! grep -q "\<$n\>.*info --families" "$readme"; then
        echo "$readme: expected the number of families, $n, before info --families"
        bad=1
    fi
    for line in 'bert, distilbert:encoder' 'gpt2, gpt_bigcode:decoder' 't5, mt5:both'; do
        grep "^|.* ${line%%:*}" "$readme" | sed 's/.*| \(.*\) |$/\1/; s/, /\n/g' |
            sed 's/^gemma3n*$/&_text/' | sort >"$dir/names"
        awk -F '\t' -v stack="${line##*:}" '$2 == stack && $6 == "tokens" { print $1 }' \
            "$dir/tsv" | sort >"$dir/want"
        if ! diff "$dir/want" "$dir/names" >"$dir/differ"; then
            echo "the families of the ${line##*:} stack (<) and of $readme (>) differ:"
            cat "$dir/differ"
            bad=1
        fi
    done
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
