#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# heatmap: which picture goes where, and what is refused.  What is in the picture is
# tested in tests/image and tests/ref/picture.c.

# shellcheck disable=SC2154,SC2016
load helper

@test "without options: the built-in model's picture, and its name" {
    cd "$dir"
    works "$viz" heatmap
    [ "$output" = heatmap.png ]
    [ "$(list .)" = "heatmap.png " ]
    [ "$(magic heatmap.png 8)" = 89504e470d0a1a0a ]
    works "$viz" heatmap                # replaces what is there
    [ "$(list .)" = "heatmap.png " ]
}

@test "-o: the extension chooses the format, and nothing is printed" {
    works "$viz" heatmap -m "$ref/bert" -o "$dir/a.png" "the key"
    [ -z "$output" ]
    works "$viz" heatmap -m "$ref/bert" -o "$dir/b.svg" "the key"
    works "$viz" heatmap -m "$ref/bert" -o "$dir/c.PDF" "the key"
    [ "$(magic "$dir/a.png" 4)" = 89504e47 ]
    head -c 300 "$dir/b.svg" | grep -q '<svg'
    [ "$(head -c 5 "$dir/c.PDF")" = "%PDF-" ]
    [ "$(list "$dir")" = "a.png b.svg c.PDF " ]
}

@test "-o -: standard output, png unless --format says otherwise" {
    "$viz" heatmap -m "$ref/bert" -o - "the key" > "$dir/a"
    [ "$(magic "$dir/a" 4)" = 89504e47 ]
    "$viz" heatmap -m "$ref/bert" -o - --format svg "the key" > "$dir/b"
    grep -q '<svg' "$dir/b"
    "$viz" heatmap -m "$ref/bert" -o - --format pdf "the key" > "$dir/c"
    [ "$(head -c 5 "$dir/c")" = "%PDF-" ]
    "$viz" heatmap -m "$ref/bert" -o "$dir/d.png" "the key"
    "$viz" heatmap -m "$ref/bert" -o "$dir/e.png" --no-metadata "the key"
    "$viz" heatmap -m "$ref/bert" -o - --no-metadata "the key" | cmp - "$dir/e.png"
}

@test "--format overrides the extension" {
    works "$viz" heatmap -m "$ref/bert" --format svg -o "$dir/a.png" "the key"
    grep -q '<svg' "$dir/a.png"
}

@test "-f: one picture per line in DIR/, by the line's number" {
    printf 'the key\nis\nis in the door\n' > "$dir/lines"
    mkdir "$dir/out"
    works "$viz" heatmap -m "$ref/bert" -f "$dir/lines" -o "$dir/out/"
    [ "$(list "$dir/out")" = "000001.png 000002.png 000003.png " ]
    works "$viz" heatmap -m "$ref/bert" -f "$dir/lines" -o "$dir/out" --format svg
    [ "$(list "$dir/out")" = "000001.png 000001.svg 000002.png 000002.svg 000003.png 000003.svg " ]
    works "$viz" heatmap -m "$ref/bert" -o "$dir/out/" "one text also has a number"
}

@test "-f: one line needs no folder, several do, and nothing is drawn before that is said" {
    printf 'the key\n' > "$dir/one"
    printf 'the key\nthe door\n' > "$dir/two"
    works "$viz" heatmap -m "$ref/bert" -f "$dir/one" -o "$dir/a.png"
    fails 2 "several texts require a folder" "$viz" heatmap -m "$ref/bert" -f "$dir/two" -o "$dir/b.png"
    cd "$dir"
    fails 2 "several texts require a folder" "$viz" heatmap -m "$ref/bert" -f "$dir/two"
    fails 2 "several texts require a folder" "$viz" heatmap -m "$ref/bert" -f "$dir/two" -o -
    [ "$(list "$dir")" = "a.png one two " ]
}

@test "-f: lines that cannot be used are named, the others are drawn" {
    printf 'the key\ncaf\xe9\nthe door\n' > "$dir/lines"
    mkdir "$dir/out"
    run --separate-stderr "$viz" heatmap -m "$ref/bert" -f "$dir/lines" -o "$dir/out/"
    [ "$status" -eq 3 ]
    [[ ${stderr_lines[0]} == "mha-viz: warning: $dir/lines: line 2: "*"not UTF-8 at byte 3"* ]]
    [[ ${stderr_lines[1]} == "mha-viz: $dir/lines: 1 of 3 lines could not be used" ]]
    [ "$(list "$dir/out")" = "000001.png 000003.png " ]
}

