#!/bin/bash
# SPDX-License-Identifier: MIT
# .ci/run, over tables of parts: what ran is counted; what should have run and did not fails.
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 bad=0
# In a tree of its own, where nothing is installed or built
mkdir -p "$dir/tree/.ci" "$dir/tree/tests" "$dir/tree/src/base"
cp .ci/run "$dir/tree/.ci/"
printf '#!/bin/sh\n' > "$dir/tree/tests/deps"
chmod +x "$dir/tree/tests/deps"
cd "$dir/tree" || exit 1

# says STATUS TOTAL TEXT <<<PARTS: .ci/run ends so, and TEXT stands in its table
says() {
    local out rc
    cat > "$dir/parts"
    out=$(NEED_SECONDS=2 .ci/run "$dir/parts" 2>&1)
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

good='good | 1 | - | - | echo ran; echo 7 passed, 0 failed, 1 skipped'
says 0 "7 passed, 0 failed, 1 skipped" "      7       0       1" <<<"$good"
says 0 "14 passed, 0 failed, 2 skipped" "all                                     14" \
    <<<"$good"$'\n'"$good"
says 1 "7 passed, 1 failed, 1 skipped" "(status 2, no tests were run)" <<<"$good
absent | 1 | - | - | make -s no-such-target 2>&1"
says 1 "0 passed, 1 failed, 0 skipped" "(status 0, no tests were run)" \
    <<<'empty | 1 | - | - | echo "0 passed, 0 failed, 0 skipped"'
says 1 "3 passed, 1 failed, 0 skipped" "(status 1)" \
    <<<'died | 1 | - | - | echo "3 passed, 0 failed, 0 skipped"; exit 1'
says 1 "3 passed, 2 failed, 0 skipped" "      3       2       0" \
    <<<'failed | 1 | - | - | echo "3 passed, 2 failed, 0 skipped"; exit 1'
says 0 "7 passed, 0 failed, 2 skipped" "(cannot run here: two words)" <<<"$good
elsewhere | 1 | - | echo two words; false | true"
says 1 "7 passed, 1 failed, 1 skipped" "(stopped: its 0.02 minutes were over)" <<<"$good
endless | 0.02 | - | - | sleep 60"
says 1 "0 passed, 1 failed, 1 skipped" "(not run: the first part failed)" <<<"first | 1 | - | - | exit 1
$good"

says 1 "7 passed, 1 failed, 1 skipped" "(what it needs could not be fetched in time)" <<<"$good
far | 1 | - | sleep 60 | echo 1 passed, 0 failed, 0 skipped"
says 1 "7 passed, 3 failed, 1 skipped" "(what it needs failed without a reason)" <<<"$good
dies | 1 | - | exit 3 | true
next | 1 | - | false | true
last | 1 | - | - | exit 1"
says 1 "0 passed, 0 failed, 1 skipped" "(cannot run here: no)" <<<'nothing | 1 | - | echo no; false | true'

# What a part leaves running is stopped with it
says 0 "1 passed, 0 failed, 0 skipped" "leaves" <<<'leaves | 1 | - | - | timeout 59.7 sleep 59.7 & echo 1 passed, 0 failed, 0 skipped'
n=$((n + 1))
if pgrep -f 'sleep 59\.7' >/dev/null; then
    bad=1
    echo "not ok $n - a process of a part is left"
else
    echo "ok $n - no process of a part is left"
fi

# What the change calls for: src/base is what changed
if git --version >/dev/null 2>&1; then
    echo > src/base/old.c
    git init -q . && git add . && git -c user.name=n -c user.email=e commit -qm one
    echo > src/base/new.c
    parts="$good
called | 1 | src/nn src/base | - | echo 1 passed, 0 failed, 0 skipped
not called | 1 | src/nn src/bas | - | echo 1 passed, 0 failed, 0 skipped"
    export CI_BASE=HEAD
    says 0 "8 passed, 0 failed, 2 skipped" "nothing changed in src/nn src/bas; make nightly runs it" <<<"$parts"
    git mv src/base/old.c src/moved.c
    rm src/base/new.c
    says 0 "8 passed, 0 failed, 2 skipped" "nothing changed in src/nn src/bas; make nightly runs it" <<<"$parts"
    seq 301 | xargs touch
    says 0 "9 passed, 0 failed, 1 skipped" "not called                               1" <<<"$parts"
    rm -f ./[0-9]*
    export CI_BASE=none
    says 0 "9 passed, 0 failed, 1 skipped" "not called                               1" <<<"$parts"
else
    n=$((n + 1))
    echo "ok $n # skip git is not here"
fi
echo "1..$n"
[ "$bad" -eq 0 ]
