#!/bin/sh
# SPDX-License-Identifier: MIT
# Every figure, of short and long texts in several scripts, side by side on one page.
usage() {
    cat <<'USAGE'
usage: gallery.sh FOLDER [COMMAND ...]

Draws the figures of mha-viz (heatmap, links, model, curve, trace, circuits, mechanisms, diff,
ablate; or the COMMANDs given) into FOLDER, which is created if necessary:

    decoder-*   the built-in decoder; texts in English, Chinese, Arabic and of emoji, of 5, 60
                and 300 tokens
    encoder-*   the built-in encoder, a pair of sentences
    cross-*     the built-in translator, attention from Chinese to English words
    layer-*     a layer with random weights, 2,000 tokens
    picture-*   a vit and a picture; sound-*: a whisper and what it hears; those of the tests,
                with random weights, where nothing else is given

FOLDER/index.html shows all of them under the commands that drew them; figures.tsv lists their
files and commands.  It serves to look over a change to the drawing code, or to choose a figure.

Environment: MHA_VIZ, the program (default: mha-viz, or the one in this checkout); FORMAT, png
(default), svg or pdf; VIT and PICTURE, WHISPER, SOUND and WORDS (what is said there): folders of
models and their files.
Exit status: 0; 3 if a figure could not be drawn (the others are there); 2 for a wrong command
line.
USAGE
}

die() {
    echo "gallery.sh: $2" >&2
    exit "$1"
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 1 ] || { usage >&2; exit 2; }
folder=$1
shift
only=" $* "
format=${FORMAT:-png}
case $format in png | svg | pdf) ;; *) die 2 "FORMAT is $format; expected png, svg or pdf" ;; esac

here=$(cd "$(dirname "$0")" && pwd) || exit 2
if [ -z "${MHA_VIZ:-}" ]; then
    MHA_VIZ=mha-viz
    command -v mha-viz >/dev/null || MHA_VIZ=$here/../mha-viz
