/* SPDX-License-Identifier: MIT
 * A convolution beside the heads, whose weights each row makes itself (ConvBERT's span-based
 * dynamic convolution).  With K taps, of row t and head h:
 *
 *     c = W_TAPS_POINT (W_TAPS * x) + W_TAPS_BIAS
 *     w[h, k] = softmax over k of W_TAPS_ROW (c q)
 *     mixed[t, h] = sum over k of w[h, k] value[t + k - K / 2, h]     value = W_TAPS_VALUE x
 *
 * q are the queries as they are projected; what lies beyond the text counts as 0.
 * Source: Jiang et al. 2020, ConvBERT; transformers modeling_convbert.py. */
#ifndef RUN_TAPS_H
#define RUN_TAPS_H

#include "run/pass.h"

/* p->mixed of layer l, from p->a and the queries of p->qkv, where the layer has it and its output
 * is wanted. */
void taps_rows(struct pass *p, int l, bool wanted);

/* out[N, D] += the output projection's part of p->mixed. */
void taps_add(struct pass *p, int l, enum stack_id stack, float *out, int D);

/* Floats that they take for n tokens. */
double taps_memory(const struct model *m, int n_tokens);

#endif
