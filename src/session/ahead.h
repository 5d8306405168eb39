/* SPDX-License-Identifier: MIT
 *
 * Lines that are there already -> their tokens, and what is written of them, by all threads before
 * they are asked for.  What a text comes to does not depend on it: one that fails here, or takes
 * more than its part of the budget, is read in its turn as if nothing had been tried.  Only memory
 * that lacks for what a thread computes in ends the run, as it does in a pass. */
#ifndef SESSION_AHEAD_H
#define SESSION_AHEAD_H

#include "session/source.h"
#include "text/budget.h"

struct ahead;

struct ahead_line {
    const char *line;           /* [size] */
    size_t size;
    int64_t index;
    bool given;                 /* it is a text that will be asked for */
    struct budget budget;       /* its part, and what it took of it */
    void *block;                /* which tokens are in; NULL: it was not tokenised */
    struct tokens tokens;
    struct memory_file report;  /* what was written of it; data NULL: nothing */
};

/* Of s->a; s has a tokeniser and threads. */
struct ahead *ahead_new(const struct session *s);

/* Drops the lines that it has. */
void ahead_begin(struct ahead *ahead);

/*
 * One more line, copied; given: it will be asked for.  False: no more now, and this one stays
 * where it is.
 */
bool ahead_add(struct ahead *ahead, const char *line, size_t size, int64_t index, bool given);

/* Tokenises them, and writes what the report says. */
void ahead_run(struct ahead *ahead, const struct report_ahead *report);

bool ahead_has(const struct ahead *ahead);      /* one that was not taken */
/* The next of them, until ahead_begin; NULL: there is none. */
struct ahead_line *ahead_take(struct ahead *ahead);

/* out->tokens, which go with a, within the budget; false: the text is still to be tokenised. */
bool ahead_tokens(struct ahead_line *line, struct budget *budget, struct arena *a,
                  struct item *out);

#endif