@test "-f: a picture is named only if it is there" {
    cd "$dir"
    : > empty
    printf '\xff\n' > bad
    printf '\xff\nthe key\n' > half
    fails 3 "empty: holds no text" "$viz" heatmap -f empty
    fails 3 "empty: holds no text" "$viz" export -f empty -o a.npz
    run --separate-stderr "$viz" heatmap -f bad
    [ "$status" -eq 3 ]
    [ -z "$output" ]
    [ "$(list .)" = "bad empty half " ]
    run --separate-stderr "$viz" heatmap -f half
    [ "$status" -eq 3 ]
    [ "$output" = heatmap.png ]
    [ "$(list .)" = "bad empty half heatmap.png " ]
}

@test "several layers on a sheet, any heads" {
    works "$viz" heatmap -m "$ref/bert" -l 1 -H 0,2 -o "$dir/a.png" "the key"
    works "$viz" heatmap -m "$ref/bert" -l 0 -H all -o "$dir/a.png" "the key"
    works "$viz" heatmap -m "$ref/bert" -l 0,1 -o "$dir/a.svg" "the key"
    grep -q '^mha-viz:layer: 0-1$' "$dir/a.svg"
    works "$viz" heatmap -m "$ref/bert" -H L0H1,L1H2 -o "$dir/a.svg" "the key"
    grep -q '^mha-viz:layer: 0-1$' "$dir/a.svg"
    works "$viz" heatmap -l 0,2-5 --width 85mm -o "$dir/a.svg" "the key"
    grep -q '^mha-viz:layer: 0,2-5$' "$dir/a.svg"
    grep -q 'width="335px"\|width="335"' "$dir/a.svg"
    rm "$dir/a.svg"
    fails 2 "--layer: 2 is out of range: the model has layers 0 to 1" \
        "$viz" heatmap -m "$ref/bert" -l 2 -o "$dir/b.png" "the key"
    fails 2 "--head: 3 is out of range: the model has heads 0 to 2" \
        "$viz" heatmap -m "$ref/bert" -H 1-3 -o "$dir/b.png" "the key"
    [ "$(list "$dir")" = "a.png " ]
}

# maps FILE OPTION...: one picture of cells alone
maps() {
    local file=$1
    shift
    "$viz" heatmap --no-titles --no-caption --no-metadata --types none -o "$dir/$file" "$@"
}

@test "--average: of one head it is the head; of several it is said" {
    maps a.png -m "$ref/bert" -l 1 -H 2 "the key"
    maps b.png -m "$ref/bert" -l 1 -H 2 --average heads "the key"
    cmp "$dir/a.png" "$dir/b.png"
    maps b.png -m "$ref/bert" -l 1 -H 2 --average layers "the key"
    cmp "$dir/a.png" "$dir/b.png"
    maps b.png -m "$ref/bert" -l 1 -H 2 --average both "the key"
    cmp "$dir/a.png" "$dir/b.png"
    # of a layer, both are its heads
    maps a.png -m "$ref/bert" -l 1 --average heads "the key"
    maps b.png -m "$ref/bert" -l 1 --average both "the key"
    cmp "$dir/a.png" "$dir/b.png"
    maps a.png -t 1 --average heads -l all --hide first --renorm "the cat and the dog"
    maps b.png -t 3 --average heads -l all --hide first --renorm "the cat and the dog"
    cmp "$dir/a.png" "$dir/b.png"
    works "$viz" heatmap -m "$ref/bert" --average layers -o "$dir/a.svg" "the key"
    grep -q '^mha-viz:layer: 0-1$' "$dir/a.svg"         # all, if not said otherwise
    fails 2 "--average: 'heads,layer': expected heads, layers or texts" \
        "$viz" heatmap --average heads,layer a
}

@test "--average both: the mean over heads and layers, as NumPy has it" {
    python3 -c 'import numpy' 2> /dev/null || skip "python3 has no NumPy"
    "$viz" export -l all -o "$dir/a.npz" "the cat saw the dog"
    maps both.svg --average both --threads 2 "the cat saw the dog"
    python3 - "$dir/a.npz" "$dir/mean.npz" <<'PYTHON'
import sys
import numpy as np
arrays = np.load(sys.argv[1])
layers = [np.float64(arrays[f"attn.{l}"]) for l in range(6)]
np.savez(sys.argv[2], **{"attn.0": np.float32(np.mean(np.stack(layers), axis=(0, 1)))[None]})
PYTHON
    # the same cells as those of the mean, which another program computed
    "$viz" heatmap --attention "$dir/mean.npz" --no-titles --no-caption --no-labels --no-metadata \
        -o "$dir/mean.svg"
    maps both.svg --average both --no-labels "the cat saw the dog"
    [ "$(grep -o 'base64,[^"]*' "$dir/both.svg" | sort)" = "$(grep -o 'base64,[^"]*' "$dir/mean.svg" | sort)" ]
}

