#!/bin/bash
# SPDX-License-Identifier: MIT
# README.md and man/README.zh.md are in step: the same console blocks, with their output,
# the same commands of make and the same code spans, and every link leads to a file.
# tests/readme_zh.sh --update copies the console blocks of README.md.
cd "$(dirname "$0")/.." || exit 1
zh=man/README.zh.md
bad=0

if [ "${1:-}" = --update ]; then
    awk '
    /^```console/ { inside = 1; block_at = ++n[FILENAME] }
    FILENAME == "README.md" { if (inside) block[block_at] = block[block_at] $0 "\n" }
    FILENAME != "README.md" && !inside
    FILENAME != "README.md" && /^```console/ { printf "%s", block[block_at] }
    /^```$/ { inside = 0 }' README.md "$zh" > "$zh.new" && mv "$zh.new" "$zh"
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
[ -n "$(commands README.md)" ] && [ -n "$(spans README.md)" ] || bad=1

links() {
    grep -o ']([^)]*)' "$1" | sed 's/^](//; s/)$//; /^https*:/d'
}
for page in README.md "$zh"; do
    while IFS= read -r link; do
        [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link: no such file"; bad=1; }
    done < <(links "$page")
done
exit $bad
