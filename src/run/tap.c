/* SPDX-License-Identifier: MIT
 * The heads of a layer -> the views that a tap gets. */
#include "run/tap.h"

#include <string.h>

#include "run/cross.h"
#include "run/describe.h"
#include "run/mask.h"

/*
 * Each head's part of the description, with all rows of what it hides.  A mask that is
 * only causal becomes what a decoder's attention says, for what knows no other.
 */
static const struct attend *tap_describe(struct pass *p, int l, const struct heads *h, int text,
                                         int T, int S)
{
    int H = p->m->config.n_heads;
    bool causal = mask_is_causal(h->mask) && cross_masked_keys(p, h->stack, S) == S;
    struct attend *at = arena_alloc(p->call, (size_t)H, sizeof *at);

    for (int head = 0; head < H; head++) {
        struct head_terms *terms = arena_alloc(p->call, 1, sizeof *terms);
        unsigned char *hidden;

        at[head] = describe_head(p, l, h, text, head, terms);
        if (causal && at[head].hi > 0)
            at[head].hi = 0;
        if (h->hide == NULL && (causal || !mask_hides(h->mask)))
            continue;
        hidden = arena_alloc(p->call, (size_t)T, (size_t)S);
        heads_hide(h, &terms->mask, text, hidden, (size_t)S, 0, T, 0, S);
        at[head].hidden = hidden;
        at[head].hidden_stride = (size_t)S;
    }
    return at;
}

/* True if what is hidden and added is the same for all heads. */
static bool alike(const struct heads *h, const struct attend *at)
{
    bool own = h->hide != NULL || mask_is_by_head(h->mask);

    for (int i = 0; i < SCORE_TERMS - 1; i++)
        own = own || at->term[i].add != NULL;
    return !own;
}

static const struct rope_plan *rope_of(const struct model *m, int l, enum stack_id stack)
{
    int i = m->layer[l].rope;

    return stack != STACK_CROSS && i >= 0 && m->rope[i].inv_freq != NULL ? &m->rope[i] : NULL;
}

static int tap_text(struct pass *p, int l, const struct heads *h, int text,
                    struct view_grams *grams, struct err *e)
{
    const struct tap *tap = p->want->tap;
    const struct config *config = &p->m->config;
    int row = p->b->start[text], T = p->b->start[text + 1] - row;
    int key = h->key_start[text], S = h->key_start[text + 1] - key;
    const struct param *out = &p->m->layer[l].slot[h->stack == STACK_CROSS ? W_CROSS_O : W_O];
    const int *gates = h->stack == STACK_CROSS ? NULL : p->m->place.gate;
    struct qkv_view view = {
        .text = text, .layer = l, .stack = h->stack, .T = T, .S = S, .H = config->n_heads,
        .G = config->n_kv_heads, .q = h->q + row * h->q_stride,
        .kv = h->kv + key * h->kv_stride, .q_stride = h->q_stride,
        .kv_stride = h->kv_stride, .q_at = h->q_at, .k_at = h->k_at, .v_at = h->v_at,
        .at = tap_describe(p, l, h, text, T, S), .rope = rope_of(p->m, l, h->stack),
        .gate_at = gates, .out = out->weight != NULL && gates == NULL ? out : NULL,
        .room = p->call,
        .branch = config->multiplier.branch,
        .by = h->stack == STACK_CROSS ? NULL : p->m->layer[l].slot[W_ATT_SCALE].vector,
        .grams = grams,
    };

    view.alike = alike(h, view.at);
    if (heads_have_global(h, text) && tap->skips_global)
        return 0;
    if (heads_have_global(h, text))
        return err_set(e, ERR_INPUT, "%s: global tokens have queries, keys and values of "
                       "their own, which are not available (use --global none)",
                       p->m->name);
    if (tap->take != NULL && tap->take(tap->self, &view, e) != 0)
        return -1;
    if (tap->attend == NULL)
        return 0;
    return tap->attend(tap->self, &view,
                       p->z + (int64_t)row * config->n_heads * config->d_value, p->par,
                       e);
}

int tap_show(struct pass *p, int l, const struct heads *h, bool *replaced, struct err *e)
{
    uint64_t H = (uint64_t)p->m->config.n_heads, d_v = (uint64_t)p->m->config.d_value;
    struct view_grams grams;
    int status = 0;

    if (!pass_taps(p, l, h->stack))
        return 0;
    grams = (struct view_grams){ arena_alloc_raw(p->call, H * d_v, d_v * sizeof(double)),
                                arena_alloc(p->call, H, 1) };
    for (int t = 0; status == 0 && t < p->b->n_texts; t++) {
        struct arena_mark mark = arena_mark(p->call);

        status = tap_text(p, l, h, t, &grams, e);
        arena_reset(p->call, mark);
    }
    *replaced = p->want->tap->attend != NULL;
    return status;
}
