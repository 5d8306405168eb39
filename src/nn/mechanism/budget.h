/* SPDX-License-Identifier: MIT
 * A budget of keys per row -> sizes of patterns. */
#ifndef NN_MECHANISM_BUDGET_H
#define NN_MECHANISM_BUDGET_H

#include "nn/mechanism.h"

/* Keys per row of mechanisms without another size. */
int budget_keys(const struct attention *a);

/* True if row i has no more visible keys than the budget: then it sees all of them. */
bool budget_covers_row(const struct attention *a, int i);

/*
 * The window of patterns, keys before and after a row's own: params->window, or the rest of the
 * budget without the row's own key and n others; of an odd number, one more is before.
 */
struct budget_window {
    int before, after;
};
struct budget_window budget_window(const struct attention *a, int n);
bool budget_window_has(struct budget_window w, int i, int j);

#endif
