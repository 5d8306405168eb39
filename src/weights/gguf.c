/* SPDX-License-Identifier: MIT
 * A GGUF file's keys -> typed values, borrowed from the mapping. */
#include "weights/gguf.h"

#include <limits.h>
#include <stdlib.h>

#include "base/str.h"
#include "weights/gguf_priv.h"

static const struct { const char *name; int size_bytes; } types[N_GGUF_TYPE] = {
    [GGUF_U8] = { "U8", 1 }, [GGUF_I8] = { "I8", 1 }, [GGUF_U16] = { "U16", 2 },
    [GGUF_I16] = { "I16", 2 }, [GGUF_U32] = { "U32", 4 }, [GGUF_I32] = { "I32", 4 },
    [GGUF_F32] = { "F32", 4 }, [GGUF_BOOL] = { "BOOL", 1 }, [GGUF_STRING] = { "STRING", 0 },
    [GGUF_ARRAY] = { "ARRAY", 0 }, [GGUF_U64] = { "U64", 8 }, [GGUF_I64] = { "I64", 8 },
    [GGUF_F64] = { "F64", 8 },
};

/* ---- bytes ---- */

/* The error of a file that is cut off. */
static int gguf_ends(const struct gguf_cursor *cursor, struct err *e)
{
    return err_set(e, ERR_INPUT, "the file ends in the middle of it, at byte %zu",
                   (size_t)(cursor->end - cursor->begin));
}

int gguf_take(struct gguf_cursor *cursor, int n_bytes, uint64_t *v, struct err *e)
{
    *v = 0;
    if (cursor->end - cursor->at < n_bytes)
        return gguf_ends(cursor, e);
    *v = bytes_get(cursor->at, n_bytes);
    cursor->at += n_bytes;
    return 0;
}

/* A string, borrowed. */
static int take_string(struct gguf_cursor *cursor, struct span *out, struct err *e)
{
    uint64_t count;

    if (gguf_take(cursor, 8, &count, e) != 0)
        return -1;
    if (count > (uint64_t)(cursor->end - cursor->at))
        return err_set(e, ERR_INPUT, "a string of %llu bytes, but the file has %zu left",
                       (unsigned long long)count, (size_t)(cursor->end - cursor->at));
    *out = (struct span){ cursor->at, (size_t)count };
    cursor->at += count;
    return 0;
}

int gguf_take_name(struct gguf_cursor *cursor, struct arena *a, const char **name,
                   struct err *e)
{
    enum { LONGEST = 65535 };
    struct span span;

    if (take_string(cursor, &span, e) != 0)
        return -1;
    if (span.size == 0 || span.size > LONGEST ||
        memchr(span.data, '\0', span.size) != NULL)
        return err_set(e, ERR_INPUT, "a name of %zu bytes%s, expected 1 to %d and no NUL",
                       span.size, span.size > LONGEST ? "" : " with a NUL, or empty",
                       LONGEST);
    *name = arena_strndup(a, (const char *)span.data, span.size);
    return 0;
}

/* ---- values ---- */

static int take_type(struct gguf_cursor *cursor, enum gguf_type *type, struct err *e)
{
    uint64_t value;

    if (gguf_take(cursor, 4, &value, e) != 0)
        return -1;
    if (value >= N_GGUF_TYPE)
        return err_set(e, ERR_INPUT, "type %llu, expected 0 to %d",
                       (unsigned long long)value, N_GGUF_TYPE - 1);
    *type = (enum gguf_type)value;
    return 0;
}

static int skip_elements(struct gguf_cursor *cursor, const struct gguf_value *value,
                         struct err *e)
{
    uint64_t count = (uint64_t)value->n, left = (uint64_t)(cursor->end - cursor->at);
    struct span span;

    /* A string takes at least its length. */
    uint64_t least = value->type == GGUF_STRING ? 8 : (uint64_t)types[value->type].size_bytes;

    if (count > left / least)
        return err_set(e, ERR_INPUT, "%llu elements of type %s, but the file has %llu "
                       "bytes left", (unsigned long long)count, types[value->type].name,
                       (unsigned long long)left);
    if (value->type != GGUF_STRING) {
        cursor->at += count * least;
        return 0;
    }
    for (uint64_t i = 0; i < count; i++)
        if (take_string(cursor, &span, e) != 0)
            return value->is_array ? err_under(e, "element %llu", (unsigned long long)i) : -1;
    return 0;
}

