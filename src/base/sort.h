/* SPDX-License-Identifier: MIT
 * Numbers in order. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

/* x[0] >= x[1] >= ...: heapsort, which needs no room and which no input makes slow. */
void sort_down(float *x, int n);

#endif
