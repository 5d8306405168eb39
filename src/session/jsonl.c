/* SPDX-License-Identifier: MIT
 * A line of a --jsonl file -> the text, or the ids, that it gives. */
#include "session/jsonl.h"

#include <jansson.h>
#include <limits.h>

#include "base/json.h"

static int read_ids(struct arena *a, const json_t *o, const char *key,
                    struct json_ids *out, struct err *e)
{
    const json_t *list = json_object_get(o, key);

    if (list == NULL)
        return 0;
    if (!json_is_array(list))
        return err_set(e, ERR_INPUT, "%s is not an array", key);
    out->n = (int)json_array_size(list);
    out->id = arena_alloc(a, (size_t)out->n + 1, sizeof *out->id);
    for (int i = 0; i < out->n; i++) {
        const json_t *v = json_array_get(list, (size_t)i);

        if (!json_is_integer(v) || json_integer_value(v) < 0 ||
            json_integer_value(v) > INT_MAX)
            return err_set(e, ERR_INPUT, "%s[%d] is not an id", key, i);
        out->id[i] = (int)json_integer_value(v);
    }
    return 0;
}

/* Not of a string: NULL. */
static const char *read_text(struct arena *a, const json_t *v, size_t *n)
{
    *n = json_string_length(v);
    return json_is_string(v) ? arena_strndup(a, json_string_value(v), *n) : NULL;
}

static int read_object(struct arena *a, const json_t *o, struct json_line *out,
                       struct err *e)
{
    const json_t *pair = json_object_get(o, "pair");
    const struct { const char *key; struct json_ids *list; } lists[] = {
        { "ids", &out->ids }, { "type_ids", &out->type_ids },
        { "decoder_ids", &out->decoder_ids }, { "global", &out->global },
    };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (read_ids(a, o, lists[i].key, lists[i].list, e) != 0)
            return -1;
    out->text = read_text(a, json_object_get(o, "text"), &out->text_size);
    out->pair = read_text(a, pair, &out->pair_size);
    if ((out->text == NULL && out->ids.id == NULL) || (out->pair == NULL && pair != NULL))
        return err_set(e, ERR_INPUT, "expected {\"text\":…,\"pair\":…} or {\"ids\":[…]}");
    if (out->ids.id == NULL && out->type_ids.id != NULL)
        return err_set(e, ERR_INPUT, "type_ids requires ids");
    if (out->ids.id == NULL && out->pair != NULL && out->decoder_ids.id != NULL)
        return err_set(e, ERR_INPUT, "pair, decoder_ids: only one of them can be given");
    return 0;
}

int jsonl_read(struct arena *a, const char *line, size_t n, struct json_line *out,
               struct err *e)
{
    struct span bytes = { (const unsigned char *)line, n };
    json_t *o = json_read(a, bytes, JSON_ALLOW_NUL, e);
    int rc;

    *out = (struct json_line){ 0 };
    if (o == NULL)
        return -1;
    rc = read_object(a, o, out, e);
    json_drop(a, o);
    return rc;
}
