/* SPDX-License-Identifier: MIT
 * A family's slots, layer by layer and stack by stack -> tensors: one loop for all. */
#include "model/bind_priv.h"

#include <string.h>

/*
 * Layers that share their weights, as ALBERT's do, are bound to those of a group, each
 * to its place in it.  The division is the reference library's, rounding and all.
 */
static struct where weights_of(const struct config *c, int l)
{
    struct where at = { l, 0 };

    if (c->groups.n > 0) {
        double steps = c->n_layers / c->groups.n_inner;

        at.layer = (int)(l / c->groups.n_inner / (steps / c->groups.n));
        at.part = l % c->groups.n_inner;
    }
    return at;
}

static bool in_mlp(int slot)
{
    return slot == W_GATE || slot == W_UP || slot == W_DOWN;
}

static int bind_experts(struct binder *b, struct layer_plan *plan, int layer)
{
    int n = b->m->config.experts.n;

    plan->expert = arena_alloc(b->a, (size_t)n, sizeof *plan->expert);
    for (int x = 0; x < n; x++) {
        struct where at = { layer, x };

        if (bind_slot(b, W_EXP_GATE, at, &plan->expert[x].gate) != 0 ||
            bind_slot(b, W_EXP_UP, at, &plan->expert[x].up) != 0 ||
            bind_slot(b, W_EXP_DOWN, at, &plan->expert[x].down) != 0)
            return -1;
    }
    return 0;
}

/* Slots that this layer leaves empty, though its family names them. */
static bool is_absent(const struct model *m, int s, int l, bool experts)
{
    bool routed = s == W_ROUTER || s == W_ROUTER_BIAS;
    bool shared = s == W_SHARED_GATE || s == W_SHARED_UP || s == W_SHARED_DOWN;
    bool ranked = s == W_Q_A || s == W_Q_A_NORM || s == W_Q_B;

    if (m->family->qkv == QKV_LOW_RANK && (m->config.latent.q_rank > 0 ? s == W_Q : ranked))
        return true;
    return bind_distance_is_off(m, s) || (experts ? in_mlp(s) : routed || shared) ||
           (shared && m->config.experts.n_shared == 0) ||
           (s == W_GATE && m->mlp == MLP_PLAIN) ||
           (s == W_K && m->config.layer_kind != NULL &&
            m->config.layer_kind[l] == LAYER_HASHED) ||
           (s == W_ATT_NORM && l == 0 && m->family->first_norm_absent) ||
           (s == W_MLP_NORM && m->config.falcon.one_norm);
}

static int bind_layer(struct binder *b, int l)
{
    struct layer_plan *plan = &b->m->layer[l];
    struct where at = weights_of(&b->m->config, l);
    bool experts = plan_has_experts(&b->m->config, l);

    for (int s = 0; s < N_SLOT; s++) {
        if (family_slots[s].count != PER_LAYER || is_absent(b->m, s, l, experts))
            continue;
        if (bind_slot(b, (enum slot)s, at, &plan->slot[s]) != 0)
            return -1;
    }
    bind_free_biases(b->m, plan, b->a);
    plan_layer(b->m, l);
    plan_distances(plan, &b->m->config, b->a);
    return experts ? bind_experts(b, plan, at.layer) : 0;
}

/* A head is there if it is tied without a transform, or its transform is there. */
static void bind_head(struct model *m)
{
    const char *const *name = m->family->stack.name;

    m->n_logits = family_slot_dim(m->family, &m->config, DIM_HEAD);
    m->d_hidden = m->slot[W_FINAL_PROJ].weight != NULL ?
                  m->config.d_embed : family_slot_dim(m->family, &m->config, DIM_END);
    m->has_head = name[W_HEAD_DENSE] == NULL || m->slot[W_HEAD_DENSE].weight != NULL;
    m->has_head = m->has_head && name[W_HEAD] != NULL;      /* an encoder's is the decoder's */
    if (m->slot[W_HEAD].weight == NULL) {
        m->slot[W_HEAD].matrix = m->slot[W_TOK].matrix;
        m->has_head = m->has_head && !m->config.head.one_number && !m->config.head.untied &&
                      m->slot[W_TOK].weight != NULL &&
                      m->slot[W_HEAD].matrix.K ==
                          family_slot_dim(m->family, &m->config, DIM_HEAD_IN);
    }
}

