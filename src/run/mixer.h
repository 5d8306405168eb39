/* SPDX-License-Identifier: MIT
 * Layers that mix tokens without attention. */
#ifndef RUN_MIXER_H
#define RUN_MIXER_H

#include "run/pass.h"

/* out[N, D] = what the mixer of layer l, which does not attend, makes of p->a; out may be p->a.
 * With a cache its state goes on from there. */
void mixer_run(struct pass *p, int l, float *out);

/* Floats that a text's state takes in one such layer. */
size_t mixer_state(const struct model *m);

/* The floats that a mixer takes for a text of n tokens. */
double mixer_memory(const struct model *m, int n_tokens);

#endif
