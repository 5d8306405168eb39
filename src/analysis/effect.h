/* SPDX-License-Identifier: MIT
 *
 * Effects of a change in a pass on its output: log probability of a token in a row of logits, and
 * divergence of the distributions.  In double, from logits in float. */
#ifndef ANALYSIS_EFFECT_H
#define ANALYSIS_EFFECT_H

#include <stdint.h>

/* ln sum_v exp(logit_v) */
double effect_log_sum(const float *logits, int V);

/* p[V] = softmax of the logits; log_sum: their effect_log_sum. */
void effect_softmax(double *p, const float *logits, double log_sum, int V);

/*
 * KL(p || q) = sum_v p_v (ln p_v - ln q_v) in nats, at least 0: p of one row of logits, q of
 * another, each with its effect_log_sum.
 */
double effect_kl(const double *p, const float *of_p, double log_sum_p, const float *of_q,
                 double log_sum_q, int V);

/*
 * out[V] = the gradient of ln p(id) by the logits before a soft cap: [v = id] - p_v, times the
 * cap's slope 1 - (logit / cap)^2; logits are those after the cap.  cap 0: no cap.
 */
void effect_gradient(double *out, const double *p, const float *logits, double cap, int id,
                     int V);

/* |y - x| / |x| over n numbers (Frobenius); NaN if x is all 0. */
double effect_distance(const float *x, const float *y, int64_t n);

#endif
