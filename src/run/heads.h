/* SPDX-License-Identifier: MIT
 * Inputs of one layer's attention: rows of queries, of keys and values, and masks and biases. */
#ifndef RUN_HEADS_H
#define RUN_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "nn/attend.h"
#include "nn/bias.h"
#include "run/mask.h"

struct cached;              /* cached.h */

struct heads {
    enum stack_id stack;
    const float *q, *kv;
    int64_t q_stride, kv_stride;        /* floats from row to row */
    const int *q_at, *k_at, *v_at;      /* where heads begin in a row */
    const int *key_start;               /* [texts + 1] each text's first row of kv */
    const struct cached *cached;        /* [texts] caches, which replace kv and key_start; NULL: no
                                           cache */
    int lo, hi;                         /* window of visible keys, as in layer_plan */
    bool biased;                        /* scores get a bias by position */
    /*
     * Sets hidden[t * stride + j] to 1 where row row0 + t does not see key key0 + j, in addition
     * to the window; NULL: the window decides alone.
     */
    void (*hide)(const void *self, int text, int head, unsigned char *hidden,
                 size_t stride, int row0, int n_rows, int key0, int n_keys);
    const void *hide_self;
    /*
     * [tokens] 1: a global row, which uses global_qkv (laid out as q and kv) and sees every key; in
     * texts with such rows, hide applies the window too.  NULL: no global rows.
     */
    const unsigned char *global;
    const float *global_qkv;
    const struct bias_copies *copies;   /* [texts] how often keys count in the softmax (BigBird);
                                           NULL: once */
    const struct score_term *terms;     /* [texts, H] in place of a bias by position; NULL: none */
    const struct mask *mask;            /* the user's mask; NULL: none */
    const struct precomputed_layer *precomputed;    /* given rows, in place of queries and keys;
                                                       NULL: rows are computed */
};

/* y[d] *= sigmoid(gate[d]): a head's output where the model has gates. */
void heads_gate(float *y, const float *gate, int d);

/* True if some rows of the text read global_qkv. */
bool heads_have_global(const struct heads *heads, int text);

/* True if some keys of the text are counted more than once in the softmax. */
bool heads_have_copies(const struct heads *heads, int text);

/* True if keys are hidden one by one, by the model or by the user's mask. */
bool heads_hide_keys(const struct heads *heads);

/*
 * Marks keys that are hidden one by one for a block of rows of one head: hidden[t * stride + j] = 1
 * where row row0 + t does not see key key0 + j; others are unchanged.  The text has v->S keys.
 */
void heads_hide(const struct heads *heads, const struct mask_view *v, int text,
                unsigned char *hidden, size_t stride, int row0, int n_rows, int key0,
                int n_keys);

#endif
