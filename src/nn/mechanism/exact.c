/* SPDX-License-Identifier: MIT
 * Softmax of every pair, as the model itself has it. */
#include "nn/mechanism/mechanism_priv.h"

static const struct pair_steps steps;
static const struct pair_formula formula;

static size_t room(const struct attention *a)
{
    return pairs_room(a, &steps);
}

static int64_t run(float *out, int64_t out_stride, const struct attention *a, void *r)
{
    return pairs_run(out, out_stride, a, &steps, r);
}

static void reference(double *w, double *out, const struct attention *a, void *r)
{
    (void)r;
    pairs_reference(w, out, a, &formula);
}

const struct mechanism mechanism_exact = {
    .name = "exact", .formula = "softmax_j s_ij, the model's own heads and scale",
    .cost = "N^2 d", .growth = "N^2", .source = "Vaswani et al. 2017, section 3.2.2",
    .room = room, .run = run, .reference = reference,
};
