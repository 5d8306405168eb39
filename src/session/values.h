/* SPDX-License-Identifier: MIT
 *
 * --input FILE: an array of numbers for a model that reads no text, and names for the
 * positions that come of it. */
#ifndef SESSION_VALUES_H
#define SESSION_VALUES_H

#include "model/model.h"
#include "run/front.h"
#include "session/asked.h"
#include "text/tok.h"
#include "weights/weights.h"

enum { MAX_VALUES = 1 << 20 };      /* arrays in one file */

/*
 * The array of given that has this name, else that of a .npy file, or the only one of an .npz, as
 * *n arrays of the shape that m reads: one, or as many as a leading axis says.  Numbers of any
 * type that NumPy's
 * formats are read with, rounded to floats.
 *
 * Errors (ERR_INPUT, the file named): those of npz_open, several arrays, another shape
 * (found, wanted), a number that is not finite (its place).
 */
int values_read(struct arena *a, const struct model *m, const struct asked_arrays *given,
                const char *path, struct values **out, int *n, struct err *e);

/* All numbers of an array; errors: one that is not finite (its place). */
int values_floats(struct arena *a, const struct tensor *t, float **x, struct err *e);

/*
 * Names for the n positions of one array v, as if they were tokens: [CLS], then row,column
 * of each patch; the time at which a position's sound begins, "0.42s"; else its
 * number.  out->id is NULL; spans are 0, 0; [CLS] is special.
 */
void values_describe(struct arena *a, const struct model *m, const struct values *v, int n,
                     struct tokens *out);

#endif
