#!/bin/sh
# SPDX-License-Identifier: MIT
# Every script through shellcheck, every page through mandoc.  Exit status 77 where a tool is missing.
cd "$(dirname "$0")/.." || exit 1
bad=0
missing=

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
