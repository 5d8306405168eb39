/* SPDX-License-Identifier: MIT
 *
 * --resume: the state of a run, in a file that is updated after each batch, so that a run that was
 * killed can continue: how many texts are done, and their sums, like those of a shard, or the
 * length of the reports so far, which are in OUT.partial.
 *
 * Without --resume all these functions do nothing. */
#ifndef TASK_STATE_H
#define TASK_STATE_H

#include "task/common/job.h"

/* Called with the output planned.  ERR_USAGE: texts or reports that cannot be resumed. */
int state_check(struct job *job, struct err *e);

/*
 * Called before the output is opened and the first text is read: resumes from the file, if it
 * exists; from here on signals wait for the end of a batch.  ERR_INPUT, with the path: the file is
 * of another run, or damaged.  ERR_SYSTEM: another run uses it.
 */
int state_begin(struct job *job, struct err *e);

/* Called after each batch of texts: updates the file; a signal that came meanwhile ends the
 * process. */
int state_batch_done(void *job, struct err *e);

int state_end(struct job *job, struct err *e); /* after all texts, before the end of the output */
/* Removes the file, when the output is complete.  ERR_SYSTEM: it cannot. */
int state_done(struct job *job, struct err *e);

#endif
