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

/* Which texts an ERR_INPUT is of, where there are several. */
enum err_reach {
    ERR_OF_ONE,              /* the text at hand */
    ERR_OF_MANY,             /* probably others too: the first is named, the rest are counted */
    ERR_OF_ALL
};

struct err {
    enum err_kind kind;
    char msg[640];           /* one line: file, thing, found, wanted; no full stop */
    enum err_reach reach;    /* err_set: ERR_OF_ONE */
    bool absent;             /* nothing is there, as against what cannot be read; err_set: false */
};

/*
 * Sets kind and message; always returns -1.  Control characters and bytes that
 * are not UTF-8 come out as \xNN, so a name from a file can neither break the
 * line nor speak to the terminal.  A message that is too long is cut, with "…".
 */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Says which texts the error that is there is of; always returns -1. */
int err_reaches(struct err *e, enum err_reach reach);

/* Says that there is nothing; always returns -1. */
int err_is_absent(struct err *e);

/* Puts "CONTEXT: " before the message that is there; always returns -1. */
int err_under(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Where warnings go: held by the command, so that --quiet and tests can hold
 * them back.  fn NULL drops them.
 */
struct warn {
    void (*fn)(void *self, const char *msg);
    void *self;
};

/* One line, cleaned as err_set does it.  w may be NULL. */
void err_warn(const struct warn *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * "FILE: ..." as a warning: why one of several is left out.  Where nobody hears it, the first such
 * reason is kept in *unheard, whose kind is ERR_NONE before, for the error at the end.
 */
void err_warn_left_out(const struct warn *w, struct err *unheard, const char *file,
                       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Puts ": REASON" behind the message that is there, where one is kept; always returns -1. */
int err_because(struct err *e, const struct err *unheard);

#endif
