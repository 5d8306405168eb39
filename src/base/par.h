/* SPDX-License-Identifier: MIT
 *
 * Threads of our own.  Work is split over outputs, never inside a sum, so the
 * number of threads never shows in a result. */
#ifndef BASE_PAR_H
#define BASE_PAR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/meter.h"
#include "base/progress.h"

struct par;

/*
 * n_threads >= 1, the caller counts as one; fewer where no more can be started, or where the
 * system limits addresses or data (ulimit -v, -d) so that the work would lack them.  Each has a
 * scratch arena, and all but the caller a stack of 1 MiB.  Signals are delivered to none but the
 * caller.
 *
 * Errors (ERR_SYSTEM): no memory.
 */
struct par *par_new(int n_threads, struct err *e);

/*
 * Who hears why work is slower than it could be, with the same results: at once that fewer
 * threads than were asked for were started, later what par_slower is given.  NULL: nobody.
 */
void par_explain(struct par *p, const struct warn *note);

/* Gives a reason, a string that stays; not the same one again.  On the caller's thread. */
void par_slower(struct par *p, const char *why);

/*
 * Where par_for goes when the scratch of a thread runs out: the handler of this arena.
 * Without it the process aborts.
 */
void par_on_full(struct par *p, const struct arena *like);

/* Who is told how far the work is: of the caller's thread, between calls of fn.  NULL: nobody.
 * Where it is leaving, no more calls begin, and it is told once more when all others are done. */
void par_tell(struct par *p, struct progress *progress);
struct progress *par_progress(const struct par *p);

/* Where the time goes of what is computed with these threads.  NULL: nobody measures. */
void par_measure(struct par *p, struct meter *meter);
struct meter *par_meter(const struct par *p);

void par_free(struct par *p);
int par_threads(const struct par *p);

/* The machine's processors that this process may run on. */
int par_default_threads(void);

/*
 * Calls fn(self, i, scratch) for i in [0, n), each once, on any thread, and
 * returns when all are done.  What fn takes from scratch is gone afterwards; what it
 * gave to scratch (arena_own) is released.
 *
 * Where scratch runs out, on whatever thread, that call of fn ends where it is, no new
 * one begins, and the handler is called on the caller's thread once all others are done.
 * So fn must not hold a lock while it asks scratch for memory, and asks no other arena.
 */
void par_for(struct par *p, int n,
             void (*fn)(void *self, int i, struct arena *scratch), void *self);

/*
 * Within fn, between parts of what takes long: tells who is told, on the caller's thread.  True
 * where it is leaving: fn may return, as nobody reads what it would have made.
 * scratch: that of fn.
 */
bool par_leaves(struct par *p, const struct arena *scratch);

#endif
