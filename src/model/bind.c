/* SPDX-License-Identifier: MIT
 * Slots -> tensors: one loop for every family, every shape checked. */
#include "model/model_priv.h"

#include <stdio.h>
#include <string.h>

struct binder {
    struct model *m;
    struct arena *a;
    const char *prefix;
    bool *used;                 /* [weights_count] */
    struct err *e;
};

/* Old checkpoints call a norm's weight gamma and its bias beta; a parameter that is no
 * part of a module has no ending, those of torch's attention are parts of a name. */
static const char *const weight_endings[] = { ".weight", ".gamma", "_weight", "", NULL };
static const char *const bias_endings[] = { ".bias", ".beta", "_bias", NULL };
static const char *const no_endings[] = { "", NULL };

static int index_of(const struct weights *w, const struct tensor *t)
{
    return (int)(t - weights_at(w, 0));
}

/* Tries one name behind the prefix, behind its first part, where the head of a model in a
 * model stands, and bare; with each ending. */
static const struct tensor *try_name(struct binder *b, const char *name,
                                     const char *const *endings)
{
    const int length[] = { (int)strlen(b->prefix), (int)strcspn(b->prefix, ".") + 1, 0 };
    char full[512];

    for (int p = b->prefix[0] != '\0' ? 0 : 2; p < 3; p++)
        for (int i = 0; endings[i] != NULL; i++) {
            const struct tensor *t;

            snprintf(full, sizeof full, "%.*s%s%s", length[p], b->prefix, name, endings[i]);
            t = weights_find(b->m->weights, full);
            if (t != NULL) {
                b->used[index_of(b->m->weights, t)] = true;
                return t;
            }
        }
    return NULL;
}

/* Which layer a name is about, and which expert, or which layer of a group. */
struct where { int layer, part; };

/* "h.%d.mlp.experts.%d.w1" with both numbers put in. */
static char *fill_in(struct arena *a, const char *name, size_t n, struct where at)
{
    char *s = arena_strndup(a, name, n);
    const int numbers[] = { at.layer, at.part };

    for (int i = 0; i < 2; i++) {
        const char *d = strstr(s, "%d");

        if (d == NULL)
            break;
        s = arena_printf(a, "%.*s%d%s", (int)(d - s), s, numbers[i], d + 2);
    }
    return s;
}

/* The k-th alternative of "A|B", filled in; NULL: no more. */
static char *alternative(struct arena *a, const char *names, int k, struct where at)
{
    for (; k > 0; k--) {
        names = strchr(names, '|');
        if (names == NULL)
            return NULL;
        names++;
    }
    return fill_in(a, names, (size_t)(strchrnul(names, '|') - names), at);
}

static const struct tensor *find(struct binder *b, const char *names, struct where at,
                                 const char *const *endings)
{
    char *name;

    for (int k = 0; (name = alternative(b->a, names, k, at)) != NULL; k++) {
        const struct tensor *t = try_name(b, name, endings);

        if (t != NULL)
            return t;
    }
    return NULL;
}

struct shape {
    int n;
    int d[4];
};

/* What the weight of a slot must look like. */
static struct shape shape_of(const struct model *m, const struct slot_row *row, bool in_out)
{
    const struct config *c = &m->config;
    int out = slot_dim(m->family, c, row->out), in;

    if (row->in == DIM_NONE)
        return (struct shape){ 1, { out } };
    in = slot_dim(m->family, c, row->in);
    if (row->kind == SLOT_CONV)
        return (struct shape){ 3, { out, in, row == &slot_table[W_CONV] ? c->conv_width
                                                                         : CONV_WINDOW } };
    if (row->kind == SLOT_ROWS)
        return (struct shape){ 3, { out, 1, in } };
    if (row->kind == SLOT_COLUMNS)
        return (struct shape){ 3, { 1, out, in } };
    if (row->kind == SLOT_PATCH)
        return (struct shape){ 4, { out, in, c->patch[0], c->patch[1] } };
    return (struct shape){ 2, { in_out ? in : out, in_out ? out : in } };
}

/* The family's name of it has no ending, and it has no bias. */
static bool is_whole_name(enum slot_kind kind)
{
    return kind == SLOT_VECTOR || kind == SLOT_ROWS || kind == SLOT_COLUMNS;
}

static char *shape_text(struct arena *a, const struct shape *s)
{
    char *text = arena_printf(a, "[%d", s->d[0]);

    for (int i = 1; i < s->n; i++)
        text = arena_printf(a, "%s,%d", text, s->d[i]);
    return arena_printf(a, "%s]", text);
}