static void place_heads(struct model *m, struct arena *a)
{
    const struct config *c = &m->config;
    struct head_place *p = &m->place;
    int H = c->n_heads, G = c->n_kv_heads, d = c->d_head, a_group = H / G;
    int d_v = c->d_value, stride = (a_group + 1) * d + d_v;
    bool grouped = m->family->qkv == QKV_GROUPED;

    p->width = (H + G) * d + G * d_v;
    p->q = arena_alloc(a, (size_t)H, sizeof *p->q);
    p->k = arena_alloc(a, (size_t)G, sizeof *p->k);
    p->v = arena_alloc(a, (size_t)G, sizeof *p->v);
    for (int h = 0; h < H; h++)
        p->q[h] = grouped ? h / a_group * stride + h % a_group * d : h * d;
    for (int g = 0; g < G; g++) {
        p->k[g] = grouped ? g * stride + a_group * d : (H + g) * d;
        p->v[g] = grouped ? p->k[g] + d : (H + G) * d + g * d_v;
    }
    p->cross_k = arena_alloc(a, (size_t)G, sizeof *p->cross_k);
    p->cross_v = arena_alloc(a, (size_t)G, sizeof *p->cross_v);
    for (int g = 0; g < G; g++) {
        p->cross_k[g] = g * d;
        p->cross_v[g] = G * d + g * d_v;
    }
    p->n_runs = grouped ? G : 1;
    p->run_heads = grouped ? a_group + 1 : H + G;
    p->run_stride = stride;
}

/* A family whose default says so may be reversed by its config. */
static enum norm_place place_of(const struct model *m)
{
    const struct config *was = &m->family->defaults;

    if (was->norm.first && !m->config.norm.first)
        return PLACE_POST;
    if (was->norm.parallel && !m->config.norm.parallel)
        return PLACE_PRE;
    return m->family->norm_place;
}

static void list_unused(struct binder *b)
{
    int n = weights_count(b->m->weights);

    b->m->unused = arena_alloc(b->a, (size_t)n, sizeof *b->m->unused);
    for (int i = 0; i < n; i++)
        if (!b->used[i])
            b->m->unused[b->m->n_unused++] = weights_at(b->m->weights, i)->name;
}

static enum mlp mlp_of(const struct model *m)
{
    return m->family->mlp_by_config && !m->config.gated ? MLP_PLAIN : m->family->mlp;
}

/* Slots of the stack that its config leaves empty, though its family names them. */
static bool stack_lacks(const struct model *m, int s)
{
    const struct config *c = &m->config;
    bool axial = m->family->positions == POS_AXIAL && c->axial.on;

    if ((s == W_TYPE && c->n_types == 0) || bind_distance_is_off(m, s) ||
        (s == W_POS && m->family->defaults.relative.input && !c->relative.input) ||
        ((s == W_CONV || s == W_CONV_NORM) && c->front.conv_width < 1))
        return true;
    if (s == W_FINAL_NORM && !m->family->bare)
        return m->norm_place == PLACE_POST || m->config.norm.no_final;
    return axial ? s == W_POS : s == W_AXIS_0 || s == W_AXIS_1;
}

enum { NO_LIMIT = 1 << 24 };    /* of tokens, where positions need no table */

/* The most tokens that fit the positions, also when they are padded to chunks. */
static int longest_text(const struct model *m)
{
    const struct config *c = &m->config;
    int n = c->n_positions, whole;

    if (m->family->positions == POS_TABLE_FROM_IDS)     /* rows up to the pad's go unused */
        return n - 1 - (m->family->pos_offset > 0 ? m->family->pos_offset : c->pad_id);
    if (m->family->defaults.relative.input && !c->relative.input)
        return NO_LIMIT;
    if (m->slot[W_AXIS_0].weight != NULL && c->axial.shape[0] * c->axial.shape[1] < n)
        n = c->axial.shape[0] * c->axial.shape[1];
    if (c->chunked.pad_to == 0)
        return n;
    if (n <= c->chunked.pad_above)
        return n;
    whole = n - n % c->chunked.pad_to;
    return whole > c->chunked.pad_above ? whole : c->chunked.pad_above;
}

