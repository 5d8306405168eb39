/* SPDX-License-Identifier: MIT
 *
 * Positions for the patches of a picture of another size than the model's, between those that
 * it has for a square of patches:
 *
 *     p(y, x) = sum over i, j of c_i(u) c_j(v) table[floor(u) + i][floor(v) + j]   i, j = -1 ... 2
 *     u = (y + 1/2) rows of the table / rows - 1/2,  v the same of columns
 *
 * c: the cubic convolution of Keys 1981 with a = -3/4; indices beyond the ends are the ends.
 * As torch's interpolate, bicubic, align_corners False, without antialiasing. */
#ifndef RUN_INTERPOLATE_H
#define RUN_INTERPOLATE_H

#include "run/pass.h"

/* x[n, D] += the positions of a picture's rows: the learnt ones, then its patches; v: the
 * picture. */
void interpolate_add(struct pass *p, float *x, const struct values *v);

/* Floats that it takes. */
size_t interpolate_room(const struct model *m);

#endif
