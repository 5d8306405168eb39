/* SPDX-License-Identifier: MIT
 *
 * Attention in chunks: which keys rows see, and how often each is counted. */
#ifndef NN_CHUNKS_H
#define NN_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A row of chunk c sees the keys of chunks c - before .. c + after, cyclic, once
 * for each time that a chunk comes up.  Tokens are cut into chunks n_rounds times, by
 * their positions or by ranks of their own; the chunks of all rounds form one ring, one
 * round after the other.  seen[j] is how often a chunk comes up that is j after the
 * row's own.
 */
struct chunk_view {
    int *chunk;             /* [n_rounds, T] of each token; NULL: every key is seen once */
    int T, n_rounds;
    int n_chunks;           /* of all rounds */
    const int *seen;        /* [n_chunks] */
    bool own_last;          /* a row sees itself only where it sees nothing else */
};

/* The score of a row with itself where own_last says so; the reference has it so. */
#define CHUNKS_LAST_RESORT (-1e5f)

/* seen[n_chunks] as above. */
void chunks_seen(int *seen, int n_chunks, int before, int after);

/* How often row i sees key j; 0: not at all. */
int chunks_times(const struct chunk_view *v, int i, int j);

/*
 * For a key that is seen m times: + ln m, which is the softmax over m copies of it; before
 * that, -1e5 in place of a row's score with itself where it is a last resort.  The `add`
 * of a struct score_term; self is a struct chunk_view.
 */
void chunks_term(const void *self, float *score, size_t stride, int row0, int n_rows,
                 int key0, int n_keys);

#endif
