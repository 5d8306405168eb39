#!/bin/bash
# SPDX-License-Identifier: MIT
# The script, worker and style of the pages of `mha-viz report` through biome: names and
# properties that are not known, what is suspicious or insecure; nothing of style.  Comes with
#     npm install --no-save --prefix build/browser playwright-core@1.60 axe-core@4 @biomejs/biome@1.9
# and is skipped without it.
# bats file_tags=slices
cd "$(dirname "$0")/.." || exit 1
biome=${BROWSER_MODULES:-$PWD/build/browser/node_modules}/.bin/biome
[ -x "$biome" ] || { echo "skip: no biome in ${biome%/.bin/biome}"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# One script, as a page has it: its files know each other's names
sed -n 's/^\(LIVE_\)\?SCRIPT("\(.*\)")/\2/p' src/report/page/files.def | xargs cat > "$dir/page.js"
cp src/report/page/worker.js src/report/page/*.css "$dir"
"$biome" lint --config-path=tests/browser --colors=off "$dir" || exit 1
# and it finds what it is here for
found() {
    rm -f "$dir"/*
    echo "$2" > "$dir/$1"
    ! "$biome" lint --config-path=tests/browser "$dir" >/dev/null 2>&1 || { echo "not found: $2"; exit 1; }
}
found page.js 'globalThis.a = b;'
found page.css 'a { colr: red }'
