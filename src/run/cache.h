/* SPDX-License-Identifier: MIT
 *
 * The keys and values of one text that a causal stack has computed so far, in every
 * layer, rotated, and those of its memory; of a layer that does not attend, its state.  A pass
 * over the tokens after them costs no more than these tokens, and gives the same bytes as a pass
 * over all of them. */
#ifndef RUN_CACHE_H
#define RUN_CACHE_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/model.h"

/* Filled by the pass; others only hold it. */
struct cache {
    int n, capacity;        /* tokens cached, and at most */
    int n_seen;             /* of them not padding: POS_TABLE_FROM_IDS */
    int n_memory;           /* keys of the memory; 0: none */
    float **kv, **memory_kv;    /* [L] of [G, capacity, d] the keys, which a head has side by side,
                                   then [G, capacity, d_v] the values */
    float **state;              /* [L] of mixer_state, of layers that do not attend; NULL: all do */
};

/*
 * False where a pass looks at the whole text: chunks, tables of its distances, how many of
 * its tokens are masked.
 */
bool cache_fits(const struct model *m);

/* Of a, for at most capacity tokens, and a memory of n_memory keys (0: none). */
struct cache *cache_new(struct arena *a, const struct model *m, int capacity,
                        int n_memory);

/* The bytes of one cache. */
double cache_memory(const struct model *m, int capacity, int n_memory);

/* Floats of one token's keys and values in one layer: G (d + d_v). */
size_t cache_row(const struct model *m);

/*
 * How many tokens of the text need not run again where it is to have n: those that are
 * cached, or none where the text grows beyond a length from which on all of it is
 * rotated by other frequencies.
 */
int cache_tokens(struct cache *c, const struct model *m, int n);

#endif
