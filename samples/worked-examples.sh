#!/bin/sh
# SPDX-License-Identifier: MIT
# The worked examples of texts about multi-head attention, one per line.
usage() {
    cat <<'USAGE'
usage: worked-examples.sh FOLDER

Creates the layers of the worked examples of texts about multi-head attention, runs them,
and writes pictures, arrays and reports to FOLDER, which is created if necessary:

    one_head.*      4 tokens of width 3, one head
    eight_heads.*   4 tokens, d_model 512, 8 heads: 98,304 weights per head
    wide.*          96 heads of width 128: 12,288 columns (d_model 96, to keep it small)
    masked.tsv      32 texts of 50 tokens, whose first 25 do not see each other
    batch/          2 texts of 10 tokens, d_model 768, 8 heads, with different inputs for
                    queries, keys and values
    precomputed.*   the attention of one_head again, from its arrays alone
    separable.* relative.* encoder.* decoder.*      the same attention in other forms

Environment: MHA_VIZ, the program (default: mha-viz, or the one in this checkout).
Exit status: that of mha-viz; 2 for a wrong command line.
USAGE
}

die() {
    echo "worked-examples.sh: $*" >&2
    exit 2
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 1 ] || { usage >&2; exit 2; }

here=$(cd "$(dirname "$0")" && pwd) || exit 2
if [ -z "${MHA_VIZ:-}" ]; then
    MHA_VIZ=mha-viz
    command -v mha-viz >/dev/null || MHA_VIZ=$here/../mha-viz
fi
command -v "$MHA_VIZ" >/dev/null || die "$MHA_VIZ: no such program; run make, or set MHA_VIZ"
[ $# -eq 1 ] || { usage >&2; exit 2; }
MHA_VIZ=$(command -v "$MHA_VIZ")
case $MHA_VIZ in /*) ;; *) MHA_VIZ=$PWD/$MHA_VIZ ;; esac
viz() { "$MHA_VIZ" "$@"; }
words='我 喜欢 吃 苹果'

mkdir -p "$1/batch" || exit 4
cd "$1" || exit 4
set -e
viz init --d-model 3 --heads 1 -o one_head.safetensors && viz heatmap -q -m one_head.safetensors --tokens "$words" -o one_head.png
viz export -m one_head.safetensors --tokens "$words" -o precomputed.npz && viz heatmap -q --attention precomputed.npz -o precomputed.png
viz init --d-model 512 --heads 8 -o eight_heads.safetensors && viz heatmap -q -m eight_heads.safetensors --tokens "$words" -o eight_heads.png && viz info -m eight_heads.safetensors -o eight_heads.txt
viz init --d-model 96 --heads 96 --d-k 128 -o wide.safetensors && viz info -m wide.safetensors -o wide.txt
viz stats -m eight_heads.safetensors --shape 32x50 --key random --value random --mask block:0-24,0-24 --tsv -o masked.tsv
viz init --d-model 768 --heads 8 -o batch.safetensors && viz export -m batch.safetensors --shape 2x10 --key random --value random --hidden -o batch/
viz init --d-model 64 --heads 4 --separable -o separable.safetensors && viz stats -m separable.safetensors --tokens "$words" -o separable.txt
viz init --d-model 64 --heads 4 --relative-positions --max-len 16 -o relative.safetensors && viz stats -m relative.safetensors --tokens "$words" -o relative.txt
viz init --d-model 64 --heads 4 --encoder -o encoder.safetensors && viz stability -m encoder.safetensors --tokens "$words" -o encoder.txt
viz init --d-model 64 --heads 4 --decoder --layers 2 -o decoder.safetensors && viz heatmap -q -m decoder.safetensors --tokens "$words" -s cross -o decoder.png
