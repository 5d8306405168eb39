/* SPDX-License-Identifier: MIT
 *
 * One convention for everything that can fail: take `struct err *e` last and
 * return 0 or -1 (or a pointer or NULL).  Only main prints e->msg and exits
 * with e->kind. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

enum err_kind {              /* = the exit status */
    ERR_NONE = 0,
    ERR_NEGATIVE = 1,        /* a comparison found a difference */
    ERR_USAGE = 2,           /* the command line is wrong */
    ERR_INPUT = 3,           /* a model, a text or another input is wrong */
    ERR_SYSTEM = 4           /* disk, memory, a failed write */
};

/* How many of several texts an ERR_INPUT concerns. */
enum err_reach {
    ERR_OF_ONE,              /* only the present text */
    ERR_OF_MANY,             /* probably others, too: the first is named, the rest are counted */
    ERR_OF_ALL
};

struct err {
    enum err_kind kind;
    char msg[640];           /* one line: file, thing, found, expected; no full stop */
    enum err_reach reach;    /* err_set: ERR_OF_ONE */
    bool absent;             /* it does not exist, rather than cannot be read; err_set: false */
};

/*
 * Sets kind and message; always returns -1.  Control characters and bytes that
 * are not UTF-8 become \xNN, so that a name from a file can neither break the
 * line nor control the terminal.  A message that is too long is cut, with "…".
 */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the reach of the present error; always returns -1. */
int err_reaches(struct err *e, enum err_reach reach);

/* Marks the present error as "does not exist"; always returns -1. */
int err_is_absent(struct err *e);

/* Puts "CONTEXT: " before the present message; always returns -1. */
int err_under(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The receiver of warnings; owned by the command, so that --quiet and tests can suppress
 * them.  fn NULL drops them.
 */
struct warn {
    void (*fn)(void *self, const char *msg);
    void *self;
};

/* One line, cleaned as err_set does it.  warn may be NULL. */
void err_warn(const struct warn *warn, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Warns "FILE: ...": the reason why one of several items is left out.  If warnings are dropped, the
 * first reason is stored in *unheard (kind ERR_NONE before) for the error at the end.
 */
void err_warn_left_out(const struct warn *warn, struct err *unheard, const char *file,
                       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Appends ": REASON" to the present message, if unheard has one; always returns -1. */
int err_because(struct err *e, const struct err *unheard);

#endif
