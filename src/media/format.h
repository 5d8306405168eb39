/* SPDX-License-Identifier: MIT
 * Decoders of the picture formats, and the orientation in Exif data, for upright.c. */
#ifndef MEDIA_FORMAT_H
#define MEDIA_FORMAT_H

#include "media/pixels.h"

/* A picture as its file stores it, before it is turned upright. */
struct stored {
    struct pixels pixels;
    struct span exif;           /* Exif data (TIFF), in the arena or the file; data NULL: none */
};

int png_pixels(struct arena *a, struct span bytes, struct stored *out, struct err *e);
int jpeg_pixels(struct arena *a, struct span bytes, struct stored *out, struct err *e);

/* Checks the sizes in a header.  Errors: see pixels_read. */
int pixels_check_size(double width, double height, struct err *e);

/* Sets the error of a picture that is too large for its file of size_bytes; returns -1. */
int pixels_too_few_bytes(int width, int height, size_t size_bytes, struct err *e);

/* The orientation in Exif data, 1 to 8; 1 if there is none. */
int exif_orientation(struct span tiff);

#endif
