/* SPDX-License-Identifier: MIT
 * The batch's keys and values -> the caches, and from there to the heads. */
#include "run/cached.h"

#include <assert.h>
#include <string.h>

#include "run/cache.h"
#include "run/heads.h"
#include "run/pass.h"

/* A row of heads -> row i of each head that a cache of `capacity` rows has. */
static void copy_heads(const struct pass *pass, float *to, int capacity, int i, const float *row,
                       const int *k_at, const int *v_at)
{
    const struct config *config = &pass->m->config;
    const struct head_place *place = &pass->m->place;
    size_t d = (size_t)config->d_head, d_v = (size_t)config->d_value;

    for (int g = 0; g < config->n_kv_heads; g++) {
        memcpy(to + (size_t)place->cross_k[g] * (size_t)capacity + (size_t)i * d, row + k_at[g],
               d * sizeof *to);
        memcpy(to + (size_t)place->cross_v[g] * (size_t)capacity + (size_t)i * d_v,
               row + v_at[g], d_v * sizeof *to);
    }
}

void cached_append(struct pass *pass, int l, struct heads *heads)
{
    const struct head_place *place = &pass->m->place;
    const int *start = pass->b->start;

    for (int t = 0; pass->cached != NULL && t < pass->b->n_texts; t++) {
        const struct cache *cache = pass->want->cache[t];

        assert(cache->n + start[t + 1] - start[t] <= cache->capacity);
        for (int i = start[t]; i < start[t + 1]; i++)
            copy_heads(pass, cache->kv[l], cache->capacity, cache->n + i - start[t],
                       pass->qkv + (int64_t)i * place->width, place->k, place->v);
        pass->cached[t] = (struct cached){ cache->kv[l], cache->capacity,
                                           cache->n + start[t + 1] - start[t], cache->n };
    }
    heads->cached = pass->cached;
}

void cached_append_memory(struct pass *pass, int l, struct heads *heads)
{
    const struct head_place *place = &pass->m->place;
    const struct memory *memory = pass->want->memory;

    for (int t = 0; pass->cached != NULL && t < pass->b->n_texts; t++) {
        const struct cache *cache = pass->want->cache[t];
        int n = cache->n_memory;

        assert(memory == NULL || memory->start[t + 1] - memory->start[t] == n);
        for (int i = 0; memory != NULL && i < n; i++)
            copy_heads(pass, cache->memory_kv[l], n, i,
                       pass->memory_kv + (size_t)(memory->start[t] + i) * cache_row(pass->m),
                       place->cross_k, place->cross_v);
        pass->cached[t] = (struct cached){ cache->memory_kv[l], n, n, 0 };
    }
    heads->cached = pass->cached;
}

struct attention_rows cached_rows(const struct pass *pass, const struct cached *cached, int group)
{
    const struct config *config = &pass->m->config;
    const struct head_place *place = &pass->m->place;
    size_t capacity = (size_t)cached->capacity;

    return (struct attention_rows){ cached->kv + (size_t)place->cross_k[group] * capacity,
                                    cached->kv + (size_t)place->cross_v[group] * capacity,
                                    config->d_head, config->d_value };
}

void cached_advance(struct pass *pass)
{
    for (int t = 0; pass->cached != NULL && t < pass->b->n_texts; t++)
        pass->want->cache[t]->n += pass_tokens(pass, t);
}
