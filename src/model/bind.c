/* SPDX-License-Identifier: MIT
 * Slots -> tensors: one loop for every family, every shape checked. */
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct binder {
    struct model *m;
    struct arena *a;
    const char *prefix;
    bool *used;                 /* [weights_count] */
    struct err *e;
};

/* Old checkpoints call a norm's weight gamma and its bias beta. */
static const char *const weight_endings[] = { ".weight", ".gamma", NULL };
static const char *const bias_endings[] = { ".bias", ".beta", NULL };
static const char *const no_endings[] = { "", NULL };

static int index_of(const struct weights *w, const struct tensor *t)
{
    return (int)(t - weights_at(w, 0));
}

/* Tries one name behind the prefix and bare, with each ending. */
static const struct tensor *try_name(struct binder *b, const char *name,
                                     const char *const *endings)
{
    const char *const prefixes[] = { b->prefix, "" };
    char full[512];

    for (int p = 0; p < (b->prefix[0] != '\0' ? 2 : 1); p++)
        for (int i = 0; endings[i] != NULL; i++) {
            const struct tensor *t;

            snprintf(full, sizeof full, "%s%s%s", prefixes[p], name, endings[i]);
            t = weights_find(b->m->weights, full);
            if (t != NULL) {
                b->used[index_of(b->m->weights, t)] = true;
                return t;
            }
        }
    return NULL;
}

/* The k-th alternative of "A|B" with "%d" replaced by the layer; NULL: no more. */
static char *alternative(struct arena *a, const char *names, int k, int layer)
{
    const char *end, *d;

    for (; k > 0; k--) {
        names = strchr(names, '|');
        if (names == NULL)
            return NULL;
        names++;
    }
    end = strchrnul(names, '|');
    d = strstr(names, "%d");
    if (d == NULL || d > end)
        return arena_strndup(a, names, (size_t)(end - names));
    return arena_printf(a, "%.*s%d%.*s", (int)(d - names), names, layer,
                        (int)(end - d - 2), d + 2);
}

static const struct tensor *find(struct binder *b, const char *names, int layer,
                                 const char *const *endings)
{
    char *name;

    for (int k = 0; (name = alternative(b->a, names, k, layer)) != NULL; k++) {
        const struct tensor *t = try_name(b, name, endings);

        if (t != NULL)
            return t;
    }
    return NULL;
}

static int check(struct binder *b, const struct tensor *t, int n_dims, int64_t d0,
                 int64_t d1)
{
    char want[64];

    if (!dtype_table[t->dtype].is_float)
        return err_set(b->e, ERR_INPUT, "%s: %s: holds %s, want F32, F16, BF16 or F64",
                       t->file, t->name, dtype_table[t->dtype].name);
    if (t->n_dims == n_dims && t->shape[0] == d0 && (n_dims < 2 || t->shape[1] == d1))
        return 0;
    if (n_dims == 1)
        snprintf(want, sizeof want, "[%lld]", (long long)d0);
    else
        snprintf(want, sizeof want, "[%lld,%lld]", (long long)d0, (long long)d1);
    return err_set(b->e, ERR_INPUT, "%s: %s: shape %s, want %s", t->file, t->name,
                   tensor_shape(b->a, t), want);
}

static const float *decode(struct arena *a, const struct tensor *t)
{
    float *v = arena_alloc(a, (size_t)t->n_elements, sizeof *v);

    tensor_read(v, t, 0, t->n_elements);
    return v;
}

static struct matrix matrix_of(const struct tensor *t, bool in_out)
{
    const struct dtype_row *d = &dtype_table[t->dtype];
    bool plain = t->dtype == DTYPE_F32 && (uintptr_t)t->data % sizeof(float) == 0;

    return (struct matrix){
        .data = t->data, .size_bytes = d->size_bytes,
        .to_f32 = plain ? NULL : d->to_f32,
        .element = t->dtype == DTYPE_F16 ? ELEMENT_F16 :
                   t->dtype == DTYPE_BF16 ? ELEMENT_BF16 : ELEMENT_OTHER,
        .N = (int)t->shape[in_out ? 1 : 0], .K = (int)t->shape[in_out ? 0 : 1],
        .stride = t->shape[1], .order_in_out = in_out,
    };
}

static int missing(struct binder *b, const char *names, int layer,
                   const struct slot_row *row, bool in_out)
{
    const struct config *c = &b->m->config;
    char shape[64];

    if (row->in == DIM_NONE)
        snprintf(shape, sizeof shape, "[%d]", slot_dim(c, row->out));
    else
        snprintf(shape, sizeof shape, "[%d,%d]",
                 slot_dim(c, in_out ? row->in : row->out),
                 slot_dim(c, in_out ? row->out : row->in));
    return err_set(b->e, ERR_INPUT, "%s: has no tensor %s%s.weight, want %s",
                   b->m->name, b->prefix, alternative(b->a, names, 0, layer), shape);
}

