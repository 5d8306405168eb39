/* SPDX-License-Identifier: MIT
 *
 * Numbers, ranges and lists as people type them: "7", "3-5", "0,3-5".  One grammar for
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

/* What the members of a list are, for messages too. */
struct list_of {
    const char *option;         /* "--layer" */
    const char *like;           /* "0,3-5 or all" */
    const char *owner, *member; /* "the model", "layer" */
    int n;                      /* members are 0 to n - 1 */
    bool from_end;              /* "last", and "-1" and so on, count from the end */
    const bool *has;            /* [n] those that can be meant: others are passed over where they
                                   are counted, or in a range; NULL: all */
    const char *holds;          /* "MODEL holds layers 1,3", for messages, where not all are */
};

/*
 * Sets out[i] of each member i of the list; "all" is every one.  A number that counts from
 * the end stands alone, not in a range.  out NULL: only the grammar is checked.
 *
 * Errors (ERR_USAGE): not a list; a member that does not exist (with the range); one, or a
 * range of such, that cannot be meant (with what can).
 */
int list_members(const struct list_of *of, const char *list, bool *out, struct err *e);

/*
 * rank[i] of each member of a list that list_members takes: where the list first names it, from
 * 0; members that "all" names are in their order.
 */
void list_ranks(const struct list_of *of, const char *list, int *rank);

/* A list of numbers alone, in their order: "101,7592,102" -> id[*n], of a. */
int list_parse_ids(struct arena *a, const char *option, const char *list, int **id, int *n,
                   struct err *e);

/* A list of the members of set [n] that are true: "0-3,5", of a. */
const char *list_text(struct arena *a, const bool *set, int n);

#endif
