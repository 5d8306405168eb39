# SPDX-License-Identifier: MIT
"""Pictures of one figure: a PNG, and what other programs made of its SVG or PDF.

    raster.py PNG OTHER.png...

Where the PNG is flat and not white (a pixel like all that are up to AROUND away: cells, bars) the
other has the same colour at the same place, within 2 of 255.  All else has about as much ink: letters
and lines.  The others may be larger or smaller by 1 %, as letters are measured otherwise.
Prints how many colours the flat parts have."""
import struct
import sys
import zlib

import numpy

AROUND = 5


def unfilter(kind, row, above, step):
    out = bytearray(row)
    for i in range(len(out)):
        left = out[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            out[i] = (out[i] + left) & 255
        elif kind == 2:
            out[i] = (out[i] + up) & 255
        elif kind == 3:
            out[i] = (out[i] + (left + up) // 2) & 255
        elif kind == 4:
            near = left + up - corner
            a, b, c = abs(near - left), abs(near - up), abs(near - corner)
            out[i] = (out[i] + (left if a <= b and a <= c else up if b <= c else corner)) & 255
    return out


def read_png(path):
    """[height, width, 3], on white; 8 bits, not interlaced."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        if name == b"IHDR":
            width, height, bits, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
        elif name == b"PLTE":
            palette = numpy.frombuffer(chunk, numpy.uint8).reshape(-1, 3)
        elif name == b"IDAT":
            packed += chunk
        at += 12 + size
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    if bits != 8 or interlaced:
        sys.exit(f"{path}: {bits} bits, interlaced {interlaced}: expected 8, 0")
    raw, row = zlib.decompress(packed), bytes(width * channels)
    rows = []
    for y in range(height):
        start = y * (width * channels + 1)
        row = unfilter(raw[start], raw[start + 1:start + 1 + width * channels], row, channels)
        rows.append(bytes(row))
    image = numpy.frombuffer(b"".join(rows), numpy.uint8).reshape(height, width, channels)
    if kind == 3:
        return palette[image[:, :, 0]].astype(float)
    colour = image[:, :, :3] if channels >= 3 else image[:, :, :1].repeat(3, axis=2)
    if channels in (1, 3):
        return colour.astype(float)
    alpha = image[:, :, -1:] / 255
    return colour * alpha + 255 * (1 - alpha)


def flat_of(image, around):
    """Where all pixels that are so far away have the same colour; False at the edges."""
    height, width = image.shape[:2]
    number = image.astype(int) @ (1, 256, 65536)
    row, flat = numpy.zeros((height, width), bool), numpy.zeros((height, width), bool)
    x, y = slice(around, width - around), slice(around, height - around)
    row[:, x] = True
    for dx in range(2 * around + 1):
        row[:, x] &= number[:, dx:dx + width - 2 * around] == number[:, x]
    flat[y] = True
    for dy in range(2 * around + 1):
        rows = slice(dy, dy + height - 2 * around)
        flat[y] &= row[rows] & (number[rows] == number[y])
    return flat


def ink_of(image, flat):
    return (255 - image[~flat]).sum()


def main():
    first = read_png(sys.argv[1])
    flat, edges = flat_of(first, AROUND) & (first != 255).any(axis=2), flat_of(first, 1)
    print(len(numpy.unique(first[flat].astype(int), axis=0)))
    for path in sys.argv[2:]:
        other = read_png(path)
        larger = numpy.array(other.shape[:2]) / first.shape[:2]
        if (abs(larger - 1) > 0.01).any():
            sys.exit(f"{path}: {other.shape}, expected {first.shape}")
        y, x = numpy.argwhere(flat).T
        seen = other[((y + 0.5) * larger[0]).astype(int), ((x + 0.5) * larger[1]).astype(int)]
        wrong = abs(seen - first[flat]).max(axis=1) > 2
        if wrong.any():
            at = wrong.argmax()
            sys.exit(f"{path}: {wrong.sum()} flat pixels differ, the first at {x[at]}, {y[at]}: "
                     f"{seen[at]}, expected {first[y[at], x[at]]}")
        ink = ink_of(other, flat_of(other, 1)) / ink_of(first, edges)
        if not 0.8 < ink < 1.25:
            sys.exit(f"{path}: letters and lines have {ink:.2f} of the ink, expected about 1")


main()
