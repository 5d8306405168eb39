/* SPDX-License-Identifier: MIT
 *
 * What a change in a pass does to its output: of a row of logits, how likely the token is that
 * stands there, and how far the distribution moves.  In double, of logits in float. */
#ifndef ANALYSIS_EFFECT_H
#define ANALYSIS_EFFECT_H

#include <stdint.h>

/* ln sum_v exp(logit_v) */
double effect_log_sum(const float *logits, int V);

/* p[V] = softmax of the logits, whose effect_log_sum this is. */
void effect_softmax(double *p, const float *logits, double log_sum, int V);

/*
 * KL(p || q) = sum_v p_v (ln p_v - ln q_v) in nats, at least 0: p of one row of logits, q of
 * another, each with its effect_log_sum.
 */
double effect_kl(const double *p, const float *of_p, double log_sum_p, const float *of_q,
                 double log_sum_q, int V);

/*
 * out[V] = the gradient of ln p(id) by the logits before a soft cap: [v = id] - p_v, times the
 * cap's slope 1 - (logit / cap)^2; logits are those after it.  cap 0: there is none.
 */
void effect_gradient(double *out, const double *p, const float *logits, double cap, int id,
                     int V);

/* |y - x| / |x| over n numbers (Frobenius); NaN where x is all 0. */
double effect_distance(const float *x, const float *y, int64_t n);

#endif
