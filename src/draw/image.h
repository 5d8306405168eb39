/* SPDX-License-Identifier: MIT
 * The pixels of a page, as terminals show pictures. */
#ifndef DRAW_IMAGE_H
#define DRAW_IMAGE_H

#include "draw/page.h"

/* Both return -1 where there is no memory; errors of the file are the file's. */

/* The page's PNG in base64, in pieces of 4096 letters (the terminal graphics protocol of
 * kitty). */
int image_kitty(const struct page *p, FILE *f);

/* Six rows of pixels a line, in at most 256 colours: those that most pixels have. */
int image_sixel(const struct page *p, FILE *f);

#endif
