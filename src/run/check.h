/* SPDX-License-Identifier: MIT
 * What a pass is asked for, checked before it runs. */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "run/pass.h"

/*
 * The batch, and what is wanted, fit the model.  Errors: those of run_forward; blocks of the
 * precision do not divide the rows of a linear that is computed (the tensor, their width, that
 * of a block).
 */
int check_pass(const struct pass *p, struct err *e);

/* ERR_USAGE: the precision is for linears, and m has none. */
int check_precision(const struct model *m, enum precision precision, struct err *e);

/*
 * ERR_USAGE: c->fast is beside a precision that is simulated, is for linears and m has none, or
 * is not there, and why.
 */
int check_fast(const struct model *m, const struct change *c, struct err *e);

#endif
