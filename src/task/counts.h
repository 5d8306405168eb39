/* SPDX-License-Identifier: MIT
 *
 * How often each token occurs in a corpus, for what is said of rare ones. */
#ifndef TASK_COUNTS_H
#define TASK_COUNTS_H

#include "task/job.h"
#include "session/unigrams.h"

/*
 * --unigrams, or a pass over all texts.  Not known, which is no error: of tokens without ids; of
 * texts that cannot be read twice, and a note names `what` is null for it.  Errors: those of
 * unigrams_read, and of the texts.
 */
int counts_take(struct job *job, const char *what, struct unigrams *c, struct err *e);

#endif
