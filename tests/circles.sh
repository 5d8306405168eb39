#!/bin/bash
# SPDX-License-Identifier: MIT
# No circles: headers do not include each other back, and of the files of one folder none
# calls another that calls it, directly or through others.  Prints the files of each circle
# and fails.  completion prints the table that it is a row of, and so may read it.
cd "$(dirname "$0")/.." || exit 1
build=${MHA_VIZ_BUILD:-build}
bad=0

# acyclic WHAT: lines "A B", where A needs B.
acyclic() {
    tsort 2>&1 >/dev/null | sed "s/^tsort: -: input contains a loop:/circle of $1:/"
    [ "${PIPESTATUS[0]}" -eq 0 ] || bad=1
}

acyclic includes < <(grep -rE '^#[[:space:]]*include "' src --include='*.h' |
    sed -E 's|^src/([^:]*):.*"(.*)".*|\1 \2|')

acyclic calls < <(find src -name '*.c' -not -path 'src/module/*' | sed "s|\(.*\)\.c$|$build/\1.o|" | xargs nm -gA |
    awk -v build="$build/src/" '
{
    file = substr($1, length(build) + 1)
    sub(/\.o:.*/, "", file)
    if ($(NF - 1) == "U")
        need[file " " $NF] = 1
    else if ($(NF - 1) ~ /^[TDRBCV]$/)
        home[$NF] = file
}
END {
    for (pair in need) {
        split(pair, at, " ")
        to = home[at[2]]
        split(at[1], from_path, "/")
        split(to, to_path, "/")
        if (from_path[1] == to_path[1] && at[1] != to && at[1] != "cmd/completion")
            print at[1], to
    }
}')
exit $bad
