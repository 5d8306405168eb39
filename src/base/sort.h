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
 * The indices 0 .. n - 1 sorted by key, [n] in arena a: the largest first, equal ones in their
 * order; reverse: the smallest first, equal ones in reverse order.  NaN come last in either case,
 * in their order.
 */
int *sort_places(struct arena *a, const double *key, int n, bool reverse);

#endif
