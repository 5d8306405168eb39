/* SPDX-License-Identifier: MIT
 * Version, command line, models and file of texts of a run, for what it writes. */
#ifndef TASK_PROVENANCE_H
#define TASK_PROVENANCE_H

#include "cli/output.h"
#include "report/provenance.h"
#include "session/item.h"
#include "session/session.h"

/*
 * With the model and the texts open: s->provenance, where what goes to o, or a picture beside it,
 * has a place for it and it is wanted; else, and for callers of the library, that stays NULL.
 * picture NULL: there is none.
 *
 * Errors: those of model_hash_data; the file of texts cannot be read.
 */
int provenance_open(struct session *s, const struct output *o, const struct output *picture,
                    struct err *e);

/* Adds the model of another session to s->provenance, where there is one. */
int provenance_add(struct session *s, const struct session *other, struct err *e);

/* "3", "3, part 2": which of the texts of its file an item is; NULL: it is of none. */
const char *provenance_line(const struct session *s, struct arena *a, const struct item *item);

/* "minilm (bert, 9e3f1c02a7b4d586)". */
const char *provenance_model_text(struct arena *a, const struct provenance_model *model);

#endif
