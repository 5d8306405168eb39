/* SPDX-License-Identifier: MIT
 *
 * A strict reader of JSON, piece by piece.  A header may hold a million tensors;
 * a tree of them takes ten times the header's size and most of the time, and the
 * shape of the header is known beforehand. */
#ifndef WEIGHTS_SCAN_H
#define WEIGHTS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct scan {
    const unsigned char *begin, *at, *end;
};

/* Skips blanks; then takes the character c if it comes next. */
bool scan_take(struct scan *s, char c);

/* The same where c must come.  wanted: for the message, "':'". */
int scan_want(struct scan *s, char c, struct err *e);

/* Skips blanks; true at the end. */
bool scan_at_end(struct scan *s);

/*
 * A string; its text goes to out with a NUL after it, its length without to *n.
 * out needs as much room as there are bytes left; NULL: only checked.  The text
 * may hold NULs (\u0000).
 */
int scan_string(struct scan *s, char *out, size_t *n, struct err *e);

/* A whole number in [0, 2^63). */
int scan_count(struct scan *s, int64_t *v, struct err *e);

/* "at byte 17: found 'x', expected WANTED"; always returns -1. */
int scan_unexpected(const struct scan *s, const char *wanted, struct err *e);

#endif
