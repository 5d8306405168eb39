/* SPDX-License-Identifier: MIT
 * Softmax over the last l keys, and every l-th one. */
#include <stdlib.h>

#include "nn/mechanism/chosen.h"
#include "nn/mechanism/pairs.h"

static bool strided_sees(const struct attention *a, int i, int j)
{
    int l = mechanism_stride(a->params, a->T);

    return abs(i - j) <= l || (i - j) % l == 0;
}

static int strided_keys(int *key, const struct attention *a, int i, int first, int end)
{
    int l = mechanism_stride(a->params, a->T), count = 0, j = i % l;
    int64_t to = (int64_t)i + l;

    if (j < first)
        j += (first - j + l - 1) / l * l;
    for (; j < end && j <= i - l; j += l)       /* every l-th before the last l */
        key[count++] = j;
    for (j = i - l + 1 > first ? i - l + 1 : first; j < end && j < to; j++)
        key[count++] = j;
    for (; j < end; j += l)                     /* j is i + l here, or at the end */
        key[count++] = j;
    return count;
}

static const struct pair_formula formula = { .sees = strided_sees };

const struct mechanism mechanism_strided = {
    .name = "strided",
    .formula = "softmax_j s_ij over |i - j| <= l or l divides i - j",
    .cost = "N (l + N / l) d", .growth = "N^1.5", .sparse = true,
    .source = "Child et al. 2019, section 4.3",
    .no_budget = "the number of its keys grows with the text",
    .refuse = chosen_refuse, .keys = strided_keys, .pairs = &formula,
    .room = chosen_room, .run = chosen_run, .reference = pairs_reference,
};
