/* SPDX-License-Identifier: MIT
 * Texts with their hidden states -> bytes, and back. */
#include "session/source/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/json_field.h"

enum { MAGIC = 24, SIZE = 8, CRC = 4, MOST_WIDTH = 1 << 20, MOST_LABEL = 1 << 24 };

static const char magic[MAGIC] = "mha-viz/hidden-states/1";
static const uint64_t MOST_JSON = 64 << 20;

/* ---- to a file ---- */

static json_t *ints(struct arena *a, const int *x, int n)
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_add(a, list, json_integer(x[i]));
    return list;
}

static json_t *bits(struct arena *a, const unsigned char *x, int n)
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_add(a, list, json_integer(x[i] != 0));
    return list;
}

static json_t *unigrams(struct arena *a, const struct unigrams *unigrams)
{
    json_t *list = unigrams->count != NULL ? json_array() : json_null();

    for (int i = 0; unigrams->count != NULL && i < unigrams->n; i++)
        if (unigrams->count[i] > 0) {
            json_t *pair = json_add(a, list, json_array());

            json_add(a, pair, json_integer(i));
            json_add(a, pair, json_integer((json_int_t)unigrams->count[i]));
        }
    return list;
}

/* A block with room for what is with its JSON, which is dropped. */
struct block {
    unsigned char *at;
    uint64_t size;              /* of all but the checksum */
    unsigned char *payload;
};

static struct block block_new(struct arena *a, json_t *root, uint64_t n_payload)
{
    const char *text = json_text(a, root);
    uint64_t n = strlen(text);
    struct block b = { .size = 2 * SIZE + n + n_payload };

    b.at = arena_alloc(a, b.size + CRC, 1);
    bytes_put(b.at, n, SIZE);
    memcpy(b.at + SIZE, text, (size_t)n);
    b.payload = b.at + SIZE + n;
    bytes_put(b.payload, n_payload, SIZE);
    b.payload += SIZE;
    json_drop(a, root);
    return b;
}

static void write_block(const struct block *block, FILE *file)
{
    bytes_put(block->at + block->size, crc32_z(0, block->at, (size_t)block->size), CRC);
    fwrite(block->at, 1, (size_t)block->size + CRC, file);
}

void stream_begin(struct arena *a, const struct stream *stream)
{
    struct arena_mark mark = arena_mark(a);
    json_t *root = json_hold(a, json_object());
    struct block block;

    json_put_all(a, json_put(a, root, "run", json_object()), stream->run);
    json_put(a, root, "layer", json_integer(stream->layer));
    json_put(a, root, "width", json_integer(stream->width));
    json_put(a, root, "streams", json_integer(stream->n_streams));
    json_put(a, root, "unigrams", unigrams(a, &stream->unigrams));
    block = block_new(a, root, 0);
    fwrite(magic, 1, MAGIC, stream->file);
    write_block(&block, stream->file);
    arena_reset(a, mark);
}

static json_t *stream_describe(struct arena *a, const struct item *item)
{
    const struct tokens *t = &item->tokens;
    json_t *root = json_hold(a, json_object()), *label;

    json_put(a, root, "index", json_integer((json_int_t)item->index));
    json_put(a, root, "part", json_integer(item->part));
    json_put(a, root, "group", json_shown(a, item->group));
    json_put(a, root, "id", ints(a, t->id, t->n));
    json_put(a, root, "type", ints(a, t->type, t->n));
    json_put(a, root, "special", bits(a, t->special, t->n));
    json_put(a, root, "word", t->word != NULL ? ints(a, t->word, t->n) : json_null());
    json_put(a, root, "global",
             item->global != NULL ? bits(a, item->global, t->n) : json_null());
    label = json_put(a, root, "label", json_array());
    for (int i = 0; i < t->n; i++)
        json_add(a, label, json_integer((json_int_t)t->label_size[i]));
    return root;
}

void stream_text(struct arena *a, const struct stream *stream, const struct item *item,
                 const float *const x[2])
{
    const struct tokens *t = &item->tokens;
    struct arena_mark mark = arena_mark(a);
    uint64_t n = (uint64_t)t->n * (uint64_t)stream->width, n_labels = 0;
    struct block block;
    unsigned char *at;

    for (int i = 0; i < t->n; i++)
        n_labels += t->label_size[i];
    block = block_new(a, stream_describe(a, item), n * 4 * (uint64_t)stream->n_streams + n_labels);
    at = block.payload;
    for (int i = 0; i < stream->n_streams; i++, at += n * 4)
        bytes_copy(at, x[i], (size_t)n, 4);
    for (int i = 0; i < t->n; at += t->label_size[i++])
        memcpy(at, t->label[i], t->label_size[i]);
    write_block(&block, stream->file);
    arena_reset(a, mark);
}

