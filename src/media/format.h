/* SPDX-License-Identifier: MIT
 * What upright.c asks of each format of pictures. */
#ifndef MEDIA_FORMAT_H
#define MEDIA_FORMAT_H

#include "media/pixels.h"

/* A picture as it is stored. */
struct stored {
    struct pixels pixels;
    struct span exif;           /* TIFF, of the arena or the file; data NULL: none */
};

int png_pixels(struct arena *a, struct span bytes, struct stored *out, struct err *e);
int jpeg_pixels(struct arena *a, struct span bytes, struct stored *out, struct err *e);

/* The sides that a header claims.  Errors: see pixels_read. */
int pixels_check_size(double width, double height, struct err *e);

/* The error of a picture whose file of size_bytes cannot hold what it claims; returns -1. */
int pixels_too_few_bytes(int width, int height, size_t size_bytes, struct err *e);

/* The orientation of Exif data, 1 to 8; 1: they give none. */
int exif_orientation(struct span tiff);

#endif
