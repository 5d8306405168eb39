/* SPDX-License-Identifier: MIT
 *
 * Relative position terms of scores: products of queries and keys with embeddings of distances,
 * or of segments. */
#ifndef NN_RELATIVE_H
#define NN_RELATIVE_H

#include <stddef.h>
#include <stdint.h>

/*
 * DeBERTa's buckets of distances: distances up to half of n_buckets (at least 2) are their own
 * bucket, longer ones are logarithmic up to max_distance - 1, which is beyond that half, and
 * further, but at most 2.5 n_buckets; with the sign of the distance.
 * Source: transformers modeling_deberta_v2.py, make_log_bucket_position.
 */
int relative_log_bucket(int distance, int n_buckets, int max_distance);

/* The row of the table of positions for each distance query - key. */
struct distances {
    int reach;              /* distances are -reach .. reach */
    const int *row;         /* [2 reach + 1] from -reach on; they never decrease */
    const int *begin;       /* [relative_begins(rows)] first distance of each PANEL of rows */
};

/* Number of elements of begin for a table of n_rows rows, the last of row + 1. */
size_t relative_begins(int n_rows);

/* Sets begin from the other fields. */
void relative_find_begins(int *begin, const int *row, int reach, int n_rows);

/* Floats that relative_pack writes. */
size_t relative_packed(int n_rows, int d);

/* Packs n_rows rows of width d, row r at rows + r * stride, for the two terms below. */
void relative_pack(float *packed, const float *rows, int64_t stride, int n_rows, int d);

/*
 * Positions by content: with r the row that i - j reads,
 *
 *     score[i][j] += scale * (q[i].A[r] + add[r] + k[j].B[r])
 *
 * A product of 32 queries with a panel of A, or of 32 keys with one of B, gives the terms of
 * all its distances, so that this costs as much as the scores, not one sum per score.
 * Rows and keys of the text are at most reach apart.  add is padded to whole panels.
 * The `add` of a struct score_term; self is a struct relative_positions.
 * Source: He et al. 2021, eq. 4 (A positions' keys, B their queries); Dai et al. 2019,
 * section 3.3 (A alone).
 */
struct relative_positions {
    const struct distances *at;
    const float *by_query, *by_key;     /* A and B, packed; NULL: none */
    const float *add;                   /* NULL: none */
    const float *q, *k;                 /* rows of the text's first token */
    int64_t q_stride, k_stride;
    int d;
    float scale;
};
void relative_positions(const void *self, float *score, size_t stride, int row0,
                        int n_rows, int key0, int n_keys);

/*
 * Segments: score[i][j] += scale * (q[i].A[s] + add[s]), s 1 where the types of tokens
 * i and j differ, else 0.  The `add` of a struct score_term; self is a struct
 * relative_segments.  Yang et al. 2019, section 2.4.
 */
struct relative_segments {
    const int *type;                    /* of the text's tokens */
    const float *by_query;              /* A [2, d], packed */
    const float *add;                   /* [PANEL] */
    const float *q;
    int64_t q_stride;
    int d;
    float scale;
};
void relative_segments(const void *self, float *score, size_t stride, int row0,
                       int n_rows, int key0, int n_keys);

#endif
