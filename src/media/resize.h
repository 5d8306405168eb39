/* SPDX-License-Identifier: MIT
 *
 * Resizing of pictures, with the same bits as Pillow. */
#ifndef MEDIA_RESIZE_H
#define MEDIA_RESIZE_H

#include "media/pixels.h"

/* Filters, with Pillow's numbers, as in preprocessor_config.json's "resample". */
enum resize_filter {
    RESIZE_NEAREST, RESIZE_LANCZOS, RESIZE_BILINEAR, RESIZE_BICUBIC, RESIZE_BOX,
    RESIZE_HAMMING, N_RESIZE_FILTERS
};

/*
 * out[width, height]: along rows first, then along columns, or, where the height shrinks by more
 * than twice what the width does, columns first; each pixel the sum of those under the filter
 *
 *     (2^21 + sum over i of p_i round(2^22 w_i)) / 2^22, cut to 0 ... 255
 *
 * where w is the filter at (i + 1/2 - centre) / max(1, scale), divided by its sum; scale is old
 * size / new size.  Nearest takes the pixel under the centre.  An unchanged side is not filtered.
 *
 * width, height  1 to PIXELS_SIDE each; at most PIXELS_MOST pixels
 * Source: Pillow's Resample.c and Geometry.c; the order is that of Pillow 13, as measured (older
 * ones always begin along rows; the difference is a level or two).
 */
void pixels_resize(struct arena *a, const struct pixels *in, int width, int height,
                   enum resize_filter filter, struct pixels *out);

#endif
