/* SPDX-License-Identifier: MIT
 * Pixels, frames of sound or rows -> the rows of the first layer. */
#ifndef RUN_FRONT_ROWS_H
#define RUN_FRONT_ROWS_H

#include "run/pass.h"

/* out[N, E] = the front's rows for the batch's values. */
void front_rows(struct pass *pass, float *out);

/* Floats of scratch memory for one text of n tokens. */
size_t front_rows_room(const struct model *model, int n_tokens);

#endif