/* What has heads and their columns apart, [D, H, d] for [D, H d]. */
static bool is_split(const struct tensor *t, const struct shape *want)
{
    int n = want->n;

    return n < 3 && t->n_dims == n + 1 && t->n_elements > 0 &&
           (n == 1 || t->shape[0] == want->d[0]) &&
           t->shape[n - 1] * t->shape[n] == want->d[n - 1];
}

/* Leading dimensions of 1 say nothing where a parameter is no part of a module: BART's
 * [1, V], ViT's [1, positions, D]. */
static int check(struct binder *b, const struct tensor *t, struct shape want, bool loose)
{
    int first = 0;
    bool same;

    if (!dtype_table[t->dtype].is_float)
        return err_set(b->e, ERR_INPUT, "%s: %s: holds %s, want F32, F16, BF16 or F64",
                       t->file, t->name, dtype_table[t->dtype].name);
    while (loose && t->n_dims - first > want.n && t->shape[first] == 1)
        first++;
    same = t->n_dims - first == want.n;
    for (int i = 0; same && i < want.n; i++)
        same = t->shape[first + i] == want.d[i];
    same = same || (b->m->family->heads_apart && is_split(t, &want));
    return same ? 0 :
           err_set(b->e, ERR_INPUT, "%s: %s: shape %s, want %s", t->file, t->name,
                   tensor_shape(b->a, t), shape_text(b->a, &want));
}

static float *decode(struct arena *a, const struct tensor *t)
{
    float *v = arena_alloc(a, (size_t)t->n_elements, sizeof *v);

    tensor_read(v, t, 0, t->n_elements);
    return v;
}

static const float *decode_vector(struct binder *b, const struct slot_row *row,
                                  const struct tensor *t)
{
    float *v = decode(b->a, t);

    if (row->kind == SLOT_NORM && b->m->family->norm == NORM_RMS_PLUS_ONE)
        for (int64_t i = 0; i < t->n_elements; i++)
            v[i] += 1;
    return v;
}

/* A kernel of more than two dimensions is a linear on all that its window holds. */
static struct matrix matrix_of(const struct tensor *t, struct shape s, bool in_out)
{
    const struct dtype_row *d = &dtype_table[t->dtype];
    bool plain = t->dtype == DTYPE_F32 && (uintptr_t)t->data % sizeof(float) == 0;
    int row = 1;

    for (int i = 1; i < s.n; i++)
        row *= s.d[i];

    return (struct matrix){
        .data = t->data, .size_bytes = d->size_bytes, .block = d->block,
        .to_f32 = plain ? NULL : d->to_f32,
        .element = t->dtype == DTYPE_F16 ? ELEMENT_F16 :
                   t->dtype == DTYPE_BF16 ? ELEMENT_BF16 : ELEMENT_OTHER,
        .N = in_out ? row : s.d[0], .K = in_out ? s.d[0] : row, .stride = row,
        .order_in_out = in_out,
    };
}

static int missing(struct binder *b, const char *names, struct where at,
                   const struct slot_row *row, bool in_out)
{
    struct shape want = shape_of(b->m, row, in_out);

    return err_set(b->e, ERR_INPUT, "%s: has no tensor %s%s%s, want %s", b->m->name,
                   b->prefix, alternative(b->a, names, 0, at),
                   is_whole_name(row->kind) ? "" : ".weight", shape_text(b->a, &want));
}

/* A norm that neither scales nor shifts. */
static int bind_plain_norm(struct binder *b, const struct slot_row *row, struct param *p)
{
    int n = slot_dim(b->m->family, &b->m->config, row->out);
    float *one = arena_alloc(b->a, (size_t)n, sizeof *one);

    for (int i = 0; i < n; i++)
        one[i] = 1;
    p->vector = one;
    return 0;
}

static int bind_bias(struct binder *b, const char *names, struct where at, int out,
                     struct param *p)
{
    p->bias_tensor = find(b, names, at, bias_endings);
    if (p->bias_tensor == NULL)
        return 0;
    if (check(b, p->bias_tensor, (struct shape){ 1, { out } }, false) != 0)
        return -1;
    p->bias = decode(b->a, p->bias_tensor);
    return 0;
}

/* Embeddings of a width of their own come to the model's by a projection. */
static bool is_needed(const struct family *f, const struct config *c, enum slot slot)
{
    bool last = f->stack.name[W_EMB_PROJ] != NULL;

    return c->d_embed != c->d_model && slot == (last ? W_EMB_PROJ : W_TOK_PROJ);
}

