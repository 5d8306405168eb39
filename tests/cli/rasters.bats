#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The SVG and the PDF of a figure, as librsvg and poppler draw them, against its PNG: all three have
# the same cells, lines and bars in the same places.

# shellcheck disable=SC2154
load helper

# same COLOURS COMMAND...: so many flat colours at least.  Boxes of an SVG lie on whole pixels, those
# of a PNG of 100 dots per inch; those of a PDF do not, and it is compared with a PNG of 300, where
# rounding is a third of that.
same() {
    local least=$1 got
    shift
    command -v rsvg-convert >/dev/null || skip "no rsvg-convert (librsvg2-bin)"
    command -v pdftocairo >/dev/null || skip "no pdftocairo (poppler-utils)"
    for ending in png svg pdf; do
        works "$@" -o "$dir/f.$ending"
    done
    works "$@" --dpi 300 -o "$dir/fine.png"
    rsvg-convert "$dir/f.svg" -o "$dir/svg.png"
    pdftocairo -png -singlefile -r 300 "$dir/f.pdf" "$dir/pdf"
    for got in "$(python3 tests/cli/raster.py "$dir/f.png" "$dir/svg.png")" \
        "$(python3 tests/cli/raster.py "$dir/fine.png" "$dir/pdf.png")"; do
        [ "${got:-0}" -ge "$least" ] || { echo "$got flat colours, expected $least"; return 1; }
    done
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
    same 0 "$viz" links "the cat saw the dog"
}

@test "curve: letters and lines" {
    same 0 "$viz" curve --over distance -l 3 "the cat saw the dog and the cat ran"
}

@test "model: all heads, and a number of each" {
    same 100 "$viz" model "the cat saw the dog"
    same 0 "$viz" model --metric entropy_norm "the cat saw the dog"
}

@test "trace: rows and columns through the layers" {
    same 30 "$viz" trace --at 2 "the cat saw the dog"
}

@test "another layer's picture is not taken for it" {
    "$viz" heatmap --cell 24 -l 1 -o "$dir/other.png" "the cat saw the dog"
    "$viz" heatmap --cell 24 -l 0 -o "$dir/f.png" "the cat saw the dog"
    python3 tests/cli/raster.py "$dir/f.png" "$dir/f.png"
    run python3 tests/cli/raster.py "$dir/f.png" "$dir/other.png"
    [ "$status" -eq 1 ]
    [[ $output == *"flat pixels differ"* ]]
}
