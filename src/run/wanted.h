/* SPDX-License-Identifier: MIT
 *
 * Arguments of a pass: the wanted outputs, where it begins and ends, caches, changes. */
#ifndef RUN_WANTED_H
#define RUN_WANTED_H

#include <stdbool.h>

#include "run/batch.h"
#include "run/cache.h"
#include "run/change.h"
#include "run/view.h"
#include "run/weighting.h"

struct prepared;            /* prepared.h */

/*
 * The start of a pass at a later layer, with the streams [tokens, D] that tap.enter got there in a
 * pass over the same texts.  x2 is x except with PLACE_REVERSIBLE.
 */
struct resume {
    int layer;
    const float *x, *x2;
};

/* The end of a pass before a layer, whose input streams [tokens, D] it writes, for a resume. */
struct leave {
    int layer;              /* 1 .. layers - 1 */
    float *x, *x2;          /* x2: NULL except with PLACE_REVERSIBLE */
};

/* The arguments.  The pass stops after the last layer that any of them requires. */
struct wanted {
    const bool *layer;      /* [L] layers whose rows go to the sinks; NULL: all */
    const bool *head;       /* [H] heads whose rows go there, the same in each layer; or
                               [L, head_stride] if that is not 0; NULL: all */
    int head_stride;
    unsigned stacks;        /* stacks whose rows go there: bits 1 << STACK_..; 0: all that run */
    enum weighting weighting;       /* of these rows; WEIGHTING_PLAIN for rows from a file */
    const struct memory *memory;    /* input of cross-attention, for m->decoder and layers with
                                       W_CROSS_Q; else NULL */
    /*
     * [n_texts] Caches: the batch has only the tokens after the cached ones, which the pass appends
     * to the cache; memory is given in the first pass only.  Sinks, tap and changes other than
     * precision are not allowed with it; after an error it must not be used.  NULL: the texts are
     * whole.
     */
    struct cache *const *cache;
    struct prepared *prepared;  /* store of rounded or transposed weights for later passes; NULL:
                               none */
    const struct resume *resume;    /* NULL: the pass begins with the embeddings */
    const struct leave *leave;      /* NULL: the pass ends with the wanted outputs; else neither
                               hidden nor logits are wanted, nor rows from that layer on */
    const int *only_row;    /* [texts] hidden and logits of this token alone, one row per text;
                               NULL: one row per token */
    bool uncapped;          /* logits before a soft cap */
    const struct rotations *rotations;  /* of LSH; NULL: drawn */
    const struct change *change;    /* NULL: no change */
    const struct tap *tap;      /* NULL: no tap */
    float *encoded;         /* out: [source tokens, D] output of the encoder in run_pair; NULL: not
                               wanted, or the encoder does not run */
    float *hidden;          /* out: [tokens, m->d_hidden] after the final norm; NULL: not
                               wanted */
    float *logits;          /* out: [tokens, m->n_logits], or [texts, m->n_logits] where
                               model_head_rows is 1; NULL: not wanted; requires m->has_head */
    const int *head_row;    /* [texts] the token that HEAD_LAST_EOS reads; NULL for other heads */
};

/* True if the rows of this layer go to the sinks. */
static inline bool wanted_layer(const struct wanted *want, int layer)
{
    return want->layer == NULL || want->layer[layer];
}

/* True if the rows of this head of a wanted layer go to the sinks. */
static inline bool wanted_head(const struct wanted *want, int layer, int head)
{
    return want->head == NULL || want->head[layer * want->head_stride + head];
}

#endif
