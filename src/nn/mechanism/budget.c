/* SPDX-License-Identifier: MIT
 * A number of keys per row -> the sizes of patterns. */
#include "nn/mechanism/budget.h"

#include "nn/visible.h"

int budget_keys(const struct attention *a)
{
    return a->params->budget > 0 ? a->params->budget : MECHANISM_BUDGET;
}

bool budget_covers_row(const struct attention *a, int i)
{
    return a->params->budget > 0 && visible_count(&a->at, i) <= a->params->budget;
}

struct budget_window budget_window(const struct attention *a, int n)
{
    int window = a->params->window, left = a->params->budget - 1 - n;

    if (a->params->budget == 0)
        return (struct budget_window){ window, window };
    return (struct budget_window){ a->at.hi == 0 ? left : left - left / 2, left / 2 };
}

bool budget_window_has(struct budget_window w, int i, int j)
{
    return j >= i - w.before && j - i <= w.after;
}
