/* SPDX-License-Identifier: MIT
 * Ids or a front's rows, types and positions -> the residual stream. */
#ifndef RUN_EMBED_H
#define RUN_EMBED_H

#include "run/pass.h"

/* pass->x[N, D] = the embeddings of the batch. */
void embed_batch(struct pass *pass);

/* out[N, E] = the embeddings of the tokens alone, scaled as the model scales them. */
void embed_tokens(struct pass *pass, float *out);

#endif
