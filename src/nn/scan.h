/* SPDX-License-Identifier: MIT
 *
 * Scans: the largest weight and the distance sums of a row of attention weights, in one pass. */
#ifndef NN_SCAN_H
#define NN_SCAN_H

#include <stddef.h>

struct scan {
    int strongest;              /* the index of the largest, the first among equals */
    double distance;            /* sum of w[j] (key0 + j - query) */
    double distance_abs;        /* sum of w[j] |key0 + j - query| */
};

/*
 * Scans n >= 1 weights w[j] >= 0 of keys key0 + j.  Sums run in 4 lanes, lane = key mod 4, and
 * products are exact: all kernels give the same bits.
 */
struct scan scan_row(const float *w, int n, int key0, int query);

/*
 * The same for n_rows rows, stride floats apart, of queries from `query` on: the sums of all their
 * distances, and largest [n_rows] = the largest weight of each.  Sums run in 16 lanes, lane = key
 * mod 8 in even rows and 8 more in odd ones: all kernels give the same bits.
 */
struct scan_sums { double distance, distance_abs; };
struct scan_sums scan_rows(float *largest, const float *w, size_t stride, int n_rows, int n,
                           int key0, int query);

/* The index of the largest of n >= 1 numbers, the first among equals; NaN are skipped. */
int scan_strongest(const float *w, int n);

#endif
