/* SPDX-License-Identifier: MIT
 * Trees that an arena owns, and their members. */
#include "base/json.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* ---- trees ---- */

static void json_release(void *what)
{
    json_decref(what);
}

json_t *json_hold(struct arena *a, json_t *made)
{
    if (made == NULL)
        arena_fail(a, 0);
    arena_own(a, json_release, made);
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

/* jansson makes no string of other bytes than UTF-8, as if memory were lacking. */
json_t *json_shown(struct arena *a, const char *s)
{
    static const char unknown[] = "\xef\xbf\xbd";
    size_t n = s != NULL ? strlen(s) : 0, size = 0;
    struct arena_mark mark = arena_mark(a);
    char *text;
    json_t *made;

    if (s == NULL)
        return json_null();
    if (utf8_check(s, n) == n)
        return json_string(s);
    text = arena_alloc(a, n, sizeof unknown - 1);
    for (size_t at = 0; at < n;) {
        int code, len = utf8_decode(s + at, n - at, &code);

        memcpy(text + size, len > 0 ? s + at : unknown, len > 0 ? (size_t)len : sizeof unknown - 1);
        size += len > 0 ? (size_t)len : sizeof unknown - 1;
        at += len > 0 ? (size_t)len : 1;
    }
    made = json_stringn(text, size);
    arena_reset(a, mark);
    return made;
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
