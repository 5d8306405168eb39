/* SPDX-License-Identifier: MIT
 * The number of each cell of a heatmap, written in it. */
#ifndef DRAW_NUMBERS_H
#define DRAW_NUMBERS_H

#include "draw/heatmap.h"
#include "draw/page.h"

enum { NUMBER_TEXT = 16 };

/* "0.12", "-0.12", "0" for what two decimals do not tell from it, "1.2e+05"; "" for none. */
void numbers_text(char dst[NUMBER_TEXT], float value);

/* Black can be read on this colour better than white. */
bool numbers_are_black(const unsigned char rgb[3]);

/* The size of the font with which the widest of them fits in a cell of this side, in pixels at
 * 100 dpi; 0: there are none. */
double numbers_font(struct page *page, const struct heatmaps *maps, double cell);

/* Of a panel with these indices of colours, in the box of its cells. */
void numbers_paint(struct page *page, const struct heatmaps *maps, const struct panel *panel,
                   const unsigned short *index, double font, struct box cells);

#endif
