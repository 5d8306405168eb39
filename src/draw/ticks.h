/* SPDX-License-Identifier: MIT
 * A range of numbers -> ticks: round numbers in it, and their texts. */
#ifndef DRAW_TICKS_H
#define DRAW_TICKS_H

#include "draw/scale.h"

enum { MAX_TICKS = 8, TICK_TEXT = 32 };

struct ticks {
    int n;                      /* 0: fewer than two round numbers have room */
    double value[MAX_TICKS];    /* in rising order */
    double at[MAX_TICKS];       /* position on the scale: 0 its low end, 1 its high end */
    int decimals;               /* decimals required to distinguish them; -1: written as 1e-3 */
};

/*
 * Ticks at multiples of 1, 2 or 5 times a power of ten; on a logarithmic scale at powers of ten, if
 * there are two.  If a range ends within a hundredth of a round number, that is included.  gap: the
 * least distance between ticks, as a fraction of the scale.
 */
struct ticks ticks_make(enum scale scale, struct scale_range range, double gap);

/* value with so many decimals, or as a power of ten: "1e-3". */
void ticks_text(char dst[TICK_TEXT], double value, int decimals);

/* The text of an end beyond which there are values: "≥0.073", with one more decimal. */
void ticks_end_text(char dst[TICK_TEXT], bool high, double value, int decimals);

/* "1e-05" -> "1e-5" */
void ticks_shorten(char *number);

#endif
