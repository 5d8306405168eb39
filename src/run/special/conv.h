/* SPDX-License-Identifier: MIT
 * Convolutions over the rows of a text: the one after layer 0 (DeBERTa-v2), and the one that stands
 * for position embeddings (wav2vec 2.0). */
#ifndef RUN_CONV_H
#define RUN_CONV_H

#include "run/pass.h"

/* x = norm(x + act(conv(the embeddings))), text by text. */
void conv_add(struct pass *pass);

/* x = norm(x + act(conv(x))), text by text: positions of a front without a position table. */
void conv_positions(struct pass *pass);

/* Floats of scratch memory for a text of n tokens. */
double conv_memory(const struct model *model, int n_tokens);

#endif
