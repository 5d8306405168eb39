/* SPDX-License-Identifier: MIT
 * Trees that an arena owns, and their members. */
#include "base/json.h"

#include <stdint.h>

/* ---- trees ---- */

static void release(void *what)
{
    json_decref(what);
}

json_t *json_hold(struct arena *a, json_t *made)
{
    if (made == NULL)
        arena_fail(a, 0);
    arena_own(a, release, made);
    return made;
}

void json_drop(struct arena *a, const json_t *root)
{
    if (root != NULL)
        arena_release(a, root);
}

/* ---- building ---- */

json_t *json_put(struct arena *a, json_t *object, const char *key, json_t *value)
{
    if (value == NULL || json_object_set_new(object, key, value) != 0)
        arena_fail(a, 0);
    return value;
}

void json_put_all(struct arena *a, json_t *object, const json_t *from)
{
    const char *key;
    json_t *value;

    /* its iterators are not const */
    json_object_foreach((json_t *)(uintptr_t)from, key, value)
        json_put(a, object, key, json_incref(value));
}

/* json_dumps loses a key where it has no memory for it. */
const char *json_text(struct arena *a, const json_t *value)
{
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
    size_t n = json_dumpb(value, NULL, 0, flags);
    char *text = arena_alloc(a, n + 1, 1);

    if (n == 0 || json_dumpb(value, text, n, flags) != n)
        arena_fail(a, 0);
    return text;
}

json_t *json_add(struct arena *a, json_t *array, json_t *value)
{
    if (value == NULL || json_array_append_new(array, value) != 0)
        arena_fail(a, 0);
    return value;
}
