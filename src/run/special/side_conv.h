/* SPDX-License-Identifier: MIT
 * Span-based dynamic convolution (ConvBERT), beside the attention heads: its kernel is computed
 * from each row.  With K taps, for row t and head h:
 *
 *     c = W_TAPS_POINT (W_TAPS * x) + W_TAPS_BIAS
 *     w[h, k] = softmax over k of W_TAPS_ROW (c q)
 *     mixed[t, h] = sum over k of w[h, k] value[t + k - K / 2, h]     value = W_TAPS_VALUE x
 *
 * q: the projected queries; rows beyond the text are 0.
 * Source: Jiang et al. 2020, ConvBERT; transformers modeling_convbert.py. */
#ifndef RUN_SIDE_CONV_H
#define RUN_SIDE_CONV_H

#include "run/pass.h"

/* Sets pass->mixed of layer l, from pass->a and the queries of pass->qkv, if the layer has the
 * convolution and its output is wanted. */
void side_conv_rows(struct pass *pass, int l, bool wanted);

/* out[N, D] += pass->mixed through its columns of the output projection. */
void side_conv_add(struct pass *pass, int l, enum stack_id stack, float *out, int D);

/* Floats of scratch memory for n tokens. */
double side_conv_memory(const struct model *model, int n_tokens);

#endif