static int bind_slot(struct binder *b, enum slot slot, struct where at, struct param *p)
{
    const struct slot_row *row = &slot_table[slot];
    const struct family *f = b->m->family;
    const struct config *c = &b->m->config;
    const char *names = f->stack.name[slot];
    bool in_out = slot_in_out(f, slot);
    bool loose = row->kind == SLOT_VECTOR || row->kind == SLOT_TABLE;
    struct shape want;
    int out;

    if (names == NULL)
        return 0;
    p->weight = find(b, names, at,
                     is_whole_name(row->kind) ? no_endings : weight_endings);
    if (p->weight == NULL && row->kind == SLOT_NORM && f->defaults.norm_affine &&
        !c->norm_affine)
        return bind_plain_norm(b, row, p);
    out = slot_dim(f, c, row->out);
    if (p->weight == NULL && slot == W_HEAD)    /* a tied head may have its own bias */
        return bind_bias(b, names, at, out, p);
    if (p->weight == NULL)
        return row->optional && !is_needed(f, c, slot) ? 0 :
               missing(b, names, at, row, in_out);
    want = shape_of(b->m, row, in_out);
    if (check(b, p->weight, want, loose) != 0)
        return -1;
    if (row->in == DIM_NONE)
        p->vector = decode_vector(b, row, p->weight);
    else
        p->matrix = matrix_of(p->weight, want, in_out);
    return is_whole_name(row->kind) || (row->kind == SLOT_TABLE && slot != W_HEAD) ||
           (slot == W_HEAD && f->head_bias_unused) ? 0 :
           bind_bias(b, names, at, out, p);
}

static bool has_first(struct binder *b, const char *prefix, const char *names)
{
    char *name;

    for (int k = 0; (name = alternative(b->a, names, k, (struct where){ 0 })) != NULL; k++)
        if (weights_find(b->m->weights,
                         arena_printf(b->a, "%s%s.weight", prefix, name)) != NULL)
            return true;
    return false;
}

/* The longest prefix under which the family's first slot is found: the token embedding,
 * or what stands in its place.  Any family may be the language model of a larger one. */
static const char *find_prefix(struct binder *b)
{
    static const char *const inner[] = { "language_model.model.", "model.language_model." };
    const struct family *f = b->m->family;
    int first = 0;

    while (first < N_SLOT - 1 && f->stack.name[first] == NULL)
        first++;
    if (f->stack.name[first] == NULL)       /* a family without tensors */
        return "";
    for (int i = 0; i < 2; i++)
        if (has_first(b, inner[i], f->stack.name[first]))
            return inner[i];
    for (int i = 0; i < 4 && f->prefix[i] != NULL; i++)
        if (has_first(b, f->prefix[i], f->stack.name[first]))
            return f->prefix[i];
    return "";
}

/*
 * Layers that share their weights, as ALBERT's do, are bound to those of a group, each
 * to its place in it.  The division is the reference library's, rounding and all.
 */
static struct where weights_of(const struct config *c, int l)
{
    struct where at = { l, 0 };

    if (c->n_groups > 0) {
        double steps = c->n_layers / c->n_inner;

        at.layer = (int)(l / c->n_inner / (steps / c->n_groups));
        at.part = l % c->n_inner;
    }
    return at;
}

static bool in_mlp(int slot)
{
    return slot == W_GATE || slot == W_UP || slot == W_DOWN;
}

static int bind_experts(struct binder *b, struct layer_plan *plan, int layer)
{
    int n = b->m->config.n_experts;

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

    if (m->family->qkv == QKV_LOW_RANK && (m->config.q_rank > 0 ? s == W_Q : ranked))
        return true;
    return distance_is_off(m, s) || (experts ? in_mlp(s) : routed || shared) ||
           (shared && m->config.n_shared == 0) ||
           (s == W_GATE && m->mlp == MLP_PLAIN) ||
           (s == W_K && m->config.layer_kind != NULL &&
            m->config.layer_kind[l] == LAYER_HASHED) ||
           (s == W_ATT_NORM && l == 0 && m->family->first_norm_absent) ||
           (s == W_MLP_NORM && m->config.one_norm);
}

