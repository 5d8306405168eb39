/* SPDX-License-Identifier: MIT
 * Softmax of products that are not scaled. */
#include "nn/mechanism/pairs.h"

static double dot_score(const struct attention *a, const void *room, int i, int j)
{
    (void)room;
    return pairs_dot(a, i, j);
}

static const struct pair_formula formula = { .score = dot_score };

static int64_t dot_run(float *out, int64_t out_stride, const struct attention *a, void *r)
{
    struct attention own = *a;

    own.at.scale = 1;
    return pairs_run(out, out_stride, &own, r);
}

const struct mechanism mechanism_dot = {
    .name = "dot", .formula = "softmax_j q_i.k_j",
    .no_budget = "all keys take part",
    .cost = "N^2 d", .growth = "N^2", .source = "Luong et al. 2015, section 3.1",
    .pairs = &formula,
    .room = pairs_room, .run = dot_run, .reference = pairs_reference,
};
