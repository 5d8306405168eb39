/* SPDX-License-Identifier: MIT
 * signal.h for the module: a page receives no signals. */
#ifndef POSIX_SIGNAL_H
#define POSIX_SIGNAL_H

#include <sys/types.h>

enum { SIGINT = 2, SIGILL = 4, SIGABRT = 6, SIGBUS = 7, SIGFPE = 8, SIGSEGV = 11, SIGTERM = 15 };
enum { SIG_BLOCK, SIG_SETMASK };
#define raise(sig) ((void)(sig))
#define sigfillset(set) ((void)(set))
#define sigdelset(set, sig) ((void)(set), (void)(sig))
#define pthread_sigmask(how, set, before) ((void)(set), (void)(before))

#endif
