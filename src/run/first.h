/* SPDX-License-Identifier: MIT
 *
 * What a token is to the later layers before any attention: its embedding, without a
 * position, and what the mlp of the first layer makes of it. */
#ifndef RUN_FIRST_H
#define RUN_FIRST_H

#include "base/par.h"
#include "run/run.h"

/* x + mlp0(norm(x)) can be computed of m's embeddings x alone. */
bool first_is_known(const struct model *m);

/*
 * x[n, D] = e + mlp0(norm(e)), mlp[n, D] the second part alone, of the embeddings e of these
 * ids.  m is one that first_is_known allows; scratch memory is of a.
 */
void first_rows(float *x, float *mlp, const struct model *m, struct par *par, struct arena *a,
                const int *id, int n);

#endif
