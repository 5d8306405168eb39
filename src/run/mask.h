/* SPDX-License-Identifier: MIT
 *
 * A mask that the user gives in addition to the model's own: which keys a query does not
 * see, or numbers that are added to its scores. */
#ifndef RUN_MASK_H
#define RUN_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Queries q0 .. q1 do not see keys k0 .. k1. */
struct mask_block {
    int q0, q1, k0, k1;
};

/* The numbers of an array, which are read when a text of its shape comes. */
struct mask_values {
    const float *x;             /* as the array has them; NULL: not read yet */
    bool adds;                  /* some of them are neither 0 nor -inf */
    /* Sets the above, or fails; what failed once fails again in the same way. */
    int (*read)(struct mask_values *self, struct err *e);
};

/*
 * [n_batch, n_heads, T, S], each of the first three 1 where all share it; -inf hides; else
 * it is added to the scores.
 */
struct mask_array {
    const char *name, *shape;   /* its file, and how that says it, for messages */
    bool keys_alone;            /* [S] or [n_batch, S] there */
    struct mask_values *values;
    int64_t n_batch, n_heads, T, S;
};

/*
 * All parts together: a key is hidden where any of them hides it.  Row i sees
 * keys j <= i (causal), not the last n_padding keys, not those of a block.
 */
struct mask {
    const char *name;           /* as the user gave it, for messages */
    bool causal;
    int n_padding;
    int n_blocks;
    const struct mask_block *block;
    int n_arrays;
    const struct mask_array *array;
    /*
     * What the score of a hidden key becomes.  -inf: the key takes no part, and a row
     * that sees no key is all 0.  Finite: it takes part with that score, and a row that
     * sees no other key is uniform.
     */
    float hidden_score;
};

/*
 * Fits a text of T queries and S keys under H heads: text is its number.  more: there are
 * further keys, which no mask hides.
 * The first that an array fits has its numbers read; those of a wrong shape never are.
 * ERR_INPUT: the array has another shape (both are named), or cannot be read; all keys of
 * all rows are hidden; a block or the padding lies beyond the text.
 */
int mask_check(const struct mask *m, int64_t text, int64_t T, int64_t S, bool more, int H,
               struct err *e);

/* One head of one text, for a block of its rows. */
struct mask_view {
    const struct mask *mask;
    int64_t text, head;
    int S;                      /* keys of the text; those after them are left alone */
};

/* hidden[t * stride + j] = 1 where row row0 + t does not see key key0 + j; only
 * where hidden_score is -inf. */
void mask_hide(const struct mask_view *v, unsigned char *hidden, size_t stride,
               int row0, int n_rows, int key0, int n_keys);

/* The add of a struct score_term (nn/attend.h), self a struct mask_view: adds the array,
 * sets the scores of hidden keys to a finite hidden_score. */
void mask_add(const void *self, float *score, size_t stride, int row0, int n_rows,
              int key0, int n_keys);

/* True if it hides what a decoder hides, and does nothing else. */
bool mask_is_causal(const struct mask *m);

/* True if it differs from head to head. */
bool mask_is_by_head(const struct mask *m);

/* True if mask_hide, mask_add have something to do; after mask_check. */
bool mask_hides(const struct mask *m);
bool mask_adds(const struct mask *m);

#endif
