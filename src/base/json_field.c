/* SPDX-License-Identifier: MIT
 * Fields of a JSON object -> C values, or one wording of what was found and expected. */
#include "base/json_field.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { SHOWN = 60 };                /* bytes of a value in an error */

struct shown {
    char s[SHOWN];
    size_t n;
    bool is_cut;
};

/* Ends the dump where the room does. */
static int json_field_show(const char *text, size_t n, void *self)
{
    struct shown *shown = self;
    size_t fits = n < SHOWN - shown->n ? n : SHOWN - shown->n;

    memcpy(shown->s + shown->n, text, fits);
    shown->n += fits;
    shown->is_cut = fits < n;
    return shown->is_cut ? -1 : 0;
}

int json_field_wrong(const char *key, const json_t *found, const char *expected,
                     struct err *e)
{
    struct shown shown = { .n = 0 };

    if (found == NULL)
        return err_set(e, ERR_INPUT, "%s: found nothing, expected %s", key, expected);
    (void)json_dump_callback(found, json_field_show, &shown, JSON_ENCODE_ANY | JSON_COMPACT);
    return err_set(e, ERR_INPUT, "%s: found %.*s%s, expected %s", key,
                   (int)utf8_check(shown.s, shown.n), shown.s, shown.is_cut ? "…" : "",
                   expected);
}

static int wrong_number(const char *key, const json_t *found, const char *kind, double lo,
                        double hi, struct err *e)
{
    char expected[96];

    snprintf(expected, sizeof expected, "%s from %.12g to %.12g", kind, lo, hi);
    return json_field_wrong(key, found, expected, e);
}

int json_value_int(const json_t *v, const char *key, int lo, int hi, int *out,
                   struct err *e)
{
    json_int_t i = json_integer_value(v);

    if (!json_is_integer(v) || i < lo || i > hi)
        return wrong_number(key, v, "a whole number", lo, hi, e);
    *out = (int)i;
    return 0;
}

int json_field_int(const json_t *object, const char *key, int lo, int hi, int *out,
                   struct err *e)
{
    return json_value_int(json_object_get(object, key), key, lo, hi, out, e);
}

int json_field_real(const json_t *object, const char *key, double lo, double hi,
                    double *out, struct err *e)
{
    const json_t *value = json_object_get(object, key);
    double d = json_number_value(value);

    if (!json_is_number(value) || !(d >= lo && d <= hi))
        return wrong_number(key, value, "a number", lo, hi, e);
    *out = d;
    return 0;
}

int json_field_bool(const json_t *object, const char *key, bool def, bool *out,
                    struct err *e)
{
    const json_t *value = json_object_get(object, key);

    *out = def;
    if (value == NULL || json_is_null(value))
        return 0;
    if (!json_is_boolean(value))
        return json_field_wrong(key, value, "true or false", e);
    *out = json_is_true(value);
    return 0;
}

int json_field_text(const json_t *object, const char *key, const char **out, size_t *n,
                    struct err *e)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_string(value))
        return json_field_wrong(key, value, "a string", e);
    *out = json_string_value(value);
    *n = json_string_length(value);
    return 0;
}

int json_field_char(const json_t *object, const char *key, const char **out, size_t *n,
                    struct err *e)
{
    const json_t *value = json_object_get(object, key);
    size_t length = json_string_length(value);
    int code;

    if (length == 0 ||
        (size_t)utf8_decode(json_string_value(value), length, &code) != length)
        return json_field_wrong(key, value, "a string of one character", e);
    return json_field_text(object, key, out, n, e);
}

int json_field_list(const json_t *object, const char *key, const json_t **out,
                    struct err *e)
{
    const json_t *value = json_object_get(object, key);

    *out = NULL;
    if (value == NULL || json_is_null(value))
        return 0;
    if (!json_is_array(value))
        return json_field_wrong(key, value, "a list", e);
    *out = value;
    return 0;
}

int json_value_ints(struct arena *a, const json_t *v, const char *key, int lo, int hi,
                    int **out, int *n, struct err *e)
{
    size_t size = json_array_size(v);

    if (!json_is_array(v) || size > INT_MAX)
        return json_field_wrong(key, v, "a list of whole numbers", e);
    *n = (int)size;
    *out = arena_alloc(a, size + 1, sizeof **out);
    for (size_t i = 0; i < size; i++) {
        char name[80];

        snprintf(name, sizeof name, "%.50s[%zu]", key, i);
        if (json_value_int(json_array_get(v, i), name, lo, hi, &(*out)[i], e) != 0)
            return -1;
    }
    return 0;
}

int json_field_ints(struct arena *a, const json_t *object, const char *key, int lo, int hi,
                    int **out, int *n, struct err *e)
{
    const json_t *value = json_object_get(object, key);

    *out = NULL;
    *n = 0;
    return value == NULL ? 0 : json_value_ints(a, value, key, lo, hi, out, n, e);
}
