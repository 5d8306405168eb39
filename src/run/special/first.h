/* SPDX-License-Identifier: MIT
 *
 * Extended embeddings: the vector of a token for later layers, without attention and position:
 * its embedding plus the output of the first layer's mlp on it. */
#ifndef RUN_FIRST_H
#define RUN_FIRST_H

#include "base/par.h"
#include "run/run.h"

/* Whether x + mlp0(norm(x)) can be computed from model's embeddings x alone. */
bool first_is_known(const struct model *model);

/*
 * x[n, D] = e + mlp0(norm(e)), mlp[n, D] the second part alone, of the embeddings e of these
 * ids.  Requires first_is_known(model); scratch memory is allocated in a.
 */
void first_rows(float *x, float *mlp, const struct model *model, struct par *par, struct arena *a,
                const int *id, int n);

#endif
