/* SPDX-License-Identifier: MIT
 *
 * Pictures: the bytes of a PNG or JPEG -> pixels, as Pillow's convert("RGB") has them of a
 * file that was turned upright. */
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
 * What the bytes hold, as their first ones say; of PNG all kinds but 16-bit grey, of JPEG
 * those of 8 bits a sample with 1, 3 or 4 components.  Transparency is dropped, 16-bit colours
 * lose their low byte, CMYK is taken as Adobe writes it (inverted), and the Exif orientation
 * is applied: all as Pillow does it.
 *
 * Errors (ERR_INPUT, without the file's name): neither PNG nor JPEG; cut short, damaged, of a
 * kind that is not read; sides over PIXELS_SIDE, PIXELS_MOST, or more than so few bytes can
 * hold.  ERR_SYSTEM: JPEG in a build without libjpeg-turbo.
 */
int pixels_read(struct arena *a, struct span bytes, struct pixels *out, struct err *e);

/* out's memory, of these sides, not zeroed. */
void pixels_new(struct arena *a, int width, int height, struct pixels *out);

/* The part of width x height around the middle; what lies outside of in is black. */
void pixels_crop(struct arena *a, const struct pixels *in, int width, int height,
                 struct pixels *out);

#endif
