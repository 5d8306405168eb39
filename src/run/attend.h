/* SPDX-License-Identifier: MIT
 * Attention of one layer: heads and texts are shared out over the threads, finished rows
 * go to the sinks. */
#ifndef RUN_ATTEND_H
#define RUN_ATTEND_H

#include "run/heads.h"
#include "run/pass.h"

/*
 * Runs attention of layer l on heads: rows go to the sinks and, if a later step reads them, the
 * heads' outputs to pass->z.
 * Errors: those of the tap; ERR_INPUT: a row is not finite, or not a row of attention.
 */
int attend_layer(struct pass *pass, int l, const struct heads *heads, bool keep_out,
                 struct err *e);

#endif