static int take_value(struct gguf_cursor *cursor, struct gguf_value *value, struct err *e)
{
    uint64_t count = 1;

    if (take_type(cursor, &value->type, e) != 0)
        return -1;
    value->is_array = value->type == GGUF_ARRAY;
    if (value->is_array) {
        if (take_type(cursor, &value->type, e) != 0 || gguf_take(cursor, 8, &count, e) != 0)
            return -1;
        if (value->type == GGUF_ARRAY)
            return err_set(e, ERR_INPUT, "an array of arrays is not supported");
        if (count > INT64_MAX)
            return err_set(e, ERR_INPUT, "an array of %llu elements",
                           (unsigned long long)count);
    }
    value->n = (int64_t)count;
    value->data = cursor->at;
    return skip_elements(cursor, value, e);
}

static int by_key(const void *a, const void *b)
{
    const struct gguf_value *s = a, *t = b;

    return strcmp(s->key, t->key);
}

static int gguf_read_values(struct gguf *gguf, struct arena *a, struct gguf_cursor *cursor,
                            uint64_t n, struct err *e)
{
    enum { LEAST = 8 + 1 + 4 + 1 };         /* of a key with its value */
    struct gguf_value *value;

    if (n > (uint64_t)(cursor->end - cursor->at) / LEAST || n > INT_MAX)
        return err_set(e, ERR_INPUT, "%llu key%s in a file of %zu bytes",
                       (unsigned long long)n, str_plural((int64_t)n), gguf->bytes.size);
    gguf->value = value = arena_alloc(a, (size_t)n, sizeof *value);
    gguf->n = (int)n;
    for (int i = 0; i < gguf->n; i++) {
        if (gguf_take_name(cursor, a, &value[i].key, e) != 0)
            return err_under(e, "key %d", i);
        if (take_value(cursor, &value[i], e) != 0)
            return err_under(e, "%s", str_shown(a, value[i].key));
    }
    if (n > 0)
        qsort(value, (size_t)n, sizeof *value, by_key);
    for (int i = 1; i < gguf->n; i++)
        if (strcmp(value[i - 1].key, value[i].key) == 0)
            return err_set(e, ERR_INPUT, "%s: appears twice", str_shown(a, value[i].key));
    return 0;
}

static int read_alignment(struct gguf *gguf, struct arena *a, struct err *e)
{
    enum { USUAL = 32, LARGEST = 1 << 16 };
    const struct gguf_value *value = gguf_find(gguf, "general.alignment");
    int64_t count;

    gguf->alignment = USUAL;
    if (value == NULL)
        return 0;
    if (value->type != GGUF_U32 || value->is_array)
        return err_set(e, ERR_INPUT, "general.alignment: is %s, expected a U32",
                       gguf_kind(a, value));
    count = gguf_int(value, 0);
    if (count < 1 || count > LARGEST || (count & (count - 1)) != 0)
        return err_set(e, ERR_INPUT, "general.alignment: found %lld, expected a power of "
                       "two of at most %d", (long long)count, LARGEST);
    gguf->alignment = (size_t)count;
    return 0;
}

/* ---- the file ---- */

bool gguf_is(struct span bytes)
{
    return bytes.size >= 4 && memcmp(bytes.data, "GGUF", 4) == 0;
}

static int check_version(uint64_t version, struct err *e)
{
    if (version == 2 || version == 3)
        return 0;
    if ((version & 0xffff) == 0)
        return err_set(e, ERR_INPUT, "is a big-endian GGUF, expected a little-endian one");
    return err_set(e, ERR_INPUT, "is GGUF version %llu, expected 2 or 3",
                   (unsigned long long)version);
}

static int gguf_read_head(struct gguf *gguf, struct arena *a, struct err *e)
{
    struct gguf_cursor cursor = { gguf->bytes.data, gguf->bytes.data,
                                  gguf->bytes.data + gguf->bytes.size };
    uint64_t version, n_tensors, n_keys;

    if (!gguf_is(gguf->bytes))
        return err_set(e, ERR_INPUT, "is not a GGUF file, expected it to begin with \"GGUF\"");
    cursor.at += 4;
    if (gguf_take(&cursor, 4, &version, e) != 0 || check_version(version, e) != 0 ||
        gguf_take(&cursor, 8, &n_tensors, e) != 0 ||
        gguf_take(&cursor, 8, &n_keys, e) != 0 ||
        gguf_read_values(gguf, a, &cursor, n_keys, e) != 0 || read_alignment(gguf, a, e) != 0)
        return -1;
    if (n_tensors > (uint64_t)(cursor.end - cursor.at) / LEAST_TENSOR ||
        n_tensors > INT_MAX)
        return err_set(e, ERR_INPUT, "%llu tensor%s in a file of %zu bytes",
                       (unsigned long long)n_tensors, str_plural((int64_t)n_tensors),
                       gguf->bytes.size);
    gguf->n_tensors = (int64_t)n_tensors;
    gguf->tensors_at = (size_t)(cursor.at - cursor.begin);
    return 0;
}

