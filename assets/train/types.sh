#!/bin/sh
# SPDX-License-Identifier: MIT
# What each head of the built-in models is -> types.json beside each of them, which becomes part of the program.
#     assets/train/types.sh [PROGRAM [FOLDER]]
# FOLDER: where default/types.json and the others go instead of assets/.  The plain C kernel gives the same bytes everywhere.
set -e
viz=$(realpath "$(command -v "${1:-mha-viz}")")
here=$(dirname "$(realpath "$0")")
to=$(realpath "${2:-$here/..}")
cd "$here/../.."
export MHA_VIZ_KERNEL=c
"$viz" types --no-metadata --json -f samples/english.txt > "$to/default/types.json.new"
"$viz" types --no-metadata -m builtin:encoder --json -f samples/english.txt > "$to/encoder/types.json.new"
"$viz" types --no-metadata -m builtin:translate --json --pairs -f assets/translate/sentences.tsv > "$to/translate/types.json.new"
for model in default encoder translate; do
    mv "$to/$model/types.json.new" "$to/$model/types.json"
done
