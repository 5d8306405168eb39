/* SPDX-License-Identifier: MIT
 * A text -> its tokens: added tokens, normaliser, pre-tokeniser, model, in a row. */
#include "text/tok_priv.h"

/* Steps that make parts of parts. */
static int run_steps(const struct tok *t, struct work *w, struct err *e)
{
    if (added_split(&t->added, &t->added.raw, w, e) != 0 ||
        step_run(&t->normal, w, e) != 0 ||
        added_split(&t->added, &t->added.normal, w, e) != 0)
        return -1;
    return step_run(&t->presplit, w, e);
}

int pipeline_run(struct work *w, const char *s, size_t n, struct err *e)
{
    struct part all = { s, n, NULL, 0, -1 };

    w->limit = budget_text(n);
    w->text = arena_mark(w->a);
    w->parts.n = 0;
    part_add(w, &w->parts, all);
    w->settles = true;
    if (run_steps(w->t, w, e) != 0)
        return -1;
    w->settles = false;
    return step_run(&w->t->model, w, e);
}
