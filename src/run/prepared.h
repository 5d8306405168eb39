/* SPDX-License-Identifier: MIT
 * Weights that are prepared once for passes that follow each other, as tokens of a continuation
 * do: rounded to fewer bits, or turned round for few rows (nn/turned.h). */
#ifndef RUN_PREPARED_H
#define RUN_PREPARED_H

#include <stdbool.h>

#include "model/model.h"
#include "run/change.h"

struct linear_job;              /* packed.h */
struct pass;
struct prepared;

/*
 * Nothing so far; it lasts as long as a.
 * turns    whether weights are turned
 * spare    bytes that these may take
 */
struct prepared *prepared_new(struct arena *a, bool turns, double spare);

/*
 * The job with weights that p->want->prepared has, of a matrix with `fast`, or of few rows.  They
 * are rounded the first time, and turned the fourth.  false: they are not to be, or not yet, or
 * there is no memory for them, and nothing was done; par_slower was told of the latter.
 */
bool prepared_linear(struct pass *p, const struct linear_job *j);

/* Bytes that linears of m in fewer bits take at most; 0 where the change has no `fast`. */
double prepared_memory(const struct model *m, const struct change *change);

#endif
