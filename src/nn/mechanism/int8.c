/* SPDX-License-Identifier: MIT
 * Scores from queries and keys in 8 bits, one scale per row. */
#include <math.h>

#include "nn/mechanism/pairs.h"

/* x / step to the nearest whole number, ties to even; step: largest |x| / 127. */
static float round_row(float *row, const float *x, int d)
{
    float most = 0;

    for (int c = 0; c < d; c++)
        most = fabsf(x[c]) > most ? fabsf(x[c]) : most;
    for (int c = 0; c < d; c++)
        row[c] = most > 0 ? rintf(x[c] / most * 127) : x[c];
    return most / 127;
}

static double int8_score(const struct attention *a, const void *room, int i, int j)
{
    const float *q = a->q + i * a->q_stride, *k = a->k + j * a->k_stride;
    float q_most = 0, k_most = 0;
    int64_t sum = 0;

    (void)room;
    for (int c = 0; c < a->at.d; c++) {
        q_most = fmaxf(q_most, fabsf(q[c]));
        k_most = fmaxf(k_most, fabsf(k[c]));
    }
    if (q_most == 0 || k_most == 0)
        return 0;
    for (int c = 0; c < a->at.d; c++)
        sum += (int64_t)rintf(q[c] / q_most * 127) * (int64_t)rintf(k[c] / k_most * 127);
    return (double)a->at.scale * (q_most / 127) * (k_most / 127) * (double)sum;
}

static const struct pair_steps steps = { .round = round_row };
static const struct pair_formula formula = { .score = int8_score };

const struct mechanism mechanism_int8 = {
    .name = "int8",
    .formula = "softmax_j scale a_i b_j int8(q_i / a_i).int8(k_j / b_j), a, b: steps",
    .no_budget = "it keeps all keys, in fewer bits",
    .cost = "N^2 d", .growth = "N^2", .source = "Dettmers et al. 2022, section 3.1",
    .steps = &steps, .pairs = &formula,
    .room = pairs_room, .run = pairs_run, .reference = pairs_reference,
};
