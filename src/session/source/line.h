/* SPDX-License-Identifier: MIT
 * A line of a file of texts -> its text, pair of texts, or ids. */
#ifndef SESSION_LINE_H
#define SESSION_LINE_H

#include "session/item.h"
#include "session/session.h"

/*
 * Fills *out from a line, by --jsonl, --pairs and asked->half; texts point into the line or into
 * arena a.  *done: the line has ids, so nothing is left to tokenise.  out->blank: it is white
 * space, and without --keep-empty no text.  Callable from any thread.  Errors (ERR_INPUT): a line
 * of another form.
 */
int line_read(const struct session *session, struct arena *a, const char *line, size_t n,
              struct item *out, bool *done, struct err *e);

#endif
