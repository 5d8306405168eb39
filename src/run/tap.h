/* SPDX-License-Identifier: MIT
 * Hands out what an attention reads, and lets something else attend in its place. */
#ifndef RUN_TAP_H
#define RUN_TAP_H

#include "run/heads.h"
#include "run/pass.h"

/*
 * Shows the attention of layer l to the tap, where one is to see it.  *replaced: set to
 * true if the tap attended and wrote p->z; else left alone.  Errors: the tap's, and
 * ERR_INPUT where rows are global.
 */
int tap_show(struct pass *p, int l, const struct heads *h, bool *replaced, struct err *e);

#endif
