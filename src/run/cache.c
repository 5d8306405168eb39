/* SPDX-License-Identifier: MIT
 * Allocation of key/value caches, and which models can use one. */
#include "run/cache.h"

#include <assert.h>

#include "model/family_slots.h"
#include "run/special/mixer.h"

size_t cache_row(const struct model *model)
{
    return (size_t)family_slot_dim(model->family, &model->config, DIM_GD) +
           (size_t)family_slot_dim(model->family, &model->config, DIM_GV);
}

static float **cache_layers(struct arena *a, const struct model *model, int n)
{
    size_t L = (size_t)model->config.n_layers;
    float **kv = arena_alloc(a, L, sizeof *kv);

    for (size_t l = 0; l < L; l++)
        if (model->layer[l].mixer == MIXER_NONE)
            kv[l] = arena_alloc_raw(a, (size_t)n, cache_row(model) * sizeof **kv);
    return kv;
}

static float **states(struct arena *a, const struct model *model)
{
    size_t L = (size_t)model->config.n_layers;
    float **state = arena_alloc(a, L, sizeof *state);

    for (size_t l = 0; l < L; l++)
        if (model->layer[l].mixer != MIXER_NONE)
            state[l] = arena_alloc_raw(a, mixer_state(model), sizeof **state);
    return state;
}

bool cache_fits(const struct model *model)
{
    if (model->family->bias == BIAS_XL || model->slot[W_REL_TABLE].weight != NULL ||
        model->config.token_dropout.on)
        return false;
    for (int l = 0; l < model->config.n_layers; l++)
        if (model->layer[l].chunks.len > 0)
            return false;
    return true;
}

struct cache *cache_new(struct arena *a, const struct model *model, int capacity,
                        int n_memory)
{
    struct cache *cache = arena_alloc(a, 1, sizeof *cache);

    assert(cache_fits(model));
    *cache = (struct cache){ .capacity = capacity, .n_memory = n_memory,
                             .kv = cache_layers(a, model, capacity) };
    if (model->family->mixer != MIXER_NONE)
        cache->state = states(a, model);
    if (n_memory > 0)
        cache->memory_kv = cache_layers(a, model, n_memory);
    return cache;
}

double cache_memory(const struct model *model, int capacity, int n_memory)
{
    int L = model->config.n_layers, attending = 0;

    for (int l = 0; l < L; l++)
        attending += model->layer[l].mixer == MIXER_NONE;
    return (attending * ((double)capacity + n_memory) * (double)cache_row(model) +
            (attending < L ? (double)(L - attending) * (double)mixer_state(model) : 0)) *
           sizeof(float);
}

static bool is_long(const struct model *model, int n)
{
    for (int i = 0; i < 2; i++)
        if (model->rope[i].long_inv_freq != NULL && n > model->rope[i].long_above)
            return true;
    return false;
}

int cache_tokens(struct cache *cache, const struct model *model, int n)
{
    if (is_long(model, n) != is_long(model, cache->n))
        cache->n = cache->n_seen = 0;
    return cache->n;
}
