/* SPDX-License-Identifier: MIT
 * Softmax over the first tokens and a window. */
#include "nn/mechanism/budget.h"
#include "nn/mechanism/chosen.h"
#include "nn/mechanism/pairs.h"

static bool sinks_sees(const struct attention *a, int i, int j)
{
    return j < a->params->sinks ||
           budget_window_has(budget_window(a, a->params->sinks), i, j);
}

static int sinks_keys(int *key, const struct attention *a, int i, int first, int end)
{
    int sinks = a->params->sinks, count = 0;
    struct budget_window window = budget_window(a, sinks);
    int from = i > window.before ? i - window.before : 0;
    int64_t to = (int64_t)i + window.after + 1;

    for (int j = first; j < end && j < sinks; j++)
        key[count++] = j;
    from = from > sinks ? from : sinks;
    for (int j = from > first ? from : first; j < end && j < to; j++)
        key[count++] = j;
    return count;
}

static const char *sinks_refuse(const struct attention *a)
{
    if (a->params->budget > 0 && a->params->sinks >= a->params->budget)
        return "the first tokens of --sinks alone fill the budget";
    return chosen_refuse(a);
}

static const struct pair_formula formula = { .sees = sinks_sees };

const struct mechanism mechanism_sinks = {
    .name = "sinks",
    .formula = "softmax_j s_ij over j < s or |i - j| <= w",
    .cost = "N (w + s) d", .growth = "N", .sparse = true,
    .source = "Xiao et al. 2024, section 3.2",
    .refuse = sinks_refuse, .keys = sinks_keys, .pairs = &formula,
    .room = chosen_room, .run = chosen_run, .reference = pairs_reference,
};
