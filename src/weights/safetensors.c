/* SPDX-License-Identifier: MIT
 *
 * A safetensors file -> tensors.  Takes and refuses what the reference library
 * takes and refuses, but for what it would lose or we cannot hold: names twice,
 * names with a NUL, unknown keys, types that we have no use for.  And for one type
 * of its own: Q8_0, the blocks of GGUF, in rows of whole ones. */
#include <stdlib.h>

#include "base/json_scan.h"
#include "base/str.h"
#include "weights/weights_priv.h"

/* The reference library's limit; both keep a hostile file from costing much. */
static const uint64_t HEADER_MAX_BYTES = 100000000;

/* '"":{"dtype":"I8","shape":[],"data_offsets":[0,0]}' */
enum { SHORTEST_ENTRY = 49 };

struct reader {
    struct arena *a;
    struct json_scan s;
    struct span data;
    const char *file;
    struct tensor *tensor;
    int n;
    char *room;         /* for names; as much as the header has bytes left */
    bool metadata_seen;
    struct note *note;
    int n_notes;
};

/* A string into the room, not kept.  Nothing here has a use for a NUL. */
static int safetensors_text(struct reader *reader, size_t *n, struct err *e)
{
    if (json_scan_string(&reader->s, reader->room, n, e) != 0)
        return -1;
    if (memchr(reader->room, '\0', *n) != NULL)
        return err_set(e, ERR_INPUT, "a NUL in the string that ends at byte %td",
                       reader->s.at - reader->s.begin);
    return 0;
}

/* ---- one tensor ---- */

struct entry {
    struct tensor *t;
    int64_t begin, end;
};

/* The format's own, and of blocks those that weights_round writes. */
static bool is_known(int type)
{
    return dtype_table[type].block == 1 || type == DTYPE_Q8_0;
}

static int read_dtype(struct reader *reader, struct entry *x, struct err *e)
{
    char *all;
    size_t count;

    if (safetensors_text(reader, &count, e) != 0)
        return -1;
    for (int i = 0; i < N_DTYPE; i++)
        if (is_known(i) && strcmp(reader->room, dtype_table[i].name) == 0) {
            x->t->dtype = (enum dtype)i;
            return 0;
        }
    all = arena_strdup(reader->a, dtype_table[0].name);
    for (int i = 1; i < N_DTYPE; i++)
        if (is_known(i))
            all = arena_printf(reader->a, "%s %s", all, dtype_table[i].name);
    return err_set(e, ERR_INPUT, "dtype \"%s\", expected one of %s",
                   str_shown(reader->a, reader->room), all);
}

static int safetensors_read_shape(struct reader *reader, struct entry *x, struct err *e)
{
    struct tensor *tensor = x->t;

    tensor->n_dims = 0;
    if (json_scan_expect(&reader->s, '[', e) != 0)
        return -1;
    if (json_scan_take(&reader->s, ']'))
        return 0;
    do {
        if (tensor->n_dims == MAX_DIMS)
            return err_set(e, ERR_INPUT, "shape has over %d dimensions, expected at most %d",
                           MAX_DIMS, MAX_DIMS);
        if (json_scan_count(&reader->s, &tensor->shape[tensor->n_dims], e) != 0)
            return err_under(e, "shape");
        tensor->n_dims++;
    } while (json_scan_take(&reader->s, ','));
    return json_scan_expect(&reader->s, ']', e);
}

static int read_offsets(struct reader *reader, struct entry *x, struct err *e)
{
    if (json_scan_expect(&reader->s, '[', e) != 0 ||
        json_scan_count(&reader->s, &x->begin, e) != 0 ||
        json_scan_expect(&reader->s, ',', e) != 0 || json_scan_count(&reader->s, &x->end, e) != 0 ||
        json_scan_expect(&reader->s, ']', e) != 0)
        return err_under(e, "data_offsets");
    return 0;
}

static const struct {
    const char *key;
    int (*read)(struct reader *r, struct entry *x, struct err *e);
} field[] = {
    { "dtype", read_dtype },
    { "shape", safetensors_read_shape },
    { "data_offsets", read_offsets },
};
enum { N_FIELD = sizeof field / sizeof *field };

static int read_field(struct reader *reader, struct entry *x, unsigned *seen, struct err *e)
{
    size_t count;

    if (safetensors_text(reader, &count, e) != 0)
        return -1;
    for (int i = 0; i < N_FIELD; i++)
        if (strcmp(reader->room, field[i].key) == 0) {
            if (*seen & 1u << i)
                return err_set(e, ERR_INPUT, "%s appears twice", field[i].key);
            *seen |= 1u << i;
            return json_scan_expect(&reader->s, ':', e) != 0 ? -1 : field[i].read(reader, x, e);
        }
    return err_set(e, ERR_INPUT, "key \"%s\", expected dtype, shape or data_offsets",
                   str_shown(reader->a, reader->room));
}

