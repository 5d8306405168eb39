/* SPDX-License-Identifier: MIT
 *
 * The user's mask, in addition to the model's own: hidden keys, or numbers that are added to
 * scores. */
#ifndef RUN_MASK_H
#define RUN_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A rectangle: queries q0 .. q1 do not see keys k0 .. k1. */
struct mask_block {
    int q0, q1, k0, k1;
};

/* The numbers of an array, read when the first text of its shape is run. */
struct mask_values {
    const float *x;             /* in the order of the array; NULL: not read yet */
    bool adds;                  /* some are neither 0 nor -inf */
    /* Sets the above; after a failure it fails again with the same error. */
    int (*read)(struct mask_values *self, struct err *e);
};

/*
 * A mask array [n_batch, n_heads, T, S]; a dimension of 1, of the first three, applies to all.
 * -inf hides a key; other numbers are added to its score.
 */
struct mask_array {
    const char *name, *shape;   /* file, and the shape as in the file, for messages */
    bool keys_alone;            /* its shape in the file is [S] or [n_batch, S] */
    struct mask_values *values;
    int64_t n_batch, n_heads, T, S;
};

/*
 * A mask of several parts; a key is hidden if any part hides it.  causal: row i sees keys j <= i;
 * n_padding: the last keys are hidden; blocks: rectangles are hidden.
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
     * The score of hidden keys.  -inf: they have weight 0, and a row that sees no key is all 0.
     * Finite: they enter the softmax with this score, and a row without other keys is uniform.
     */
    float hidden_score;
};

/*
 * Checks that the mask fits text number `text` of T queries and S keys, with H heads.  more: there
 * are further keys, which no mask hides.  An array's numbers are read at the first text that it
 * fits; one of a wrong shape is never read.
 * ERR_INPUT: the array has another shape (both are named), or cannot be read; all keys of
 * all rows are hidden; a block or the padding lies beyond the text.
 */
int mask_check(const struct mask *mask, int64_t text, int64_t T, int64_t S, bool more, int H,
               struct err *e);

/* One head of one text, for a block of its rows. */
struct mask_view {
    const struct mask *mask;
    int64_t text, head;
    int S;                      /* keys of the text; later ones are unaffected */
};

/* hidden[t * stride + j] = 1 where row row0 + t does not see key key0 + j; only
 * where hidden_score is -inf. */
void mask_hide(const struct mask_view *v, unsigned char *hidden, size_t stride,
               int row0, int n_rows, int key0, int n_keys);

/* The `add` of a struct score_term (nn/attend.h) whose self is a struct mask_view: adds the array,
 * and sets the scores of hidden keys to hidden_score if that is finite. */
void mask_add(const void *self, float *score, size_t stride, int row0, int n_rows,
              int key0, int n_keys);

/* True if it is the causal mask of a decoder, and nothing else. */
bool mask_is_causal(const struct mask *mask);

/* True if it differs from head to head. */
bool mask_is_by_head(const struct mask *mask);

/* True if mask_hide, or mask_add, has any effect; after mask_check. */
bool mask_hides(const struct mask *mask);
bool mask_adds(const struct mask *mask);

#endif
