/* SPDX-License-Identifier: MIT
 * What gguf.c and gguf_names.c share. */
#ifndef MODEL_GGUF_PRIV_H
#define MODEL_GGUF_PRIV_H

#include "model/family.h"
#include "weights/weights.h"

/* Rows of one architecture are tried in order; `when` is a key that must be `value`, or, where
 * that is 0, anything else than 0. */
struct gguf_arch {
    const char *name, *model_type, *when;
    int value;
    bool pairs;                 /* rotary columns are pairs */
    bool renormalise;           /* the chosen experts' shares, for which there is no key */
    bool encoder_only;          /* of a family of both stacks */
    bool both_ways;             /* its rows see what comes after them */
};

extern const struct gguf_arch gguf_archs[];     /* ends with name NULL */

/* The family's row as the format has it, a copy. */
const struct family *gguf_family(struct arena *a, const struct family *f,
                                 const struct gguf_arch *arch);

/* One of the layers has a tensor whose name is its number between these. */
bool gguf_any_layer(struct arena *a, const struct weights *w, const char *before,
                    const char *after, int64_t n_layers);

#endif
