/* SPDX-License-Identifier: MIT
 *
 * A pool of threads.  Work is divided over outputs, never inside a sum, so that results do not
 * depend on the number of threads. */
#ifndef BASE_PAR_H
#define BASE_PAR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/meter.h"
#include "base/progress.h"

struct par;

/*
 * n_threads >= 1, including the caller; fewer if no more can be started, or if limits of addresses
 * or data (ulimit -v, -d) would leave too little for the work.  Each has a scratch arena, and all
 * except the caller a stack of 1 MiB.  Signals are delivered only to the caller.
 *
 * Errors (ERR_SYSTEM): no memory.
 */
struct par *par_new(int n_threads, struct err *e);

/*
 * Sets the receiver of notes on why work is slower than possible, with the same results: at once if
 * fewer threads than requested were started, later those of par_slower.  NULL: none.
 */
void par_explain(struct par *par, const struct warn *note);

/* Gives such a note, a static string, once for each reason.  On the caller's thread. */
void par_slower(struct par *par, const char *why);

/*
 * Sets the handler that par_for calls when the scratch memory of a thread runs out: that of this
 * arena.  Without it the process aborts.
 */
void par_on_full(struct par *par, const struct arena *like);

/* Sets the progress that is informed on the caller's thread, between calls of fn.  NULL: none.  If
 * it is leaving, no more calls begin, and it is informed once more when all others have ended. */
void par_tell(struct par *par, struct progress *progress);
struct progress *par_progress(const struct par *par);

/* Sets the meter of the time of work on these threads.  NULL: not measured. */
void par_measure(struct par *par, struct meter *meter);
struct meter *par_meter(const struct par *par);

void par_free(struct par *par);
int par_threads(const struct par *par);

/* The machine's processors that this process may run on. */
int par_default_threads(void);

/*
 * Calls fn(self, i, scratch) for i in [0, n), each once, on any thread, and returns when all
 * have ended.  Memory that fn allocates in scratch is freed afterwards, and resources given to
 * it (arena_own) are released.
 *
 * If scratch runs out, on any thread, that call of fn is abandoned, no new one begins, and the
 * handler is called on the caller's thread when all others have ended.  So fn must not hold a
 * lock while it allocates in scratch, and must not allocate in another arena.
 */
void par_for(struct par *par, int n,
             void (*fn)(void *self, int i, struct arena *scratch), void *self);

/*
 * Called within fn, between steps of long work: informs the progress, on the caller's thread.  True
 * if it is leaving: fn may return, as its result will not be used.  scratch: that of fn.
 */
bool par_leaves(struct par *par, const struct arena *scratch);

#endif
