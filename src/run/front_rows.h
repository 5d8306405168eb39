/* SPDX-License-Identifier: MIT
 * Pixels, frames of sound or rows -> the rows of the first layer. */
#ifndef RUN_FRONT_ROWS_H
#define RUN_FRONT_ROWS_H

#include "run/pass.h"

/* out[N, E] = what the front makes of the batch's values. */
void front_rows(struct pass *p, float *out);

/* Floats that it takes for one text of n tokens. */
size_t front_rows_room(const struct model *m, int n_tokens);

#endif
