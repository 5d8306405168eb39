/* SPDX-License-Identifier: MIT
 * Reader of JSON reports of heads, as `ablate --json` and `types --json` write them. */
#ifndef TASK_HEADS_FILE_H
#define TASK_HEADS_FILE_H

#include "base/json.h"
#include "session/session.h"

/*
 * Calls each() for the objects of the report's list "heads", all of which must be of the session's
 * stack.  schemas: the accepted schemas; NULL ends.
 *
 * Errors (ERR_INPUT): not JSON, or of another schema, weights or stack; a layer or head that the
 * model does not have; those of each.
 */
int heads_file_read(const struct session *session, struct span bytes, const char *const *schemas,
                    int (*each)(void *self, int layer, int head, const json_t *o, struct err *e),
                    void *self, struct err *e);

#endif
