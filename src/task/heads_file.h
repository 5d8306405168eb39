/* SPDX-License-Identifier: MIT
 * What mha-viz wrote as JSON of the heads of a model, for what else shows them. */
#ifndef TASK_HEADS_FILE_H
#define TASK_HEADS_FILE_H

#include "base/json.h"
#include "session/session.h"

/*
 * Calls each for the objects of the report's list "heads" that are of the session's stack, which
 * all must be.  schemas: those that it may have; NULL ends.
 *
 * Errors (ERR_INPUT): not JSON, or of another schema, weights or stack; a layer or head that the
 * model does not have; those of each.
 */
int heads_file_read(const struct session *s, struct span bytes, const char *const *schemas,
                    int (*each)(void *self, int layer, int head, const json_t *o, struct err *e),
                    void *self, struct err *e);

#endif
