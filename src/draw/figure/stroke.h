/* SPDX-License-Identifier: MIT
 * Strokes of links: a colour and a dash per head, width and opacity by weight.  The page of
 * `mha-viz report` draws them in the same way. */
#ifndef DRAW_STROKE_H
#define DRAW_STROKE_H

#include "draw/page.h"

/* Most heads that 8 colours and 3 dashes distinguish; more heads all have the same ink. */
enum { STROKE_COLOURS = 8, STROKE_DASHES = 3, STROKE_MOST = STROKE_COLOURS * STROKE_DASHES };

/* The colour of head i of n: red, green and blue. */
const unsigned char *stroke_colour(int i, int n);

/* Width in pixels at 100 dpi: 0.8 to 4.2, and less if lines are only apart_px pixels apart. */
double stroke_width(double weight, double apart_px);
/* Opacity, 0.04 to 1: weak links are visible, but do not cover strong ones. */
double stroke_alpha(double weight);

/* Sets the pen for the link of head i of n. */
void stroke_set(struct page *page, int i, int n, double weight, double apart_px);
/* The same at full strength, for a legend. */
void stroke_set_sample(struct page *page, int i, int n);

#endif
