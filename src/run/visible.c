/* SPDX-License-Identifier: MIT
 * Which keys the rows of a head see, and what is added to their scores. */
#include <limits.h>
#include <string.h>

#include "run/run_priv.h"

/* ---- the user's masks ---- */

int pass_number(const struct pass *p, int text)
{
    const struct change *c = p->want->change;

    return c != NULL && c->number != NULL ? c->number[text] : text;
}

const struct mask *pass_cross_mask(const struct pass *p)
{
    const struct change *c = p->want->change;
    bool alone = p->m->family->stack_id == STACK_CROSS;

    return c == NULL ? NULL : alone && c->memory_mask == NULL ? c->mask : c->memory_mask;
}

/* ---- what is hidden beside lo and hi ---- */

bool pass_has_global(const struct heads *h, int text)
{
    int start, n;

    if (h->global == NULL)
        return false;
    start = h->key_start[text];
    n = h->key_start[text + 1] - start;
    return memchr(h->global + start, 1, (size_t)n) != NULL;
}

bool pass_hides(const struct heads *h)
{
    return h->hide != NULL || mask_hides(h->mask);
}

void pass_hide(const struct heads *h, const struct mask_view *v, int text,
               unsigned char *hidden, size_t stride, int row0, int n_rows, int key0,
               int n_keys)
{
    if (h->hide != NULL)
        h->hide(h->hide_self, text, (int)v->head, hidden, stride, row0, n_rows, key0,
                n_keys);
    if (mask_hides(h->mask))
        mask_hide(v, hidden, stride, row0, n_rows, key0, n_keys);
}

/* ---- what is added ---- */

bool pass_has_copies(const struct heads *h, int text)
{
    return h->copies != NULL && h->copies[text].copies > 1;
}

/* What the model itself adds. */
static void set_bias(const struct pass *p, const struct heads *h, int text, int head,
                     struct relative_terms *terms, struct attend *at)
{
    if (pass_has_copies(h, text))
        at->term[0] = (struct score_term){ bias_copies, &h->copies[text] };
    else if (h->terms != NULL)
        at->term[0] = h->terms[text * p->m->config.n_heads + head];
    else if (h->biased && p->relative != NULL)
        relative_terms(p, h, text, head, terms, at);
    else if (h->biased && p->m->alibi != NULL)
        at->term[0] = (struct score_term){ bias_alibi, &p->m->alibi[head] };
    else if (h->biased && p->m->buckets != NULL)
        at->term[0] = (struct score_term){ bias_buckets, &p->m->buckets[head] };
}

struct attend pass_attend_of(const struct pass *p, int l, const struct heads *h, int text,
                             int head, struct head_terms *room)
{
    const struct config *c = &p->m->config;
    const struct kept *kept = h->kept != NULL ? &h->kept[text] : NULL;
    bool all = pass_has_global(h, text);
    struct attend at = {
        .S = kept != NULL ? kept->n_keys : h->key_start[text + 1] - h->key_start[text],
        .offset = kept != NULL ? kept->offset : 0,
        .d = c->d_head, .d_v = c->d_value, .scale = p->m->layer[l].scale,
        .lo = all ? INT_MAX : h->lo, .hi = all ? INT_MAX : h->hi,
        .cap = (float)c->score.cap, .precision = pass_precision(p),
    };

    room->mask = (struct mask_view){ h->mask, pass_number(p, text), head,
                                     pass_masked_keys(p, h->stack, at.S) };
    set_bias(p, h, text, head, &room->relative, &at);
    if (mask_adds(h->mask))
        at.term[SCORE_TERMS - 1] = (struct score_term){ mask_add, &room->mask };
    return at;
}
