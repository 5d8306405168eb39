/* SPDX-License-Identifier: MIT
 * A text -> its tokens: added tokens, normaliser, pre-tokeniser, model, in a row. */
#include "text/tok_priv.h"

enum { GROWTH = 64 };       /* NFKD makes 33 bytes of 3, the byte alphabet 2 of 1 */

int pipeline_run(struct work *w, const char *s, size_t n, struct err *e)
{
    const struct tok *tok = w->t;
    struct part all = { s, n, NULL, 0, -1 };

    w->size = n;
    w->limit = GROWTH * (n + GROWTH);
    w->parts.n = 0;
    part_add(w, &w->parts, all);
    added_split(&tok->added, &tok->added.raw, w);
    if (step_run(&tok->normal, w, e) != 0)
        return -1;
    added_split(&tok->added, &tok->added.normal, w);
    if (step_run(&tok->presplit, w, e) != 0)
        return -1;
    return step_run(&tok->model, w, e);
}