fi
command -v "$MHA_VIZ" >/dev/null || die 2 "$MHA_VIZ: no such program; run make, or set MHA_VIZ"
MHA_VIZ=$(command -v "$MHA_VIZ")
case $MHA_VIZ in /*) ;; *) MHA_VIZ=$PWD/$MHA_VIZ ;; esac
# absolute FILE
absolute() {
    case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac
}
tests=$(dirname "$here")/tests/ref/media
vit=$(absolute "${VIT:-$tests/vit}") picture=$(absolute "${PICTURE:-$tests/rgb.png}")
whisper=$(absolute "${WHISPER:-$tests/whisper}") sound=$(absolute "${SOUND:-$tests/voice.wav}")
mkdir -p "$folder" || die 4 "$folder: cannot be created"
cd "$folder" || exit 4

work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
status=0
: >figures.tsv

# A long text is not repeated in the list of figures
shortened() {
    if [ ${#1} -gt 100 ]; then printf ' …'; else printf '%s' "$1"; fi
}

# draw NAME COMMAND ARGUMENT ...: writes NAME-COMMAND.png and its line of the list
draw() {
    file=$1-$2.$format
    shift
    case $only in '  ' | *" $1 "*) ;; *) return ;; esac
    if "$MHA_VIZ" "$@" -q -o "$file" 2>"$work/said"; then
        {
            printf '%s\tmha-viz' "$file"
            for argument; do
                shortened " $argument"
            done
            echo
        } >>figures.tsv
    else
        echo "gallery.sh: $file: $(tail -n 1 "$work/said")" >&2
        status=3
    fi
}

# all NAME OPTION ... TEXT: the figures of one text with the built-in decoder
all() {
    name=$1
    shift
    draw "$name" heatmap -l 3 "$@"
    draw "$name" links -l 3 "$@"
    draw "$name" model "$@"
    draw "$name" curve --over layer "$@"
    draw "$name" trace --at -1 "$@"
}

english='Tea with milk, tea with'
chinese='我喜欢'
arabic='ست نساء'
emoji='😀👍'
all decoder-english-5 "$english"
all decoder-chinese-5 "$chinese"
all decoder-arabic-5 "$arabic"
all decoder-emoji-5 "$emoji"

# The beginning of standard input that is N tokens of the built-in decoder
tokens() {
    tr '\n' ' ' | head -c 6000 >"$work/text"
    "$MHA_VIZ" tokens -f "$work/text" --tsv 2>"$work/said" >"$work/tokens"
    head -c "$(awk -v n="$1" 'NR == n + 1 { print $8 }' "$work/tokens")" "$work/text"
}

# The same words N times
repeated() {
    yes "$1" | head -n "$2"
}
for n in 60 300; do
    all "decoder-english-$n" "$(tokens $n <"$here/english.txt")"
    all "decoder-chinese-$n" "$(tokens $n <"$here/chinese.txt")"
    all "decoder-arabic-$n" "$(repeated "$arabic" $n | tokens $n)"
    all "decoder-emoji-$n" "$(repeated "$emoji" $n | tokens $n)"
done

sheet='tea with milk, tea with lemon: he drinks tea with lemon'
draw decoder-sheet heatmap -l all --width 174mm "$sheet"
draw decoder-rollout heatmap -l all --rollout "$sheet"
draw decoder-clusters model --mds "$sheet"
draw decoder-entropy model --metric entropy "$sheet"
draw decoder-distance curve --over distance -l 3 -f "$here/english.txt"
draw decoder-weights circuits
draw decoder-mechanisms mechanisms -l 3 -H 2 "$sheet"
draw decoder-worth ablate "$sheet"
draw decoder-difference diff 'tea with milk, then tea' 'tea with lemon, then tea'

first='The river bank was steep.' second='Nobody swims from the bank.'
draw encoder-pair heatmap -m builtin:encoder "$first" "$second"
draw encoder-pair links -m builtin:encoder "$first" "$second"
draw encoder-arcs links -m builtin:encoder --arcs "$first"
draw encoder-heads model -m builtin:encoder "$first" "$second"
draw encoder-layers curve -m builtin:encoder --over layer "$first"

draw cross heatmap -m builtin:translate -s cross 'I like eating apples' '我 喜欢 吃 苹果'
draw cross links -m builtin:translate -s cross 'I like eating apples' '我 喜欢 吃 苹果'
draw cross model -m builtin:translate -s cross 'I like eating apples' '我 喜欢 吃 苹果'

draw decoder-beside heatmap --compare -l 3 -H 2 --shared --letters 'tea with milk, tea with milk' \
    'tea with milk, tea with lemon'

# has FILE ...: whether they are there; a line where not
has() {
    for file; do
        [ -e "$file" ] || { echo "gallery.sh: $file is not there: left out" >&2; return 1; }
    done
}
if has "$vit" "$picture"; then
    draw picture heatmap -m "$vit" --image "$picture"
    draw picture-maps heatmap -m "$vit" --image "$picture" --grid
    draw picture-rollout heatmap -m "$vit" --image "$picture" --rollout
    draw picture-heads model -m "$vit" --image "$picture"
    draw picture links -m "$vit" --image "$picture"
fi
# The words of the model of the tests, which has no tokeniser, are numbers
if has "$whisper" "$sound"; then
    if [ -n "${WORDS:-}" ]; then set -- "$WORDS"; else set -- --decoder-ids 3,10,20,30; fi
    draw sound heatmap -m "$whisper" --audio "$sound" "$@"
    draw sound-encoder heatmap -m "$whisper" --audio "$sound" -s encoder
    draw sound-heads model -m "$whisper" --audio "$sound" "$@"
fi

words=$(seq 2000 | tr '\n' ' ')
"$MHA_VIZ" init --d-model 64 --heads 4 --relative-positions --max-len 2048 -o "$work/layer.safetensors" ||
    exit
draw layer-2000 heatmap -m "$work/layer.safetensors" --tokens "$words"
draw layer-2000 model -m "$work/layer.safetensors" --tokens "$words"
draw layer-2000 curve -m "$work/layer.safetensors" --over position --tokens "$words"

escaped() {
    sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'
}
{
    echo '<!DOCTYPE html>'
    echo '<html lang="en"><meta charset="utf-8"><title>Figures of mha-viz</title>'
    echo '<style>body { font: 14px sans-serif; margin: 2em } figure { margin: 0 0 2em }'
    echo 'img, embed { max-width: 100%; border: 1px solid #ddd } code { word-break: break-word }</style>'
    escaped <figures.tsv | while IFS="$(printf '\t')" read -r name command; do
        case $format in
        pdf) shown="<embed src=\"$name\" width=\"700\" height=\"500\">" ;;
        *) shown="<img loading=\"lazy\" alt=\"$name\" src=\"$name\">" ;;
        esac
        echo "<figure><p><b>$name</b> <code>$command</code></p>$shown</figure>"
    done
    echo '</html>'
} >index.html
exit $status
