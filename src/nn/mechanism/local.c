/* SPDX-License-Identifier: MIT
 * Softmax over a window on either side. */
#include "nn/mechanism/budget.h"
#include "nn/mechanism/chosen.h"
#include "nn/mechanism/pairs.h"

static bool local_sees(const struct attention *a, int i, int j)
{
    return budget_window_has(budget_window(a, 0), i, j);
}

static int local_keys(int *key, const struct attention *a, int i, int first, int end)
{
    struct budget_window window = budget_window(a, 0);
    int from = i > window.before ? i - window.before : 0, count = 0;
    int64_t to = (int64_t)i + window.after + 1;

    for (int j = from > first ? from : first; j < end && j < to; j++)
        key[count++] = j;
    return count;
}

static const struct pair_formula formula = { .sees = local_sees };

const struct mechanism mechanism_local = {
    .name = "local",
    .formula = "softmax_j s_ij over |i - j| <= w",
    .cost = "N w d", .growth = "N", .sparse = true,
    .source = "Beltagy et al. 2020, section 3.1; Luong et al. 2015, section 3.2",
    .refuse = chosen_refuse, .keys = local_keys, .pairs = &formula,
    .room = chosen_room, .run = chosen_run, .reference = pairs_reference,
};
