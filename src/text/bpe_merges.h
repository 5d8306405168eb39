/* SPDX-License-Identifier: MIT
 * The merges of byte-pair encoding: which two pieces become which third, in a hash. */
#ifndef TEXT_BPE_MERGES_H
#define TEXT_BPE_MERGES_H

#include "text/tok_priv.h"

struct merge {
    uint64_t key;               /* left id << 32 | right id, plus 1; 0: free */
    uint32_t rank;              /* the lowest is joined first */
    int id;                     /* what the two become */
};

struct merges {
    struct merge *slot;
    size_t mask;
};

/*
 * Those of the JSON, or of t where it is null there: a list, or every two pieces that make
 * a third by its score.  A merge drops the first skip bytes of its right side: the prefix
 * of pieces inside a word.  The vocabulary is there already.
 *
 * Errors: not two pieces, one shorter than skip, one that the vocabulary lacks.
 */
int bpe_merges_open(struct merges *m, struct tok *t, const json_t *j, size_t skip,
                    struct err *e);

/* The slot of the pair, or the free one where it would be. */
static inline struct merge *bpe_merges_place(const struct merges *m, int left, int right)
{
    uint64_t key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h ^ h >> 29) & m->mask;

    while (m->slot[i].key != 0 && m->slot[i].key != key)
        i = (i + 1) & m->mask;
    return &m->slot[i];
}

/* NULL: they do not become one. */
static inline const struct merge *bpe_merges_find(const struct merges *m, int left,
                                                  int right)
{
    const struct merge *found = bpe_merges_place(m, left, right);

    return found->key != 0 ? found : NULL;
}

#endif
