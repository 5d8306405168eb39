/* SPDX-License-Identifier: MIT
 * The distance of two rows of attention. */
#ifndef ANALYSIS_DIVERGENCE_H
#define ANALYSIS_DIVERGENCE_H

/*
 * Jensen-Shannon divergence in nats of two rows of weights over the same n keys:
 *
 *     (sum p ln(p / m) + sum q ln(q / m)) / 2,  m = (p + q) / 2,  0 ln 0 = 0
 *
 * From 0 for equal rows to ln 2 for rows that share no key.  In double, never
 * below 0; it loses about 1e-16 to rounding.  Source: Lin 1991.
 */
double divergence_js(const float *p, const float *q, int n);

#endif
