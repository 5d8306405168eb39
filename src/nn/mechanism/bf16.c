/* SPDX-License-Identifier: MIT
 * Scores from queries and keys that are rounded to bfloat16. */
#include "base/half.h"
#include "nn/mechanism/pairs.h"

static float round_row(float *row, const float *x, int d)
{
    for (int c = 0; c < d; c++)
        row[c] = bf16_round(x[c]);
    return 1;
}

static double bf16_score(const struct attention *a, const void *room, int i, int j)
{
    const float *q = a->q + i * a->q_stride, *k = a->k + j * a->k_stride;
    double sum = 0;

    (void)room;
    for (int c = 0; c < a->at.d; c++)
        sum += (double)bf16_round(q[c]) * bf16_round(k[c]);
    return a->at.scale * sum;
}

static const struct pair_steps steps = { .round = round_row };
static const struct pair_formula formula = { .score = bf16_score };

const struct mechanism mechanism_bf16 = {
    .name = "bf16", .formula = "softmax_j scale bf16(q_i).bf16(k_j), summed in f32",
    .no_budget = "it keeps all keys, in fewer bits",
    .cost = "N^2 d", .growth = "N^2", .source = "Kalamkar et al. 2019",
    .steps = &steps, .pairs = &formula,
    .room = pairs_room, .run = pairs_run, .reference = pairs_reference,
};
