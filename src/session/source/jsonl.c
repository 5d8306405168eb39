/* SPDX-License-Identifier: MIT
 * A line of a --jsonl file -> the text, or the ids, that it gives. */
#include "session/source/jsonl.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/json_field.h"
#include "base/number.h"

/* Absent: NULL. */
static int jsonl_read_text(struct arena *a, const json_t *o, const char *key, const char **out,
                           size_t *n, struct err *e)
{
    if (json_object_get(o, key) == NULL)
        return 0;
    if (json_field_text(o, key, out, n, e) != 0)
        return -1;
    *out = arena_strndup(a, *out, *n);
    return 0;
}

static int jsonl_check(const struct json_line *line, struct err *e)
{
    bool ids = line->ids.id != NULL;

    if (!ids && line->text == NULL)
        return err_set(e, ERR_INPUT, "expected {\"text\":…,\"pair\":…} or {\"ids\":[…]}");
    if (!ids && line->type_ids.id != NULL)
        return err_set(e, ERR_INPUT, "type_ids requires ids");
    if (!ids && line->pair != NULL && line->decoder_ids.id != NULL)
        return err_set(e, ERR_INPUT, "pair, decoder_ids: only one of them can be given");
    return 0;
}

static int jsonl_read_object(struct arena *a, const json_t *o, struct json_line *out,
                             struct err *e)
{
    const struct { const char *key; struct json_ids *list; } lists[] = {
        { "ids", &out->ids }, { "type_ids", &out->type_ids },
        { "decoder_ids", &out->decoder_ids }, { "global", &out->global },
    };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (json_field_ints(a, o, lists[i].key, 0, INT_MAX, &lists[i].list->id,
                            &lists[i].list->n, e) != 0)
            return -1;
    if (out->ids.id == NULL && jsonl_read_text(a, o, "text", &out->text, &out->text_size, e) != 0)
        return -1;
    if (jsonl_read_text(a, o, "pair", &out->pair, &out->pair_size, e) != 0)
        return -1;
    return jsonl_check(out, e);
}

static int read_group(struct arena *a, const json_t *o, const char *by, const char **out,
                      struct err *e)
{
    const json_t *value = json_object_get(o, by);
    char number[NUMBER_SIZE];

    if (json_is_string(value) && json_string_length(value) == strlen(json_string_value(value)))
        *out = arena_strdup(a, json_string_value(value));
    else if (json_is_boolean(value))
        *out = json_is_true(value) ? "true" : "false";
    else if (json_is_integer(value))
        *out = arena_printf(a, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value)) {
        number_double(number, json_real_value(value));
        *out = arena_strdup(a, number);
    }
    if (*out == NULL || **out == '\0' || strlen(*out) > 256)
        return json_field_wrong(by, value, "a string of 1 to 256 bytes, a number, true or false",
                                e);
    return 0;
}

int jsonl_read(struct arena *a, const char *line, size_t n, const char *by,
               struct json_line *out, struct err *e)
{
    struct span bytes = { (const unsigned char *)line, n };
    json_t *value = json_read(a, bytes, JSON_ALLOW_NUL, e);
    int status;

    *out = (struct json_line){ 0 };
    if (value == NULL)
        return -1;
    status = jsonl_read_object(a, value, out, e);
    if (status == 0 && by != NULL)
        status = read_group(a, value, by, &out->group, e);
    json_drop(a, value);
    return status;
}