struct gguf *gguf_read(struct arena *a, struct span bytes, const char *file,
                       struct err *e)
{
    struct gguf *gguf = arena_alloc(a, 1, sizeof *gguf);

    gguf->file = file;
    gguf->bytes = bytes;
    if (gguf_read_head(gguf, a, e) == 0)
        return gguf;
    err_under(e, "%s", file);
    return NULL;
}

struct gguf *gguf_open(struct arena *a, const char *path, struct err *e)
{
    const struct span *bytes = file_hold(a, path, e);
    struct gguf *gguf;

    if (bytes == NULL)
        return NULL;
    gguf = gguf_read(a, *bytes, arena_strdup(a, path), e);
    if (gguf == NULL)
        file_drop(a, bytes);
    else
        gguf->held = bytes;
    return gguf;
}

void gguf_close(struct arena *a, const struct gguf *gguf)
{
    if (gguf != NULL)
        file_drop(a, gguf->held);
}

/* ---- the file of a folder ---- */

enum { TAIL = 20 };             /* "-00002-of-00003.gguf" */

/* That, but not the first. */
static bool is_later_part(const char *name)
{
    size_t count = strlen(name);
    const char *tail = count > TAIL ? name + count - TAIL : "";

    return tail[0] == '-' && memcmp(tail + 6, "-of-", 4) == 0 &&
           strspn(tail + 1, "0123456789") == 5 && memcmp(tail, "-00001-", 7) != 0;
}

const char *gguf_first_part(struct arena *a, const char *path)
{
    int stem = (int)strlen(path) - TAIL;

    return !is_later_part(path) ? path :
           arena_printf(a, "%.*s-00001%s", stem, path, path + stem + 6);
}

int gguf_in_folder(struct arena *a, const char *dir, const char **path, struct err *e)
{
    enum { SHOWN = 3 };
    size_t n_names;
    const char **name = file_list(a, dir, &n_names), *all = "";
    int count = 0;

    *path = NULL;
    for (size_t i = 0; i < n_names; i++) {
        if (!str_ends_with(name[i], ".gguf") || is_later_part(name[i]))
            continue;
        *path = file_join(a, dir, name[i]);
        if (count++ < SHOWN)
            all = arena_printf(a, "%s%s%s", all, count > 1 ? ", " : "",
                               str_shown(a, name[i]));
    }
    if (count <= 1)
        return 0;
    *path = NULL;
    return err_set(e, ERR_INPUT, "%s: holds %d GGUF files; give the name of one of them "
                   "(%s%s)", dir, count, all, count > SHOWN ? ", .." : "");
}

/* ---- looking at values ---- */

const struct gguf_value *gguf_find(const struct gguf *gguf, const char *key)
{
    struct gguf_value wanted = { .key = key };

    return gguf->n == 0 ? NULL :
           bsearch(&wanted, gguf->value, (size_t)gguf->n, sizeof *gguf->value, by_key);
}

bool gguf_is_real(const struct gguf_value *value)
{
    return value->type == GGUF_F32 || value->type == GGUF_F64;
}

bool gguf_is_int(const struct gguf_value *value)
{
    return !gguf_is_real(value) && value->type != GGUF_STRING;
}

int64_t gguf_int(const struct gguf_value *value, int64_t i)
{
    int count = types[value->type].size_bytes;
    uint64_t u = bytes_get(value->data + i * count, count);

    switch (value->type) {
    case GGUF_I8:   return (int8_t)u;
    case GGUF_I16:  return (int16_t)u;
    case GGUF_I32:  return (int32_t)u;
    case GGUF_I64:  return (int64_t)u;
    case GGUF_U64:  return u > INT64_MAX ? INT64_MAX : (int64_t)u;
    case GGUF_BOOL: return u != 0;
    default:        return (int64_t)u;
    }
}

double gguf_real(const struct gguf_value *value, int64_t i)
{
    float f;
    double d;

    if (value->type == GGUF_F32) {
        bytes_copy(&f, value->data + i * 4, 1, sizeof f);
        return (double)f;
    }
    bytes_copy(&d, value->data + i * 8, 1, sizeof d);
    return d;
}

struct gguf_strings gguf_strings(const struct gguf_value *value)
{
    return (struct gguf_strings){ value->data, value->n };
}

bool gguf_next(struct gguf_strings *strings, struct span *out)
{
    if (strings->left == 0)
        return false;
    strings->left--;
    *out = (struct span){ strings->at + 8, (size_t)bytes_get(strings->at, 8) };
    strings->at += 8 + out->size;
    return true;
}

const char *gguf_kind(struct arena *a, const struct gguf_value *value)
{
    return value->is_array ? arena_printf(a, "an array of %lld %s", (long long)value->n,
                                          types[value->type].name)
                           : arena_printf(a, "a %s", types[value->type].name);
}
