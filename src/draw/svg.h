/* SPDX-License-Identifier: MIT
 * Cairo's SVG -> one with crisp cells, text, a title, metadata, and always the same bytes. */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "draw/page.h"

/* Writes p->svg, which ends with a NUL, to f. */
void svg_write(const struct page *p, FILE *f);

#endif