static int bind_layer(struct binder *b, int l)
{
    struct layer_plan *plan = &b->m->layer[l];
    struct where at = weights_of(&b->m->config, l);
    bool experts = plan_has_experts(&b->m->config, l);

    for (int s = 0; s < N_SLOT; s++) {
        if (slot_table[s].count != PER_LAYER || is_absent(b->m, s, l, experts))
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

    m->n_logits = slot_dim(m->family, &m->config, DIM_HEAD);
    m->d_hidden = m->slot[W_FINAL_PROJ].weight != NULL ?
                  m->config.d_embed : slot_dim(m->family, &m->config, DIM_END);
    m->has_head = name[W_HEAD_DENSE] == NULL || m->slot[W_HEAD_DENSE].weight != NULL;
    m->has_head = m->has_head && name[W_HEAD] != NULL;      /* an encoder's is the decoder's */
    if (m->slot[W_HEAD].weight == NULL) {
        m->slot[W_HEAD].matrix = m->slot[W_TOK].matrix;
        m->has_head = m->has_head && !m->config.head_is_one && !m->config.untied &&
                      m->slot[W_TOK].weight != NULL &&
                      m->slot[W_HEAD].matrix.K ==
                          slot_dim(m->family, &m->config, DIM_HEAD_IN);
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

/* A family whose default says so may be turned round by its config. */
static enum place place_of(const struct model *m)
{
    const struct config *was = &m->family->defaults;

    if (was->norm_first && !m->config.norm_first)
        return PLACE_POST;
    if (was->parallel && !m->config.parallel)
        return PLACE_PRE;
    return m->family->place;
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
    bool axial = m->family->positions == POS_AXIAL && c->axial;

    if ((s == W_TYPE && c->n_types == 0) || distance_is_off(m, s) ||
        (s == W_POS && m->family->defaults.position_input && !c->position_input) ||
        ((s == W_CONV || s == W_CONV_NORM) && c->conv_width < 1))
        return true;
    if (s == W_FINAL_NORM && !m->family->bare)
        return m->norm_place == PLACE_POST || m->config.no_final_norm;
    return axial ? s == W_POS : s == W_AXIS_0 || s == W_AXIS_1;
}

enum { NO_LIMIT = 1 << 24 };    /* of tokens, where positions need no table */

/* The most tokens that fit the positions, also when they are padded to chunks. */
static int longest_text(const struct model *m)
{
    const struct config *c = &m->config;
    int n = c->n_positions;

    if (m->family->positions == POS_TABLE_FROM_IDS)     /* rows up to the pad's go unused */
        return n - 1 - (m->family->pos_offset > 0 ? m->family->pos_offset : c->pad_id);
    if (m->family->defaults.position_input && !c->position_input)
        return NO_LIMIT;
    if (m->slot[W_AXIS_0].weight != NULL && c->axial_shape[0] * c->axial_shape[1] < n)
        n = c->axial_shape[0] * c->axial_shape[1];
    if (c->pad_to == 0)
        return n;
    if (n <= c->pad_above)
        return n;
    return n - n % c->pad_to > c->pad_above ? n - n % c->pad_to : c->pad_above;
}

static int bind_stack(struct binder *b)
{
    struct model *m = b->m;

    b->prefix = find_prefix(b);
    m->norm_place = place_of(m);
    m->mlp = mlp_of(m);
    m->config.head_is_one = m->family->one_number != NULL &&
        find(b, m->family->one_number, (struct where){ 0 }, weight_endings) != NULL;
    for (int s = 0; s < N_SLOT; s++)
        if (slot_table[s].count == PER_STACK && !stack_lacks(m, s) &&
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

    b->prefix = find_prefix(b);
    for (int l = 0; l < b->m->config.n_layers; l++)
        for (int s = 0; s < N_SLOT; s++)
            if (slot_table[s].count == PER_LAYER && name[s] != NULL) {
                none = false;
                if (find(b, name[s], (struct where){ l, 0 }, weight_endings) != NULL)
                    return true;
            }
    return none;
}

/* The decoder's numbers, where the config has them apart. */
static struct config decoder_config(const struct family *f, const struct config *c)
{
    struct config d = *c;
    bool derived = c->d_head * c->n_heads == c->d_model;

    if (c->dec_layers > 0)
        d.n_layers = c->dec_layers;
    if (c->dec_heads > 0)
        d.n_heads = d.n_kv_heads = c->dec_heads;
    if (c->dec_ff > 0)
        d.d_ff = c->dec_ff;
    if (f->defaults.one_vocab && !c->one_vocab && c->dec_vocab > 0)
        d.n_vocab = c->dec_vocab;
    if (c->dec_positions > 0)
        d.n_positions = c->dec_positions;
    if (derived)
        d.d_head = d.d_value = d.n_rotary = c->d_model / d.n_heads;
    return d;
}

/* The decoder behind an encoder; none where the file is of the encoder alone. */
static int bind_decoder(struct binder *b)
{
    struct model *m = b->m, *dec = arena_alloc(b->a, 1, sizeof *dec);
    int rc = 0;

    if (m->config.dec_heads > 0 && m->config.d_model % m->config.dec_heads != 0)
        return err_set(b->e, ERR_INPUT, "%s: decoder_attention_heads: %d does not divide "
                       "the width %d", m->name, m->config.dec_heads, m->config.d_model);
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
