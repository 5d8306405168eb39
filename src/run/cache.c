/* SPDX-License-Identifier: MIT
 * Allocation of key/value caches, and which models can use one. */
#include "run/cache.h"

#include <assert.h>

#include "model/family_slots.h"
#include "run/mixer.h"

size_t cache_row(const struct model *m)
{
    return (size_t)family_slot_dim(m->family, &m->config, DIM_GD) +
           (size_t)family_slot_dim(m->family, &m->config, DIM_GV);
}

static float **cache_layers(struct arena *a, const struct model *m, int n)
{
    size_t L = (size_t)m->config.n_layers;
    float **kv = arena_alloc(a, L, sizeof *kv);

    for (size_t l = 0; l < L; l++)
        if (m->layer[l].mixer == MIXER_NONE)
            kv[l] = arena_alloc_raw(a, (size_t)n, cache_row(m) * sizeof **kv);
    return kv;
}

static float **states(struct arena *a, const struct model *m)
{
    size_t L = (size_t)m->config.n_layers;
    float **state = arena_alloc(a, L, sizeof *state);

    for (size_t l = 0; l < L; l++)
        if (m->layer[l].mixer != MIXER_NONE)
            state[l] = arena_alloc_raw(a, mixer_state(m), sizeof **state);
    return state;
}

bool cache_fits(const struct model *m)
{
    if (m->family->bias == BIAS_XL || m->slot[W_REL_TABLE].weight != NULL ||
        m->config.token_dropout.on)
        return false;
    for (int l = 0; l < m->config.n_layers; l++)
        if (m->layer[l].chunks.len > 0)
            return false;
    return true;
}

struct cache *cache_new(struct arena *a, const struct model *m, int capacity,
                        int n_memory)
{
    struct cache *cache = arena_alloc(a, 1, sizeof *cache);

    assert(cache_fits(m));
    *cache = (struct cache){ .capacity = capacity, .n_memory = n_memory,
                             .kv = cache_layers(a, m, capacity) };
    if (m->family->mixer != MIXER_NONE)
        cache->state = states(a, m);
    if (n_memory > 0)
        cache->memory_kv = cache_layers(a, m, n_memory);
    return cache;
}

double cache_memory(const struct model *m, int capacity, int n_memory)
{
    int L = m->config.n_layers, attending = 0;

    for (int l = 0; l < L; l++)
        attending += m->layer[l].mixer == MIXER_NONE;
    return (attending * ((double)capacity + n_memory) * (double)cache_row(m) +
            (attending < L ? (double)(L - attending) * (double)mixer_state(m) : 0)) *
           sizeof(float);
}

static bool is_long(const struct model *m, int n)
{
    for (int i = 0; i < 2; i++)
        if (m->rope[i].long_inv_freq != NULL && n > m->rope[i].long_above)
            return true;
    return false;
}

int cache_tokens(struct cache *c, const struct model *m, int n)
{
    if (is_long(m, n) != is_long(m, c->n))
        c->n = c->n_seen = 0;
    return c->n;
}
