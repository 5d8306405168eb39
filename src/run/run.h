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
#include "nn/attend.h"
#include "run/front.h"
#include "run/mask.h"
#include "run/sink.h"

struct batch {
    int n_texts;
    const int *start;       /* [n_texts + 1]: text i has tokens start[i] .. start[i+1] - 1 */
    const int *id;          /* [start[n_texts]]; NULL where there are values */
    const int *type;        /* the same; NULL: all 0 */
    const struct values *values;    /* [n_texts] for a front that is not FRONT_TOKENS;
                                       each yields as many positions as its text has */
    const unsigned char *global;    /* [start[n_texts]] 1: sees every token and is seen by
                               all, for models with W_Q_GLOBAL; NULL: none is */
};

/* What cross-attention reads: the encoder's output, for a decoder, or another input. */
struct memory {
    const float *x;         /* [start[n_texts], DIM_KEY_INPUT] */
    const int *start;       /* [n_texts + 1] */
    const float *v;         /* [start[n_texts], DIM_VALUE_INPUT] for the values; NULL: x */
};

/*
 * What a causal stack keeps of one text: the keys and values of its tokens so far in
 * every layer, turned, and those of its memory.  So a pass over the tokens behind them
 * costs no more than these, and gives the same bytes as a pass over all of them.
 */
struct cache;

/* False where a pass looks at the whole text: chunks, tables of its distances. */
bool cache_fits(const struct model *m);

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

/*
 * Random rotations for layers that hash, instead of those drawn from the config's
 * hash_seed: x [n_sets, H, d, n_hashes, width].  One set is for all of these layers; else
 * there is one for each, in their order.
 */
struct rotations {
    const float *x;
    int n_sets, width;
};

/* What a command changes in the pass; NULL, or all zero: nothing. */
struct change {
    const struct mask *mask;            /* of self-attention, beside the model's own */
    const struct mask *memory_mask;     /* of cross-attention */
    const int *number;                  /* [n_texts] of each text, for masks of several
                                           texts; NULL: its place in the batch */
    /*
     * Added to the embeddings of the tokens, scaled as the model scales them, before
     * positions, types and norms: [tokens, d_embed]; NULL: none.
     */
    const float *noise;
    bool noise_relative;                /* times the root mean square of a text's */
    enum precision precision;           /* of what goes into each product */
    const bool *silent;                 /* [L, H] heads whose output is 0; NULL: none */
    enum stack_id silent_stack;         /* of this stack */
};

/*
 * What one attention of one text reads: queries, keys and values, normed and turned.
 * Valid only during the call.
 */
struct qkv_view {
    int text, layer;
    enum stack_id stack;
    int T, S;                   /* queries, keys */
    int H, G;                   /* heads; heads of keys and values: h has h / (H / G) */
    const float *q, *kv;        /* rows of T queries, of S keys and values */
    int64_t q_stride, kv_stride;        /* floats from row to row */
    const int *q_at, *k_at, *v_at;      /* [H], [G], [G] where a head begins in a row */
    const struct attend *at;    /* [H] widths, scale, what is hidden and added; hidden
                                   has T rows, row0 is 0 */
    bool alike;                 /* what is hidden and added is the same for all heads */
};

/*
 * Looks at the attentions of the wanted layers and stacks, or takes their place.
 * Called by the thread that runs the pass, text by text, before the model's own.
 */
struct tap {
    void (*take)(void *self, const struct qkv_view *v);     /* NULL: does not look */
    /*
     * Writes z[T, H d_v], the heads' outputs side by side; no row goes to a sink.
     * NULL: the model's own attention runs.  What fails ends the pass.
     */
    int (*attend)(void *self, const struct qkv_view *v, float *z, struct par *par,
                  struct err *e);
    /*
     * What an attention adds to the residual stream, out[n_rows, D] of all texts, behind
     * its output projection and norm; the last layer's only where hidden or logits are
     * wanted.  NULL: not wanted.
     */
    void (*given)(void *self, int layer, enum stack_id stack, const float *out, int n_rows,
                  int D);
    void *self;
};

/* What is wanted.  The pass stops after the last layer that anything here needs. */
struct wanted {
    const bool *layer;      /* [L] whose rows go to the sinks; NULL: all */
    const bool *head;       /* [H] the same for heads, of every layer; [L, head_stride]
                               where that is not 0, of each layer */
    int head_stride;
    unsigned stacks;        /* whose rows: bits 1 << STACK_..; 0: all that run */
    const struct memory *memory;    /* for m->decoder and layers with W_CROSS_Q; else NULL */
    /*
     * [n_texts] the batch holds the tokens behind those that are kept, and they are
     * kept too; the memory is only for the first time.  No sinks and tap with it, and
     * no change but of precision; after an error it is of no use.  NULL: the batch's
     * texts are whole.
     */
    struct cache *const *cache;
    bool last_only;         /* hidden and logits have a row a text, its last token's */
    const struct rotations *rotations;  /* NULL: drawn */
    const struct change *change;    /* NULL: nothing */
    const struct tap *tap;      /* NULL: none */
    float *hidden;          /* out: [tokens, m->d_hidden] after the final norm; NULL: not
                               wanted */
    float *logits;          /* out: [tokens, m->n_logits], or [texts, m->n_logits] where
                               the family's head_on_first says so; NULL: not wanted; needs
                               m->has_head */
};

static inline bool wanted_layer(const struct wanted *want, int layer)
{
    return want->layer == NULL || want->layer[layer];
}

/* Whether a layer that is wanted shows this head. */
static inline bool wanted_head(const struct wanted *want, int layer, int head)
{
    return want->head == NULL || want->head[layer * want->head_stride + head];
}

/*
 * Errors (ERR_INPUT): ids where the model reads values, or values of another shape than
 * it takes; an id outside the vocabulary, a type outside the table, a text longer than
 * the model's positions (with both numbers), a text without tokens; another input that
 * is wanted, or has too many keys; a mask that does not fit; rotations of another width
 * than the text's buckets ask for; a row of attention that is not finite (layer, head,
 * row: the weights hold NaN or infinities).  Sinks may have been given rows before an
 * error.
 */
int run_forward(const struct model *m, const struct batch *b, const struct wanted *want,
                const struct sink *sinks, int n_sinks, struct par *par,
                struct arena *call, struct err *e);

/*
 * out[n, D] = what a layer's attention adds to the residual stream, of n rows of
 * heads' outputs z[n, H d_v]: the output projection, with its bias, and its norm.  Of
 * FRONT_QKV it is z.
 */
void run_attention_output(const struct model *m, int layer, enum stack_id stack,
                          float *out, const float *z, int n, struct par *par);

/* The bytes that run_forward takes beyond the model for one text of n tokens. */
double run_memory(const struct model *m, int n_tokens, int n_threads);

#endif
