/* SPDX-License-Identifier: MIT
 *
 * Changes of a pass: masks, noise, precision, interventions. */
#ifndef RUN_CHANGE_H
#define RUN_CHANGE_H

#include <stdbool.h>

#include "model/model.h"
#include "nn/fast.h"
#include "nn/precision.h"
#include "run/mask.h"

/*
 * Random rotations for layers with LSH attention, in place of those drawn from the config's
 * hash_seed: x [n_sets, H, d, n_hashes, width].  One set for all of these layers, or one for
 * each, in their order.
 */
struct rotations {
    const float *x;
    int n_sets, width;
};

/*
 * A function that changes the heads' outputs z[n_rows, H d_v] of all texts, before the output
 * projection.  Called by the thread that runs the pass, once for each attention of each layer and
 * stack.
 */
struct intervention {
    void (*apply)(void *self, int layer, enum stack_id stack, float *z, int n_rows);
    void *self;
};

/* All zero: no change. */
struct change {
    const struct mask *mask;            /* of self-attention, in addition to the model's own */
    const struct mask *memory_mask;     /* of cross-attention */
    const int64_t *number;              /* [n_texts] numbers of the texts, by which masks of
                                           several texts choose; NULL: indices in the batch */
    /*
     * Noise that is added to the embeddings of the tokens, after the model's scaling of them and
     * before positions, types and norms: [tokens, d_embed]; NULL if none.
     */
    const float *noise;
    bool noise_relative;                /* noise is multiplied by the text's root mean square */
    enum precision precision;           /* precision to which inputs of products are rounded */
    enum fast fast;                     /* kind of fast_kernel with which linears multiply */
    const struct intervention *intervention;   /* NULL if none */
};

#endif
