/* SPDX-License-Identifier: MIT
 * Softmax within blocks of neighbours. */
#include "nn/mechanism/chosen.h"
#include "nn/mechanism/pairs.h"

static int size(const struct attention *a)
{
    return a->params->budget > 0 ? a->params->budget : a->params->block;
}

static bool block_sees(const struct attention *a, int i, int j)
{
    return i / size(a) == j / size(a);
}

static int block_keys(int *key, const struct attention *a, int i, int first, int end)
{
    int b = size(a), from = i / b * b, count = 0;

    for (int j = from > first ? from : first; j < end && j - from < b; j++)
        key[count++] = j;
    return count;
}

static const struct pair_formula formula = { .sees = block_sees };

const struct mechanism mechanism_block = {
    .name = "block",
    .formula = "softmax_j s_ij over floor(i / b) = floor(j / b)",
    .cost = "N b d", .growth = "N", .sparse = true,
    .source = "Qiu et al. 2020, section 3.1 (the identity permutation)",
    .refuse = chosen_refuse, .keys = block_keys, .pairs = &formula,
    .room = chosen_room, .run = chosen_run, .reference = pairs_reference,
};
