#!/bin/bash
# SPDX-License-Identifier: MIT
# Names say where they are from.
#   tests/names.sh       fails where they do not
#   tests/names.sh -v    also prints what it tolerates
cd "$(dirname "$0")/.." || exit 1
build=${MHA_VIZ_BUILD:-build}
bad=0

# Every external function of the built objects begins with the name of its file, of a header of
# its folder, or of its folder, in the singular or as it is; those of the library with mhaviz_.

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
END { exit bad }' || bad=1

# A function whose name functions of two other files bear cannot be found by it: at most 1 % of
# all are such.  All definitions of src/ count, static or not, of .c and .h.  Counted apart, and
# without a limit: the operations on vectors in src/nn (v_, i_ and d_), which the file of each
# processor defines under the names that the loops they share call.
#
# At most 35 % of all parameters have names of one or two letters.  All count: those that the field
# writes so (q, k, n, i, T), and e and a, which are a struct err and a struct arena everywhere.
find src -name '*.[ch]' | sort | xargs awk -v limit=1 -v limit_brief=35 -v all="${1:-}" '
# The name before the first bracket of a line that a definition may begin with.
function named(line) {
    gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\) */, "", line)
    if (line !~ /^[A-Za-z_][A-Za-z0-9_ *]*[ *][A-Za-z_][A-Za-z0-9_]*\(/ || line ~ /^typedef /)
        return ""
    sub(/\(.*/, "", line)
    sub(/.*[ *]/, "", line)
    return line
}
function ends_with_semicolon(line) {
    return line ~ /; *$/ && line !~ /\{/
}
# Counts the parameters of a definition, whose first lines are head.
function parameters(head,    n, i, part, depth, c, text, letters) {
    sub(/\{.*/, "", head)
    sub(/^[^(]*\(/, "", head)
    sub(/\)[^)]*$/, "", head)
    for (i = 1; i <= length(head) + 1; i++) {
        c = i > length(head) ? "," : substr(head, i, 1)
        if (c == "," && depth == 0) {
            part = text
            text = ""
            # What a pointer to a function takes; the length of an array
            sub(/\) *\(.*/, "", part)
            gsub(/\[[^]]*\]/, "", part)
            sub(/ +$/, "", part)
            if (part !~ /[ *][A-Za-z_][A-Za-z0-9_]*$/)
                continue
            n_parameters++
            letters = part
            sub(/.*[ *]/, "", letters)
            if (length(letters) > 2)
                continue
            short++
            if (part ~ /struct .*\*/ && part !~ /struct (err|arena) /)
                shorts[++n_shorts] = at ": " name ": " part
            continue
        }
        depth += c == "(" ? 1 : c == ")" ? -1 : 0
        text = text c
    }
}
FNR == 1 { name = "" }
{ gsub(/\/\*.*\*\//, "") }
/^[A-Za-z_]/ && (found = named($0)) != "" {
    name = found
    at = FILENAME ":" FNR
    head = ""
}
name != "" && ends_with_semicolon($0) { name = "" }
name != "" {
    gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\) */, "")
    sub(/^ +/, " ")
    head = head $0
}
name != "" && /\{/ {
    n++
    parameters(head)
    if (FILENAME ~ /^src\/nn\// && name ~ /^[vid]_/)
        vectors++
    else if (!((name, FILENAME) in seen)) {
        seen[name, FILENAME] = 1
        files[name]++
        where[name] = where[name] " " at
    }
    name = ""
}
END {
    for (name in files)
        if (files[name] >= 3)
            shared += files[name]
    share = 100 * shared / (n - vectors)
    if (share > limit || all != "") {
        printf "%d of %d functions, %.1f %%, have a name that functions of two other files have " \
            "(at most %d %%; %d operations on vectors apart); begin it with the noun of its " \
            "file, as map_take in map.c:\n", shared, n - vectors, share, limit, vectors
        for (name in files)
            if (files[name] >= 3)
                print name ":" where[name] | "sort"
    }
    close("sort")
    brief = 100 * short / n_parameters
    if (brief > limit_brief || all != "") {
        printf "%d of %d parameters, %.1f %%, have a name of one or two letters (at most %d %%); " \
            "call these by the noun of their type, as struct session *session:\n", short,
            n_parameters, brief, limit_brief
        for (i = 1; i <= n_shorts; i++)
            print shorts[i]
    }
    exit share > limit || brief > limit_brief
}' || bad=1
exit "$bad"
