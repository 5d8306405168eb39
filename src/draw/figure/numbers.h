/* SPDX-License-Identifier: MIT
 * Numbers written into the cells of heatmaps. */
#ifndef DRAW_NUMBERS_H
#define DRAW_NUMBERS_H

#include "draw/figure/heatmap.h"
#include "draw/page.h"

enum { NUMBER_TEXT = 16 };

/* "0.12", "-0.12", "1.2e+05"; "0" if it would be 0.00 with two decimals; "" for NaN. */
void numbers_text(char dst[NUMBER_TEXT], float value);

/* Whether black is more legible than white on this colour. */
bool numbers_are_black(const unsigned char rgb[3]);

/* The font size, in pixels at 100 dpi, with which the widest number fits into a cell of this side;
 * 0 if there are no numbers. */
double numbers_font(struct page *page, const struct heatmaps *maps, double cell);

/* Paints the numbers of a panel with these colour indices, in the box of its cells. */
void numbers_paint(struct page *page, const struct heatmaps *maps, const struct panel *panel,
                   const unsigned short *index, double font, struct box cells);

#endif
