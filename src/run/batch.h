/* SPDX-License-Identifier: MIT
 *
 * A batch: the texts of one pass, packed without padding, their tokens one text after the
 * other. */
#ifndef RUN_BATCH_H
#define RUN_BATCH_H

#include "run/special/front.h"

struct batch {
    int n_texts;
    const int *start;       /* [n_texts + 1]: text i has tokens start[i] .. start[i+1] - 1 */
    const int *id;          /* [start[n_texts]]; NULL where there are values */
    const int *type;        /* [start[n_texts]]; NULL: all 0 */
    const int *box;         /* [start[n_texts], 4] left, top, right and bottom of each token, for
                               models with W_BOX_X, as rows of their tables; NULL: all 0 */
    const struct values *values;    /* [n_texts] input of a front other than FRONT_TOKENS; each
                                       yields as many positions as its text has tokens */
    const unsigned char *global;    /* [start[n_texts]] 1: sees every token and is seen by
                               all, for models with W_Q_GLOBAL; NULL if none is global */
};

/* Memory: the input of cross-attention, an encoder's output or a second input of a bare layer. */
struct memory {
    const float *x;         /* [start[n_texts], DIM_KEY_INPUT] */
    const int *start;       /* [n_texts + 1] */
    const float *v;         /* [start[n_texts], DIM_VALUE_INPUT] for the values; NULL: x */
};

#endif
