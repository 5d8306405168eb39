/* SPDX-License-Identifier: MIT
 *
 * A strict reader of JSON, piece by piece, without a tree.  A header may have a million
 * tensors; a tree of them takes ten times the header's size and most of the time, and the
 * structure of the header is known in advance. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct json_scan {
    const unsigned char *begin, *at, *end;
};

/* Skips blanks; then takes the character c if it comes next. */
bool json_scan_take(struct json_scan *scan, char c);

/* The same if c is required.  expected: for the message, "':'". */
int json_scan_expect(struct json_scan *scan, char c, struct err *e);

/* Skips blanks; true at the end. */
bool json_scan_at_end(struct json_scan *scan);

/*
 * A string; its text goes to out with a NUL after it, its length without to *n.
 * out needs room for the bytes between the quotes and a NUL, of which there are never more
 * than bytes left; NULL: only checked.  The text may hold NULs (\u0000).
 */
int json_scan_string(struct json_scan *scan, char *out, size_t *n, struct err *e);

/*
 * ---- without messages: for readers that fall back to a tree for unusual input ----
 *
 * Each returns false if something else follows; then the position is undefined.
 */

/* Skips blanks; the character there, '\0' at the end. */
char json_scan_peek(struct json_scan *scan);

/* The bytes between the quotes, n bytes in place, with escapes unchanged. */
bool json_scan_quoted(struct json_scan *scan, const char **text, size_t *n);

/* Skips to the end of a value: a comma or a bracket.  The skipped bytes are not checked. */
bool json_scan_skip(struct json_scan *scan);

/* Skips to the value of a key, from before another key of its object. */
bool json_scan_find_key(struct json_scan *scan, const char *key);

/* The same from before the object. */
bool json_scan_enter(struct json_scan *scan, const char *key);

/* A whole number of at most nine digits; another number ends at an unexpected character. */
bool json_scan_id(struct json_scan *scan, int64_t *v);

/* A number that is followed by a blank, a comma or a bracket, and finite. */
bool json_scan_real(struct json_scan *scan, double *v);

/* A whole number in [0, 2^63). */
int json_scan_count(struct json_scan *scan, int64_t *v, struct err *e);

/* "at byte 17: found 'x', expected WANTED"; always returns -1. */
int json_scan_unexpected(const struct json_scan *scan, const char *wanted, struct err *e);

#endif
