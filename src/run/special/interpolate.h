/* SPDX-License-Identifier: MIT
 *
 * Interpolated position embeddings, for pictures of another size than the model's, whose own are
 * for a square grid of patches:
 *
 *     p(y, x) = sum over i, j of c_i(u) c_j(v) table[floor(u) + i][floor(v) + j]   i, j = -1 ... 2
 *     u = (y + 1/2) rows of the table / rows - 1/2,  v the same for columns
 *
 * c: the cubic convolution of Keys 1981 with a = -3/4; indices are clamped to the table.
 * As torch's interpolate, bicubic, align_corners False, without antialiasing. */
#ifndef RUN_INTERPOLATE_H
#define RUN_INTERPOLATE_H

#include "run/pass.h"

/* x[n, D] += the positions of the rows of picture v: learned rows ([CLS]), then patches. */
void interpolate_add(struct pass *pass, float *x, const struct values *v);

/* Floats of scratch memory. */
size_t interpolate_room(const struct model *model);

#endif
