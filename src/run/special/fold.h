/* SPDX-License-Identifier: MIT
 *
 * The weights of a layer's heads as they meet the residual stream, with the norms around them
 * folded in: what heads read and write can then be compared across layers.
 *
 *     W_Q, W_K, W_V <- P (g W)        g the gain of the norm before attention
 *     W_O <- P (W_O g')               g' that of a norm after it, where there is one
 *
 * P takes away the mean over the stream, where norms do (LayerNorm, before attention); gains
 * of norms of queries and keys are multiplied in.  What a norm divides by, biases and
 * positions are left out, and so are all norms of a stream that is normed after each sum.  In
 * layers with bottlenecks W_Q, W_K and W_V are what reads the stream through the projection
 * before them, with the gain of its norm, and W_O writes through the layer's last one.
 * Source: TransformerLens, fold_layer_norm and center_writing_weights. */
#ifndef RUN_FOLD_H
#define RUN_FOLD_H

#include "run/run.h"

/* Each row is a vector of the residual stream. */
struct fold {
    int H, G, d, d_v, D;
    float *q;                   /* [H d, D] what each number of the queries reads */
    float *k, *v;               /* [G d, D], [G d_v, D] the same of keys and values */
    float *o;                   /* [H d_v, D] what each number of the heads' outputs writes */
};

/* Whether the norms of model are folded, and whether its means are taken away. */
bool fold_is_on(const struct model *model);
bool fold_is_centred(const struct model *model);

/* Self-attention of layer l of model, which fold_check allows; memory is of a. */
struct fold fold_layer(struct arena *a, const struct model *model, int l);

/* x[n, D], P taken away from each row. */
void fold_centre(float *x, int n, int D);

/* A linear whose weights are floats: y = x w^T of w[N, K], or x w of w[K, N] (in_out). */
struct param fold_param(const float *w, int N, int K, bool in_out);

/*
 * ERR_INPUT: model has no matrices of its own for the queries, keys, values and outputs of each
 * head, or no residual stream that all layers read and write.
 */
int fold_check(const struct model *model, struct err *e);

#endif
