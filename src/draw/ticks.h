/* SPDX-License-Identifier: MIT
 * A range of numbers -> the round ones among them, and how they are written: pure. */
#ifndef DRAW_TICKS_H
#define DRAW_TICKS_H

#include "draw/scale.h"

enum { MAX_TICKS = 8, TICK_TEXT = 32 };

struct ticks {
    int n;                      /* 0: fewer than two round numbers have room */
    double value[MAX_TICKS];    /* rising */
    double at[MAX_TICKS];       /* of the scale: 0 its low end, 1 its high one */
    int decimals;               /* that tell them apart; -1: they are written as 1e-3 */
};

/*
 * Multiples of 1, 2 or 5 times a power of ten; on a scale of logarithms powers of ten, where
 * there are two.  Those of a range that ends near a round number, within a hundredth of it,
 * include that number.  gap: the least from one to the next, as a share of the scale.
 */
struct ticks ticks_make(enum scale scale, struct scale_range range, double gap);

/* value with so many decimals, or as a power of ten: "1e-3". */
void ticks_text(char dst[TICK_TEXT], double value, int decimals);

/* An end of a range beyond which there are values: "≥0.073", with one decimal more. */
void ticks_end_text(char dst[TICK_TEXT], bool high, double value, int decimals);

/* "1e-05" -> "1e-5" */
void ticks_shorten(char *number);

#endif
