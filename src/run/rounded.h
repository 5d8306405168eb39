/* SPDX-License-Identifier: MIT
 * Weights in fewer bits, rounded once for passes that follow each other: a token of a
 * continuation takes less time than rounding them. */
#ifndef RUN_ROUNDED_H
#define RUN_ROUNDED_H

#include <stdbool.h>

#include "model/model.h"
#include "run/change.h"

struct linear_job;              /* packed.h */
struct pass;
struct rounded;

/* Nothing so far; it lasts as long as a. */
struct rounded *rounded_new(struct arena *a);

/*
 * The job with weights that p->want->rounded has, of a matrix with `fast`: the first time they
 * are rounded.  false: want has none, or there is no memory for them, and nothing was done;
 * par_slower was told.
 */
bool rounded_linear(struct pass *p, const struct linear_job *j);

/* Bytes that the linears of m take at most; 0 where the change has no `fast`. */
double rounded_memory(const struct model *m, const struct change *change);

#endif
