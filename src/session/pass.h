/* SPDX-License-Identifier: MIT
 * The pass over texts alone: rows of all heads of the model, before anything of them is hidden,
 * merged or averaged. */
#ifndef SESSION_PASS_H
#define SESSION_PASS_H

#include "session/texts.h"

/* As session_forward, but rows are those of the model. */
int session_pass(const struct session *session, const struct texts *texts,
                 const struct wanted *want, const struct sink *sinks, int n_sinks, struct arena *a,
                 struct err *e);

#endif
