/* SPDX-License-Identifier: MIT
 * A layer, a text, a head -> its struct attend: widths, scale, window, terms of scores. */
#include "run/describe.h"

#include <limits.h>

#include "nn/bias.h"
#include "run/cached.h"
#include "run/cross.h"
#include "run/mask.h"

/* What the model itself adds. */
static void set_bias(const struct pass *p, int l, const struct heads *h, int text, int head,
                     struct relative_terms *terms, struct attend *at)
{
    if (heads_have_copies(h, text))
        at->term[0] = (struct score_term){ bias_copies, &h->copies[text] };
    else if (h->terms != NULL)
        at->term[0] = h->terms[text * p->m->config.n_heads + head];
    else if (h->biased && p->relative != NULL)
        relative_set_terms(p, h, text, head, terms, at);
    else if (h->biased && p->m->layer[l].grid != NULL)
        at->term[0] = (struct score_term){ bias_grid, &p->m->layer[l].grid[head] };
    else if (h->biased && p->m->alibi != NULL)
        at->term[0] = (struct score_term){ bias_alibi, &p->m->alibi[head] };
    else if (h->biased && p->m->buckets != NULL)
        at->term[0] = (struct score_term){ bias_buckets, &p->m->buckets[head] };
}

struct attend describe_head(const struct pass *p, int l, const struct heads *h, int text,
                            int head, struct head_terms *room)
{
    const struct config *config = &p->m->config;
    const struct cached *cached = h->cached != NULL ? &h->cached[text] : NULL;
    bool all = heads_have_global(h, text);
    struct attend at = {
        .S = cached != NULL ? cached->n_keys : h->key_start[text + 1] - h->key_start[text],
        .offset = cached != NULL ? cached->offset : 0,
        .d = config->d_head, .d_v = config->d_value, .scale = p->m->layer[l].scale,
        .lo = all ? INT_MAX : h->lo, .hi = all ? INT_MAX : h->hi,
        .cap = (float)config->score.cap, .precision = pass_precision(p),
    };

    if (h->stack != STACK_CROSS && p->m->layer[l].slot[W_SINKS].vector != NULL)
        at.sink = p->m->layer[l].slot[W_SINKS].vector + head;
    room->mask = (struct mask_view){ h->mask, pass_number(p, text), head,
                                     cross_masked_keys(p, h->stack, at.S) };
    set_bias(p, l, h, text, head, &room->relative, &at);
    if (mask_adds(h->mask))
        at.term[SCORE_TERMS - 1] = (struct score_term){ mask_add, &room->mask };
    return at;
}
