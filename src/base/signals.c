/* SPDX-License-Identifier: MIT
 * The mask of a thread. */
#include "base/signals.h"

#include <pthread.h>

void signals_hold(sigset_t *before)
{
    static const int faults[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT };
    sigset_t held;

    sigfillset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&held, faults[i]);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void signals_let(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
