/* SPDX-License-Identifier: MIT
 * A layer, a text, a head -> its struct attend: widths, scale, window, terms of scores. */
#include "run/describe.h"

#include <limits.h>

#include "nn/bias.h"
#include "run/cached.h"
#include "run/mask.h"
#include "run/special/cross.h"

/* What the model itself adds. */
static void set_bias(const struct pass *pass, int l, const struct heads *heads, int text, int head,
                     struct relative_terms *terms, struct attend *attend)
{
    if (heads_have_copies(heads, text))
        attend->term[0] = (struct score_term){ bias_copies, &heads->copies[text] };
    else if (heads->terms != NULL)
        attend->term[0] = heads->terms[text * pass->m->config.n_heads + head];
    else if (heads->biased && pass->relative != NULL)
        relative_set_terms(pass, heads, text, head, terms, attend);
    else if (heads->biased && pass->m->layer[l].grid != NULL)
        attend->term[0] = (struct score_term){ bias_grid, &pass->m->layer[l].grid[head] };
    else if (heads->biased && pass->m->alibi != NULL)
        attend->term[0] = (struct score_term){ bias_alibi, &pass->m->alibi[head] };
    else if (heads->biased && pass->m->buckets != NULL)
        attend->term[0] = (struct score_term){ bias_buckets, &pass->m->buckets[head] };
}

struct attend describe_head(const struct pass *pass, int l, const struct heads *heads, int text,
                            int head, struct head_terms *room)
{
    const struct config *config = &pass->m->config;
    const struct cached *cached = heads->cached != NULL ? &heads->cached[text] : NULL;
    bool all = heads_have_global(heads, text);
    struct attend at = {
        .S = cached != NULL ? cached->n_keys : heads->key_start[text + 1] - heads->key_start[text],
        .offset = cached != NULL ? cached->offset : 0,
        .d = config->d_head, .d_v = config->d_value, .scale = pass->m->layer[l].scale,
        .lo = all ? INT_MAX : heads->lo, .hi = all ? INT_MAX : heads->hi,
        .cap = (float)config->score.cap, .precision = pass_precision(pass),
    };

    if (heads->stack != STACK_CROSS && pass->m->layer[l].slot[W_SINKS].vector != NULL)
        at.sink = pass->m->layer[l].slot[W_SINKS].vector + head;
    room->mask = (struct mask_view){ heads->mask, pass_number(pass, text), head,
                                     cross_masked_keys(pass, heads->stack, at.S) };
    set_bias(pass, l, heads, text, head, &room->relative, &at);
    if (mask_adds(heads->mask))
        at.term[SCORE_TERMS - 1] = (struct score_term){ mask_add, &room->mask };
    return at;
}
