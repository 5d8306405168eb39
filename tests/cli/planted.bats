#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# types: heads that were made for a job are called by it, over texts and by probes; a job without a
# label of its own is called nothing that does not hold.

load helper

@test "62 planted heads of three families have the labels of their jobs" {
    python=${PYTHON:-python3}
    "$python" -c 'import numpy' 2> /dev/null || skip "$python has no NumPy"
    run "$python" tests/ref/check_planted.py "$viz"
    [ "$status" -eq 0 ] || { grep WRONG <<< "$output"; return 1; }
    [ "${lines[-1]}" = "0 wrong" ]
    # 28 of GPT-2 four times over, 16 of Qwen2 three times, 18 of BERT four times
    [ "${#lines[@]}" -eq "$((28 * 4 + 16 * 3 + 18 * 4 + 1))" ]
}
