/* SPDX-License-Identifier: MIT
 * Keys and values of the tokens at hand -> the caches, and where heads read them. */
#include "run/cached.h"

#include <assert.h>
#include <string.h>

#include "run/cache.h"
#include "run/heads.h"
#include "run/pass.h"

/* Rows of a text's keys and values are its heads' side by side, as of the memory. */
static void read_cached(struct pass *p, struct heads *h)
{
    const struct head_place *place = &p->m->place;

    h->cached = p->cached;
    h->kv_stride = (int64_t)cache_row(p->m);
    h->k_at = place->cross_k;
    h->v_at = place->cross_v;
}

static void copy_heads(const struct pass *p, float *to, const float *row)
{
    const struct config *config = &p->m->config;
    const struct head_place *place = &p->m->place;

    for (int g = 0; g < config->n_kv_heads; g++) {
        memcpy(to + place->cross_k[g], row + place->k[g],
               (size_t)config->d_head * sizeof *to);
        memcpy(to + place->cross_v[g], row + place->v[g],
               (size_t)config->d_value * sizeof *to);
    }
}

void cached_append(struct pass *p, int l, struct heads *h)
{
    const int *start = p->b->start;

    for (int t = 0; p->cached != NULL && t < p->b->n_texts; t++) {
        const struct cache *cache = p->want->cache[t];

        assert(cache->n + start[t + 1] - start[t] <= cache->capacity);
        for (int i = start[t]; i < start[t + 1]; i++)
            copy_heads(p,
                       cache->kv[l] + (size_t)(cache->n + i - start[t]) * cache_row(p->m),
                       p->qkv + (int64_t)i * p->m->place.width);
        p->cached[t] = (struct cached){ cache->kv[l], cache->n + start[t + 1] - start[t],
                                        cache->n };
    }
    if (p->cached != NULL)
        read_cached(p, h);
}

void cached_append_memory(struct pass *p, int l, struct heads *h)
{
    const struct memory *memory = p->want->memory;

    for (int t = 0; p->cached != NULL && t < p->b->n_texts; t++) {
        const struct cache *cache = p->want->cache[t];
        size_t count = (size_t)cache->n_memory * cache_row(p->m);

        assert(memory == NULL ||
               memory->start[t + 1] - memory->start[t] == cache->n_memory);
        if (memory != NULL)
            memcpy(cache->memory_kv[l],
                   p->memory_kv + (size_t)memory->start[t] * cache_row(p->m),
                   count * sizeof **cache->memory_kv);
        p->cached[t] = (struct cached){ cache->memory_kv[l], cache->n_memory, 0 };
    }
    if (p->cached != NULL)
        read_cached(p, h);
}

void cached_advance(struct pass *p)
{
    for (int t = 0; p->cached != NULL && t < p->b->n_texts; t++)
        p->want->cache[t]->n += pass_tokens(p, t);
}
