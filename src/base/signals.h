/* SPDX-License-Identifier: MIT
 *
 * Signals: blocked during critical sections, or deferred to the end of a step. */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Blocks in this thread, until signals_let(before), every signal except those of its own faults
 * (SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT).  Threads started meanwhile inherit that.
 */
void signals_hold(sigset_t *before);
void signals_let(const sigset_t *before);

/*
 * Defers the first SIGINT or SIGTERM from here on: it is only returned by signals_put_off_one, so
 * that work can first reach a consistent state; a second one ends the process as usual.
 */
void signals_put_off(void);
int signals_put_off_one(void);      /* the deferred signal; 0 if none */
/* Ends the deferral; raises the deferred signal, which ends the process. */
void signals_put_off_end(void);
/* For the handler: whether this signal is deferred. */
bool signals_is_put_off(int sig);

#endif
