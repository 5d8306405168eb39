/* SPDX-License-Identifier: MIT
 *
 * Measures of one row of attention weights: entropy, largest weight, mean distance. */
#ifndef RUN_ROW_H
#define RUN_ROW_H

#include "nn/facts.h"
#include "nn/scan.h"
#include "run/sink.h"

/* -sum w ln w over n weights, in nats, summed in double; weights of 0 add nothing. */
double row_entropy(const float *w, int n);

/* The index of the largest of n >= 1 weights, the first among equals. */
int row_strongest(const float *w, int n);

/* The strongest key and the sums of distances of n >= 1 weights, keys from key0 on, in one pass. */
struct scan row_scan(const float *w, int n, int key0, int query);

/* The sums of the distances of rows, stride floats from one to the next, and the largest
 * weight of each [n_rows], in one pass. */
struct scan_sums row_scan_rows(float *largest, const float *w, size_t stride, int n_rows, int n,
                               int key0, int query);

/* out[n_all_keys] = the weights of row t of rows over all keys of its text; 0 where hidden. */
void row_spread(const struct rows *rows, int t, float *out);

#endif
