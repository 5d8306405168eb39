/* SPDX-License-Identifier: MIT
 *
 * Exact softmax attention that returns its weights: a block of query rows at a time, in cache, and
 * the plain reference in double. */
#ifndef NN_ATTENTION_H
#define NN_ATTENTION_H

#include <stdint.h>

#include "nn/attend.h"

/* Least stride, in floats, of rows of attention_block's weights for S keys. */
size_t attention_stride(int S);

/* Floats that attention_pack requires for keys and values together. */
uint64_t attention_packed(int S, int d, int d_v);

/*
 * Packs keys k [S, d] (row s at k + s * k_stride) and values v [S, d_v] of one
 * head for attention_block; lanes follow absolute key numbers.
 */
void attention_pack(float *packed, const float *k, int64_t k_stride, const float *v,
                    int64_t v_stride, int S, int d, int d_v);

/*
 * One block of query rows row0 .. row0 + n_rows - 1 (n_rows <= ATTEND_ROWS):
 *
 *     w[t][s] = softmax over visible s of scale * q[t].k[s] (+ terms)      out = w v
 *
 * q        [n_rows, d], row t at q + t * q_stride
 * packed   from attention_pack
 * w        out: [n_rows, w_stride], aligned to 64 bytes; columns [*key0,
 *          *key0 + *n_keys) of each row are at w[t * w_stride + 0 ..]: hidden keys
 *          exactly 0; a row without a visible key is all 0, its entropy and out
 *          too.  w_stride >= attention_stride(S), a multiple of 16.
 * key0, n_keys   out: the keys that visible_keys gives
 * entropy  out: [n_rows] nats, -sum w ln w over visible keys, from ln Z - sum(e x)/Z
 *          in double (also with attend->sink); within 1e-6 of the formula on
 *          the returned weights; NULL: not wanted
 * out      out: [n_rows, d_v], row t at out + t * out_stride; NULL: not wanted
 *
 * If a visible score of a row is NaN or infinite, all weights of the row that
 * are not hidden, its entropy and out are NaN.  A hidden key adds 0 * v to out:
 * nothing, unless its v is not finite.
 */
void attention_block(float *w, size_t w_stride, int *key0, int *n_keys, double *entropy,
                     float *out, int64_t out_stride, const float *q, int64_t q_stride,
                     const float *packed, const struct attend *attend, int row0, int n_rows);

/* Keys and values of a head, not packed: k [S, d], v [S, d_v]. */
struct attention_rows {
    const float *k, *v;
    int64_t k_stride, v_stride;
};

/* Floats of scratch memory for attention_row. */
size_t attention_row_room(int d);

/*
 * attention_block for one row, with the same bits, without packing: for a text of which all tokens
 * except the last are cached.  w [attention_stride(S)], out [d_v], q [d]; attend->precision is f32.
 * room     attention_row_room(d) floats, aligned to 64 bytes
 */
void attention_row(float *w, int *key0, int *n_keys, double *entropy, float *out,
                   const float *q, const struct attention_rows *rows, const struct attend *attend,
                   int row0, float *room);

/* ---- two of its steps, for mechanisms that change the others ---- */

/* w = q.k for the keys of visible_keys; w as in attention_block. */
void attention_products(float *w, size_t w_stride, const float *q, int64_t q_stride,
                        const float *packed, const struct attend *attend, int row0,
                        int n_rows);

/* out = w v; the block has a key. */
void attention_values(float *out, int64_t out_stride, const float *w, size_t w_stride,
                      const float *packed, const struct attend *attend, int row0, int n_rows);

/*
 * All T rows in plain C and double, with every weight: the reference of all faster versions in this
 * folder.
 *
 * q [T, d], k [S, d], v [S, d_v], w [T, S], out [T, d_v]; visible as in attend,
 * where hidden has all T rows and S keys.
 * Source: Vaswani et al. 2017, eq. 1.
 */
void attention_reference(double *w, double *out, const float *q, const float *k,
                         const float *v, const struct attend *attend, int T);

#endif
