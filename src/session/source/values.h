/* SPDX-License-Identifier: MIT
 *
 * --input FILE: an array of numbers (pixels, samples, features) for a model that does not read
 * text, and names of its positions. */
#ifndef SESSION_VALUES_H
#define SESSION_VALUES_H

#include "model/model.h"
#include "run/special/front.h"
#include "session/asked.h"
#include "text/tok.h"
#include "weights/weights.h"

enum { MAX_VALUES = 1 << 20 };      /* arrays in one file */

/*
 * The array in memory (given) of this name, else that of the .npy file, or the only one of the
 * .npz, as *n arrays of the shape that model reads: one, or one per index of a leading axis.
 * Numbers of all types of NumPy that npz_open reads, rounded to floats.
 *
 * Errors (ERR_INPUT, the file named): those of npz_open, several arrays, another shape
 * (found, expected), a number that is not finite (with its index).
 */
int values_read(struct arena *a, const struct model *model, const struct asked_arrays *given,
                const char *path, struct values **out, int *n, struct err *e);

/* All numbers of an array; errors: one that is not finite (with its index). */
int values_floats(struct arena *a, const struct tensor *tensor, float **x, struct err *e);

/*
 * Names the n positions of array v as tokens: of a picture [CLS], then row,column of each patch;
 * of sound the time at which the position begins, "0.42s"; else the number.  out->id is NULL;
 * spans are 0, 0; [CLS] is special.
 */
void values_describe(struct arena *a, const struct model *model, const struct values *v, int n,
                     struct tokens *out);

#endif
