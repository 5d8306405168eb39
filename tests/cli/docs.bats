#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The manual is well formed, and its examples and those of --help work.
# bats file_tags=once

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    viz=$(realpath "${MHA_VIZ:-./mha-viz}")
    dir=$(mktemp -d)
    ln -s "$PWD/samples" "$dir/samples"
    ln -s "$viz" "$dir/mha-viz"
}

teardown() {
    rm -rf "$dir"
}

# Runs a command of an example as it stands, in a folder of its own
try() {
    (cd "$dir" && PATH=$dir:$PATH bash -o pipefail -c "$1" >/dev/null 2>"$dir/said" </dev/null) || {
        echo "$1: status $?: $(cat "$dir/said")"
        return 1
    }
}

@test "man pages: mandoc has nothing to warn of" {
    command -v mandoc >/dev/null || skip "no mandoc"
    run mandoc -Tlint -Wwarning man/*.[1-9] man/*/*.[1-9]
    [ -z "$output" ]
    # Nor of style; pages that are not installed are not found.
    mandoc -Tlint man/*.[1-9] 2> /dev/null | grep -v ': referenced manual not found: ' > "$dir/style" || true
    [ ! -s "$dir/style" ] || { cat "$dir/style"; return 1; }
}

@test "man pages: one page per command, sections in one order" {
    order="NAME SYNOPSIS DESCRIPTION OPTIONS OUTPUT ENVIRONMENT FILES EXIT STATUS EXAMPLES SEE ALSO CAVEATS "
    for command in $(sed -n 's/^[A-Z]*(\(.*\))$/\1/p' src/task/tasks.def src/cmd/cmds.def); do
        sections=$(sed -n 's/^\.Sh //p' "man/mha-viz-$command.1" | tr '\n' ' ')
        [ "$sections" = "NAME SYNOPSIS DESCRIPTION EXIT STATUS EXAMPLES OPTIONS OUTPUT SEE ALSO " ]
        grep -q "^\.Xr mha-viz-$command 1" man/mha-viz.1
    done
    [ "$(sed -n 's/^\.Sh //p' man/mha-viz.1 | tr '\n' ' ')" = "$order" ]
}

@test "man pages: every metric has its place in mha-viz-metrics(7), in order" {
    # One line each: name, heading in the table, "NAMED" where nothing else asks for it, or the
    # group that does
    metrics=$(sed -nE 's/^METRIC\([a-z0-9_]*, "([^"]*)", "([^"]*)", .*, (true|false), ([A-Z]*),$/\1 \2 \4/p' \
        src/analysis/metrics.def | sed -E 's/ (BASIC|ALL)$//')
    [ "$(grep -c '^METRIC(' src/analysis/metrics.def)" -eq "$(wc -l <<< "$metrics")" ]
    # ".It Va NAME , NAME Pq table: HEADING" or "Pq by name"; without, the heading is the name
    pages=$(sed -n '/^\.Ss The metrics$/,/^\.Sh /p' man/mha-viz-metrics.7 | awk '
        /^\.It Va / {
            heading = named = ""
            if (match($0, / Pq table: .*/)) heading = substr($0, RSTART + 11)
            if (match($0, / Pq by name$/)) named = " NAMED"
            if (match($0, / Pq with [a-z]*$/)) named = " " toupper(substr($0, RSTART + 9))
            sub(/\\&$/, "", heading)
            sub(/^\.It Va /, ""); sub(/ Pq .*/, "")
            n = split($0, name, / , /)
            for (i = 1; i <= n; i++) print name[i] " " (heading != "" ? heading : name[i]) named
        }')
    [ "$metrics" = "$pages" ]
}

@test "man pages: every mechanism has its place in mha-viz-mechanisms(7), in order" {
    mechanisms=$(sed -n 's/^MECHANISM(.*, "\(.*\)")/\1/p' src/nn/mechanisms.def)
    pages=$(sed -n 's/^\.It Cm //p' man/mha-viz-mechanisms.7)
    [ -n "$mechanisms" ]
    [ "$mechanisms" = "$pages" ]
    for part in Cost Source; do
        [ "$(grep -c "^$part: " man/mha-viz-mechanisms.7)" -eq "$(wc -w <<< "$mechanisms")" ]
    done
}

# Each of the names is in the page $1, as a word
in_page() {
    local page name
    page=$(tr '\n' ' ' < "$1")
    shift
    for name; do
        [[ $page == *[\ ,]"$name"[\ ,.\;]* ]] || { echo "the manual lacks $name"; return 1; }
    done
}