static int bind_stack(struct binder *b)
{
    struct model *m = b->m;

    b->prefix = bind_prefix(b);
    m->norm_place = place_of(m);
    m->mlp = mlp_of(m);
    m->config.head.one_number = m->family->one_number != NULL &&
        bind_has(b, m->family->one_number, (struct where){ 0 });
    for (int s = 0; s < N_SLOT; s++)
        if (family_slots[s].count == PER_STACK && !stack_lacks(m, s) &&
            bind_slot(b, (enum slot)s, (struct where){ 0 }, &m->slot[s]) != 0)
            return -1;
    plan_rope(m, b->a);
    plan_bias(m, b->a);
    place_heads(m, b->a);
    m->layer = arena_alloc(b->a, (size_t)m->config.n_layers, sizeof *m->layer);
    for (int l = 0; l < m->config.n_layers; l++)
        if (bind_layer(b, l) != 0)
            return -1;
    m->max_tokens = longest_text(m);
    if (m->max_tokens < 1)
        return err_set(b->e, ERR_INPUT, "%s: %d positions, of which padding leaves none "
                       "for tokens", m->name, m->config.n_positions);
    bind_head(m);
    return 0;
}

/* Whether the file holds any layer of the stack, if its layers have tensors at all; a
 * missing part of one is an error. */
static bool has_layers(struct binder *b)
{
    const char *const *name = b->m->family->stack.name;
    bool none = true;

    b->prefix = bind_prefix(b);
    for (int l = 0; l < b->m->config.n_layers; l++)
        for (int s = 0; s < N_SLOT; s++)
            if (family_slots[s].count == PER_LAYER && name[s] != NULL) {
                none = false;
                if (bind_has(b, name[s], (struct where){ l, 0 }))
                    return true;
            }
    return none;
}

/* The decoder's numbers, where the config has them apart. */
static struct config decoder_config(const struct family *f, const struct config *c)
{
    struct config d = *c;
    bool derived = c->d_head * c->n_heads == c->d_model;

    if (c->decoder.n_layers > 0)
        d.n_layers = c->decoder.n_layers;
    if (c->decoder.n_heads > 0)
        d.n_heads = d.n_kv_heads = c->decoder.n_heads;
    if (c->decoder.d_ff > 0)
        d.d_ff = c->decoder.d_ff;
    if (f->defaults.decoder.shares_vocab && !c->decoder.shares_vocab && c->decoder.n_vocab > 0)
        d.n_vocab = c->decoder.n_vocab;
    if (c->decoder.n_positions > 0)
        d.n_positions = c->decoder.n_positions;
    if (derived)
        d.d_head = d.d_value = d.rotary.n_columns = c->d_model / d.n_heads;
    return d;
}

/* The decoder after an encoder; none where the file is of the encoder alone. */
static int bind_decoder(struct binder *b)
{
    struct model *m = b->m, *dec = arena_alloc(b->a, 1, sizeof *dec);
    int rc = 0;

    if (m->config.decoder.n_heads > 0 && m->config.d_model % m->config.decoder.n_heads != 0)
        return err_set(b->e, ERR_INPUT, "%s: decoder_attention_heads: %d does not divide "
                       "the width %d", m->name, m->config.decoder.n_heads, m->config.d_model);
    *dec = (struct model){ .name = m->name, .dir = m->dir, .weights = m->weights,
                           .family = m->family->decoder,
                           .config = decoder_config(m->family, &m->config) };
    b->m = dec;
    if (has_layers(b)) {
        m->decoder = dec;
        rc = bind_stack(b);
    }
    b->m = m;
    return rc;
}

int model_bind(struct model *m, struct arena *a, struct err *e)
{
    struct binder b = { .m = m, .a = a, .e = e };

    b.used = arena_alloc(a, (size_t)weights_count(m->weights) + 1, sizeof *b.used);
    if (bind_stack(&b) != 0 || (m->family->decoder != NULL && bind_decoder(&b) != 0))
        return -1;
    list_unused(&b);
    m->hash = model_hash(m);
    return 0;
}
