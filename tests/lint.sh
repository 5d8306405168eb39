#!/bin/sh
# SPDX-License-Identifier: MIT
# Every script through shellcheck, every page through mandoc; lines of C of at most 100 characters,
# no stream that loses bytes, and no assertion of bats that cannot fail.
# Exit status 77 where a tool is missing.
cd "$(dirname "$0")/.." || exit 1
bad=0
missing=

wide=$(find src tests -name '*.[ch]' -exec env LC_ALL=C.UTF-8 grep -nE '^.{101,}' /dev/null {} + |
    cut -c 1-100)
[ -z "$wide" ] || { printf 'wider than 100 characters:\n%s\n' "$wide"; bad=1; }

lossy=$(grep -rnE '\<open_memstream *\(' src --include='*.[ch]')
[ -z "$lossy" ] || { printf 'loses bytes without memory, unlike base/memory_file.h:\n%s\n' "$lossy"; bad=1; }

# Under set -e only the last command of a list ends a test, and a command after ! never does.
idle=$(grep -nE '(^|; do|; then) *(\[.*\] *&&|\(\(.*\)\) *&&|(grep|cmp|diff|jq|test) [^|]*[^|&]&& |! )' tests/cli/*.bats |
    grep -vE '\|\||&& *(continue|break|return|exit)\>')
[ -z "$idle" ] || {
    printf 'this condition cannot fail; write one per line, and "refute COMMAND" for "! COMMAND":\n%s\n' "$idle"
    bad=1
}

if command -v shellcheck >/dev/null; then
    # Files that begin with a shell's #!, tests of bats included
    list=$(mktemp) || exit 1
    find .ci assets samples tests -type f | while read -r file; do
        head -n 1 "$file" | grep -aqE '^#!.*(sh|bats)( |$)' && echo "$file"
    done > "$list"
    xargs shellcheck -x -S warning -e SC1090 < "$list" || bad=1
    rm -f "$list"
else
    missing="$missing shellcheck"
fi
if command -v mandoc >/dev/null; then
    mandoc -Tlint -Wwarning man/*.[1-9] man/*/*.[1-9] || bad=1
else
    missing="$missing mandoc"
fi
[ "$bad" -eq 0 ] || exit 1
[ -z "$missing" ] || { echo "skipped: not installed:$missing"; exit 77; }
