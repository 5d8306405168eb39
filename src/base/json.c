/* SPDX-License-Identifier: MIT
 * Trees that an arena owns, and their members. */
#include "base/json.h"

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

json_t *json_add(struct arena *a, json_t *array, json_t *value)
{
    if (value == NULL || json_array_append_new(array, value) != 0)
        arena_fail(a, 0);
    return value;
}
