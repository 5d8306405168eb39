/* SPDX-License-Identifier: MIT
 * The values of a layer -> how long each is, for the weightings that multiply by it. */
#ifndef RUN_VALUE_NORMS_H
#define RUN_VALUE_NORMS_H

#include "run/heads.h"
#include "run/pass.h"

struct value_norms {
    int n_keys;                 /* of all texts */
    const float *own;           /* [H, n_keys] */
    const float *global;        /* [H, n_keys] of what global rows read; NULL: none do */
};

/*
 * |v_j W_O| or |v_j| of each head and key of layer l, as want->weighting says; of p->call,
 * and NULL where it is plain.
 */
const struct value_norms *value_norms_of(struct pass *p, int l, const struct heads *h);

#endif
