/* SPDX-License-Identifier: MIT
 *
 * Numbers, ranges and lists as typed by users: "7", "3-5", "0,3-5".  One grammar for
 * layers, heads, tokens, ids and blocks of a mask. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * The whole number without a sign at *s, which moves after it.  -1: there is none;
 * LLONG_MAX: it is at least that large.
 */
long long list_number(const char **s);

/* "3-5", or "3", at *s, which moves after it.  false: there is none, or last < first. */
bool list_range(const char **s, long long *first, long long *last);

/*
 * One part of a list "0,3-5" at *s, which moves after it and the comma.
 * Returns 1 where another part follows, 0 where this is the last, -1 where it is neither
 * a number nor a range.
 */
int list_next(const char **s, long long *first, long long *last);

/* The members that a list may name, and their names in messages. */
struct list_of {
    const char *option;         /* "--layer" */
    const char *like;           /* "0,3-5 or all" */
    const char *owner, *member; /* "the model", "layer" */
    int n;                      /* members are 0 to n - 1 */
    bool from_end;              /* "last", and "-1" and so on, count from the end */
    const bool *has;            /* [n] available members: others are skipped in ranges and when
                                   counting from the end; NULL: all */
    const char *holds;          /* "MODEL holds layers 1,3", for messages, if not all are available
                                   */
};

/*
 * Sets out[i] for each member i of the list; "all" means every one.  A number from the end must
 * be alone, not in a range.  out NULL: only the grammar is checked.
 *
 * Errors (ERR_USAGE): not a list; a member that does not exist (with the range); members that are
 * all unavailable (with the available ones).
 */
int list_members(const struct list_of *of, const char *list, bool *out, struct err *e);

/*
 * rank[i] = the order, from 0, in which a valid list first names member i; members named by "all"
 * are in their own order.
 */
void list_ranks(const struct list_of *of, const char *list, int *rank);

/* Parses a list of numbers alone, in order: "101,7592,102" -> id[*n], in arena a. */
int list_parse_ids(struct arena *a, const char *option, const char *list, int **id, int *n,
                   struct err *e);

/* A list of the members of set [n] that are true: "0-3,5", of a. */
const char *list_text(struct arena *a, const bool *set, int n);

#endif
