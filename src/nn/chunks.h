/* SPDX-License-Identifier: MIT
 *
 * Chunked attention (Reformer): the keys that rows see, and how often each counts. */
#ifndef NN_CHUNKS_H
#define NN_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A row of chunk c sees the keys of chunks c - before .. c + after, cyclic; a key counts as
 * often as its chunks are in this range.  Tokens are divided into chunks n_rounds times, by
 * position or by the order of hashes; the chunks of all rounds form one ring, one round after
 * the other.  seen[j]: how often the chunk j after the row's own is in the range.
 */
struct chunk_view {
    int *chunk;             /* [n_rounds, T] chunk of each token; NULL: every key counts once */
    int T, n_rounds;
    int n_chunks;           /* number of chunks of all rounds */
    const int *seen;        /* [n_chunks] */
    bool own_last;          /* a row sees itself only if it sees no other key */
};

/* The score of a row with itself under own_last, as in the reference library. */
#define CHUNKS_LAST_RESORT (-1e5f)

/* Computes seen[n_chunks]. */
void chunks_seen(int *seen, int n_chunks, int before, int after);

/* How often key j counts in row i; 0: hidden. */
int chunks_times(const struct chunk_view *v, int i, int j);

/*
 * Adds ln m to the score of a key that counts m times, as in a softmax over m copies of it;
 * before, with own_last, replaces a row's score with itself by -1e5.  The `add` of a struct
 * score_term; self is a struct chunk_view.
 */
void chunks_term(const void *self, float *score, size_t stride, int row0, int n_rows,
                 int key0, int n_keys);

#endif
