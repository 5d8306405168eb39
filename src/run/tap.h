/* SPDX-License-Identifier: MIT
 * Calls of a tap (view.h): it gets the inputs of an attention, and may compute it in the model's
 * place. */
#ifndef RUN_TAP_H
#define RUN_TAP_H

#include "run/heads.h"
#include "run/pass.h"

/*
 * Calls the tap, if there is one for layer l, with the attention's inputs.  *replaced: set to true
 * if the tap computed the attention into pass->z; else unchanged.  Errors: the tap's, and ERR_INPUT
 * for global rows.
 */
int tap_show(struct pass *pass, int l, const struct heads *heads, bool *replaced, struct err *e);

#endif
