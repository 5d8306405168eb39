/* SPDX-License-Identifier: MIT
 * The convolution after layer 0. */
#ifndef RUN_CONV_H
#define RUN_CONV_H

#include "run/pass.h"

/* x = norm(x + act(conv(the embeddings))), text by text. */
void conv_add(struct pass *p);

/* The floats that it takes for a text of n tokens. */
double conv_memory(const struct model *m, int n_tokens);

#endif