# panels COMMAND...: the titles of its picture, $dir/order.svg, in their order
panels() {
    "$viz" "$@" "the cat saw the dog" > "$dir/out"
    python3 -c '
import re, sys, xml.etree.ElementTree as tree
at = []
for e in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text"):
    name = re.match(r"(Head |Layer |L[0-9]+H)[0-9]+", "".join(e.itertext()))
    if name and "matrix" not in e.get("transform", ""):
        at.append((float(e.get("y").split()[0]), float(e.get("x").split()[0]), name.group()))
print(",".join(name for _, _, name in sorted(at)))' "$dir/order.svg"
}

@test "-l, -H: panels stand in the order that was asked for" {
    panels heatmap -o "$dir/order.svg" -l 1 -H 3,1 | grep -qx 'Head 3,Head 1'
    panels heatmap -o "$dir/order.svg" -l 1 -H last,0-2 | grep -qx 'Head 3,Head 0,Head 1,Head 2'
    panels heatmap -o "$dir/order.svg" -H L5H3,L4H1 | grep -qx 'L5H3,L4H1'
    panels heatmap -o "$dir/order.svg" -l 4,2 -H 1,0 | grep -qx 'L4H1,L4H0,L2H1,L2H0'
    panels heatmap -o "$dir/order.svg" -l 4,2 --average heads | grep -qx 'Layer 4,Layer 2'
    panels heatmap -o "$dir/order.svg" -l 4,2 -H 1,0 --average layers | grep -qx 'Head 1,Head 0'
    panels links -o "$dir/order.svg" --panels -H L5H3,L4H1,L4H0 | grep -qx 'L5H3,L4H1,L4H0'
    panels diff --heatmap "$dir/order.svg" -H L5H3,L4H1 "the cat saw it" | grep -qx 'L5H3,L4H1'
}

# height FILE.svg: in pixels at 100 dpi
height() {
    head -c 400 "$1" | sed -n 's/.* height="\([0-9.]*\)px".*/\1/p' | cut -d . -f 1
}

@test "--width: titles of heads are cut only where they are wider than the cells" {
    local width
    # a layer of 12 heads, eight tokens
    npy "$dir/heads.npy" "1, 12, 8, 8" "$(printf '\\x00\\x00\\x00\\x3e%.0s' {1..768})"
    for width in 60mm 85mm 110mm 174mm; do
        works "$viz" heatmap -q --attention "$dir/heads.npy" \
            --tokens "the quite understanding cat sat down with us" \
            --width $width -o "$dir/a.svg"
        for ((i = 0; i < 12; i++)); do
            grep -q ">Head $i<" "$dir/a.svg"
        done
    done
}

@test "-l all --width: a sheet is not higher than a page, or the error names a width that is enough" {
    local width enough
    for width in 20mm 40mm 85mm 174mm; do
        works "$viz" heatmap -q -l all --width $width -o "$dir/a.svg" "the cat sat on the mat"
        [ "$(height "$dir/a.svg")" -le 1169 ]
    done
    # 12 layers of 12 heads, two tokens
    npy "$dir/deep.npy" "12, 12, 2, 2" "$(printf '\\x00\\x00\\x00\\x3f%.0s' {1..576})"
    run "$viz" heatmap -q --attention "$dir/deep.npy" -l all --width 20mm -o "$dir/a.svg"
    [ "$status" -eq 2 ]
    [[ $output =~ "would be higher than a page, 297mm; expected "([0-9]+mm)" or more" ]]
    enough=${BASH_REMATCH[1]}
    works "$viz" heatmap -q --attention "$dir/deep.npy" -l all --width "$enough" -o "$dir/a.svg"
    [ "$(height "$dir/a.svg")" -le 1169 ]
    works "$viz" heatmap -q --attention "$dir/deep.npy" -l all --width 20mm -c 1 --no-labels \
        --no-bars -o "$dir/a.svg"
    [ "$(height "$dir/a.svg")" -gt 1169 ]
}