void stream_finish(struct arena *a, const struct stream *stream, const struct stream_end *end)
{
    struct arena_mark mark = arena_mark(a);
    json_t *root = json_hold(a, json_object());
    struct block block;

    json_put(a, root, "texts", json_integer((json_int_t)end->n));
    json_put(a, root, "unusable", json_integer((json_int_t)end->n_bad));
    json_put(a, root, "checksum", json_string(arena_printf(a, "%08" PRIx32, end->crc)));
    block = block_new(a, root, 0);
    write_block(&block, stream->file);
    arena_reset(a, mark);
}

/* ---- from a file ---- */

static int cut_short(const struct stream *stream, struct err *e)
{
    if (ferror(stream->file))
        return err_set(e, ERR_SYSTEM, "%s: cannot be read", stream->name);
    return err_set(e, ERR_INPUT, "%s: the stream is cut short: expected more after its last "
                   "byte", stream->name);
}

/* n bytes, of a; no more memory is taken at once than was read already. */
static unsigned char *stream_take_bytes(struct stream *stream, struct arena *a, uint64_t n,
                                        uLong *crc, struct err *e)
{
    uint64_t room = n < 1 << 20 ? n : 1 << 20, got = 0;
    unsigned char *bytes = arena_alloc(a, room, 1);

    while (got < n) {
        size_t count;

        if (got == room) {
            unsigned char *more = arena_alloc(a, room < n - room ? 2 * room : n, 1);

            memcpy(more, bytes, (size_t)got);
            bytes = more;
            room = room < n - room ? 2 * room : n;
        }
        count = fread(bytes + got, 1, (size_t)(room - got), stream->file);
        if (count == 0) {
            cut_short(stream, e);
            return NULL;
        }
        got += count;
    }
    *crc = crc32_z(*crc, bytes, (size_t)n);
    return bytes;
}

/* A number of at most so much. */
static int take_size(struct stream *stream, uint64_t most, const char *what, uint64_t *n,
                     uLong *crc, struct err *e)
{
    unsigned char bytes[SIZE];

    if (fread(bytes, 1, SIZE, stream->file) != SIZE)
        return cut_short(stream, e);
    *crc = crc32_z(*crc, bytes, SIZE);
    *n = bytes_get(bytes, SIZE);
    if (*n <= most)
        return 0;
    return err_set(e, ERR_INPUT, "%s: the stream is damaged: %s of %" PRIu64 " bytes, expected "
                   "at most %" PRIu64, stream->name, what, *n, most);
}

static int check_crc(struct stream *stream, uLong found, struct err *e)
{
    unsigned char bytes[CRC];
    uint64_t expected;

    if (fread(bytes, 1, CRC, stream->file) != CRC)
        return cut_short(stream, e);
    expected = bytes_get(bytes, CRC);
    if (found == expected)
        return 0;
    return err_set(e, ERR_INPUT, "%s: the stream is damaged: a block has the checksum %08" PRIx64
                   ", expected %08" PRIx64, stream->name, (uint64_t)found, expected);
}

/* The JSON of a block, and the bytes that are with it: n, which its fields say.  The tree is of
 * a until json_drop. */
struct taken {
    const json_t *root;
    uint64_t n;
    uLong crc;
};

static int take_json(struct stream *stream, struct arena *a, struct taken *taken, struct err *e)
{
    struct span json = { NULL, 0 };
    uint64_t n;

    *taken = (struct taken){ .crc = 0 };
    if (take_size(stream, MOST_JSON, "JSON", &n, &taken->crc, e) != 0)
        return -1;
    json.data = stream_take_bytes(stream, a, n, &taken->crc, e);
    json.size = (size_t)n;
    if (json.data == NULL)
        return -1;
    taken->root = json_read(a, json, JSON_REJECT_DUPLICATES, e);
    if (taken->root == NULL)
        return err_under(e, "%s", stream->name);
    return take_size(stream, UINT64_MAX, "a text", &taken->n, &taken->crc, e);
}

/* What the block has, besides JSON, is as much as its fields say. */
static int stream_check_size(const struct stream *stream, const struct taken *taken,
                             uint64_t expected, struct err *e)
{
    if (taken->n == expected)
        return 0;
    return err_set(e, ERR_INPUT, "%s: the stream is damaged: a block with %" PRIu64 " bytes "
                   "after its JSON, expected %" PRIu64, stream->name, taken->n, expected);
}

