/* SPDX-License-Identifier: MIT
 * Work and memory used by the steps of tokenising -> an error if they exceed the limits. */
#include "text/tok_priv.h"

int bound_check(struct work *w, struct err *e)
{
    if (w->too_large || (w->memory > 0 && arena_since(w->a, w->start) > w->memory)) {
        w->too_large = true;
        if (w->too_many)
            return err_set(e, ERR_INPUT, "%s: the text becomes more than %zu parts or tokens",
                           w->step, w->most);
        return err_set(e, ERR_INPUT, "%s: the text grows out of bounds under the "
                       "tokeniser's steps", w->step);
    }
    if (w->too_much)
        return err_set(e, ERR_INPUT, "%s: the step takes too much work on this text",
                       w->step);
    return 0;
}

void bound_spend(struct work *w, uint64_t work)
{
    if (!budget_spend(w->budget, work))
        w->too_much = true;
}