@test "--compare: one file of several texts, the same bytes for any threads" {
    local file option
    printf 'the cat sat\nthe cat ran away\n我喜欢吃苹果\n' >"$dir/three.txt"
    for file in a.png a.svg a.pdf; do
        works "$viz" heatmap -t 1 --compare -o "$dir/$file" "the cat sat" "the cat ran away"
        works "$viz" heatmap -t 3 --compare -o "$dir/b.${file#a.}" "the cat sat" "the cat ran away"
        cmp "$dir/$file" "$dir/b.${file#a.}"
    done
    grep -q '>“the cat sat”<' "$dir/a.svg"
    grep -q '>“the cat ran away”<' "$dir/a.svg"
    works "$viz" heatmap --compare --letters -H 1 --numbers -f "$dir/three.txt" -o "$dir/c.svg"
    grep -q '>(c) “' "$dir/c.svg"
    [ "$(grep -c '>Head 1: previous<' "$dir/c.svg")" -eq 3 ]
    for option in "-l all --shared" "-l 0,2 -H 1" "--average heads -l all" "--average layers" \
        "--rollout" "--clip 90% --width 174mm" "-l all --width 85mm" "--hide first --renorm" \
        "--merge words --no-labels --no-bars" "--vmin 0 --vmax 1 -c 2" "--generate 2"; do
        # shellcheck disable=SC2086
        works "$viz" heatmap --compare $option -f "$dir/three.txt" -o "$dir/d.pdf"
    done
    works "$viz" heatmap -m "$ref/bart" --compare --pairs -f <(printf 'a\tb\nc d\te\n') \
        -o "$dir/e.png"
}

@test "--compare: what is one text or too many of them is refused" {
    fails 2 "--compare: expected several texts" "$viz" heatmap --compare "the cat"
    fails 2 "--compare gives one picture: expected a file, not the folder" \
        "$viz" heatmap --compare -o "$dir/d/" a b
    yes "the cat" | head -n 17 >"$dir/many.txt"
    fails 2 "--compare: expected at most 16 texts, $dir/many.txt has more" \
        "$viz" heatmap --compare -f "$dir/many.txt" -o "$dir/a.png"
    fails 2 "expected at least" "$viz" heatmap --compare --width 20mm -c 3 -o "$dir/a.pdf" a b
    fails 2 "--numbers: they would be" "$viz" heatmap --compare --numbers --width 60mm \
        -o "$dir/a.pdf" "the cat" "the big dog and the small cat and the dog ran away"
    # the width that an error names is one that works
    run "$viz" heatmap --compare --width 20mm -c 2 -H 0 -o "$dir/a.pdf" a b
    [[ $output =~ at\ least\ ([0-9]+mm) ]]
    works "$viz" heatmap --compare --width "${BASH_REMATCH[1]}" -c 2 -H 0 -o "$dir/a.pdf" a b
    printf 'the cat\n\xff\na b\n' >"$dir/bad.txt"
    run "$viz" heatmap --compare -f "$dir/bad.txt" -o "$dir/a.png"
    [ "$status" -eq 3 ]
    [ -s "$dir/a.png" ]
}

# Two layers of two tokens; the product of (A + 1) / 2 computed by hand.
@test "--rollout mixes the layers of precomputed attention" {
    local half='\x00\x00\x00\x3f' quarter='\x00\x00\x80\x3e' three='\x00\x00\x40\x3f'
    npy "$dir/a.npy" "2, 1, 2, 2" "$half$half$quarter$three$three$quarter$half$half"
    npy "$dir/r.npy" "1, 1, 2, 2" \
        '\x00\x00\x2c\x3f\x00\x00\xa8\x3e\x00\x00\x90\x3e\x00\x00\x38\x3f'
    maps a.png --attention "$dir/a.npy" --rollout --vmin 0 --vmax 1
    maps r.png --attention "$dir/r.npy" --vmin 0 --vmax 1
    cmp "$dir/a.png" "$dir/r.png"
    fails 2 "--rollout, --average: only one" "$viz" heatmap --rollout --average heads hello
    fails 2 "--rollout: cross-attention reads another text" "$viz" heatmap -m "$ref/bart" \
        --rollout hello there
}

@test "--cmap bluered: a note where no number has a sign" {
    run --separate-stderr "$viz" heatmap --cmap bluered -o "$dir/a.png" "the cat ran"
    [ "$status" -eq 0 ]
    [[ $stderr == *"--cmap bluered is for numbers with a sign"* ]]
}

