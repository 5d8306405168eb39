/* SPDX-License-Identifier: MIT
 * The heads of a layer -> the views that a tap gets. */
#include "run/tap.h"

#include <string.h>

#include "run/describe.h"
#include "run/mask.h"
#include "run/special/cross.h"

/*
 * Each head's part of the description, with all rows of what it hides.  A mask that is
 * only causal becomes what a decoder's attention says, for what knows no other.
 */
static const struct attend *tap_describe(struct pass *pass, int l, const struct heads *heads,
                                         int text, int T, int S)
{
    int H = pass->m->config.n_heads;
    bool causal = mask_is_causal(heads->mask) && cross_masked_keys(pass, heads->stack, S) == S;
    struct attend *at = arena_alloc(pass->call, (size_t)H, sizeof *at);

    for (int head = 0; head < H; head++) {
        struct head_terms *terms = arena_alloc(pass->call, 1, sizeof *terms);
        unsigned char *hidden;

        at[head] = describe_head(pass, l, heads, text, head, terms);
        if (causal && at[head].hi > 0)
            at[head].hi = 0;
        if (heads->hide == NULL && (causal || !mask_hides(heads->mask)))
            continue;
        hidden = arena_alloc(pass->call, (size_t)T, (size_t)S);
        heads_hide(heads, &terms->mask, text, hidden, (size_t)S, 0, T, 0, S);
        at[head].hidden = hidden;
        at[head].hidden_stride = (size_t)S;
    }
    return at;
}

/* True if what is hidden and added is the same for all heads. */
static bool alike(const struct heads *heads, const struct attend *attend)
{
    bool own = heads->hide != NULL || mask_is_by_head(heads->mask);

    for (int i = 0; i < SCORE_TERMS - 1; i++)
        own = own || attend->term[i].add != NULL;
    return !own;
}

static const struct rope_plan *rope_of(const struct model *model, int l, enum stack_id stack)
{
    int i = model->layer[l].rope;

    return stack != STACK_CROSS && i >= 0 && model->rope[i].inv_freq != NULL ? &model->rope[i] :
           NULL;
}

static int tap_text(struct pass *pass, int l, const struct heads *heads, int text,
                    struct view_grams *grams, struct err *e)
{
    const struct tap *tap = pass->want->tap;
    const struct config *config = &pass->m->config;
    int row = pass->b->start[text], T = pass->b->start[text + 1] - row;
    int key = heads->key_start[text], S = heads->key_start[text + 1] - key;
    const struct param *out =
        &pass->m->layer[l].slot[heads->stack == STACK_CROSS ? W_CROSS_O : W_O];
    const int *gates = heads->stack == STACK_CROSS ? NULL : pass->m->place.gate;
    struct qkv_view view = {
        .text = text, .layer = l, .stack = heads->stack, .T = T, .S = S, .H = config->n_heads,
        .G = config->n_kv_heads, .q = heads->q + row * heads->q_stride,
        .kv = heads->kv + key * heads->kv_stride, .q_stride = heads->q_stride,
        .kv_stride = heads->kv_stride, .q_at = heads->q_at, .k_at = heads->k_at,
        .v_at = heads->v_at,
        .at = tap_describe(pass, l, heads, text, T, S), .rope = rope_of(pass->m, l, heads->stack),
        .gate_at = gates, .out = out->weight != NULL && gates == NULL ? out : NULL,
        .room = pass->call,
        .branch = config->multiplier.branch,
        .by = heads->stack == STACK_CROSS ? NULL : pass->m->layer[l].slot[W_ATT_SCALE].vector,
        .grams = grams,
    };

    view.alike = alike(heads, view.at);
    if (heads_have_global(heads, text) && tap->skips_global)
        return 0;
    if (heads_have_global(heads, text))
        return err_set(e, ERR_INPUT, "%s: global tokens have queries, keys and values of "
                       "their own, which are not available (use --global none)",
                       pass->m->name);
    if (tap->take != NULL && tap->take(tap->self, &view, e) != 0)
        return -1;
    if (tap->attend == NULL)
        return 0;
    return tap->attend(tap->self, &view,
                       pass->z + (int64_t)row * config->n_heads * config->d_value, pass->par,
                       e);
}

int tap_show(struct pass *pass, int l, const struct heads *heads, bool *replaced, struct err *e)
{
    uint64_t H = (uint64_t)pass->m->config.n_heads, d_v = (uint64_t)pass->m->config.d_value;
    struct view_grams grams;
    int status = 0;

    if (!pass_taps(pass, l, heads->stack))
        return 0;
    grams = (struct view_grams){ arena_alloc_raw(pass->call, H * d_v, d_v * sizeof(double)),
                                arena_alloc(pass->call, H, 1) };
    for (int t = 0; status == 0 && t < pass->b->n_texts; t++) {
        struct arena_mark mark = arena_mark(pass->call);

        status = tap_text(pass, l, heads, t, &grams, e);
        arena_reset(pass->call, mark);
    }
    *replaced = pass->want->tap->attend != NULL;
    return status;
}
