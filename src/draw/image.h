/* SPDX-License-Identifier: MIT
 * The pixels of a page in graphics protocols of terminals. */
#ifndef DRAW_IMAGE_H
#define DRAW_IMAGE_H

#include "draw/page.h"

/* Both return -1 if there is no memory; errors of the file are those of the stream. */

/* The page's PNG in base64, in pieces of 4096 letters (the terminal graphics protocol of
 * kitty). */
int image_kitty(const struct page *page, FILE *file);

/* Sixel graphics: lines of six rows of pixels, in at most 256 colours, the most frequent. */
int image_sixel(const struct page *page, FILE *file);

#endif
