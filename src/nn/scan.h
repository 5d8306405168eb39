/* SPDX-License-Identifier: MIT
 *
 * What one pass over a row of weights tells of it. */
#ifndef NN_SCAN_H
#define NN_SCAN_H

struct scan {
    int strongest;              /* the index of the largest, the first among equals */
    double distance;            /* sum of w[j] (key0 + j - query) */
    double distance_abs;        /* sum of w[j] |key0 + j - query| */
};

/*
 * n >= 1 weights w[j] >= 0 of keys key0 + j.  Sums run in 4 lanes, lane = key mod 4, and
 * their products are exact: all kernels give the same bits.
 */
struct scan scan_row(const float *w, int n, int key0, int query);

/* The index of the largest of n >= 1 numbers, the first among equals; NaN are passed over. */
int scan_strongest(const float *w, int n);

#endif
