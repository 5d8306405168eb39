/* SPDX-License-Identifier: MIT
 * What a pass is asked for, checked before it runs. */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "run/pass.h"

/* The batch, and what is wanted, fit the model.  Errors: those of run_forward. */
int check_pass(const struct pass *p, struct err *e);

#endif
