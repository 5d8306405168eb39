/* SPDX-License-Identifier: MIT
 * Lines of text and notes of a page -> elements of an SVG. */
#ifndef DRAW_SVG_TEXT_H
#define DRAW_SVG_TEXT_H

#include "draw/page.h"

/* Writes valid UTF-8 without control characters, escaped for text or attribute values. */
void svg_escaped(const char *clean, FILE *file);

/* Write invisible boxes with titles (tooltips); text elements, in groups of one font. */
void svg_notes(const struct page *page, FILE *file);
void svg_text(const struct page *page, FILE *file);

#endif
