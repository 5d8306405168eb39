/* SPDX-License-Identifier: MIT
 * Checks of the arguments of a pass, before it runs. */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "run/pass.h"

/*
 * Checks that the batch and the wanted outputs fit the model.  Errors: those of run_forward; the
 * row width of a linear is no multiple of the precision's block (with tensor and both widths).
 */
int check_pass(const struct pass *pass, struct err *e);

/* ERR_USAGE: the precision is one of linears, and model has no linears. */
int check_precision(const struct model *model, enum precision precision, struct err *e);

/*
 * ERR_USAGE: change->fast together with a simulated precision, or for a model without linears, or
 * not available on this machine (with the reason).
 */
int check_fast(const struct model *model, const struct change *change, struct err *e);

#endif
