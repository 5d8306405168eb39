/* SPDX-License-Identifier: MIT
 *
 * Pictures: the bytes of a PNG or JPEG -> upright pixels, like Pillow's exif_transpose and
 * convert("RGB"). */
#ifndef MEDIA_PIXELS_H
#define MEDIA_PIXELS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

enum {
    PIXELS_SIDE = 1 << 15,      /* the longest side of a picture */
    PIXELS_MOST = 100000000     /* pixels of one */
};

struct pixels {
    int width, height;
    unsigned char *rgb;         /* [height, width, 3] row by row from the top */
};

/*
 * Decodes a picture, recognised by its first bytes: PNG except 16-bit grey, JPEG with 8 bits per
 * sample and 1, 3 or 4 components.  Transparency is dropped, 16-bit colours lose their low byte,
 * CMYK is inverted, as Adobe writes it, and the Exif orientation is applied: all as in Pillow.
 *
 * Errors (ERR_INPUT, without the file's name): neither PNG nor JPEG; cut short, damaged, an
 * unsupported kind; larger than PIXELS_SIDE or PIXELS_MOST, or than the file's size allows.
 * ERR_SYSTEM: JPEG in a build without libjpeg-turbo.
 */
int pixels_read(struct arena *a, struct span bytes, struct pixels *out, struct err *e);

/* Allocates out with these sides, uninitialised. */
void pixels_new(struct arena *a, int width, int height, struct pixels *out);

/* Crops width x height around the middle; pixels outside of `in` are black. */
void pixels_crop(struct arena *a, const struct pixels *in, int width, int height,
                 struct pixels *out);

#endif
