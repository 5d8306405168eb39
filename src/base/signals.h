/* SPDX-License-Identifier: MIT
 *
 * Signals kept out of a few lines that have to happen as one. */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>

/*
 * Blocks in this thread, until signals_let(before), every signal but those that a fault of
 * its own raises (SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT).  Threads started meanwhile keep
 * it so.
 */
void signals_hold(sigset_t *before);
void signals_let(const sigset_t *before);

#endif
