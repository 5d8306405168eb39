/* SPDX-License-Identifier: MIT
 *
 * Fields of a JSON object, checked for type and range.  All errors (ERR_INPUT) read
 *
 *     KEY: found VALUE, expected WHAT
 *
 * and err_under puts the file before them.  A value that is not an object has no fields. */
#ifndef BASE_JSON_FIELD_H
#define BASE_JSON_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * The error for a value that a caller checks itself; always returns -1.  found is shown as
 * JSON, cut with "…" after 60 bytes; NULL is shown as "nothing".
 */
int json_field_wrong(const char *key, const json_t *found, const char *expected,
                     struct err *e);

/* A whole number, or any number, from lo to hi, both included; it must be there. */
int json_field_int(const json_t *object, const char *key, int lo, int hi, int *out,
                   struct err *e);
int json_field_real(const json_t *object, const char *key, double lo, double hi,
                    double *out, struct err *e);

/* true or false; absent or null: def. */
int json_field_bool(const json_t *object, const char *key, bool def, bool *out,
                    struct err *e);

/*
 * A string of *n bytes with a NUL after them, or a string of one character; it must be
 * there.  *out is the object's.
 */
int json_field_text(const json_t *object, const char *key, const char **out, size_t *n,
                    struct err *e);
int json_field_char(const json_t *object, const char *key, const char **out, size_t *n,
                    struct err *e);

/* A list, the object's; absent or null: *out is NULL. */
int json_field_list(const json_t *object, const char *key, const json_t **out,
                    struct err *e);

/*
 * A list of *n whole numbers from lo to hi, a's; an empty one is not NULL.  Absent: *out is
 * NULL and *n is 0.  Errors name the item: KEY[I].
 */
int json_field_ints(struct arena *a, const json_t *object, const char *key, int lo, int hi,
                    int **out, int *n, struct err *e);

/* The same for given values; key is only their name in errors. */
int json_value_int(const json_t *v, const char *key, int lo, int hi, int *out,
                   struct err *e);
int json_value_ints(struct arena *a, const json_t *v, const char *key, int lo, int hi,
                    int **out, int *n, struct err *e);

#endif
