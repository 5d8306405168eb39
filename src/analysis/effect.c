/* SPDX-License-Identifier: MIT
 * Rows of logits, with and without a change -> log probabilities, divergences, gradients. */
#include "analysis/effect.h"

#include <math.h>

#include "base/elementary.h"

double effect_log_sum(const float *logits, int V)
{
    double top = -INFINITY, sum = 0;

    for (int v = 0; v < V; v++)
        top = fmax(top, (double)logits[v]);
    for (int v = 0; v < V; v++)
        sum += elementary_exp((double)logits[v] - top);
    return top + elementary_log(sum);
}

void effect_softmax(double *p, const float *logits, double log_sum, int V)
{
    for (int v = 0; v < V; v++)
        p[v] = elementary_exp((double)logits[v] - log_sum);
}

double effect_kl(const double *p, const float *of_p, double log_sum_p, const float *of_q,
                 double log_sum_q, int V)
{
    double sum = 0, shift = log_sum_p - log_sum_q;

    for (int v = 0; v < V; v++)
        sum += p[v] * ((double)of_p[v] - (double)of_q[v] - shift);
    return sum < 0 ? 0 : sum;
}

void effect_gradient(double *out, const double *p, const float *logits, double cap, int id,
                     int V)
{
    for (int v = 0; v < V; v++) {
        double slope = cap > 0 ? 1 - (double)logits[v] / cap * ((double)logits[v] / cap) : 1;

        out[v] = ((v == id) - p[v]) * slope;
    }
}

double effect_distance(const float *x, const float *y, int64_t n)
{
    double change = 0, size = 0;

    for (int64_t i = 0; i < n; i++) {
        double step = (double)y[i] - (double)x[i];

        change += step * step;
        size += (double)x[i] * (double)x[i];
    }
    return size > 0 ? sqrt(change / size) : NAN;
}
