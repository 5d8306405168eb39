#!/bin/bash
# SPDX-License-Identifier: MIT
# README.md and man/README.zh.md are in step: the same console blocks, with their output,
# the same commands of make and the same code spans, and every link leads to a file or a heading.
# So are both tutorials of the manual, with their literal blocks.
# tests/readme_zh.sh --update copies the blocks of the English pages.
cd "$(dirname "$0")/.." || exit 1
zh=man/README.zh.md
tutorial=man/mha-viz-tutorial.7
tutorial_zh=man/zh_CN/mha-viz-tutorial.7
bad=0

# copied FROM TO BEGIN END: TO with the blocks of FROM
copied() {
    awk -v begin="$3" -v end="$4" '
    $0 == begin { inside = 1; block_at = ++n[FILENAME] }
    FILENAME == ARGV[1] { if (inside) block[block_at] = block[block_at] $0 "\n" }
    FILENAME != ARGV[1] && !inside
    FILENAME != ARGV[1] && $0 == begin { printf "%s", block[block_at] }
    $0 == end { inside = 0 }' "$1" "$2"
}

if [ "${1:-}" = --update ]; then
    copied README.md "$zh" '```console' '```' > "$zh.new" && mv "$zh.new" "$zh" &&
        copied $tutorial $tutorial_zh '.Bd -literal -offset 2n' .Ed > $tutorial_zh.new &&
        mv $tutorial_zh.new $tutorial_zh
    exit
fi

console() {
    sed -n '/^```console/,/^```$/p' "$1"
}

# Indented commands, without their comments
commands() {
    sed -n 's/^    \(\(make\|cc\|\$\) [^#]*[^# ]\) *\(#.*\)\{0,1\}$/\1/p' "$1"
}

# `code` of the prose
spans() {
    sed '/^```console/,/^```$/d' "$1" | grep -o '`[^`]*`' | sort -u
}

for part in console commands spans; do
    diff -u --label "README.md ($part)" <($part README.md) --label "$zh ($part)" <($part "$zh") ||
        bad=1
done
for part in '/^\.Bd -literal/,/^\.Ed/p' '/^\.Dl /p' '/^\.Xr /p'; do
    diff -u --label "$tutorial ($part)" <(sed -n "$part" $tutorial) \
        --label "$tutorial_zh ($part)" <(sed -n "$part" $tutorial_zh) || bad=1
done
[ -n "$(commands README.md)" ] && [ -n "$(spans README.md)" ] || bad=1

links() {
    grep -o ']([^)]*)' "$1" | sed 's/^](//; s/)$//; /^https*:/d'
}
# Headings as GitHub names them in links
headings() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:] ' '[:lower:]-' | tr -d '.,:?'
}
for page in README.md "$zh"; do
    while IFS= read -r link; do
        if [[ $link == '#'* ]]; then
            headings "$page" | grep -qxF -e "${link#?}" ||
                { echo "$page: $link: no such heading"; bad=1; }
            continue
        fi
        [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link: no such file"; bad=1; }
    done < <(links "$page")
done
exit $bad
