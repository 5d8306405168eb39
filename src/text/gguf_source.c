/* SPDX-License-Identifier: MIT
 * Keys of a GGUF's tokeniser -> pieces and added tokens. */
#include "text/gguf_source.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/utf8.h"

/* ---- keys ---- */

const struct gguf_value *gguf_source_value(const struct gguf_source *source, const char *key)
{
    return gguf_find(source->g, arena_printf(source->a, "tokenizer.ggml.%s", key));
}

int gguf_source_wrong(const struct gguf_source *source, const struct gguf_value *value,
                      const char *want)
{
    return err_set(source->e, ERR_INPUT, "%s: is %s, expected %s", value->key,
                   gguf_kind(source->a, value), want);
}

int gguf_source_flag(const struct gguf_source *source, const char *key, bool *out)
{
    const struct gguf_value *value = gguf_source_value(source, key);

    if (value == NULL)
        return 0;
    if (value->type != GGUF_BOOL || value->is_array)
        return gguf_source_wrong(source, value, "a BOOL");
    *out = gguf_int(value, 0) != 0;
    return 0;
}

int gguf_source_special(const struct gguf_source *source, const char *key, const char **out)
{
    const struct gguf_value *value = gguf_source_value(source, key);
    int64_t id;

    if (value == NULL)
        return 0;
    if (!gguf_is_int(value) || value->is_array)
        return gguf_source_wrong(source, value, "a whole number");
    id = gguf_int(value, 0);
    if (id < 0 || id >= source->n)
        return err_set(source->e, ERR_INPUT, "%s: found %lld, expected an id of the %d token%s",
                       value->key, (long long)id, source->n, str_plural(source->n));
    *out = source->piece[id];
    return 0;
}

const struct gguf_value *gguf_source_strings(const struct gguf_source *source, const char *key)
{
    const struct gguf_value *value = gguf_source_value(source, key);

    if (value == NULL)
        err_set(source->e, ERR_INPUT, "has no tokenizer.ggml.%s", key);
    else if (value->type != GGUF_STRING || !value->is_array || value->n > INT_MAX)
        gguf_source_wrong(source, value, "an array of STRING");
    else
        return value;
    return NULL;
}

/* ---- pieces ---- */

/* Pieces of a word's inside carry the mark in tokenizer.json, the others here. */
static const char *unmark(const struct gguf_source *source, const char *piece)
{
    size_t count = strlen(piece);

    if (count > 2 && piece[0] == '[' && piece[count - 1] == ']')
        return piece;
    return strncmp(piece, GGUF_MARK, 3) == 0 ? piece + 3 :
           arena_printf(source->a, "##%s", piece);
}

int gguf_source_pieces(struct gguf_source *source, bool marked)
{
    const struct gguf_value *value = gguf_source_strings(source, "tokens");
    struct gguf_strings all;
    struct span text;

    if (value == NULL)
        return -1;
    source->n = (int)value->n;
    source->piece = arena_alloc(source->a, (size_t)source->n, sizeof *source->piece);
    all = gguf_strings(value);
    for (int i = 0; gguf_next(&all, &text); i++) {
        const char *bytes = (const char *)text.data;

        if (memchr(bytes, '\0', text.size) != NULL ||
            utf8_check(bytes, text.size) != text.size)
            return err_set(source->e, ERR_INPUT, "tokenizer.ggml.tokens: token %d is not "
                           "UTF-8 without NULs", i);
        source->piece[i] = arena_strndup(source->a, bytes, text.size);
        if (marked)
            source->piece[i] = unmark(source, source->piece[i]);
    }
    return 0;
}

void gguf_source_add(const struct gguf_source *source, int id, const char *piece, bool special)
{
    json_t *added = json_object_get(source->root, "added_tokens");

    json_add(source->a, added,
        json_pack("{si ss sb sb sb sb sb}", "id", id, "content", piece, "single_word", 0,
                  "lstrip", 0, "rstrip", 0, "normalized", 0, "special", (int)special));
}

int gguf_source_added(const struct gguf_source *source)
{
    const struct gguf_value *value = gguf_source_value(source, "token_type");

    json_put(source->a, source->root, "added_tokens", json_array());
    if (value == NULL)
        return 0;
    if (!gguf_is_int(value) || !value->is_array || value->n != source->n)
        return gguf_source_wrong(
            source, value, arena_printf(source->a, "an array of %d whole numbers", source->n));
    for (int i = 0; i < source->n; i++) {
        int64_t type = gguf_int(value, i);

        if (type < UNDEFINED || type > BYTE)
            return err_set(source->e, ERR_INPUT, "%s: token %d has type %lld, expected 0 to 6",
                           value->key, i, (long long)type);
        if ((type == CONTROL || type == USER_DEFINED) && source->piece[i][0] != '\0')
            gguf_source_add(source, i, source->piece[i], type == CONTROL);
    }
    return 0;
}
