/* SPDX-License-Identifier: MIT
 * Fields of a JSON object, checked for their type, and errors that name them. */
#include "text/tok_priv.h"

static const char *type_name(const json_t *j)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",
        [JSON_STRING] = "a text", [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number", [JSON_TRUE] = "true", [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };

    return j != NULL ? names[json_typeof(j)] : "nothing";
}

static int wrong(const char *key, const json_t *found, const char *want,
                 struct err *e)
{
    return err_set(e, ERR_INPUT, "\"%s\" is %s, expected %s", key, type_name(found),
                   want);
}

int field_bool(const json_t *o, const char *key, bool def, bool *out, struct err *e)
{
    const json_t *j = json_object_get(o, key);

    *out = def;
    if (j == NULL || json_is_null(j))
        return 0;
    if (!json_is_boolean(j))
        return wrong(key, j, "true or false", e);
    *out = json_is_true(j);
    return 0;
}

int field_int(const json_t *o, const char *key, json_int_t lo, json_int_t hi,
              int *out, struct err *e)
{
    const json_t *j = json_object_get(o, key);

    if (!json_is_integer(j))
        return wrong(key, j, "a whole number", e);
    if (json_integer_value(j) < lo || json_integer_value(j) > hi)
        return err_set(e, ERR_INPUT, "\"%s\" is %lld, expected %lld to %lld", key,
                       (long long)json_integer_value(j), (long long)lo,
                       (long long)hi);
    *out = (int)json_integer_value(j);
    return 0;
}

int field_text(const json_t *o, const char *key, struct text *out, struct err *e)
{
    const json_t *j = json_object_get(o, key);

    if (!json_is_string(j))
        return wrong(key, j, "a text", e);
    out->s = json_string_value(j);
    out->n = json_string_length(j);
    return 0;
}

int field_char(struct tok *t, const json_t *o, const char *key, struct text *out,
               struct err *e)
{
    int cp;

    if (field_text(o, key, out, e) != 0)
        return -1;
    if (out->n == 0 || (size_t)chars_next(out->s, out->n, &cp) != out->n)
        return err_set(e, ERR_INPUT, "\"%s\" is \"%.80s\", expected one character", key,
                       out->s);
    out->s = arena_strndup(t->a, out->s, out->n);
    return 0;
}

int field_list(const json_t *o, const char *key, const json_t **out, struct err *e)
{
    const json_t *j = json_object_get(o, key);

    *out = NULL;
    if (j == NULL || json_is_null(j))
        return 0;
    if (!json_is_array(j))
        return wrong(key, j, "a list", e);
    *out = j;
    return 0;
}
