#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The library as it is installed: its symbols, pkg-config, a program that uses it.

# shellcheck disable=SC2154,SC2046
load helper

sanitised() {
    [[ ${MHA_VIZ:-./mha-viz} == */asan/* || ${MHA_VIZ:-./mha-viz} == */tsan/* ]]
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    sanitised || make -s install PREFIX="$BATS_FILE_TMPDIR/there" </dev/null
}

installed() {
    ! sanitised || skip "the installed library has no sanitisers"
    there=$BATS_FILE_TMPDIR/there
    export PKG_CONFIG_PATH=$there/lib/pkgconfig LD_LIBRARY_PATH=$there/lib
}

@test "only mhaviz_ is visible, in both libraries, and each function of the header is there" {
    installed
    declared=$(grep -oE '\bmhaviz_[a-z_]+\(' "$there/include/mhaviz.h" | tr -d '(' | sort -u)
    [ -n "$declared" ]
    [ "$(nm -D --defined-only "$there/lib/libmhaviz.so.0" | cut -d ' ' -f 3 | sort)" = "$declared" ]
    [ "$(nm -g --defined-only "$there/lib/libmhaviz.a" | awk 'NF == 3 { print $3 }' | sort)" = "$declared" ]
    readelf -d "$there/lib/libmhaviz.so" | grep -q 'SONAME.*\[libmhaviz.so.0\]'
}

@test "the library neither ends the process nor prints, forks, or installs handlers" {
    installed
    # abort is there for a handler of arenas that returns, stdout for the program's "-o -".
    never='exit|_exit|_Exit|quick_exit|atexit|fork|vfork|system|popen|posix_spawn|signal|sigaction|printf|puts|putchar|perror|stderr|json_set_alloc_funcs'
    nm -D --undefined-only "$there/lib/libmhaviz.so.0" | awk '{ print $2 }' | sed 's/@.*//' > "$dir/used"
    refute grep -xE "($never)" "$dir/used"
}

@test "embed.c: built with nothing but pkg-config, shared and static" {
    installed
    cp samples/embed.c "$dir"
    cd "$dir"
    cc -std=c11 -Wall -Wextra -Werror -o shared embed.c $(pkg-config --cflags --libs mhaviz)
    cc -std=c11 -o static embed.c $(pkg-config --cflags mhaviz) -Wl,-Bstatic -lmhaviz \
        -L"$there/lib" -Wl,-Bdynamic $(pkg-config --static --libs mhaviz)
    works "$viz" stats --tsv "the cat saw the dog"
    awk -F '\t' 'NR > 1 { printf "L%dH%d\t%.3f\n", $3, $4, $5 }' <<< "$output" > wanted
    works ./shared "the cat saw the dog"
    diff wanted - <<< "$output"
    works env LD_LIBRARY_PATH= ./static "the cat saw the dog"
    diff wanted - <<< "$output"
    run ./shared "the cat" /nowhere
    [ "$status" -eq 1 ]
    [[ $output == "embed: "*"/nowhere"* ]]
}

@test "mhaviz.h is C++ too" {
    installed
    command -v c++ >/dev/null || skip "no C++ compiler"
    printf '#include <mhaviz.h>\nint main() { return mhaviz_version() == nullptr; }\n' > "$dir/a.cc"
    c++ -std=c++11 -Wall -Wextra -Werror -o "$dir/a" "$dir/a.cc" $(pkg-config --cflags --libs mhaviz)
    "$dir/a"
}

@test "mhaviz(3) documents every function and type of the header" {
    for name in $(grep -oE '\b(mhaviz_[a-z_]+\(|struct mhaviz_[a-z_]+|MHAVIZ_[A-Z_]+)' src/mhaviz.h |
        sed 's/($//; s/^struct //' | grep -v '^MHAVIZ_H$' | sort -u); do
        grep -qw -- "$name" man/mhaviz.3 || { echo "$name"; return 1; }
    done
}

@test "uninstall leaves nothing" {
    ! sanitised || skip "the installed library has no sanitisers"
    make -s install PREFIX="$dir/gone" </dev/null
    [ -n "$(find "$dir/gone" -type f)" ]
    make -s uninstall PREFIX="$dir/gone" </dev/null
    [ -z "$(find "$dir/gone" -type f -o -type l)" ]
}