@test "--numbers: in short texts, else an error" {
    maps a.png --numbers "the cat ran"
    maps b.png "the cat ran"
    refute cmp -s "$dir/a.png" "$dir/b.png"
    works "$viz" heatmap --numbers -l 0 --width 174mm -c 2 -o "$dir/a.pdf" "the cat ran"
    fails 2 "--numbers: they would be" "$viz" heatmap --numbers --width 85mm -l all -o "$dir/b.svg"
    fails 2 "--numbers: they would be" "$viz" heatmap --numbers --cell 8 -o "$dir/b.svg"
    text=$(printf 'a %.0s' $(seq 700))
    fails 2 "--numbers: a cell is 4 x 4 weights" "$viz" heatmap --numbers --width 85mm -o "$dir/b.svg" "$text"
    [ "$(list "$dir")" = "a.pdf a.png b.png " ]
}

@test "a title is UTF-8" {
    fails 2 "the title is not UTF-8" "$viz" heatmap -o "$dir/a.png" --title $'caf\xe9' hello
    [ -z "$(list "$dir")" ]
}

@test "the default layer: the card's, else 6, else the last" {
    layer=$(jq -r .mha_viz.default_layer assets/default/config.json)
    "$viz" heatmap --no-metadata -o "$dir/a.png" hello
    "$viz" heatmap --no-metadata -l "$layer" -o "$dir/b.png" hello
    cmp "$dir/a.png" "$dir/b.png"
    "$viz" heatmap -m "$ref/bert_old" --no-metadata -o "$dir/a.png" hello
    "$viz" heatmap -m "$ref/bert_old" --no-metadata -l 2 -o "$dir/b.png" hello
    cmp "$dir/a.png" "$dir/b.png"
}

# bats test_tags=threads
@test "the same bytes on every run, for any number of threads, in every format" {
    for format in png svg pdf; do
        "$viz" heatmap --no-metadata -t 1 -o "$dir/1.$format" "the cat saw the dog and the cat ran 我喜欢"
        for threads in 1 2 3 4; do
            "$viz" heatmap --no-metadata -t $threads -o "$dir/2.$format" "the cat saw the dog and the cat ran 我喜欢"
            cmp "$dir/1.$format" "$dir/2.$format"
        done
    done
}

@test "metadata: the command, the model, the layer and the scale; --no-metadata: none" {
    "$viz" heatmap -m "$ref/bert" -l 1 --scale sqrt -o "$dir/a.png" "我 & the key"
    for word in Software "mha-viz:command" "mha-viz:model" "mha-viz:layer" "mha-viz:scale" "我 & the key" sqrt; do
        grep -aqF "$word" "$dir/a.png"
    done
    "$viz" heatmap -m "$ref/bert" --no-metadata -o "$dir/a.png" "我 & the key"
    refute grep -aqF "mha-viz:" "$dir/a.png"
}

@test "metadata leave out -t and -o, however they are spelt: they change no byte" {
    for format in png svg pdf; do
        "$viz" heatmap -l 0 -c3 "the cat" -o "$dir/a.$format" -t1
        "$viz" heatmap -o"$dir/b.$format" -l 0 -t 4 -c3 "the cat"
        "$viz" heatmap --threads=2 -l 0 --output "$dir/c.$format" -c3 -- "the cat"
        "$viz" heatmap --output="$dir/d.$format" --threads 3 -l 0 -c3 "the cat"
        for other in b d; do
            cmp "$dir/a.$format" "$dir/$other.$format"
        done
    done
    grep -aqF "mha-viz heatmap --format svg -l 0 -c3 'the cat'" "$dir/a.svg"
    grep -aqF "mha-viz heatmap --format svg -l 0 -c3 -- 'the cat'" "$dir/c.svg"
    "$viz" heatmap -qt4 -vo "$dir/e.svg" -l 0 -qc3 "the cat"
    grep -aqF "mha-viz heatmap --format svg -l 0 -c3 'the cat'" "$dir/e.svg"
}

@test "a token is shown as text: in SVG, in the caption, in metadata, on the terminal" {
    text='</text></svg><script>alert(1)</script> "><svg onload=x> <b>bold</b> &amp; %s $(id) '$'\e]0;title\a'
    works "$viz" heatmap -m "$ref/gpt2" -q --truncate -o "$dir/a.svg" "$text"
    refute grep -q '<script>\|<b>bold\|onload=x>' "$dir/a.svg"
    refute grep -q $'\e' "$dir/a.svg"
    if command -v python3 > /dev/null; then
        python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "$dir/a.svg"
    fi
    works "$viz" heatmap -m "$ref/gpt2" -q --truncate --title "$text" -o "$dir/b.png" "$text"
    works "$viz" heatmap -m "$ref/gpt2" -q --truncate --title "$text" -o "$dir/b.pdf" "$text"
    fails 4 '\x1b]0;title\x07' "$viz" heatmap -m "$ref/gpt2" -o "$dir/none"$'/\e]0;title\a.png' the
}

