/* SPDX-License-Identifier: MIT
 *
 * The key/value cache of one text in a causal stack: the keys (rotated) and values of its tokens in
 * every layer, and those of its memory; for layers without attention, their state.  A pass over the
 * next tokens computes these alone, and gives the same bytes as a pass over the whole text. */
#ifndef RUN_CACHE_H
#define RUN_CACHE_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/model.h"

/* Filled by the pass; its owner only stores it. */
struct cache {
    int n, capacity;        /* tokens cached, and their maximum */
    int n_seen;             /* cached tokens that are not padding, for POS_TABLE_FROM_IDS */
    int n_memory;           /* keys of the memory; 0: no memory */
    float **kv, **memory_kv;    /* [L] arrays: the keys [G, capacity, d], those of a head adjacent,
                                   then the values [G, capacity, d_v] */
    float **state;              /* [L] states (mixer_state) of layers without attention; NULL if
                                   all layers attend */
};

/*
 * Whether model can run with a cache: not if a pass depends on the whole text, by chunks, tables of
 * its distances, or the number of its masked tokens.
 */
bool cache_fits(const struct model *model);

/* An empty cache in arena a, for at most capacity tokens and n_memory keys of a memory (0: none).
 * */
struct cache *cache_new(struct arena *a, const struct model *model, int capacity,
                        int n_memory);

/* Bytes of one such cache. */
double cache_memory(const struct model *model, int capacity, int n_memory);

/* Floats of one token's keys and values in one layer: G (d + d_v). */
size_t cache_row(const struct model *model);

/*
 * Number of cached tokens that need not run again when the text grows to n tokens: all that are
 * cached, or none if it then passes the length at which rotary frequencies change.
 */
int cache_tokens(struct cache *cache, const struct model *model, int n);

#endif
