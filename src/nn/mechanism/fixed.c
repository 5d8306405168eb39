/* SPDX-License-Identifier: MIT
 * Softmax over blocks of l, and the last keys of every block. */

#include "nn/mechanism/chosen.h"
#include "nn/mechanism/pairs.h"

static int fixed_columns_of(const struct attention *a, int l)
{
    return a->params->n_columns < l ? a->params->n_columns : l;
}

static bool fixed_sees(const struct attention *a, int i, int j)
{
    int l = mechanism_stride(a->params, a->T);

    return i / l == j / l || j % l >= l - fixed_columns_of(a, l);
}

static int fixed_keys(int *key, const struct attention *a, int i, int first, int end)
{
    int l = mechanism_stride(a->params, a->T), c = fixed_columns_of(a, l), own = i / l, count = 0;

    for (int b = first / l; (int64_t)b * l < end; b++) {
        int from = b == own ? b * l : b * l + l - c;

        for (int j = from > first ? from : first; j < end && j / l == b; j++)
            key[count++] = j;
    }
    return count;
}

static const struct pair_formula formula = { .sees = fixed_sees };

const struct mechanism mechanism_fixed = {
    .name = "fixed",
    .formula = "softmax_j s_ij over blocks of l, and j mod l >= l - c",
    .cost = "N (l + N c / l) d", .growth = "N^1.5", .sparse = true,
    .source = "Child et al. 2019, section 4.3",
    .no_budget = "the number of its keys grows with the text",
    .refuse = chosen_refuse, .keys = fixed_keys, .pairs = &formula,
    .room = chosen_room, .run = chosen_run, .reference = pairs_reference,
};
