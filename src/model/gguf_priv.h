/* SPDX-License-Identifier: MIT
 * Private interface of gguf.c and gguf_names.c. */
#ifndef MODEL_GGUF_PRIV_H
#define MODEL_GGUF_PRIV_H

#include "model/family.h"
#include "weights/weights.h"

/* An architecture of GGUF; rows of the same name are tried in order.  `when`: a key that must have
 * this value, or, if value is 0, any value other than 0. */
struct gguf_arch {
    const char *name, *model_type, *when;
    int value;
    bool pairs;                 /* rotary columns are pairs */
    bool renormalise;           /* weights of the chosen experts sum to 1: GGUF has no key for it */
    bool encoder_only;          /* only the encoder of an encoder-decoder family */
    bool both_ways;             /* bidirectional, not causal */
};

extern const struct gguf_arch gguf_archs[];     /* ends with name NULL */

/* A copy of the family's row, adapted to the format. */
const struct family *gguf_family(struct arena *a, const struct family *family,
                                 const struct gguf_arch *arch);

/* Whether one of the layers has a tensor named BEFORE, its number, AFTER. */
bool gguf_any_layer(struct arena *a, const struct weights *weights, const char *before,
                    const char *after, int64_t n_layers);

#endif
