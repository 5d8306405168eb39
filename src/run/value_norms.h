/* SPDX-License-Identifier: MIT
 * Norms of a layer's values, for weightings that multiply weights by them (weighting.h). */
#ifndef RUN_VALUE_NORMS_H
#define RUN_VALUE_NORMS_H

#include "run/heads.h"
#include "run/pass.h"

struct value_norms {
    int n_keys;                 /* keys of all texts */
    const float *own;           /* [H, n_keys] */
    const float *global;        /* [H, n_keys] for the values of global rows; NULL if none are */
};

/*
 * |v_j W_O| or |v_j| of each head and key of layer l, by want->weighting, in pass->call; NULL for
 * WEIGHTING_PLAIN.
 */
const struct value_norms *value_norms_of(struct pass *pass, int l, const struct heads *heads);

#endif
