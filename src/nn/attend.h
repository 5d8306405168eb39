/* SPDX-License-Identifier: MIT
 *
 * How one head of one text attends: widths, scale, which keys each row sees, and what is
 * added to its scores.  visible.h answers "does row i see key j", score.h makes scores
 * of products, attention.h does the whole. */
#ifndef NN_ATTEND_H
#define NN_ATTEND_H

#include <stddef.h>

#include "nn/precision.h"

enum { ATTEND_ROWS = 48 };          /* query rows in a block; a constant */

/*
 * Adds to scaled scores, or replaces them: score[t * stride + j] belongs to row row0 + t
 * and key key0 + j.  add NULL: nothing is added.
 */
struct score_term {
    void (*add)(const void *self, float *score, size_t stride, int row0, int n_rows,
                int key0, int n_keys);
    const void *self;
};

enum { SCORE_TERMS = 3 };           /* two of a family, and the user's mask */

struct attend {
    int S;              /* keys */
    int d, d_v;         /* widths of q and k, and of v */
    float scale;        /* scores are scale * q.k */
    int lo, hi;         /* row i sees keys i + offset - lo .. i + offset + hi,
                           clipped to [0, S); INT_MAX: no limit */
    int offset;         /* key index of row 0's own position; 0 for self-attention */
    float cap;          /* above 0: scores become cap tanh(score / cap) */
    struct score_term term[SCORE_TERMS];    /* added after the cap, in this order; row0
                                               is offset + row */
    /*
     * Of the block at hand: hidden[t * hidden_stride + j] is 1 where its row t does
     * not see key key0 + j (visible_keys gives key0), whatever lo and hi say.  NULL:
     * lo and hi decide alone.
     */
    const unsigned char *hidden;
    size_t hidden_stride;
    /*
     * A score that the softmax of each row has besides those of keys, and what it gets: rows
     * sum to 1 less that.  sink NULL: none.
     */
    const float *sink;          /* [1] */
    double *sink_weight;        /* [n_rows] out, of the block at hand; NULL: not wanted */
    enum precision precision;   /* that weights are rounded to before they meet values;
                                   the weights handed out are not rounded */
    float *round_room;          /* [ATTEND_ROWS * attention_stride(S)], where precision
                                   is not f32 */
};

#endif
