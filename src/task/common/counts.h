/* SPDX-License-Identifier: MIT
 *
 * Counts of tokens in a corpus, for metrics of rare tokens. */
#ifndef TASK_COUNTS_H
#define TASK_COUNTS_H

#include "session/unigrams.h"
#include "task/common/job.h"

/*
 * Takes counts from --unigrams, or counts all texts.  No counts, without an error: for tokens
 * without ids; for texts that cannot be read twice (a note says that `what` is null).  Errors:
 * those of unigrams_read, and of the texts.
 */
int counts_take(struct job *job, const char *what, struct unigrams *unigrams, struct err *e);

#endif
