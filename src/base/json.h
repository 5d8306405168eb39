/* SPDX-License-Identifier: MIT
 *
 * JSON documents: trees that an arena owns, read from files that nobody vouches for, or
 * built.  Memory that jansson cannot get is memory that the arena cannot get: arena_fail. */
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

/* What the arena owns from here on, or until json_drop; NULL: memory is lacking. */
json_t *json_hold(struct arena *a, json_t *made);
void json_drop(struct arena *a, const json_t *root);    /* NULL: nothing */

/*
 * Puts value, which is the container's from here on, under the key or at the end; a value
 * of NULL is memory that is lacking.  Returns value, borrowed.  Keys are UTF-8.
 */
json_t *json_put(struct arena *a, json_t *object, const char *key, json_t *value);
json_t *json_add(struct arena *a, json_t *array, json_t *value);

/* Each member of from, an object, into another, without copies: it is shared. */
void json_put_all(struct arena *a, json_t *object, const json_t *from);

/*
 * A string of bytes from outside, such as a path: each that is not UTF-8 becomes U+FFFD, as in
 * reports.  s NULL: null.
 */
json_t *json_shown(struct arena *a, const char *s);

/* Compact text of any value, of the arena. */
const char *json_text(struct arena *a, const json_t *value);

/* As json_put, of an object or array that text spells, which must be JSON. */
void json_put_text(struct arena *a, json_t *object, const char *key, const char *text);

#endif
