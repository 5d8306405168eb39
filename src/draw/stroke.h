/* SPDX-License-Identifier: MIT
 * The lines of links: a colour and a dash for each head, the width and the opacity of a
 * weight.  The page of `mha-viz report` draws them alike. */
#ifndef DRAW_STROKE_H
#define DRAW_STROKE_H

#include "draw/page.h"

/* As many heads as 8 colours and 3 dashes tell apart; more have one ink. */
enum { STROKE_COLOURS = 8, STROKE_DASHES = 3, STROKE_MOST = STROKE_COLOURS * STROKE_DASHES };

/* Of head i of n: red, green and blue. */
const unsigned char *stroke_colour(int i, int n);

/* Pixels at 100 dpi; 0.8 to 4.2, and less where lines stand so many pixels apart. */
double stroke_width(double weight, double apart_px);
/* 0.04 to 1: weak links are seen, and do not cover strong ones. */
double stroke_alpha(double weight);

/* Sets the pen for the link of head i of n. */
void stroke_set(struct page *page, int i, int n, double weight, double apart_px);
/* The same at full strength, as a legend shows it. */
void stroke_set_sample(struct page *page, int i, int n);

#endif
