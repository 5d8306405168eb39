/* SPDX-License-Identifier: MIT
 * What a budget of keys per row sets. */
#ifndef NN_MECHANISM_BUDGET_H
#define NN_MECHANISM_BUDGET_H

#include "nn/mechanism.h"

/* Keys per row of what has no other size. */
int budget_keys(const struct attention *a);

/* True if a budget is set that row i does not exceed: it sees all that the model lets it. */
bool budget_covers_row(const struct attention *a, int i);

/*
 * Keys before and after a row's own that patterns see: params->window, or what a budget
 * leaves beside the row's own key and n others; of an odd number, one more before.
 */
struct budget_window {
    int before, after;
};
struct budget_window budget_window(const struct attention *a, int n);
bool budget_window_has(struct budget_window w, int i, int j);

#endif