@test "a noncharacter is escaped: the SVG is XML, the PDF is drawn" {
    command -v python3 >/dev/null || skip "no python3 to read XML"
    for text in $'a\xef\xbf\xbeb' $'\xef\xb7\x90' $'\xf0\x9f\xbf\xbf'; do
        works "$viz" heatmap -o "$dir/a.svg" --title "$text" "$text"
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$dir/a.svg"
        works "$viz" heatmap -o "$dir/a.pdf" --title "$text" "$text"
    done
}

@test "--hide-special leaves out rows and columns, and says so" {
    "$viz" heatmap -m "$ref/bert" --hide-special -o "$dir/a.svg" "the key"
    "$viz" heatmap -m "$ref/bert" -o "$dir/b.svg" "the key"
    refute cmp -s "$dir/a.svg" "$dir/b.svg"
    fails 3 "--hide: nothing is left of the text" \
        "$viz" heatmap -m "$ref/bert" --hide-special -o "$dir/c.png" ""
    [ "$(list "$dir")" = "a.svg b.svg " ]
}

@test "options have their ranges" {
    fails 2 "--columns: '0' is not in 1..64" "$viz" heatmap -c 0 -o "$dir/a.png" x
    fails 2 "--cmap: 'jet' is not one of viridis" "$viz" heatmap --cmap jet -o "$dir/a.png" x
    fails 2 "did you mean 'viridis'?" "$viz" heatmap --cmap virdis -o "$dir/a.png" x
    fails 2 "--vmin, --vmax: 0.5 is not below 0.25" "$viz" heatmap --vmin 0.5 --vmax 0.25 -o "$dir/a.png" x
    fails 2 "is not below" "$viz" heatmap --vmin 0.5 --vmax 0.5 -o "$dir/a.png" x
    fails 2 "--vmin: 'nan' is not a number" "$viz" heatmap --vmin nan -o "$dir/a.png" x
    fails 2 "--cell: '201' is not in 0..200" "$viz" heatmap --cell 201 -o "$dir/a.png" x
    fails 2 "--dpi: '9' is not in 10..1200" "$viz" heatmap --dpi 9 -o "$dir/a.png" x
    fails 2 "--scale: 'linaer' is not one of" "$viz" heatmap --scale linaer -o "$dir/a.png" x
    fails 2 "-o $dir/a.gif: unknown file extension; known are .png, .svg, .pdf; or give --format" "$viz" heatmap -o "$dir/a.gif" x
    fails 2 "--columsn: unknown option; did you mean --columns?" "$viz" heatmap --columsn 3 x
    [ -z "$(list "$dir")" ]
}

@test "every option is taken" {
    for options in "-c 1" "--cmap magma" "--cmap gray" "--scale log" "--scale row" "--shared" \
        "--vmin 0" "--vmax 1" "--vmin 0 --vmax 0.5" "--cell 3" "--dpi 200" "--pool mean" \
        "--title T" "--font Serif" "--no-special" "-q" "-v" "-t 1" "-s decoder"; do
        # shellcheck disable=SC2086
        works "$viz" heatmap -m "$ref/gpt2" $options -o "$dir/a.png" "the key is in the door"
        [ "$(magic "$dir/a.png" 4)" = 89504e47 ]
    done
}

# phys FILE.png: the nine bytes of its resolution
phys() {
    tail -c "+$(($(grep -abo pHYs "$1" | cut -d: -f1) + 5))" "$1" | head -c 9 | od -An -tx1 | tr -d ' \n'
}

@test "a PNG says its resolution" {
    for command in heatmap "diff -q b" "mechanisms --only exact"; do
        # shellcheck disable=SC2086
        works "$viz" $command --dpi 200 -o "$dir/a.png" a
        [ "$(phys "$dir/a.png")" = 00001ec200001ec201 ]     # 7874 pixels per metre
    done
    works "$viz" heatmap -o "$dir/a.png" a
    [ "$(phys "$dir/a.png")" = 00000f6100000f6101 ]         # 3937
}

