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
 * What a causal stack keeps of one text: the keys and values of its tokens so far in
 * every layer, turned, and those of its memory.  So a pass over the tokens behind them
 * costs no more than these, and gives the same bytes as a pass over all of them.
 */
struct cache;

/* Of a, for at most capacity tokens, and a memory of n_memory (0: none). */
struct cache *cache_new(struct arena *a, const struct model *m, int capacity,
                        int n_memory);

/* The bytes of one. */
double cache_memory(const struct model *m, int capacity, int n_memory);

/*
 * How many tokens of the text need not run again where it is to have n: those that are
 * kept, or none where the text grows beyond a length from which on all of it turns by
 * other frequencies.
 */
int cache_kept(struct cache *c, const struct model *m, int n);

/* What is wanted.  The pass stops after the last layer that anything here needs. */
struct wanted {
    const bool *layer;      /* [L] whose rows go to the sinks; NULL: all */
    const bool *head;       /* [H] the same for heads */
    unsigned stacks;        /* whose rows: bits 1 << STACK_..; 0: all that run */
    const struct memory *memory;    /* for m->decoder; else NULL */
    /*
     * [n_texts] the batch holds the tokens behind those that are kept, and they are
     * kept too; the memory is only for the first time.  No sinks with it; after an
     * error it is of no use.  NULL: the batch's texts are whole.
     */
    struct cache *const *cache;
    bool last_only;         /* hidden and logits have a row a text, its last token's */
    float *hidden;          /* out: [tokens, m->d_hidden] after the final norm; NULL: not wanted */
    float *logits;          /* out: [tokens, m->n_logits]; NULL: not wanted; needs m->has_head */
};

/*
 * Errors (ERR_INPUT): an id outside the vocabulary, a type outside the table, a
 * text longer than the model's positions (with both numbers), a text without
 * tokens; a row of attention that is not finite (layer, head, row: the weights
 * hold NaN or infinities).  Sinks may have been given rows before an error.
 */
int run_forward(const struct model *m, const struct batch *b, const struct wanted *want,
                const struct sink *sinks, int n_sinks, struct par *par,
                struct arena *call, struct err *e);

/* The bytes that run_forward takes beyond the model for one text of n tokens. */
double run_memory(const struct model *m, int n_tokens, int n_threads);

#endif
