/* SPDX-License-Identifier: MIT
 * Numbers in order. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>

#include "base/arena.h"

/* x[0] >= x[1] >= ... of numbers that are not NaN; room[n].  At most n log n steps,
 * whatever they are. */
void sort_down(float *x, float *room, int n);

/*
 * Places 0 .. n - 1 in the order of a number of each, [n] of a: the largest first, equal ones as
 * they stand; reversed, the smallest first, and equal ones the other way.  Those without a number
 * (NaN) come last either way, as they stand.
 */
int *sort_places(struct arena *a, const double *key, int n, bool reverse);

#endif
