/* SPDX-License-Identifier: MIT
 * Provenance of a run for its outputs: version, command line, models and file of texts. */
#ifndef TASK_PROVENANCE_H
#define TASK_PROVENANCE_H

#include "base/json.h"
#include "cli/output.h"
#include "report/provenance.h"
#include "session/item.h"
#include "session/session.h"

/*
 * Called with the model and the texts open: sets session->provenance if it is wanted, and the
 * format of output, or of a picture beside it, can store it; else, and for callers of the library,
 * it stays NULL.
 * picture NULL: there is none.
 *
 * Errors: those of model_hash_data; the file of texts cannot be read.
 */
int provenance_open(struct session *session, const struct output *output,
                    const struct output *picture, struct err *e);

/* Adds the model of another session to session->provenance, if that is set. */
int provenance_add(struct session *session, const struct session *other, struct err *e);

/* A JSON object, in arena a. */
char *provenance_json(const struct provenance *provenance, struct arena *a);

struct npz;
/* Adds the array "provenance" to an npz, a string as of provenance_json, if session->provenance is
 * set.
 * item: as in provenance_of. */
void provenance_add_array(struct npz *npz, const struct session *session, struct arena *a,
                          const struct item *item);

/* provenance with the line number of an item from a file, in arena a; NULL if provenance is.  item
 * NULL: several, or none. */
const struct provenance *provenance_of(const struct provenance *provenance, struct arena *a,
                                       const struct item *item);

/* Adds the member "provenance" to the description of a part (task/parts/parts.h). */
void provenance_put(const struct provenance *provenance, struct arena *a, json_t *part);

struct job;
struct sums;
/*
 * Sets job->results.run, for the report of the whole, from that member of a part; unchanged if it
 * is not wanted or the part has none.  more: options to append to the command line, a blank before
 * each.  ERR_INPUT, with the part's path: the member is malformed.
 */
int provenance_read(struct job *job, const struct sums *part, const char *more, struct err *e);

#endif
