/* SPDX-License-Identifier: MIT
 * A text -> its tokens: added tokens, normaliser, pre-tokeniser, model, in a row. */
#include "text/tok_priv.h"

/* Steps that make parts of parts. */
static int run_steps(const struct tok *tok, struct work *work, struct err *e)
{
    if (added_split(&tok->added, &tok->added.raw, work, e) != 0 ||
        step_run(&tok->normal, work, e) != 0 ||
        added_split(&tok->added, &tok->added.normal, work, e) != 0)
        return -1;
    return step_run(&tok->presplit, work, e);
}

int pipeline_run(struct work *work, const char *s, size_t n, struct err *e)
{
    struct fragment all = { s, n, NULL, 0, -1 };

    work->limit = budget_text(n);
    work->text = arena_mark(work->a);
    work->parts.n = 0;
    fragment_add(work, &work->parts, all);
    work->settles = true;
    if (run_steps(work->t, work, e) != 0)
        return -1;
    work->settles = false;
    return step_run(&work->t->model, work, e);
}
