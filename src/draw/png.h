/* SPDX-License-Identifier: MIT
 * Pixels -> PNG.  Both return -1 only where libpng fails (no memory). */
#ifndef DRAW_PNG_H
#define DRAW_PNG_H

#include "draw/page.h"

typedef void png_put(void *self, const void *data, size_t n);

/* The whole page, with its resolution and metadata. */
int png_page(const struct page *page, png_put *put, void *self);

/* Cells alone, in as few colours as they have; times: pixels per cell in both
 * directions. */
int png_cells(const unsigned short *index, int n_rows, int n_cols, int times,
              const struct cmap *cmap, png_put *put, void *self);

#endif
