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

int budget_window(const struct attention *a, int n)
{
    int left = a->params->budget - 1 - n;

    if (a->params->budget == 0)
        return a->params->window;
    return a->at.hi == 0 ? left : left / 2;
}
