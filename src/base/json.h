/* SPDX-License-Identifier: MIT
 *
 * JSON documents: trees owned by an arena, read from untrusted files, or built.  If jansson cannot
 * allocate memory, arena_fail is called. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

/*
 * The tree of a document, an object or an array; a owns it until json_drop.  flags are
 * jansson's JSON_ALLOW_NUL (in strings, never in keys) and JSON_REJECT_DUPLICATES.
 *
 * Errors (ERR_INPUT, without the file's name): not JSON (line, where there are several,
 * column in characters, what was found); nested more than 2048 deep; a tree of over 512 MiB,
 * which is estimated before it is built: it takes up to fifty times the bytes of its text.
 */
json_t *json_read(struct arena *a, struct span bytes, size_t flags, struct err *e);

/* Makes the arena own a value until json_drop; made NULL: no memory. */
json_t *json_hold(struct arena *a, json_t *made);
void json_drop(struct arena *a, const json_t *root);    /* NULL: nothing */

/*
 * Puts value, which the container then owns, under the key, or at the end; value NULL: no memory.
 * Returns value, borrowed.  Keys are UTF-8.
 */
json_t *json_put(struct arena *a, json_t *object, const char *key, json_t *value);
json_t *json_add(struct arena *a, json_t *array, json_t *value);

/* Puts each member of the object `from` into another, shared, not copied. */
void json_put_all(struct arena *a, json_t *object, const json_t *from);

/*
 * A string of untrusted bytes, such as a path: each byte that is not UTF-8 becomes U+FFFD, as in
 * reports.  s NULL: null.
 */
json_t *json_shown(struct arena *a, const char *s);

/* Compact text of any value, in the arena. */
const char *json_text(struct arena *a, const json_t *value);

/* As json_put, for the object or array in text, which must be JSON. */
void json_put_text(struct arena *a, json_t *object, const char *key, const char *text);

#endif
