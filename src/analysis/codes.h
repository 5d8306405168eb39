/* SPDX-License-Identifier: MIT
 *
 * Rows of attention -> integers: of each row its largest weight m, and of each weight a
 *
 *     code = round(C sqrt(a / m))         a = m (code / C)^2
 *
 * with C 255 or 65535.  So the strongest link of a row is exact, and a uniform row of 512
 * tokens, 1/512, keeps all of its digits.  A layer at a time: heads x queries x keys codes. */
#ifndef ANALYSIS_CODES_H
#define ANALYSIS_CODES_H

#include "base/arena.h"
#include "run/run.h"

/* A finished layer; it holds during the call. */
struct codes_layer {
    int layer, n_heads;         /* those that were asked for */
    int n_queries, n_keys;
    bool triangle;              /* no query weighs a later key: of query i there are i + 1 */
    const float *max;           /* [n_heads, n_queries] m; 0: nothing is weighed */
    const void *code;           /* [n_heads, n_queries, n_keys], of bits / 8 bytes each */
    size_t n_codes;
};

struct codes_shape {
    int bits;                   /* 8 or 16 */
    int n_layers, n_heads;      /* of the model */
    int n_queries, n_keys;      /* of the text */
};

struct codes;

/* place: [n_layers, n_heads] of each head among those of its layer; -1: not asked for. */
struct codes *codes_new(struct arena *a, const struct codes_shape *shape, const int *place,
                        void (*ready)(void *self, const struct codes_layer *layer), void *self);
struct sink codes_sink(struct codes *c);

/* After the pass: how far a weight is from its code, at most. */
double codes_error(const struct codes *c);

/* The bytes of one layer of n_heads heads, as they are where nothing is a triangle. */
uint64_t codes_layer_bytes(const struct codes_shape *shape, int n_heads);

#endif
