/* SPDX-License-Identifier: MIT
 * Token mixers: layers without attention (gated convolution, gated delta rule). */
#ifndef RUN_MIXER_H
#define RUN_MIXER_H

#include "run/pass.h"

/* out[N, D] = the output of the mixer of layer l for pass->a; out may be pass->a.  With a cache it
 * continues from the state there and updates it. */
void mixer_run(struct pass *pass, int l, float *out);

/* Floats of a text's state in one such layer. */
size_t mixer_state(const struct model *model);

/* Floats of scratch memory of a mixer for a text of n tokens. */
double mixer_memory(const struct model *model, int n_tokens);

#endif
