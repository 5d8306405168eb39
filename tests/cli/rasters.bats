#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The SVG and the PDF of a figure, as librsvg and poppler draw them, against its PNG: all three have
# the same cells, lines and bars in the same places.

# shellcheck disable=SC2154
load helper

# same COLOURS COMMAND...: so many flat colours at least; a PNG has 100 dots per inch, an SVG pixels.
# With times=N all three are N times as large.  In a PNG the advance of each letter is a whole number
# of pixels (hinting), so that a narrow figure which is mostly letters is up to 4 % narrower than its
# SVG at 100 dots per inch, and less than 1 % at 300.
same() {
    local least=$1 got times=${times:-1}
    shift
    set -- "$@" --dpi $((100 * times))
    command -v rsvg-convert >/dev/null || skip "no rsvg-convert (librsvg2-bin)"
    command -v pdftocairo >/dev/null || skip "no pdftocairo (poppler-utils)"
    for ending in png svg pdf; do
        works "$@" -o "$dir/f.$ending"
    done
    rsvg-convert -z "$times" "$dir/f.svg" -o "$dir/svg.png"
    pdftocairo -png -singlefile -r $((100 * times)) "$dir/f.pdf" "$dir/pdf"
    got=$(python3 tests/cli/raster.py "$dir/f.png" "$dir/svg.png" "$dir/pdf.png")
    [ "$got" -ge "$least" ] || { echo "$got flat colours, expected $least"; return 1; }
}

@test "heatmap" {
    same 40 "$viz" heatmap --cell 24 "the cat saw the dog and the cat ran"
}

@test "heatmap: cross-attention, labels of other scripts" {
    same 20 "$viz" heatmap --cell 24 -m builtin:translate "I like you" "我喜欢你"
}

@test "heatmap: several layers" {
    same 80 "$viz" heatmap --cell 24 -l 0-2 --no-caption "the cat saw the dog"
}

@test "heatmap: another colour map, one layer" {
    same 20 "$viz" heatmap --cell 30 --cmap Blues -l 3 "the cat saw the dog"
}

@test "links: letters and lines" {
    times=3 same 1 "$viz" links "the cat saw the dog"
}

@test "curve: letters and lines" {
    same 0 "$viz" curve --over distance -l 3 "the cat saw the dog and the cat ran"
}

@test "another layer's picture is not taken for it" {
    "$viz" heatmap --cell 24 -l 1 -o "$dir/other.png" "the cat saw the dog"
    "$viz" heatmap --cell 24 -l 0 -o "$dir/f.png" "the cat saw the dog"
    python3 tests/cli/raster.py "$dir/f.png" "$dir/f.png"
    run python3 tests/cli/raster.py "$dir/f.png" "$dir/other.png"
    [ "$status" -eq 1 ] && [[ $output == *"flat pixels differ"* ]]
}
