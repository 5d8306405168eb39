/* SPDX-License-Identifier: MIT
 * What the attention of one layer reads: rows of queries, of keys and values, and what
 * they see. */
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
    const int *key_start;               /* [texts + 1] rows of kv */
    const struct cached *cached;        /* [texts] instead of kv and key_start; or NULL */
    int lo, hi;                         /* as in layer_plan */
    bool biased;                        /* by position */
    /*
     * Sets hidden[t * stride + j] to 1 where row row0 + t does not see key key0 + j,
     * beyond lo and hi; NULL: lo and hi decide alone.
     */
    void (*hide)(const void *self, int text, int head, unsigned char *hidden,
                 size_t stride, int row0, int n_rows, int key0, int n_keys);
    const void *hide_self;
    /*
     * Rows (1) that read global_qkv, laid out as q and kv are, and see every key; in
     * texts with such rows hide marks what lo and hi say.  NULL: there are none.
     */
    const unsigned char *global;
    const float *global_qkv;
    const struct bias_copies *copies;   /* [texts]; NULL: every key is counted once */
    const struct score_term *terms;     /* [texts, H] instead of a bias; NULL: none */
    const struct mask *mask;            /* the user's; NULL: none */
    const struct precomputed_layer *precomputed;    /* rows instead of queries and keys;
                                                       NULL: computed */
};

/* y[d] *= sigmoid(gate[d]): a head's output where the model has gates. */
void heads_gate(float *y, const float *gate, int d);

/* True if some rows of the text read global_qkv. */
bool heads_have_global(const struct heads *h, int text);

/* True if some keys of the text are counted more than once in the softmax. */
bool heads_have_copies(const struct heads *h, int text);

/* True if keys are hidden one by one, by the model or by the user's mask. */
bool heads_hide_keys(const struct heads *h);

/*
 * Marks such keys for a block of rows of one head of a text of v->S keys: hidden[t *
 * stride + j] = 1 where row row0 + t does not see key key0 + j; others are left alone.
 */
void heads_hide(const struct heads *h, const struct mask_view *v, int text,
                unsigned char *hidden, size_t stride, int row0, int n_rows, int key0,
                int n_keys);

#endif
