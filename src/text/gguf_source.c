/* SPDX-License-Identifier: MIT
 * Keys of a GGUF's tokeniser -> pieces and added tokens. */
#include "text/gguf_source.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/utf8.h"

/* ---- keys ---- */

const struct gguf_value *gguf_source_value(const struct gguf_source *s, const char *key)
{
    return gguf_find(s->g, arena_printf(s->a, "tokenizer.ggml.%s", key));
}

int gguf_source_wrong(const struct gguf_source *s, const struct gguf_value *v,
                      const char *want)
{
    return err_set(s->e, ERR_INPUT, "%s: is %s, expected %s", v->key, gguf_kind(s->a, v), want);
}

int gguf_source_flag(const struct gguf_source *s, const char *key, bool *out)
{
    const struct gguf_value *value = gguf_source_value(s, key);

    if (value == NULL)
        return 0;
    if (value->type != GGUF_BOOL || value->is_array)
        return gguf_source_wrong(s, value, "a BOOL");
    *out = gguf_int(value, 0) != 0;
    return 0;
}

int gguf_source_special(const struct gguf_source *s, const char *key, const char **out)
{
    const struct gguf_value *value = gguf_source_value(s, key);
    int64_t id;

    if (value == NULL)
        return 0;
    if (!gguf_is_int(value) || value->is_array)
        return gguf_source_wrong(s, value, "a whole number");
    id = gguf_int(value, 0);
    if (id < 0 || id >= s->n)
        return err_set(s->e, ERR_INPUT, "%s: found %lld, expected an id of the %d token%s",
                       value->key, (long long)id, s->n, str_plural(s->n));
    *out = s->piece[id];
    return 0;
}

const struct gguf_value *gguf_source_strings(const struct gguf_source *s, const char *key)
{
    const struct gguf_value *value = gguf_source_value(s, key);

    if (value == NULL)
        err_set(s->e, ERR_INPUT, "has no tokenizer.ggml.%s", key);
    else if (value->type != GGUF_STRING || !value->is_array || value->n > INT_MAX)
        gguf_source_wrong(s, value, "an array of STRING");
    else
        return value;
    return NULL;
}

/* ---- pieces ---- */

/* Pieces of a word's inside carry the mark in tokenizer.json, the others here. */
static const char *unmark(const struct gguf_source *s, const char *piece)
{
    size_t count = strlen(piece);

    if (count > 2 && piece[0] == '[' && piece[count - 1] == ']')
        return piece;
    return strncmp(piece, GGUF_MARK, 3) == 0 ? piece + 3 :
           arena_printf(s->a, "##%s", piece);
}

int gguf_source_pieces(struct gguf_source *s, bool marked)
{
    const struct gguf_value *value = gguf_source_strings(s, "tokens");
    struct gguf_strings all;
    struct span text;

    if (value == NULL)
        return -1;
    s->n = (int)value->n;
    s->piece = arena_alloc(s->a, (size_t)s->n, sizeof *s->piece);
    all = gguf_strings(value);
    for (int i = 0; gguf_next(&all, &text); i++) {
        const char *bytes = (const char *)text.data;

        if (memchr(bytes, '\0', text.size) != NULL ||
            utf8_check(bytes, text.size) != text.size)
            return err_set(s->e, ERR_INPUT, "tokenizer.ggml.tokens: token %d is not "
                           "UTF-8 without NULs", i);
        s->piece[i] = arena_strndup(s->a, bytes, text.size);
        if (marked)
            s->piece[i] = unmark(s, s->piece[i]);
    }
    return 0;
}

void gguf_source_add(const struct gguf_source *s, int id, const char *piece, bool special)
{
    json_t *added = json_object_get(s->root, "added_tokens");

    json_add(s->a, added,
        json_pack("{si ss sb sb sb sb sb}", "id", id, "content", piece, "single_word", 0,
                  "lstrip", 0, "rstrip", 0, "normalized", 0, "special", (int)special));
}

int gguf_source_added(const struct gguf_source *s)
{
    const struct gguf_value *value = gguf_source_value(s, "token_type");

    json_put(s->a, s->root, "added_tokens", json_array());
    if (value == NULL)
        return 0;
    if (!gguf_is_int(value) || !value->is_array || value->n != s->n)
        return gguf_source_wrong(
            s, value, arena_printf(s->a, "an array of %d whole numbers", s->n));
    for (int i = 0; i < s->n; i++) {
        int64_t type = gguf_int(value, i);

        if (type < UNDEFINED || type > BYTE)
            return err_set(s->e, ERR_INPUT, "%s: token %d has type %lld, expected 0 to 6",
                           value->key, i, (long long)type);
        if ((type == CONTROL || type == USER_DEFINED) && s->piece[i][0] != '\0')
            gguf_source_add(s, i, s->piece[i], type == CONTROL);
    }
    return 0;
}
