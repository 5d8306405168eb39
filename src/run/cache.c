/* SPDX-License-Identifier: MIT
 * Keys and values of the tokens so far, so that the next ones cost a step each. */
#include <assert.h>
#include <string.h>

#include "run/run_priv.h"

/* Floats of one token's keys and values. */
static size_t row_floats(const struct model *m)
{
    return (size_t)family_slot_dim(m->family, &m->config, DIM_GD) +
           (size_t)family_slot_dim(m->family, &m->config, DIM_GV);
}

static float **layers(struct arena *a, const struct model *m, int n)
{
    size_t L = (size_t)m->config.n_layers;
    float **kv = arena_alloc(a, L, sizeof *kv);

    for (size_t l = 0; l < L; l++)
        kv[l] = arena_alloc_raw(a, (size_t)n, row_floats(m) * sizeof **kv);
    return kv;
}

bool cache_fits(const struct model *m)
{
    if (m->family->bias == BIAS_XL || m->slot[W_REL_TABLE].weight != NULL)
        return false;
    for (int l = 0; l < m->config.n_layers; l++)
        if (m->layer[l].chunks.len > 0)
            return false;
    return true;
}

struct cache *cache_new(struct arena *a, const struct model *m, int capacity,
                        int n_memory)
{
    struct cache *c = arena_alloc(a, 1, sizeof *c);

    assert(cache_fits(m));
    *c = (struct cache){ .capacity = capacity, .n_memory = n_memory,
                         .kv = layers(a, m, capacity) };
    if (n_memory > 0)
        c->memory_kv = layers(a, m, n_memory);
    return c;
}

double cache_memory(const struct model *m, int capacity, int n_memory)
{
    return (double)m->config.n_layers * ((double)capacity + n_memory) *
           (double)row_floats(m) * sizeof(float);
}

static bool is_long(const struct model *m, int n)
{
    for (int i = 0; i < 2; i++)
        if (m->rope[i].long_inv_freq != NULL && n > m->rope[i].long_above)
            return true;
    return false;
}

int cache_kept(struct cache *c, const struct model *m, int n)
{
    if (is_long(m, n) != is_long(m, c->n))
        c->n = c->n_seen = 0;
    return c->n;
}

int pass_before(const struct pass *p, int text)
{
    return p->want->cache != NULL ? p->want->cache[text]->n : 0;
}

bool pass_has_memory(const struct pass *p)
{
    return p->want->memory != NULL ||
           (p->want->cache != NULL && p->want->cache[0]->n_memory > 0);
}

/* Rows of a text's keys and values are its heads' side by side, as of the memory. */
static void read_kept(struct pass *p, struct heads *h)
{
    const struct head_place *place = &p->m->place;

    h->kept = p->kept;
    h->kv_stride = (int64_t)row_floats(p->m);
    h->k_at = place->cross_k;
    h->v_at = place->cross_v;
}

static void copy_heads(const struct pass *p, float *to, const float *row)
{
    const struct config *c = &p->m->config;
    const struct head_place *place = &p->m->place;

    for (int g = 0; g < c->n_kv_heads; g++) {
        memcpy(to + place->cross_k[g], row + place->k[g],
               (size_t)c->d_head * sizeof *to);
        memcpy(to + place->cross_v[g], row + place->v[g],
               (size_t)c->d_value * sizeof *to);
    }
}

void pass_keep(struct pass *p, int l, struct heads *h)
{
    const int *start = p->b->start;

    for (int t = 0; p->kept != NULL && t < p->b->n_texts; t++) {
        const struct cache *c = p->want->cache[t];

        assert(c->n + start[t + 1] - start[t] <= c->capacity);
        for (int i = start[t]; i < start[t + 1]; i++)
            copy_heads(p, c->kv[l] + (size_t)(c->n + i - start[t]) * row_floats(p->m),
                       p->qkv + (int64_t)i * p->m->place.width);
        p->kept[t] = (struct kept){ c->kv[l], c->n + start[t + 1] - start[t], c->n };
    }
    if (p->kept != NULL)
        read_kept(p, h);
}

void pass_keep_memory(struct pass *p, int l, struct heads *h)
{
    const struct memory *m = p->want->memory;

    for (int t = 0; p->kept != NULL && t < p->b->n_texts; t++) {
        const struct cache *c = p->want->cache[t];
        size_t n = (size_t)c->n_memory * row_floats(p->m);

        assert(m == NULL || m->start[t + 1] - m->start[t] == c->n_memory);
        if (m != NULL)
            memcpy(c->memory_kv[l], p->memory_kv + (size_t)m->start[t] * row_floats(p->m),
                   n * sizeof **c->memory_kv);
        p->kept[t] = (struct kept){ c->memory_kv[l], c->n_memory, 0 };
    }
    if (p->kept != NULL)
        read_kept(p, h);
}

void pass_kept(struct pass *p)
{
    for (int t = 0; p->kept != NULL && t < p->b->n_texts; t++)
        p->want->cache[t]->n += pass_tokens(p, t);
}
