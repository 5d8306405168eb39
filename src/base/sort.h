/* SPDX-License-Identifier: MIT
 * Numbers in order. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

/* x[0] >= x[1] >= ... of numbers that are not NaN; room[n].  At most n log n steps,
 * whatever they are. */
void sort_down(float *x, float *room, int n);

#endif
