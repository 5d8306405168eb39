/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> integer codes: for each row its largest weight m, and for each weight a
 *
 *     code = round(C sqrt(a / m))         a = m (code / C)^2
 *
 * with C 255 or 65535.  The strongest link of a row is exact, and so is a uniform row of any
 * length. One layer is stored at a time: heads x queries x keys codes. */
#ifndef ANALYSIS_CODES_H
#define ANALYSIS_CODES_H

#include "base/arena.h"
#include "run/run.h"

/* A finished layer; valid during the call. */
struct codes_layer {
    int layer, n_heads;         /* n_heads: wanted heads */
    int n_queries, n_keys;
    bool triangle;              /* causal: query i has codes of the first i + 1 keys only */
    const float *max;           /* [n_heads, n_queries] m; 0: all weights are 0 */
    const void *code;           /* [n_heads, n_queries, n_keys] of bits / 8 bytes each */
    size_t n_codes;
};

struct codes_shape {
    int bits;                   /* 8 or 16 */
    int n_layers, n_heads;      /* of the model */
    int n_queries, n_keys;      /* of the text */
};

struct codes;

/* place: [n_layers, n_heads] index of a head among the layer's wanted heads; -1: not wanted.  ready
 * is called for each finished layer. */
struct codes *codes_new(struct arena *a, const struct codes_shape *shape, const int *place,
                        void (*ready)(void *self, const struct codes_layer *layer), void *self);
struct sink codes_sink(struct codes *codes);

/* After the pass: the largest difference between a weight and its code. */
double codes_error(const struct codes *codes);

/* Bytes of one layer of n_heads heads that is not a triangle. */
uint64_t codes_layer_bytes(const struct codes_shape *shape, int n_heads);

#endif
