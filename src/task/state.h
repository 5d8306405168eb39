/* SPDX-License-Identifier: MIT
 *
 * --resume: how many texts are done, and what they came to, in a file that is kept up to date,
 * so that a run that was killed goes on.  What they came to is sums, as of a shard, or the
 * length of the reports so far, which lie in OUT.partial.
 *
 * Without --resume all of these do nothing. */
#ifndef TASK_STATE_H
#define TASK_STATE_H

#include "task/job.h"

/* With the output planned.  ERR_USAGE: texts or reports that cannot be gone on with. */
int state_check(struct job *j, struct err *e);

/*
 * Before the output is opened and the first text is taken: goes on from the file, if there is
 * one; from here on signals wait for the end of a batch.  ERR_INPUT, with the path: it is of
 * another run, or damaged.  ERR_SYSTEM: another run works with it.
 */
int state_begin(struct job *j, struct err *e);

/* After texts that were worked on together; a signal that came meanwhile ends the process. */
int state_batch_done(void *job, struct err *e);

int state_end(struct job *j, struct err *e);    /* after all texts, before the output's end */
/* The output is complete: the file is removed.  ERR_SYSTEM: it cannot be. */
int state_done(struct job *j, struct err *e);

#endif
