/* SPDX-License-Identifier: MIT
 * Weights prepared once for many short passes, as in generation: rounded to fewer bits, or
 * transposed for few rows (nn/turned.h). */
#ifndef RUN_PREPARED_H
#define RUN_PREPARED_H

#include <stdbool.h>

#include "model/model.h"
#include "run/change.h"

struct linear_job;              /* packed.h */
struct pass;
struct prepared;

/*
 * An empty store, in arena a.
 * turns    whether weights are transposed
 * spare    bytes that transposed weights may take
 */
struct prepared *prepared_new(struct arena *a, bool turns, double spare);

/*
 * Runs the job with prepared weights of pass->want->prepared, if its matrix has `fast`, or its rows
 * are few.  Weights are rounded at their first use, and transposed at their fourth.  false: nothing
 * was done, as they are not to be prepared, not yet, or there is no memory (then par_slower was
 * called).
 */
bool prepared_linear(struct pass *pass, const struct linear_job *job);

/* Most bytes that the linears of model take in fewer bits; 0 if the change has no `fast`. */
double prepared_memory(const struct model *model, const struct change *change);

#endif
