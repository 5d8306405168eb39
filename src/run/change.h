/* SPDX-License-Identifier: MIT
 *
 * What a command changes in a pass. */
#ifndef RUN_CHANGE_H
#define RUN_CHANGE_H

#include <stdbool.h>

#include "model/model.h"
#include "nn/fast.h"
#include "nn/precision.h"
#include "run/mask.h"

/*
 * Random rotations for layers that hash, instead of those drawn from the config's
 * hash_seed: x [n_sets, H, d, n_hashes, width].  One set is for all of these layers; else
 * there is one for each, in their order.
 */
struct rotations {
    const float *x;
    int n_sets, width;
};

/*
 * Changes heads' outputs z[n_rows, H d_v] of all texts of an attention, before anything reads
 * them.  Called by the thread that runs the pass, of each layer and stack that runs whole.
 */
struct intervention {
    void (*apply)(void *self, int layer, enum stack_id stack, float *z, int n_rows);
    void *self;
};

/* All zero: nothing is changed. */
struct change {
    const struct mask *mask;            /* of self-attention, besides the model's own */
    const struct mask *memory_mask;     /* of cross-attention */
    const int64_t *number;              /* [n_texts] of each text, for masks of several
                                           texts; NULL: its index in the batch */
    /*
     * Added to the embeddings of the tokens, scaled as the model scales them, before
     * positions, types and norms: [tokens, d_embed]; NULL: none.
     */
    const float *noise;
    bool noise_relative;                /* times the root mean square of a text's */
    enum precision precision;           /* of what goes into each product, or linear */
    enum fast fast;                     /* how linears multiply: of what fast_kernel has */
    const struct intervention *intervention;   /* NULL: none */
};

#endif
