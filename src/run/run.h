/* SPDX-License-Identifier: MIT
 *
 * One forward pass for every family, over any number of texts packed without
 * padding, layer by layer, so that each weight is read once a batch.  The same
 * bytes for any number of threads and any packing. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/par.h"
#include "model/model.h"
#include "run/sink.h"

struct batch {
    int n_texts;
    const int *start;       /* [n_texts + 1]: text i has tokens start[i] .. start[i+1] - 1 */
    const int *id;          /* [start[n_texts]] */
    const int *type;        /* the same; NULL: all 0 */
};

/* The encoder's output, for a decoder. */
struct memory {
    const float *x;         /* [start[n_texts], D] */
    const int *start;       /* [n_texts + 1] */
};

/*
 * Random rotations for layers that hash, instead of those drawn from the config's
 * hash_seed: x [n_sets, H, d, n_hashes, width].  One set is for all of these layers; else
 * there is one for each, in their order.
 */
struct rotations {
    const float *x;
    int n_sets, width;
};

/* What is wanted.  The pass stops after the last layer that anything here needs. */
struct wanted {
    const bool *layer;      /* [L] whose rows go to the sinks; NULL: all */
    const bool *head;       /* [H] the same for heads */
    unsigned stacks;        /* whose rows: bits 1 << STACK_..; 0: all that run */
    const struct memory *memory;    /* for m->decoder; else NULL */
    const struct rotations *rotations;  /* NULL: drawn */
    float *hidden;          /* out: [tokens, m->d_hidden] after the final norm; NULL: not wanted */
    float *logits;          /* out: [tokens, m->n_logits]; NULL: not wanted; needs m->has_head */
};

/*
 * Errors (ERR_INPUT): an id outside the vocabulary, a type outside the table, a
 * text longer than the model's positions (with both numbers), a text without
 * tokens; rotations of another width than the text's buckets ask for; a row of attention that is not finite (layer, head, row: the weights
 * hold NaN or infinities).  Sinks may have been given rows before an error.
 */
int run_forward(const struct model *m, const struct batch *b, const struct wanted *want,
                const struct sink *sinks, int n_sinks, struct par *par,
                struct arena *call, struct err *e);

/* The bytes that run_forward takes beyond the model for one text of n tokens. */
double run_memory(const struct model *m, int n_tokens, int n_threads);

#endif