static int read_unigrams(struct arena *a, const json_t *root, struct unigrams *unigrams,
                         struct err *e)
{
    const json_t *list;
    int id, last = -1;

    *unigrams = (struct unigrams){ .count = NULL };
    if (json_field_list(root, "unigrams", &list, e) != 0)
        return -1;
    if (list == NULL)
        return 0;
    for (size_t i = 0; i < json_array_size(list); i++, last = id)
        if (json_value_int(json_array_get(json_array_get(list, i), 0), "unigrams", last + 1,
                           (1 << 26) - 1, &id, e) != 0)
            return -1;
    unigrams->n = last + 1;
    unigrams->count = arena_alloc(a, (uint64_t)unigrams->n + 1, sizeof *unigrams->count);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i), *count = json_array_get(pair, 1);

        if (!json_is_integer(count) || json_integer_value(count) < 1)
            return json_field_wrong("unigrams", pair, "an id and how often it occurs", e);
        unigrams->count[json_integer_value(json_array_get(pair, 0))] = json_integer_value(count);
    }
    return 0;
}

static int read_head_fields(struct arena *a, struct stream *stream, const json_t *root,
                            struct err *e)
{
    stream->run = json_object_get(root, "run");
    if (!json_is_object(stream->run))
        return json_field_wrong("run", stream->run, "an object", e);
    if (json_field_int(root, "layer", 1, INT_MAX, &stream->layer, e) != 0 ||
        json_field_int(root, "width", 1, MOST_WIDTH, &stream->width, e) != 0 ||
        json_field_int(root, "streams", 1, 2, &stream->n_streams, e) != 0)
        return -1;
    return read_unigrams(a, root, &stream->unigrams, e);
}

int stream_read_head(struct arena *a, struct stream *stream, struct err *e)
{
    char found[MAGIC];
    struct taken taken;

    if (fread(found, 1, MAGIC, stream->file) != MAGIC || memcmp(found, magic, MAGIC) != 0)
        return err_set(e, ERR_INPUT, "%s: is no stream that --hidden-out wrote: expected one "
                       "that begins with %s", stream->name, magic);
    if (take_json(stream, a, &taken, e) != 0 || stream_check_size(stream, &taken, 0, e) != 0 ||
        check_crc(stream, taken.crc, e) != 0)
        return -1;
    return read_head_fields(a, stream, taken.root, e) == 0 ? 0 : err_under(e, "%s", stream->name);
}

int stream_open(struct arena *a, const char *path, struct stream *out, struct err *e)
{
    bool is_stdin = strcmp(path, "-") == 0;

    *out = (struct stream){ .name = is_stdin ? "standard input" : path };
    out->file = is_stdin ? stdin : fopen(path, "rb");
    if (out->file == NULL)
        return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
    return stream_read_head(a, out, e);
}

void stream_close(struct stream *stream)
{
    if (stream->file != NULL && stream->file != stdin)
        fclose(stream->file);
    stream->file = NULL;
}

/* ---- a text ---- */

/* A list of as many as there are tokens, or, where it may be, null: *out is NULL. */
static int read_ints(struct arena *a, const json_t *root, const char *key, int lo, int hi, int n,
                     bool may_be_null, int **out, struct err *e)
{
    int count;

    *out = NULL;
    if (may_be_null && json_is_null(json_object_get(root, key)))
        return 0;
    if (json_field_ints(a, root, key, lo, hi, out, &count, e) != 0)
        return -1;
    if (*out == NULL)
        return json_field_wrong(key, NULL, "a list", e);
    return count == n ? 0 : err_set(e, ERR_INPUT, "%s: has %d numbers, expected %d, as there are "
                                    "tokens", key, count, n);
}

static unsigned char *stream_bytes_of(struct arena *a, const int *x, int n)
{
    unsigned char *out = arena_alloc(a, (uint64_t)n, 1);

    for (int i = 0; i < n; i++)
        out[i] = (unsigned char)x[i];
    return out;
}

static int read_place(struct arena *a, const json_t *root, struct item *out, struct err *e)
{
    const json_t *index = json_object_get(root, "index");
    const json_t *group = json_object_get(root, "group");

    if (!json_is_integer(index) || json_integer_value(index) < 0 ||
        json_integer_value(index) > (json_int_t)1 << 40)
        return json_field_wrong("index", index, "a text's number", e);
    if (!json_is_null(group) && !json_is_string(group))
        return json_field_wrong("group", group, "a string or null", e);
    out->index = json_integer_value(index);
    if (json_is_string(group))
        out->group = arena_strdup(a, json_string_value(group));
    return json_field_int(root, "part", 0, INT_MAX, &out->part, e);
}