static int bind_slot(struct binder *b, enum slot slot, int layer, struct param *p)
{
    const struct slot_row *row = &slot_table[slot];
    const struct family *f = b->m->family;
    const struct config *c = &b->m->config;
    const char *names = f->stack.name[slot];
    bool in_out = row->kind == SLOT_LINEAR && f->order == ORDER_IN_OUT;
    int out, in;

    if (names == NULL)
        return 0;
    p->weight = find(b, names, layer,
                     row->kind == SLOT_VECTOR ? no_endings : weight_endings);
    if (p->weight == NULL)
        return row->optional ? 0 : missing(b, names, layer, row, in_out);
    out = slot_dim(c, row->out);
    if (row->in == DIM_NONE) {
        if (check(b, p->weight, 1, out, 0) != 0)
            return -1;
        p->vector = decode(b->a, p->weight);
    } else {
        in = slot_dim(c, row->in);
        if (check(b, p->weight, 2, in_out ? in : out, in_out ? out : in) != 0)
            return -1;
        p->matrix = matrix_of(p->weight, in_out);
    }
    if (row->kind == SLOT_TABLE && slot != W_HEAD)
        return 0;
    if (row->kind != SLOT_VECTOR)
        p->bias_tensor = find(b, names, layer, bias_endings);
    if (p->bias_tensor == NULL)
        return 0;
    if (check(b, p->bias_tensor, 1, out, 0) != 0)
        return -1;
    p->bias = decode(b->a, p->bias_tensor);
    return 0;
}

/* The longest prefix under which the token embedding is found. */
static const char *find_prefix(const struct model *m)
{
    char full[512];

    for (int i = 0; i < 4 && m->family->prefix[i] != NULL; i++) {
        snprintf(full, sizeof full, "%s%s.weight", m->family->prefix[i],
                 m->family->stack.name[W_TOK]);
        if (weights_find(m->weights, full) != NULL)
            return m->family->prefix[i];
    }
    return "";
}

static int bind_layer(struct binder *b, int l)
{
    const struct config *c = &b->m->config;
    struct layer_plan *plan = &b->m->layer[l];
    double scale = c->scale_scores ? 1 / sqrt(c->d_head) : 1;

    for (int s = 0; s < N_SLOT; s++)
        if (slot_table[s].per_layer &&
            bind_slot(b, (enum slot)s, l, &plan->slot[s]) != 0)
            return -1;
    plan->scale = (float)(c->scale_by_layer ? scale / (l + 1) : scale);
    plan->lo = INT_MAX;
    plan->hi = b->m->family->causal || c->is_decoder ? 0 : INT_MAX;
    return 0;
}

/* A head is there if it is tied without a transform, or its transform is there. */
static void bind_head(struct model *m)
{
    bool wants_dense = m->family->stack.name[W_HEAD_DENSE] != NULL;

    if (m->slot[W_HEAD].weight == NULL)
        m->slot[W_HEAD].matrix = m->slot[W_TOK].matrix;
    m->has_head = !wants_dense || m->slot[W_HEAD_DENSE].weight != NULL;
}

static void list_unused(struct binder *b)
{
    int n = weights_count(b->m->weights);

    b->m->unused = arena_alloc(b->a, (size_t)n, sizeof *b->m->unused);
    for (int i = 0; i < n; i++)
        if (!b->used[i])
            b->m->unused[b->m->n_unused++] = weights_at(b->m->weights, i)->name;
}

static uint64_t fnv(uint64_t h, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return h;
}

static uint64_t hash_of(const struct model *m)
{
    const struct config *c = &m->config;
    const int numbers[] = { c->n_layers, c->n_heads, c->n_kv_heads, c->d_model,
                            c->d_head, c->d_ff, c->n_vocab, c->n_positions };
    uint64_t h = fnv(0xcbf29ce484222325u, numbers, sizeof numbers);

    for (int i = 0; i < weights_count(m->weights); i++) {
        const struct tensor *t = weights_at(m->weights, i);

        h = fnv(h, t->name, strlen(t->name));
        h = fnv(h, t->shape, (size_t)t->n_dims * sizeof t->shape[0]);
        h = fnv(h, &t->dtype, sizeof t->dtype);
    }
    return h;
}

void model_inv_freq(float *inv_freq, const struct config *c)
{
    static const double TURN = 6.283185307179586;
    float factor = (float)c->rope_factor;

    for (int i = 0; i < c->d_head / 2; i++) {
        float f = 1.0f / (float)pow(c->rope_theta, 2.0 * i / c->d_head);
        double wave = TURN / f, blend;

        inv_freq[i] = f;
        if (c->rope_scaling == ROPE_DEFAULT)
            continue;
        inv_freq[i] = f / factor;
        if (c->rope_scaling == ROPE_LINEAR || wave > c->rope_original / c->rope_low)
            continue;
        blend = (c->rope_original / wave - c->rope_low) / (c->rope_high - c->rope_low);
        inv_freq[i] = wave < c->rope_original / c->rope_high ? f :
                      (float)((1 - blend) * f / factor + blend * f);
    }
}

int model_bind(struct model *m, struct arena *a, struct err *e)
{
    struct binder b = { .m = m, .a = a, .prefix = find_prefix(m), .e = e };
    float *inv_freq;

    b.used = arena_alloc(a, (size_t)weights_count(m->weights) + 1, sizeof *b.used);
    for (int s = 0; s < N_SLOT; s++)
        if (!slot_table[s].per_layer &&
            bind_slot(&b, (enum slot)s, 0, &m->slot[s]) != 0)
            return -1;
    m->layer = arena_alloc(a, (size_t)m->config.n_layers, sizeof *m->layer);
    for (int l = 0; l < m->config.n_layers; l++)
        if (bind_layer(&b, l) != 0)
            return -1;
    bind_head(m);
    if (m->family->positions == POS_ROPE) {
        inv_freq = arena_alloc(a, (size_t)m->config.d_head / 2, sizeof *inv_freq);
        model_inv_freq(inv_freq, &m->config);
        m->inv_freq = inv_freq;
    }
    list_unused(&b);
    m->hash = hash_of(m);
    return 0;
}
