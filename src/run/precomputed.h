/* SPDX-License-Identifier: MIT
 * Rows of attention that a file holds -> blocks for the sinks. */
#ifndef RUN_PRECOMPUTED_H
#define RUN_PRECOMPUTED_H

#include "run/pass.h"

/*
 * The rows of a block that *rows describes, from y: fills weight, hidden and n_visible (of
 * rows that see nothing), entropy and, where y has it, single and null_mass.  Returns the first
 * row that
 * is not a row of attention; -1: all are.
 */
int precomputed_read(const struct precomputed_layer *y, struct rows *rows, float *weight,
                     float *single, unsigned char *hidden, double *entropy,
                     double *null_mass, int *n_visible);

/* The error (ERR_INPUT) of a row that precomputed_read has returned; -1. */
int precomputed_error(const struct precomputed_layer *y, struct arena *a, int head, int row,
                      struct err *e);

/* Errors (ERR_USAGE): what is wanted requires a model with weights. */
int precomputed_check(const struct pass *p, struct err *e);

#endif
