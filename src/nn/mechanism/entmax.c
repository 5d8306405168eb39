/* SPDX-License-Identifier: MIT
 * Entmax with alpha 1.5 in place of softmax. */
#include <math.h>

#include "nn/mechanism/pairs.h"
#include "nn/mechanism/simplex.h"

static void entmax_weigh(float *row, int n, int first, int end, const struct attention *a,
                         float *spare)
{
    (void)a;
    simplex_entmax(row, n, first, end, spare);
}

static double entmax_above(double half_score, double tau)
{
    return half_score > tau ? (half_score - tau) * (half_score - tau) : 0;
}

/* By bisection: the sum falls as tau grows. */
static void entmax_weigh_double(double *w, int n, const struct attention *a)
{
    double lo = -INFINITY, hi;

    (void)a;
    for (int j = 0; j < n; j++)
        lo = w[j] / 2 > lo ? w[j] / 2 : lo;
    hi = lo;
    lo -= 1;
    for (int step = 0; step < 60; step++) {
        double tau = (lo + hi) / 2, sum = 0;

        for (int j = 0; j < n; j++)
            sum += entmax_above(w[j] / 2, tau);
        *(sum > 1 ? &lo : &hi) = tau;
    }
    for (int j = 0; j < n; j++)
        w[j] = entmax_above(w[j] / 2, lo);
}

static const struct pair_steps steps = { .weigh = entmax_weigh };
static const struct pair_formula formula = { .weigh = entmax_weigh_double };

const struct mechanism mechanism_entmax = {
    .name = "entmax",
    .formula = "max(s_ij / 2 - tau_i, 0)^2, tau_i so that the row sums to 1",
    .no_budget = "the scores decide how many keys it keeps",
    .cost = "N^2 d", .growth = "N^2", .sparse = true,
    .source = "Peters et al. 2019, algorithm 2",
    .steps = &steps, .pairs = &formula,
    .room = pairs_room, .run = pairs_run, .reference = pairs_reference,
};
