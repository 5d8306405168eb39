/* SPDX-License-Identifier: MIT
 * The merges of byte-pair encoding, in a hash: pairs of pieces -> the merged piece. */
#ifndef TEXT_BPE_MERGES_H
#define TEXT_BPE_MERGES_H

#include "text/tok_priv.h"

struct merge {
    uint64_t key;               /* left id << 32 | right id, plus 1; 0: free */
    uint32_t rank;              /* the lowest is joined first */
    int id;                     /* id of the merged piece */
};

struct merges {
    struct merge *slot;
    size_t mask;
};

/*
 * Reads the merges from the JSON, or from tok if they are null there: a list, or all pairs of
 * pieces whose concatenation is a piece, ranked by its score.  A merge drops the first skip bytes
 * of its right side, the prefix of pieces inside a word.  The vocabulary must be read before.
 *
 * Errors: not two pieces, one shorter than skip, one that is not in the vocabulary.
 */
int bpe_merges_open(struct merges *merges, struct tok *tok, const json_t *j, size_t skip,
                    struct err *e);

/* The slot of the pair, or the free slot for it. */
static inline struct merge *bpe_merges_place(const struct merges *merges, int left, int right)
{
    uint64_t key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h ^ h >> 29) & merges->mask;

    while (merges->slot[i].key != 0 && merges->slot[i].key != key)
        i = (i + 1) & merges->mask;
    return &merges->slot[i];
}

/* The merge of two pieces; NULL if there is none. */
static inline const struct merge *bpe_merges_find(const struct merges *merges, int left,
                                                  int right)
{
    const struct merge *found = bpe_merges_place(merges, left, right);

    return found->key != 0 ? found : NULL;
}

#endif
