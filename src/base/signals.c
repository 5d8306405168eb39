/* SPDX-License-Identifier: MIT
 * The signal mask of a thread, and deferred signals. */
#include "base/signals.h"

#include <pthread.h>
#include <stdatomic.h>

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

/* A handler can reach nothing but globals. */
static atomic_bool puts_off;
static atomic_int put_off;          /* the signal; 0: none */

void signals_put_off(void)
{
    atomic_store(&put_off, 0);
    atomic_store(&puts_off, true);
}

int signals_put_off_one(void)
{
    return atomic_load(&put_off);
}

void signals_put_off_end(void)
{
    int sig;

    atomic_store(&puts_off, false);
    sig = atomic_exchange(&put_off, 0);
    if (sig != 0)
        raise(sig);
}

bool signals_is_put_off(int sig)
{
    int none = 0;

    return atomic_load(&puts_off) && (sig == SIGINT || sig == SIGTERM) &&
           atomic_compare_exchange_strong(&put_off, &none, sig);
}
