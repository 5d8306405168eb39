/* SPDX-License-Identifier: MIT
 * Work and memory used by the steps of tokenising -> an error if they exceed the limits. */
#include "text/tok_priv.h"

int bound_check(struct work *work, struct err *e)
{
    if (work->too_large || (work->memory > 0 && arena_since(work->a, work->start) > work->memory)) {
        work->too_large = true;
        if (work->too_many)
            return err_set(e, ERR_INPUT, "%s: the text becomes more than %zu parts or tokens",
                           work->step, work->most);
        return err_set(e, ERR_INPUT, "%s: the text grows out of bounds under the "
                       "tokeniser's steps", work->step);
    }
    if (work->too_much)
        return err_set(e, ERR_INPUT, "%s: the step takes too much work on this text",
                       work->step);
    return 0;
}

void bound_spend(struct work *w, uint64_t work)
{
    if (!budget_spend(w->budget, work))
        w->too_much = true;
}