/* Shape, type and offsets against each other and against the file. */
static int safetensors_check(struct reader *reader, struct entry *x, struct err *e)
{
    struct tensor *tensor = x->t;
    const char *dtype = dtype_table[tensor->dtype].name;
    long long begin = x->begin, end = x->end;
    int64_t want, row = tensor->n_dims > 0 ? tensor->shape[tensor->n_dims - 1] : 1;
    int block = dtype_table[tensor->dtype].block;

    if (row % block != 0)
        return err_set(e, ERR_INPUT, "shape %s of %s, expected rows of a multiple of %d",
                       tensor_shape(reader->a, tensor), dtype, block);
    if (tensor_measure(tensor, &want) != 0)
        return err_set(e, ERR_INPUT, "shape %s of %s takes over 2^63 bytes",
                       tensor_shape(reader->a, tensor), dtype);
    if (end < begin)
        return err_set(e, ERR_INPUT, "data_offsets [%lld,%lld] end before they begin",
                       begin, end);
    if ((uint64_t)end > reader->data.size)
        return err_set(e, ERR_INPUT, "data_offsets [%lld,%lld] lie past the end: the "
                       "file holds %zu bytes of data", begin, end, reader->data.size);
    if (end - begin != want)
        return err_set(e, ERR_INPUT, "data_offsets [%lld,%lld] hold %lld bytes, expected "
                       "%lld for shape %s of %s", begin, end, end - begin,
                       (long long)want, tensor_shape(reader->a, tensor), dtype);
    tensor->data = reader->data.data + begin;
    tensor->file = reader->file;
    return 0;
}

static int read_tensor(struct reader *reader, struct tensor *tensor, struct err *e)
{
    struct entry entry = { tensor, 0, 0 };
    unsigned seen = 0;

    if (json_scan_expect(&reader->s, '{', e) != 0)
        return -1;
    if (!json_scan_take(&reader->s, '}')) {
        do
            if (read_field(reader, &entry, &seen, e) != 0)
                return -1;
        while (json_scan_take(&reader->s, ','));
        if (json_scan_expect(&reader->s, '}', e) != 0)
            return -1;
    }
    for (int i = 0; i < N_FIELD; i++)
        if (!(seen & 1u << i))
            return err_set(e, ERR_INPUT, "has no %s", field[i].key);
    return safetensors_check(reader, &entry, e);
}

/* ---- the header ---- */

/* A string that is kept, if it can be one of C's; else *s is NULL. */
static int safetensors_kept(struct reader *reader, const char **s, struct err *e)
{
    size_t count;

    if (json_scan_string(&reader->s, reader->room, &count, e) != 0)
        return -1;
    *s = memchr(reader->room, '\0', count) == NULL ? reader->room : NULL;
    reader->room += count + 1;
    return 0;
}

static int read_note(struct reader *reader, struct err *e)
{
    struct note note;

    if (safetensors_kept(reader, &note.key, e) != 0 || json_scan_expect(&reader->s, ':', e) != 0 ||
        safetensors_kept(reader, &note.value, e) != 0)
        return -1;
    if (note.key == NULL || note.value == NULL)
        return 0;
    if ((reader->n_notes & (reader->n_notes - 1)) == 0)       /* 0, 1, 2, 4, .. */
        reader->note = arena_grow(reader->a, reader->note, (size_t)reader->n_notes,
                                  2 * (size_t)reader->n_notes + 1, sizeof *reader->note);
    reader->note[reader->n_notes++] = note;
    return 0;
}

/* Strings by name, or null. */
static int read_metadata(struct reader *reader, struct err *e)
{
    if (reader->metadata_seen)
        return err_set(e, ERR_INPUT, "appears twice");
    reader->metadata_seen = true;
    if (!json_scan_at_end(&reader->s) && reader->s.end - reader->s.at >= 4 &&
        memcmp(reader->s.at, "null", 4) == 0) {
        reader->s.at += 4;
        return 0;
    }
    if (!json_scan_take(&reader->s, '{'))
        return json_scan_unexpected(&reader->s, "an object of strings", e);
    if (json_scan_take(&reader->s, '}'))
        return 0;
    do
        if (read_note(reader, e) != 0)
            return -1;
    while (json_scan_take(&reader->s, ','));
    return json_scan_expect(&reader->s, '}', e);
}

static int read_entry(struct reader *reader, struct err *e)
{
    const char *name = reader->room;
    struct tensor *tensor = &reader->tensor[reader->n];
    size_t count;

    if (safetensors_text(reader, &count, e) != 0 || json_scan_expect(&reader->s, ':', e) != 0)
        return err_under(e, "header");
    if (strcmp(name, "__metadata__") == 0)
        return read_metadata(reader, e) != 0 ? err_under(e, "__metadata__") : 0;
    reader->room += count + 1;
    *tensor = (struct tensor){ .name = name };
    if (read_tensor(reader, tensor, e) != 0)
        return err_under(e, "%s", str_shown(reader->a, name));
    reader->n++;
    return 0;
}

