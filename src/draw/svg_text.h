/* SPDX-License-Identifier: MIT
 * Lines of text and notes of a page -> elements of an SVG. */
#ifndef DRAW_SVG_TEXT_H
#define DRAW_SVG_TEXT_H

#include "draw/page.h"

/* Valid UTF-8 without control characters, as text or between quotes. */
void svg_escaped(const char *clean, FILE *f);

/* Unseen boxes with titles; text elements, in groups of one font. */
void svg_notes(const struct page *p, FILE *f);
void svg_text(const struct page *p, FILE *f);

#endif
