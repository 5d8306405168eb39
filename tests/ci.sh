#!/bin/bash
# SPDX-License-Identifier: MIT
# .ci/run, over tables of parts: what ran is counted; what should have run and did not fails.
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

# says STATUS TOTAL TEXT <<<PARTS: .ci/run ends so, and TEXT stands in its table
says() {
    local out rc
    cat > "$dir/parts"
    out=$(.ci/run "$dir/parts" 2>&1)
    rc=$?
    n=$((n + 1))
    if [ "$rc" -eq "$1" ] && [ "$(tail -n 1 <<<"$out")" = "$2" ] &&
        grep -qF -- "$3" <<<"${out##*====}"; then
        echo "ok $n - $3"
    else
        bad=1
        echo "not ok $n - expected status $1, $2, $3; got status $rc and:"
        sed 's/^/# /' <<<"$out"
    fi
}

good='good | - | echo ran; echo 7 passed, 0 failed, 1 skipped'
says 0 "7 passed, 0 failed, 1 skipped" "      7       0       1" <<<"$good"
says 0 "14 passed, 0 failed, 2 skipped" "all                                     14" \
    <<<"$good"$'\n'"$good"
says 1 "7 passed, 1 failed, 1 skipped" "(status 2, no tests were run)" <<<"$good
absent | - | make -s no-such-target 2>&1"
says 1 "0 passed, 1 failed, 0 skipped" "(status 0, no tests were run)" \
    <<<'empty | - | echo "0 passed, 0 failed, 0 skipped"'
says 1 "3 passed, 1 failed, 0 skipped" "(status 1)" \
    <<<'died | - | echo "3 passed, 0 failed, 0 skipped"; exit 1'
says 1 "3 passed, 2 failed, 0 skipped" "      3       2       0" \
    <<<'failed | - | echo "3 passed, 2 failed, 0 skipped"; exit 1'
says 0 "7 passed, 0 failed, 2 skipped" "(cannot run here: two words)" <<<"$good
elsewhere | echo two words; false | true"
echo "1..$n"
[ "$bad" -eq 0 ]