static int safetensors_read_header(struct reader *reader, struct err *e)
{
    if (json_scan_expect(&reader->s, '{', e) != 0)
        return err_under(e, "header");
    if (!json_scan_take(&reader->s, '}')) {
        do
            if (read_entry(reader, e) != 0)
                return -1;
        while (json_scan_take(&reader->s, ','));
        if (json_scan_expect(&reader->s, '}', e) != 0)
            return err_under(e, "header");
    }
    if (!json_scan_at_end(&reader->s)) {
        json_scan_unexpected(&reader->s, "only spaces after the object", e);
        return err_under(e, "header");
    }
    return 0;
}

/* ---- the data ---- */

static int64_t safetensors_size_of(const struct tensor *tensor)
{
    const struct dtype_row *dtype = &dtype_table[tensor->dtype];

    return tensor->n_elements / dtype->block * dtype->size_bytes;
}

/* By where they begin; of those that begin together, the empty ones first. */
static int safetensors_by_offset(const void *a, const void *b)
{
    const struct tensor *s = *(const struct tensor *const *)a;
    const struct tensor *t = *(const struct tensor *const *)b;
    int64_t m = safetensors_size_of(s), count = safetensors_size_of(t);

    if (s->data != t->data)
        return s->data < t->data ? -1 : 1;
    return (m > count) - (m < count);
}

/* Each tensor begins where the one before ends; the last ends with the file. */
static int check_cover(struct reader *reader, struct err *e)
{
    struct arena_mark mark = arena_mark(reader->a);
    const struct tensor **order = arena_alloc_raw(reader->a, (size_t)reader->n, sizeof *order);
    const char *before = NULL;
    int64_t at = 0, size = (int64_t)reader->data.size;

    for (int i = 0; i < reader->n; i++)
        order[i] = &reader->tensor[i];
    qsort(order, (size_t)reader->n, sizeof *order, safetensors_by_offset);
    for (int i = 0; i < reader->n; i++) {
        const struct tensor *tensor = order[i];
        int64_t begin = tensor->data - reader->data.data;

        if (begin < at)
            return err_set(e, ERR_INPUT, "%s: data begin at %lld, inside those of %s, "
                           "which end at %lld", str_shown(reader->a, tensor->name),
                           (long long)begin, str_shown(reader->a, before), (long long)at);
        if (begin > at)
            return err_set(e, ERR_INPUT,
                           "%s: data begin at %lld, which leaves a hole: "
                           "expected %lld",
                           str_shown(reader->a, tensor->name), (long long)begin,
                           (long long)at);
        at = begin + safetensors_size_of(tensor);
        before = tensor->name;
    }
    arena_reset(reader->a, mark);
    if (at != size)
        return err_set(e, ERR_INPUT, "the tensors end at %lld of %lld bytes of data, "
                       "expected them to use all", (long long)at, (long long)size);
    return 0;
}

static int check_length(struct span bytes, uint64_t *n, struct err *e)
{
    if (bytes.size < 8)
        return err_set(e, ERR_INPUT, "%zu byte%s, expected at least 8 for the length of the "
                       "header", bytes.size, str_plural((int64_t)bytes.size));
    *n = bytes_get(bytes.data, 8);
    if (*n < 2)
        return err_set(e, ERR_INPUT, "header of %llu byte%s, expected at least \"{}\"",
                       (unsigned long long)*n, str_plural((int64_t)*n));
    if (*n > HEADER_MAX_BYTES)
        return err_set(e, ERR_INPUT, "header of %llu bytes, expected at most %llu",
                       (unsigned long long)*n, (unsigned long long)HEADER_MAX_BYTES);
    if (*n > bytes.size - 8)
        return err_set(e, ERR_INPUT, "header of %llu bytes goes past the end of the "
                       "file (%zu bytes)", (unsigned long long)*n, bytes.size);
    return 0;
}

struct tensor *safetensors_read(struct arena *a, struct span bytes, const char *file,
                                int *n, struct weights *weights, struct err *e)
{
    struct reader reader = { .a = a, .file = file };
    uint64_t n_header = 0;

    if (check_length(bytes, &n_header, e) != 0) {
        err_under(e, "%s", file);
        return NULL;
    }
    reader.s.begin = reader.s.at = bytes.data + 8;
    reader.s.end = reader.s.begin + n_header;
    reader.data.data = reader.s.end;
    reader.data.size = bytes.size - 8 - (size_t)n_header;
    /* Room for all that the header can hold; what is not touched costs nothing. */
    reader.room = arena_alloc_raw(a, (size_t)n_header, 1);
    reader.tensor = arena_alloc_raw(a, (size_t)n_header / SHORTEST_ENTRY + 1,
                                    sizeof *reader.tensor);
    if (safetensors_read_header(&reader, e) != 0 ||
        weights_sort(a, reader.tensor, reader.n, e) != 0 ||
        check_cover(&reader, e) != 0) {
        err_under(e, "%s", file);
        return NULL;
    }
    *n = reader.n;
    if (weights != NULL) {
        weights->note = reader.note;
        weights->n_notes = reader.n_notes;
    }
    return reader.tensor;
}
