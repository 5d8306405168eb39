/* SPDX-License-Identifier: MIT
 * What a pass is asked for, checked before it runs. */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "run/pass.h"

/* The batch, and what is wanted, fit the model.  Errors: those of run_forward. */
int check_pass(const struct pass *p, struct err *e);

/*
 * All linears of m and of its decoder can be rounded to this precision.  ERR_INPUT: blocks
 * do not divide the rows of one (the tensor, their width, that of a block).  ERR_USAGE: it
 * is for linears, and there are none.
 */
int check_precision(const struct model *m, enum precision precision, struct err *e);

#endif