@test "a text of a thousand tokens is drawn with pooled or tiny cells" {
    text=$(printf 'the cat saw the dog %.0s' {1..100})
    works "$viz" heatmap -o "$dir/a.png" "$text"
    works "$viz" heatmap --cell 30 --pool mean -o "$dir/b.png" "$text"
}

# fails 4 from the least memory with which the program starts; with more the picture is whole.
@test "memory that runs out while a picture is drawn is one line, and no picture" {
    if sanitised; then skip "sanitisers reserve memory of their own"; fi
    local kib n_failed=0
    works "$viz" heatmap -t 1 --no-metadata -m "$ref/bert" -o "$dir/good.png" "the key"
    for kib in 40000 50000 60000 70000 80000 100000 200000; do
        bash -c 'ulimit -v "$0" && "$@"' "$kib" "$viz" --version > /dev/null 2>&1 || continue
        rm -f "$dir/a.png"
        run --separate-stderr bash -c 'ulimit -c 0 -v "$0" && exec "$@"' "$kib" \
            "$viz" heatmap -t 1 --no-metadata -m "$ref/bert" -o "$dir/a.png" "the key"
        if [ "$status" -eq 0 ]; then
            cmp "$dir/good.png" "$dir/a.png"
            continue
        fi
        [ "$status" -eq 4 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == "mha-viz: "* ]]
        [ "$(ls -A "$dir")" = good.png ]
        n_failed=$((n_failed + 1))
    done
    [ "$n_failed" -gt 0 ] || skip "no limit was low enough"
}

# Fontconfig's cache still has the font; pango would draw boxes.
@test "a font that is installed and cannot be opened is an error" {
    local font
    font=$(find /usr/share/fonts -name DejaVuSans.ttf -print -quit)
    [ -n "$font" ] || skip "DejaVu Sans is not where it is looked for"
    mkdir "$dir/fonts"
    cp "$font" "$dir/fonts"
    echo "<fontconfig><dir>$dir/fonts</dir><cachedir>$dir/cache</cachedir></fontconfig>" > "$dir/fonts.conf"
    export FONTCONFIG_FILE=$dir/fonts.conf
    works "$viz" heatmap -m "$ref/bert" -o "$dir/a.png" "the key"
    : > "$dir/fonts/DejaVuSans.ttf"
    fails 4 "b.png: cannot be drawn: the font DejaVu Sans" \
        "$viz" heatmap -m "$ref/bert" -o "$dir/b.png" "the key"
    [ ! -e "$dir/b.png" ]
}

@test "--clip: a quantile of the weights; the caption and the picture say so" {
    works "$viz" heatmap -m "$ref/bert" --clip 90% -o "$dir/a.svg" "the key"
    grep -q 'scale: linear, each head its own range, clipped at 90%' "$dir/a.svg"
    works "$viz" heatmap -m "$ref/bert" --clip none -o "$dir/b.png" --no-metadata "the key"
    works "$viz" heatmap -m "$ref/bert" -o "$dir/c.png" --no-metadata "the key"
    cmp "$dir/b.png" "$dir/c.png"
    for bad in 99 99x% % -1% 0% 101% nan% 1e3% ''; do
        fails 2 "--clip: '$bad'" "$viz" heatmap --clip="$bad" -o "$dir/d.png" "the key"
    done
    fails 2 "--scale row has no end to move" "$viz" heatmap --clip 99% --scale row "the key"
    fails 2 "--vmin and --vmax give the ends" "$viz" heatmap --clip 99% --vmax 1 "the key"
    fails 2 "--clip: 'x'" "$viz" mechanisms --clip x -o "$dir/d.png" "the key"
    [ ! -e "$dir/d.png" ]
}

@test "--clip: 99% beyond 100 tokens, unless the ends of the colours are given" {
    long=$(printf 'key %.0s' {1..110})
    scale() { grep -ao 'scale: [^.;]*' "$dir/a.svg" | tail -n 1; }
    works "$viz" heatmap -o "$dir/a.svg" "$long"
    [[ $(scale) == *", clipped at 99%" ]]
    for turned_off in "--clip none" "--vmin 0" "--vmax 1" "--scale row"; do
        # shellcheck disable=SC2086
        works "$viz" heatmap -q $turned_off -o "$dir/a.svg" "$long"
        [[ $(scale) != *clipped* ]]
    done
}