static int read_tokens(struct arena *a, const json_t *root, struct item *out, struct err *e)
{
    struct tokens *t = &out->tokens;
    int *special, *global, *label;

    if (json_field_ints(a, root, "id", 0, INT_MAX, &t->id, &t->n, e) != 0)
        return -1;
    if (t->n == 0)
        return json_field_wrong("id", json_object_get(root, "id"), "a list of ids", e);
    if (read_ints(a, root, "type", 0, INT_MAX, t->n, false, &t->type, e) != 0 ||
        read_ints(a, root, "special", 0, 1, t->n, false, &special, e) != 0 ||
        read_ints(a, root, "word", -1, INT_MAX, t->n, true, &t->word, e) != 0 ||
        read_ints(a, root, "global", 0, 1, t->n, true, &global, e) != 0 ||
        read_ints(a, root, "label", 0, MOST_LABEL, t->n, false, &label, e) != 0)
        return -1;
    t->special = stream_bytes_of(a, special, t->n);
    out->global = global != NULL ? stream_bytes_of(a, global, t->n) : NULL;
    t->label_size = arena_alloc(a, (uint64_t)t->n, sizeof *t->label_size);
    for (int i = 0; i < t->n; i++)
        t->label_size[i] = (size_t)label[i];
    return 0;
}

static void set_payload(const struct stream *stream, struct arena *a, const unsigned char *at,
                        struct item *out)
{
    struct tokens *t = &out->tokens;
    uint64_t n = (uint64_t)t->n * (uint64_t)stream->width;

    for (int i = 0; i < stream->n_streams; i++, at += n * 4) {
        float *x = arena_alloc(a, n, sizeof *x);

        bytes_copy(x, at, (size_t)n, 4);
        out->x[i] = x;
    }
    t->label = arena_alloc(a, (uint64_t)t->n, sizeof *t->label);
    for (int i = 0; i < t->n; at += t->label_size[i++])
        t->label[i] = arena_strndup(a, (const char *)at, t->label_size[i]);
}

static int stream_read_text(struct stream *stream, struct arena *a, const struct taken *taken,
                            struct item *out, struct err *e)
{
    struct taken with = *taken;
    const unsigned char *payload;
    uint64_t n;

    if (read_place(a, taken->root, out, e) != 0 || read_tokens(a, taken->root, out, e) != 0)
        return err_under(e, "%s", stream->name);
    n = (uint64_t)out->tokens.n * (uint64_t)stream->width * 4 * (uint64_t)stream->n_streams;
    for (int i = 0; i < out->tokens.n; i++)
        n += out->tokens.label_size[i];
    if (stream_check_size(stream, taken, n, e) != 0)
        return -1;
    payload = stream_take_bytes(stream, a, n, &with.crc, e);
    if (payload == NULL || check_crc(stream, with.crc, e) != 0)
        return -1;
    set_payload(stream, a, payload, out);
    return 1;
}

static int read_hex(const json_t *root, const char *key, uint32_t *out, struct err *e)
{
    const json_t *value = json_object_get(root, key);
    const char *text = json_string_value(value);

    if (text == NULL || strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8)
        return json_field_wrong(key, value, "eight hexadecimal digits", e);
    *out = (uint32_t)strtoul(text, NULL, 16);
    return 0;
}

static int read_end(struct stream *stream, const struct taken *taken, struct stream_end *end,
                    struct err *e)
{
    int n, n_bad;

    if (stream_check_size(stream, taken, 0, e) != 0 || check_crc(stream, taken->crc, e) != 0)
        return -1;
    if (json_field_int(taken->root, "texts", 0, INT_MAX, &n, e) != 0 ||
        json_field_int(taken->root, "unusable", 0, INT_MAX, &n_bad, e) != 0 ||
        read_hex(taken->root, "checksum", &end->crc, e) != 0)
        return err_under(e, "%s", stream->name);
    if (getc(stream->file) != EOF)
        return err_set(e, ERR_INPUT, "%s: found more after the end of the stream", stream->name);
    end->n = n;
    end->n_bad = n_bad;
    return 0;
}

int stream_next(struct stream *stream, struct arena *a, struct item *out, struct stream_end *end,
                struct err *e)
{
    struct taken taken;
    int status;

    if (take_json(stream, a, &taken, e) != 0)
        return -1;
    status = json_object_get(taken.root, "texts") != NULL ?
                 read_end(stream, &taken, end, e) :
                 stream_read_text(stream, a, &taken, out, e);
    json_drop(a, taken.root);
    return status;
}
