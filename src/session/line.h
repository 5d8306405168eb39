/* SPDX-License-Identifier: MIT
 * A line of a file of texts -> the text, the two, or the ids, that it gives. */
#ifndef SESSION_LINE_H
#define SESSION_LINE_H

#include "session/item.h"
#include "session/session.h"

/*
 * Fills *out with what a line says, as --jsonl, --pairs and the half of a pair that is asked for
 * have it: texts are where the line is, or of a.  *done: it gives ids, so that nothing is left to
 * tokenise.  out->blank: it gives nothing but white space, and --keep-empty was not given, so that
 * it is no text.  On any thread.  Errors (ERR_INPUT): another kind of line.
 */
int line_read(const struct session *s, struct arena *a, const char *line, size_t n,
              struct item *out, bool *done, struct err *e);

#endif
