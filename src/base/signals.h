/* SPDX-License-Identifier: MIT
 *
 * Signals kept out of a few lines that have to happen as one. */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Blocks in this thread, until signals_let(before), every signal but those that a fault of
 * its own raises (SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT).  Threads started meanwhile keep
 * it so.
 */
void signals_hold(sigset_t *before);
void signals_let(const sigset_t *before);

/*
 * From here on the first SIGINT or SIGTERM only makes signals_put_off_one tell it, for work
 * that would first come to a good end; a second one ends the process as always.
 */
void signals_put_off(void);
int signals_put_off_one(void);      /* the one that came; 0: none */
/* Ends this; raises the one that came, which ends the process. */
void signals_put_off_end(void);
/* For the handler of them: whether this one is put off. */
bool signals_is_put_off(int sig);

#endif
