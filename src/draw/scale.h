/* SPDX-License-Identifier: MIT
 * Numbers -> positions in a colour map. */
#ifndef DRAW_SCALE_H
#define DRAW_SCALE_H

#include <stdbool.h>

enum scale { SCALE_LINEAR, SCALE_SQRT, SCALE_LOG, SCALE_ROW, N_SCALE };
extern const char *const scale_names[];     /* "linear", "sqrt", "log", "row", NULL */

/*
 * The position of value in the colour map, 0..255, of range [lo, hi]:
 *     linear  (v - lo) / (hi - lo)        sqrt   the square root of that
 *     log     ln(max(v, floor)) between ln(max(lo, floor)) and ln(hi), floor 1e-6
 *     row     linear, after each row was divided by its own maximum
 * x 256, truncated, as in matplotlib; clipped; hi == lo gives 0.
 */
int scale_index(enum scale s, float value, float lo, float hi);

/* The same as a fraction, 0..1. */
float scale_position(enum scale s, float value, float lo, float hi);

/* Weights below this are drawn like this one, the low end of logarithmic scales. */
#define SCALE_LOG_FLOOR 1e-6

/* The range of the finite numbers that were added; any: there was one.  below, above: some are
 * beyond the ends, which have been changed since. */
struct scale_range { float lo, hi; bool any, below, above; };

void scale_widen(struct scale_range *range, float value);

#endif
