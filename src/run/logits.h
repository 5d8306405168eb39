/* SPDX-License-Identifier: MIT
 * The residual stream -> hidden states and logits. */
#ifndef RUN_LOGITS_H
#define RUN_LOGITS_H

#include "run/pass.h"

/* Writes want->hidden and want->logits, if wanted: final norm, then output head. */
void logits_write(struct pass *pass);

#endif
