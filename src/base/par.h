/* SPDX-License-Identifier: MIT
 *
 * Threads of our own.  Work is split over outputs, never inside a sum, so the
 * number of threads never shows in a result. */
#ifndef BASE_PAR_H
#define BASE_PAR_H

#include "base/arena.h"
#include "base/err.h"

struct par;

/* n_threads >= 1, the caller counts as one.  Each thread has a scratch arena. */
struct par *par_new(int n_threads, struct err *e);
void par_free(struct par *p);
int par_threads(const struct par *p);

/* The machine's processors that this process may run on. */
int par_default_threads(void);

/*
 * Calls fn(self, i, scratch) for i in [0, n), each once, on any thread, and
 * returns when all are done.  What fn takes from scratch is gone afterwards.
 */
void par_for(struct par *p, int n,
             void (*fn)(void *self, int i, struct arena *scratch), void *self);

#endif
