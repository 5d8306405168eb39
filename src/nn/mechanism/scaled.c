/* SPDX-License-Identifier: MIT
 * Softmax of products over the root of their width, whatever the model's own scale. */
#include <math.h>

#include "nn/mechanism/pairs.h"

static double scaled_score(const struct attention *a, const void *room, int i, int j)
{
    (void)room;
    return pairs_dot(a, i, j) / sqrt(a->at.d);
}

static const struct pair_formula formula = { .score = scaled_score };

static int64_t scaled_run(float *out, int64_t out_stride, const struct attention *a, void *r)
{
    struct attention own = *a;

    own.at.scale = (float)(1 / sqrt(a->at.d));
    return pairs_run(out, out_stride, &own, r);
}

const struct mechanism mechanism_scaled = {
    .name = "scaled", .formula = "softmax_j q_i.k_j / sqrt(d)",
    .no_budget = "all keys take part",
    .cost = "N^2 d", .growth = "N^2", .source = "Vaswani et al. 2017, eq. 1",
    .pairs = &formula,
    .room = pairs_room, .run = scaled_run, .reference = pairs_reference,
};
