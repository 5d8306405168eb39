/* SPDX-License-Identifier: MIT
 *
 * What a command changes in a pass. */
#ifndef RUN_CHANGE_H
#define RUN_CHANGE_H

#include <stdbool.h>

#include "model/model.h"
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
    const bool *silent;                 /* [L, H] heads whose output is 0; NULL: none */
    enum stack_id silent_stack;         /* of this stack */
};

#endif
