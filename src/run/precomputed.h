/* SPDX-License-Identifier: MIT
 * Attention rows of a file (--attention) -> blocks for the sinks. */
#ifndef RUN_PRECOMPUTED_H
#define RUN_PRECOMPUTED_H

#include "run/pass.h"

/*
 * Reads the rows of the block that *rows describes: fills weight, hidden, entropy, n_visible (for
 * rows that see no key) and, if y has them, single and null_mass.  Returns the first row that is
 * not a row of attention; -1 if all are.
 */
int precomputed_read(const struct precomputed_layer *y, struct rows *rows, float *weight,
                     float *single, unsigned char *hidden, double *entropy,
                     double *null_mass, int *n_visible);

/* Sets the error (ERR_INPUT) for a row that precomputed_read returned; returns -1. */
int precomputed_error(const struct precomputed_layer *y, struct arena *a, int head, int row,
                      struct err *e);

/* Errors (ERR_USAGE): the wanted outputs require a model with weights. */
int precomputed_check(const struct pass *pass, struct err *e);

#endif
