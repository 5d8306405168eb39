/* SPDX-License-Identifier: MIT
 * Sparsemax, the nearest point of the probability simplex, in place of softmax. */
#include <math.h>

#include "nn/mechanism/pairs.h"
#include "nn/mechanism/simplex.h"

static void sparsemax_weigh(float *row, int n, int first, int end, const struct attention *a,
                            float *spare)
{
    (void)a;
    simplex_sparsemax(row, n, first, end, spare);
}

/* By bisection: the sum falls as tau grows. */
static void sparsemax_weigh_double(double *w, int n, const struct attention *a)
{
    double lo = -INFINITY, hi;

    (void)a;
    for (int j = 0; j < n; j++)
        lo = w[j] > lo ? w[j] : lo;
    hi = lo;
    lo -= 1;
    for (int step = 0; step < 60; step++) {
        double tau = (lo + hi) / 2, sum = 0;

        for (int j = 0; j < n; j++)
            sum += w[j] > tau ? w[j] - tau : 0;
        *(sum > 1 ? &lo : &hi) = tau;
    }
    for (int j = 0; j < n; j++)
        w[j] = w[j] > lo ? w[j] - lo : 0;
}

static const struct pair_steps steps = { .weigh = sparsemax_weigh };
static const struct pair_formula formula = { .weigh = sparsemax_weigh_double };

const struct mechanism mechanism_sparsemax = {
    .name = "sparsemax",
    .formula = "max(s_ij - tau_i, 0), tau_i so that the row sums to 1",
    .no_budget = "the scores decide how many keys it keeps",
    .cost = "N^2 d", .growth = "N^2", .sparse = true,
    .source = "Martins and Astudillo 2016, proposition 1",
    .steps = &steps, .pairs = &formula,
    .room = pairs_room, .run = pairs_run, .reference = pairs_reference,
};
