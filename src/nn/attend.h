/* SPDX-License-Identifier: MIT
 *
 * The parameters of one head's attention in one text (struct attend): widths, scale, visible keys
 * of each row, and terms of scores.  visible.h answers "does row i see key j", score.h turns
 * products into scores, attention.h computes the whole. */
#ifndef NN_ATTEND_H
#define NN_ATTEND_H

#include <stddef.h>

#include "nn/precision.h"

enum { ATTEND_ROWS = 48 };          /* query rows in a block; a constant */

/*
 * A term that is added to scaled scores, or replaces them: score[t * stride + j] belongs to row
 * row0 + t and key key0 + j.  add NULL: no term.
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
     * Mask of the present block: hidden[t * hidden_stride + j] is 1 where its row t does
     * not see key key0 + j (key0 by visible_keys), in addition to lo and hi.  NULL: lo and hi
     * decide alone.
     */
    const unsigned char *hidden;
    size_t hidden_stride;
    /*
     * An attention sink: a logit in the softmax of each row that belongs to no key; rows sum to 1
     * minus its weight.  sink NULL: none.
     */
    const float *sink;          /* [1] */
    double *sink_weight;        /* [n_rows] out, for the present block; NULL: not wanted */
    enum precision precision;   /* to which weights are rounded before they multiply values;
                                   the weights that are returned are not rounded */
    float *round_room;          /* [ATTEND_ROWS * attention_stride(S)] scratch, if precision is not
                                   f32 */
};

#endif