@test "types of weights and steps of tokenizer.json of the manual are those of the code" {
    types=$(sed -n 's/^BLOCKS(\([^,]*\),.*/\1/p' src/base/blocks.def)
    [ -n "$types" ]
    # shellcheck disable=SC2086
    in_page man/mha-viz-models.7 $types
    model='"model":{"type":"BPE","vocab":{"a":0},"merges":[]}'
    for step in '"model":{"type":"Foo"}' "$model,\"normalizer\":{\"type\":\"Foo\"}" \
        "$model,\"pre_tokenizer\":{\"type\":\"Foo\"}" \
        "$model,\"post_processor\":{\"type\":\"Foo\"}"; do
        echo "{$step}" > "$dir/tokenizer.json"
        run "$viz" tokens -m "$dir" a
        [ "$status" -eq 3 ]
        names=${output##*is not supported, only }
        [ "$names" != "$output" ]
        # shellcheck disable=SC2086
        in_page man/mha-viz-models.7 ${names//,/}
    done
}

# wide PAGE...: the lines that are wider than a terminal of 80 columns, as mandoc and as groff
# format them: tables, and examples, which are not wrapped.  Fails where there is one.
wide() {
    local page line found=
    for page; do
        mandoc -Tutf8 -Owidth=78 "$page" | LC_ALL=C.UTF-8 sed 's/.\x08//g' > "$dir/mandoc"
        : > "$dir/groff"
        : > "$dir/said"
        ! command -v groff > /dev/null ||
            groff -k -Kutf8 -mdoc -Tutf8 -P-cbou -rLL=78n "$page" > "$dir/groff" 2> "$dir/said"
        # groff pushes what follows a wide cell to the next row of the table.
        ! grep "can't break line" "$dir/said" || found=yes
        for form in mandoc groff; do
            [ "$(LC_ALL=C.UTF-8 wc -L < "$dir/$form")" -gt 80 ] || continue
            found=yes
            while IFS= read -r line; do
                [ "$(LC_ALL=C.UTF-8 wc -L <<< "$line")" -le 80 ] || echo "$page, $form: $line"
            done < "$dir/$form"
        done
    done
    [ -z "$found" ]
}

@test "man pages: no line is wider than 80 columns" {
    command -v mandoc > /dev/null || skip "no mandoc"
    wide man/*.[1-9] man/*/*.[1-9]
}

@test "man pages: a table or an example of more than 80 columns is noticed" {
    command -v mandoc > /dev/null || skip "no mandoc"
    long=$(printf 'w%.0s' {1..45})
    printf '%s\n' '.Dd November 1, 2026' '.Dt WIDE 7' '.Os' '.Sh NAME' '.Nm wide' '.Nd a page' \
        '.Sh DESCRIPTION' ".Bl -column $long $long" ".It $long Ta $long" .El > "$dir/table.7"
    run wide "$dir/table.7"
    [ "$status" -eq 1 ]
    [[ $output == *"table.7, mandoc:      $long"*"$long"* ]]
    printf '%s\n' '.Dd November 1, 2026' '.Dt WIDE 7' '.Os' '.Sh NAME' '.Nm wide' '.Nd a page' \
        '.Sh DESCRIPTION' '.Bd -literal' "$long $long" .Ed > "$dir/example.7"
    run wide "$dir/example.7"
    [ "$status" -eq 1 ]
    [[ $output == *"example.7, mandoc:      $long $long"* ]]
}

@test "examples of --help work" {
    for command in $(sed -n 's/^[A-Z]*(\(.*\))$/\1/p' src/task/tasks.def src/cmd/cmds.def); do
        "$viz" "$command" --help | sed -n '/^Examples:/,$s/^  //p' > "$dir/examples"
        [ -s "$dir/examples" ]
        while IFS= read -r example; do
            try "$example"
        done < "$dir/examples"
    done
}

@test "examples of the man pages work, where they need no model and no other program" {
    n=0
    for page in man/*.1; do
        awk -f tests/examples.awk "$page" > "$dir/examples"
        while IFS= read -r example; do
            [[ $example == *parallel* || $example == *'?.part'* ]] &&
                ! command -v parallel >/dev/null && continue
            [[ $example == *jq* ]] && ! command -v jq >/dev/null && continue
            try "$example"
            n=$((n + 1))
        done < "$dir/examples"
    done
    [ "$n" -ge 20 ]
}
