#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a terminal shows of a picture: rows of cells, each (text, ink, ground).

Colours are (red, green, blue), or None for the terminal's own.  The second column of a wide
character is an empty text.  Anything but text, line ends and the sequences that set colours is
an error: nothing else may reach a terminal.

    screen.py < SCREEN                               the widest row's columns, then the text
    screen.py edges < SCREEN                         the column where the cells of each row begin
    screen.py heatmap EXPORT.npz LAYER HEAD [POOL] < SCREEN

The last reads a heatmap of one head without labels, titles, bars and caption, in the map gray
or in digits, and compares each cell with the weights of a decoder, the largest of POOL x POOL.
"""
import re
import sys
import unicodedata
import zipfile

import page

CUBE = (0, 95, 135, 175, 215, 255)


def colour_256(index):
    """The colour that xterm gives a number from 16 on."""
    if index >= 232:
        return (8 + 10 * (index - 232),) * 3
    index -= 16
    return CUBE[index // 36], CUBE[index // 6 % 6], CUBE[index % 6]


def set_style(style, codes):
    """The ink and ground after a sequence of numbers."""
    codes = list(codes)
    while codes:
        code = codes.pop(0)
        which = 0 if code in (38, 39) else 1
        if code in (38, 48):
            kind = codes.pop(0)
            if kind == 2:
                style[which] = tuple(codes.pop(0) for _ in range(3))
            else:
                style[which] = colour_256(codes.pop(0))
        elif code in (39, 49):
            style[which] = None
        elif 30 <= code <= 37:          # of the terminal's own eight
            style[0] = (code,) * 3
        elif code == 0:
            style[:] = [None, None]
        elif code not in (1, 22):
            raise ValueError("a sequence that sets no colour: %d" % code)


def read(text):
    """[rows] of [cells]."""
    rows, style = [[]], [None, None]
    for piece in re.findall(r"\033\[[0-9;]*m|\r?\n|.", text, re.S):
        if piece.startswith("\033["):
            set_style(style, [int(code or 0) for code in piece[2:-1].split(";")])
        elif piece.endswith("\n"):
            rows.append([])
        elif unicodedata.category(piece) in ("Cc", "Cf", "Cs"):
            raise ValueError("a control character: %r" % piece)
        elif unicodedata.combining(piece) or unicodedata.category(piece) in ("Mn", "Me"):
            cell = rows[-1][-1]
            rows[-1][-1] = (cell[0] + piece,) + cell[1:]
        else:
            rows[-1].append((piece, *style))
            if unicodedata.east_asian_width(piece) in "WF":
                rows[-1].append(("", *style))
    return rows[:-1] if not rows[-1] else rows


def grays(rows):
    """[cells] of [numbers 0..255, or None where nothing is], of half blocks or whole ones."""
    half = any(text in "▀▄" for row in rows for text, _, _ in row)
    for row in rows:
        tops, bottoms = [], []
        for text, ink, ground in row:
            colour = {"▀": (ink, ground), "▄": (None, ink), " ": (ground, ground)}[text]
            assert all(c is None or c[0] == c[1] == c[2] for c in colour), colour
            tops.append(colour[0] and colour[0][0])
            bottoms.append(colour[1] and colour[1][0])
        yield tops
        if half:
            yield bottoms


def digits(rows):
    """The same of digits: the middle of a tenth."""
    for row in rows:
        yield [None if text == " " else (int(text.replace(".", "0")) + 0.5) * 25.6
               for text, _, _ in row]


def read_weights(npz, layer, head):
    """[queries] of [keys] of a head; None where a later key is hidden."""
    with zipfile.ZipFile(npz) as z:
        shape, numbers = page.read_npy(z.read("attn.%d.npy" % layer))
    n = shape[1]
    at = head * n * n
    return [[numbers[at + q * n + k] if k <= q else None for k in range(n)] for q in range(n)]


def pooled(weights, pool):
    """The largest of each square; None where nothing is visible."""
    n = len(weights)
    for q in range(0, n, pool):
        yield [max((w for row in weights[q:q + pool] for w in row[k:k + pool] if w is not None),
                   default=None) for k in range(0, n, pool)]


def check_heatmap(rows, npz, layer, head, pool=1):
    """Every cell; an error names the first that is wrong."""
    weights = list(pooled(read_weights(npz, layer, head), pool))
    n = len(weights)
    seen = [w for row in weights for w in row if w is not None]
    low, high = min(seen), max(seen)
    plain = all(ink is None and ground is None for row in rows for _, ink, ground in row)
    got = list(digits(rows) if plain else grays(rows))
    slack = 14 if plain else 9
    assert n <= len(got) <= n + 1, (len(got), n)
    wide = 2 if max(map(len, got)) > n else 1
    for q in range(n):
        row = got[q][::wide] + [None] * n
        assert all(cell is None for cell in row[n:]), q
        for k in range(n):
            want = weights[q][k]
            assert (want is None) == (row[k] is None), (q, k, want, row[k])
            if want is not None:
                assert abs(row[k] - 255 * (want - low) / (high - low)) <= slack, (q, k, want, row[k])
    print("%d cells of %d columns" % (sum(w is not None for row in weights for w in row), wide))


def print_edges(rows):
    """The column of the first cell of each row that is a token's: not of a bar, with two numbers."""
    for row in rows:
        at = [i for i, (_, _, ground) in enumerate(row) if ground]
        if at and not re.search("[0-9] +[0-9]", "".join(text for text, _, _ in row)):
            print(at[0])


def main():
    rows = read(sys.stdin.buffer.read().decode())
    if sys.argv[1:] == ["edges"]:
        print_edges(rows)
    elif len(sys.argv) > 1:
        check_heatmap(rows, sys.argv[2], *map(int, sys.argv[3:]))
    else:
        print(max(map(len, rows)))
        for row in rows:
            print("".join(text for text, _, _ in row).rstrip())


if __name__ == "__main__":
    main()
