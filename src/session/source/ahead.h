/* SPDX-License-Identifier: MIT
 *
 * Read-ahead of a file of texts: lines that have been read already -> their tokens and their
 * reports, by all threads at once, before the texts are requested one by one.  The result of a
 * text does not depend on it: one that fails here, or exceeds its share of the budget, is
 * tokenised again when its turn comes.  Only a thread whose scratch memory cannot be allocated
 * ends the run, as in a pass. */
#ifndef SESSION_AHEAD_H
#define SESSION_AHEAD_H

#include "session/source/source.h"
#include "text/budget.h"

struct ahead;

struct ahead_line {
    const char *line;           /* [size] */
    size_t size;
    int64_t index;
    bool given;                 /* the line is a text that will be requested */
    struct budget budget;       /* its share of the session's, and how much of it was used */
    void *block;                /* storage of tokens; NULL if the line was not tokenised */
    struct tokens tokens;
    struct memory_file report;  /* its report; data NULL if none was written */
};

/* An empty reader, in session->a; session has a tokeniser and threads. */
struct ahead *ahead_new(const struct session *session);

/* Removes all lines. */
void ahead_begin(struct ahead *ahead);

/*
 * Adds a line; given: its text will be requested.  True: the line was copied and there is room
 * for more.  False: it is the last that fits, and is borrowed, not copied.
 */
bool ahead_add(struct ahead *ahead, const char *line, size_t size, int64_t index, bool given);

/* Tokenises the lines and writes their reports. */
void ahead_run(struct ahead *ahead, const struct report_ahead *report);

bool ahead_has(const struct ahead *ahead);      /* whether a line is left for ahead_take */
/* The next line, valid until ahead_begin; NULL if none is left. */
struct ahead_line *ahead_take(struct ahead *ahead);

/* out->tokens, which go with a, within the budget; false: the text is still to be tokenised. */
bool ahead_tokens(struct ahead_line *line, struct budget *budget, struct arena *a,
                  struct item *out);

#endif
