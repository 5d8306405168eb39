/* SPDX-License-Identifier: MIT
 * Version, command line, models and file of texts of a run, for what it writes. */
#ifndef TASK_PROVENANCE_H
#define TASK_PROVENANCE_H

#include "base/json.h"
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

/* Adds to what a part says of itself the member "provenance". */
void provenance_put(const struct provenance *p, struct arena *a, json_t *part);

struct job;
struct sums;
/*
 * What such a part says, as the report of the whole says it: j->results.run, which stays as it is
 * where that is not wanted or the part says nothing.  more: options for the end of the command
 * line, a blank before each.  ERR_INPUT, with the part's path: it is not as written.
 */
int provenance_read(struct job *j, const struct sums *part, const char *more, struct err *e);

#endif
