#!/bin/bash
# SPDX-License-Identifier: MIT
# Names say where they are from: every external function of the built objects begins with
# the name of its file, of a header of its folder, or of its folder, in the singular or as
# it is; those of the library with mhaviz_.  Prints a line for every other one and fails.
cd "$(dirname "$0")/.." || exit 1
build=${MHA_VIZ_BUILD:-build}

find src -name '*.c' -not -path 'src/module/*' | sed "s|\(.*\)\.c$|$build/\1.o|" | xargs nm -gA --defined-only |
    awk -v build="$build/" -v headers="$(find src -name '*.h' | tr '\n' ' ')" '
function allow(list, name) {
    list[name] = list[singular(name)] = 1
}
function singular(name) {
    sub(/s$/, "", name)
    return name
}
function stem(path) {
    sub(/.*\//, "", path)
    sub(/\.[cho]$/, "", path)
    sub(/_priv$/, "", path)
    return path
}
BEGIN {
    n = split(headers, header, " ")
}
# The allocator of the C library, which the program stands before.
$1 ~ /src\/watch\.o:/ && $3 ~ /^(malloc|calloc|realloc|memalign|aligned_alloc|posix_memalign)$/ {
    next
}
$2 == "T" && $3 != "main" {
    split($1, at, ":")
    file = substr(at[1], length(build) + 1)
    if (file != last) {
        last = file
        delete may
        may["mhaviz"] = 1
        allow(may, stem(file))
        parts = split(file, part, "/")
        for (i = 2; i < parts; i++)
            allow(may, part[i])
        for (i = 1; i <= n; i++)
            if (index(header[i], "src/" part[2] "/") == 1)
                allow(may, stem(header[i]))
    }
    good = 0
    for (name in may)
        good = good || $3 == name || index($3, name "_") == 1
    if (!good) {
        sub(/\.o$/, ".c", file)
        print file ": " $3
        bad = 1
    }
}
END { exit bad }'
