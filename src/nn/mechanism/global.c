/* SPDX-License-Identifier: MIT
 * Softmax over a window, and the first tokens that all see and that see all. */
#include <stdlib.h>

#include "nn/mechanism/chosen.h"
#include "nn/mechanism/pairs.h"

static bool global_sees(const struct attention *a, int i, int j)
{
    int n_global = a->params->n_global;

    return i < n_global || j < n_global || abs(i - j) <= a->params->window;
}

static int global_keys(int *key, const struct attention *a, int i, int first, int end)
{
    int window = a->params->window, n_global = a->params->n_global, count = 0;
    int from = i > window ? i - window : 0;
    int64_t to = (int64_t)i + window + 1;

    if (i < n_global) {
        from = 0;
        to = end;
    }
    for (int j = first; j < end && j < n_global; j++)
        key[count++] = j;
    from = from > n_global ? from : n_global;
    for (int j = from > first ? from : first; j < end && j < to; j++)
        key[count++] = j;
    return count;
}

static const struct pair_formula formula = { .sees = global_sees };

const struct mechanism mechanism_global = {
    .name = "global",
    .formula = "softmax_j s_ij over |i - j| <= w, i < g or j < g",
    .cost = "N (w + g) d", .growth = "N", .sparse = true,
    .source = "Beltagy et al. 2020, section 3.1",
    .no_budget = "its first tokens see every key",
    .refuse = chosen_refuse, .keys = global_keys, .pairs = &formula,
    .room = chosen_room, .run = chosen_run, .reference = pairs_reference,
};
