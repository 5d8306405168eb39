/* SPDX-License-Identifier: MIT
 * How far two rows of attention are from each other. */
#ifndef ANALYSIS_DIVERGENCE_H
#define ANALYSIS_DIVERGENCE_H

#include <stdbool.h>

#include "run/row.h"
#include "run/sink.h"

/*
 * Jensen-Shannon divergence in nats of two rows of weights over the same n keys:
 *
 *     (sum p ln(p / m) + sum q ln(q / m)) / 2,  m = (p + q) / 2,  0 ln 0 = 0
 *
 * From 0, where they are equal, to ln 2, where they share no key.  In double, never
 * below 0; it loses about 1e-16 to rounding.  Source: Lin 1991.
 */
double js_divergence(const float *p, const float *q, int n);

/* The weights of row t of r over all its text's keys: out [n_all_keys]; 0 where hidden. */
void rows_spread(const struct rows *r, int t, float *out);

#endif