@test "a picture of nearly one colour: a note, once, with what would show more" {
    run --separate-stderr "$viz" heatmap -l 4 --clip none -o "$dir/a.png" "$(printf 'key %.0s' {1..90})"
    echo "$stderr"
    [ "$status" -eq 0 ]
    [[ $stderr == *"nearly of one colour; --clip 99% or --scale log would show"* ]]
    works "$viz" heatmap -q -l 4 --clip none -o "$dir/a.png" "$(printf 'key %.0s' {1..90})"
    run --separate-stderr "$viz" heatmap -o "$dir/a.png" "the cat saw the dog"
    [ -z "$stderr" ]
}

# The width and height of an SVG, in pixels at 100 dpi.
size_of() {
    grep -o -m 1 '<svg [^>]*' "$1" | grep -o ' \(width\|height\)="[0-9.]*' | tr -dc '0-9.\n'
}

@test "--width: the picture is laid out for it, in every format" {
    works "$viz" heatmap --width 85mm --dpi 200 -o "$dir/a.png" "the cat saw the dog"
    [[ $(magic "$dir/a.png" 20) == *0000029d ]]         # 669 pixels
    works "$viz" heatmap --width 6in -o "$dir/a.svg" "the cat saw the dog"
    [ "$(size_of "$dir/a.svg" | head -n 1)" = 600 ]
    works "$viz" heatmap --width 17.4cm --font-size 7 --letters --no-titles --no-bars --no-labels \
        --no-caption -o "$dir/a.pdf" "the cat saw the dog"
    pdfinfo "$dir/a.pdf" | grep -q '^Page size: *493[. ]'
    works "$viz" diff -m "$ref/bert" -o "$dir/b.svg" --width 80mm "the key" "the door"
    works "$viz" circuits -m "$ref/gpt2" -o "$dir/b.svg" --width 80mm
    [ "$(size_of "$dir/b.svg" | head -n 1)" = 315 ]
}

@test "--width: what cannot be, and a width too small for its labels" {
    for bad in 85 mm -3mm 0mm 2m 101cm 'nanmm' ''; do
        fails 2 "--width: '$bad': expected a length" "$viz" heatmap --width="$bad" "the key"
    done
    fails 2 "--width, --cell: only one of them can be given: the width decides" "$viz" heatmap --width 85mm --cell 9 "the key"
    fails 2 "no room for 1 heatmap side by side; expected at least" \
        "$viz" heatmap --width 15mm "the key"
    fails 2 "no room for 4 heatmaps" "$viz" heatmap -c 4 --width 40mm "the key"
    works "$viz" heatmap -c 4 --width 40mm --no-labels --no-bars -o "$dir/a.png" "the key"
}

@test "--cmap: on a light ground, and from the last colour to the first" {
    for map in Blues Greys Reds gray; do
        works "$viz" heatmap --cmap "$map" --no-metadata -o "$dir/$map.png" "the key"
        works "$viz" heatmap --cmap "${map}_r" --no-metadata -o "$dir/r.png" "the key"
        refute cmp -s "$dir/$map.png" "$dir/r.png"
    done
    fails 2 "--cmap: 'Blues_x'" "$viz" heatmap --cmap Blues_x "the key"
}

# The text elements of an SVG, a line each.
texts() {
    python3 -c '
import sys, xml.etree.ElementTree as tree
for e in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text"):
    print("".join(e.itertext()))' "$1"
}

@test "svg: text is text, cells say what they are; --outlines: neither needs a font" {
    works "$viz" heatmap -l 2 -H 0 --title 'a <b> & "c"' -o "$dir/a.svg" 'the cat <script> 我'
    texts "$dir/a.svg" > "$dir/texts"
    [ "$(grep -cx cat "$dir/texts")" = 2 ]
    grep -qx 'a <b> & "c"' "$dir/texts"
    grep -qx 'Head 0: .*' "$dir/texts"
    refute grep -q '<script' "$dir/a.svg"
    grep -q '<title>cat → the: 0[.0-9]*</title>' "$dir/a.svg"
    works "$viz" heatmap -l 2 -H 0 --no-metadata --outlines -o "$dir/b.svg" 'the cat'
    [ -z "$(texts "$dir/b.svg")" ]
    grep -q '<title>cat → the: ' "$dir/b.svg"
    for command in links model neuron "curve --over distance" "trace --at 1" "ablate -l 0"; do
        works "$viz" $command -o "$dir/c.svg" 'the cat'
        [ -n "$(texts "$dir/c.svg")" ]
        works "$viz" $command --outlines -o "$dir/c.svg" 'the cat'
        [ -z "$(texts "$dir/c.svg")" ]
    done
}
