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

/* One object of JSON, of arena a. */
char *provenance_json(const struct provenance *p, struct arena *a);

struct npz;
/* The array "provenance" of an npz: one string of JSON, as provenance_json has it; where there is
 * s->provenance.  item: as of provenance_of. */
void provenance_add_array(struct npz *z, const struct session *s, struct arena *a,
                          const struct item *item);

/* p with the line of an item where it is of a file, of arena a; NULL where p is.  item NULL:
 * several, or none. */
const struct provenance *provenance_of(const struct provenance *p, struct arena *a,
                                       const struct item *item);

#endif
