/* SPDX-License-Identifier: MIT
 *
 * What is wanted of a pass. */
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
 * Where a pass begins: at a layer, with the streams [tokens, D] that tap.enter was shown there
 * by a pass over the same texts.  x2 is x but of PLACE_REVERSIBLE.
 */
struct resume {
    int layer;
    const float *x, *x2;
};

/* Where a pass ends: before a layer, whose streams [tokens, D] it writes, for a resume. */
struct leave {
    int layer;              /* 1 .. layers - 1 */
    float *x, *x2;          /* x2 NULL but of PLACE_REVERSIBLE */
};

/* The pass stops after the last layer that anything here needs. */
struct wanted {
    const bool *layer;      /* [L] whose rows go to the sinks; NULL: all */
    const bool *head;       /* [H] the same for heads, of every layer; [L, head_stride]
                               where that is not 0, of each layer */
    int head_stride;
    unsigned stacks;        /* whose rows: bits 1 << STACK_..; 0: all that run */
    enum weighting weighting;       /* of these rows; WEIGHTING_PLAIN where a file holds
                               them */
    const struct memory *memory;    /* for m->decoder and layers with W_CROSS_Q; else NULL */
    /*
     * [n_texts] The batch holds the tokens after those that are cached, which the pass
     * adds to the cache; the memory is only given the first time.  Sinks, tap and changes
     * other than of precision are not allowed with it, and after an error it must not be
     * used.  NULL: the batch's texts are whole.
     */
    struct cache *const *cache;
    struct prepared *prepared;  /* where linears keep weights, rounded or turned, for the passes
                               after this one; NULL: nowhere */
    const struct resume *resume;    /* NULL: the pass begins with the embeddings */
    const struct leave *leave;      /* NULL: the pass ends with what is wanted; else neither
                               hidden nor logits are, nor rows of that layer and those after it */
    const int *only_row;    /* [texts] hidden and logits have one row per text, this token's;
                               NULL: one per token */
    bool uncapped;          /* logits before a soft cap */
    const struct rotations *rotations;  /* NULL: drawn */
    const struct change *change;    /* NULL: nothing */
    const struct tap *tap;      /* NULL: none */
    float *encoded;         /* out: [source tokens, D] what the encoder makes, of run_pair; NULL:
                               not wanted, as where it does not run */
    float *hidden;          /* out: [tokens, m->d_hidden] after the final norm; NULL: not
                               wanted */
    float *logits;          /* out: [tokens, m->n_logits], or [texts, m->n_logits] where
                               model_head_rows is 1; NULL: not wanted; requires m->has_head */
    const int *head_row;    /* [texts] what HEAD_LAST_EOS reads; NULL: no head does */
};

/* True if the rows of this layer go to the sinks. */
static inline bool wanted_layer(const struct wanted *want, int layer)
{
    return want->layer == NULL || want->layer[layer];
}

/* True if a layer that is wanted shows this head. */
static inline bool wanted_head(const struct wanted *want, int layer, int head)
{
    return want->head == NULL || want->head[layer * want->head_stride + head];
}

#endif
