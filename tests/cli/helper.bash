# SPDX-License-Identifier: MIT
# What the tests of the command line share.
# shellcheck disable=SC2034,SC2154,SC2012,SC2059

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    viz=$(realpath "${MHA_VIZ:-./mha-viz}")
    [ -x "$viz" ] || { echo "$viz: no such program; run make"; return 1; }
    ref=$PWD/tests/ref
    dir=$BATS_TEST_TMPDIR/files        # bats keeps files of its own above
    mkdir "$dir"
    # The test's own stdin is whatever ran it.
    exec </dev/null
}

# fails STATUS TEXT COMMAND...: nothing on standard output, one line on standard error that
# begins with mha-viz: and holds TEXT
fails() {
    local want=$1 text=$2
    shift 2
    run --separate-stderr "$@"
    if [ "$status" -eq "$want" ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] &&
        [[ $stderr == "mha-viz: "*"$text"* ]]; then
        return 0
    fi
    printf 'expected status %s and "%s", got status %s\nstdout: %s\nstderr: %s\n' \
        "$want" "$text" "$status" "$output" "$stderr"
    return 1
}

# works COMMAND...: status 0 and nothing on standard error
works() {
    run --separate-stderr "$@"
    if [ "$status" -eq 0 ] && [ -z "$stderr" ]; then
        return 0
    fi
    printf 'status %s\nstdout: %s\nstderr: %s\n' "$status" "$output" "$stderr"
    return 1
}

# refute COMMAND...: fails where it works (a lone ! would not, in bats)
refute() {
    if "$@"; then
        echo "should have failed: $*"
        return 1
    fi
}

# An SVG, from a file or standard input, with styles in place of the attributes of cairo 1.18
styles() {
    sed -E '/<path/s/ ((fill|stroke)[a-z-]*)="([^"]*)"/ \1:\3;/g' "$@"
}

# The entries of a folder in one line
list() {
    (cd "$1" && LC_ALL=C ls -A | tr '\n' ' ')
}

# The first bytes of a file as hexadecimal digits
magic() {
    head -c "$2" "$1" | od -An -tx1 | tr -d ' \n'
}

# Seconds after which what has not happened never will; no machine is that slow.
patience=600

# await CONDITION: until the shell command holds
await() {
    local end=$((SECONDS + patience))
    until eval "$1"; do
        [ "$SECONDS" -lt "$end" ] || { echo "never: $1"; return 1; }
        sleep 0.02
    done
}

# unread COMMAND...: its standard output is a pipe whose reader has gone
unread() {
    local status=0
    mkfifo "$dir/unread"
    exec 7<> "$dir/unread" 8> "$dir/unread"
    exec 7<&-
    rm "$dir/unread"
    "$@" >&8 8>&- || status=$?
    exec 8>&-
    return $status
}

sanitised() {
    [[ $viz == */asan/* || $viz == */tsan/* ]]
}

# gcov writes files of its own at the end.
covered() {
    [[ $viz == */coverage/* ]]
}

# safetensors FILE HEADER [BYTES [LENGTH]]: a file with this header and BYTES zeros; LENGTH
# is what the file says of its header, in decimal
safetensors() {
    local n=${4:-$(printf %s "$2" | wc -c)} i
    for ((i = 0; i < 8; i++)); do
        printf "\\x$(printf %02x $(((n >> (8 * i)) & 255)))"
    done >"$1"
    printf %s "$2" >>"$1"
    truncate -s "+${3:-0}" "$1"
}

# agree WANT GOT RELATIVE ABSOLUTE: every number of the JSON value WANT stands at the same
# place in GOT, within RELATIVE of itself and ABSOLUTE
agree() {
    jq -n -e --argjson want "$1" --argjson got "$2" --argjson rel "$3" --argjson abs "$4" '
        [$want | paths(numbers)] as $all | ($all | length) > 20 and
        all($all[]; . as $p | ($want | getpath($p)) as $x | ($got | getpath($p)) as $y |
            if (($x - $y) | fabs) <= $rel * ($x | fabs) + $abs then true
            else "\($p): expected \($x), got \($y)\n" | stderr | false end)' > /dev/null
}

# npy FILE SHAPE BYTES: float32 numbers, as printf takes their bytes
npy() {
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
        "{'descr': '<f4', 'fortran_order': False, 'shape': ($2), }" >"$1"
    # shellcheck disable=SC2059
    printf "$3" >>"$1"
}
