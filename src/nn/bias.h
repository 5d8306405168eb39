/* SPDX-License-Identifier: MIT
 *
 * Biases of scores by position.  Each function is the `add` of a struct score_term; self is the
 * struct of the same name. */
#ifndef NN_BIAS_H
#define NN_BIAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ALiBi: slope * key (the same softmax as slope * (key - row)).  Press et al. 2022. */
struct bias_alibi {
    float slope;
    bool rounded;           /* slope and product to bfloat16, then times factor: Falcon */
    float factor;
};
void bias_alibi(const void *self, float *score, size_t stride, int row0, int n_rows,
                int key0, int n_keys);

/* slope[H] of ALiBi: powers of 2^(-8/p), p the largest power of two <= H, then the odd
 * powers of 2^(-4/p).  above: p is the smallest power of two >= H, and if it is not H, the
 * even powers of 2^(-8/p) come first, then the odd ones. */
void bias_alibi_slopes(float *slope, int H, bool above);

/*
 * Buckets of relative positions: value[bucket(key - row)].  One way: all buckets are for keys up
 * to the row; both ways: half of them are for keys after the row.
 * Half of those are exact distances, the others grow logarithmically up to max_distance.
 * Source: Raffel et al. 2020, section 2.1.
 */
struct bias_buckets {
    const float *value;     /* [n_buckets] biases of this head */
    int n_buckets, max_distance;
    bool both_ways;
};
void bias_buckets(const void *self, float *score, size_t stride, int row0, int n_rows,
                  int key0, int n_keys);

/* The bucket of a distance key - row, 0 to n_buckets - 1. */
int bias_bucket(int distance, bool both_ways, int n_buckets, int max_distance);

/* The same for a key `back` rows earlier, one way, with ProphetNet's rounding: of the sum, not of
 * the logarithmic part alone. */
int bias_bucket_of_sum(int back, int n_buckets, int max_distance);

/*
 * Biases that differ from row to row: value[(row - first) * stride + bucket[row - key] * step];
 * keys after the row count as distance 0.
 * Source: Qi et al. 2020; transformers modeling_prophetnet.py, get_main_relative_pos_embeddings.
 */
struct bias_rows {
    const float *value;
    int64_t stride;         /* from row to row */
    int step;               /* from bucket to bucket */
    int first;              /* the row whose values come first */
    const int *bucket;      /* by row - key, up to the longest */
};
void bias_rows(const void *self, float *score, size_t stride, int row0, int n_rows,
               int key0, int n_keys);

/*
 * Biases on a grid of rows x columns patches, position 1 + r columns + c, after one position that
 * is not on it ([CLS]): value[(dr + rows - 1) (2 columns - 1) + dc + columns - 1] for the
 * difference (dr, dc) of query and key; then three values: from [CLS] to others, from others to
 * [CLS], to itself. Source: transformers modeling_beit.py, BeitRelativePositionBias.
 */
struct bias_grid {
    const float *value;     /* [(2 rows - 1) (2 columns - 1) + 3] biases of this head */
    int rows, columns;
};
void bias_grid(const void *self, float *score, size_t stride, int row0, int n_rows,
               int key0, int n_keys);

/*
 * Keys [0, n_keys) count `copies` times in the softmax of rows [first, end): adds ln copies to
 * their scores, so that a weight is that of all copies together.
 * BigBird: blocks that should be chosen at random are all the first block.
 */
struct bias_copies {
    int first, end, n_keys;
    int copies;             /* 1: nothing is added */
};
void bias_copies(const void *self, float *score, size_t stride, int row0, int n_rows,
                 int key0, int n_keys);

#endif
