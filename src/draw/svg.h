/* SPDX-License-Identifier: MIT
 * Cairo's SVG -> one with crisp cells, text, a title, metadata, and always the same bytes. */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "draw/page.h"

/* Writes page->svg, which ends with a NUL, to file. */
void svg_write(const struct page *page, FILE *file);

#endif
