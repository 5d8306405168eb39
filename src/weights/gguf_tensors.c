/* SPDX-License-Identifier: MIT
 * A GGUF file's descriptions of tensors -> tensors; a model in parts -> all of them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "weights/gguf_priv.h"

enum { GGUF_DIMS = 4, N_ELEMENT_TYPE = 42 };

/* Types by their numbers; those that are not read have a name, so that it can be told. */
static const struct { const char *name; enum dtype dtype; bool read; }
element_types[N_ELEMENT_TYPE] = {
    [0] = { "F32", DTYPE_F32, true },       [1] = { "F16", DTYPE_F16, true },
    [2] = { "Q4_0", DTYPE_Q4_0, true },     [3] = { "Q4_1", DTYPE_Q4_1, true },
    [6] = { "Q5_0", DTYPE_Q5_0, true },     [7] = { "Q5_1", DTYPE_Q5_1, true },
    [8] = { "Q8_0", DTYPE_Q8_0, true },     [9] = { .name = "Q8_1" },
    [10] = { "Q2_K", DTYPE_Q2_K, true },    [11] = { "Q3_K", DTYPE_Q3_K, true },
    [12] = { "Q4_K", DTYPE_Q4_K, true },    [13] = { "Q5_K", DTYPE_Q5_K, true },
    [14] = { "Q6_K", DTYPE_Q6_K, true },    [15] = { .name = "Q8_K" },
    [16] = { .name = "IQ2_XXS" },           [17] = { .name = "IQ2_XS" },
    [18] = { .name = "IQ3_XXS" },           [19] = { .name = "IQ1_S" },
    [20] = { "IQ4_NL", DTYPE_IQ4_NL, true }, [21] = { .name = "IQ3_S" },
    [22] = { .name = "IQ2_S" },             [23] = { "IQ4_XS", DTYPE_IQ4_XS, true },
    [24] = { "I8", DTYPE_I8, true },        [25] = { "I16", DTYPE_I16, true },
    [26] = { "I32", DTYPE_I32, true },      [27] = { "I64", DTYPE_I64, true },
    [28] = { "F64", DTYPE_F64, true },      [29] = { .name = "IQ1_M" },
    [30] = { "BF16", DTYPE_BF16, true },    [34] = { .name = "TQ1_0" },
    [35] = { .name = "TQ2_0" },             [39] = { "MXFP4", DTYPE_MXFP4, true },
    [40] = { .name = "NVFP4" },             [41] = { .name = "Q1_0" },
};

/* ---- one tensor ---- */

static int take_dims(struct gguf_cursor *cursor, struct tensor *tensor, struct err *e)
{
    uint64_t count, d;

    if (gguf_take(cursor, 4, &count, e) != 0)
        return -1;
    if (count < 1 || count > GGUF_DIMS)
        return err_set(e, ERR_INPUT, "%llu dimensions, expected 1 to %d",
                       (unsigned long long)count, GGUF_DIMS);
    tensor->n_dims = (int)count;
    for (int i = tensor->n_dims - 1; i >= 0; i--) {      /* the file has the fastest first */
        if (gguf_take(cursor, 8, &d, e) != 0)
            return -1;
        if (d < 1 || d > INT64_MAX)
            return err_set(e, ERR_INPUT, "dimension %d is %llu, expected at least 1",
                           tensor->n_dims - 1 - i, (unsigned long long)d);
        tensor->shape[i] = (int64_t)d;
    }
    return 0;
}

static int take_element_type(struct gguf_cursor *cursor, struct tensor *tensor, struct err *e)
{
    uint64_t value;

    if (gguf_take(cursor, 4, &value, e) != 0)
        return -1;
    if (value < N_ELEMENT_TYPE && element_types[value].read) {
        tensor->dtype = element_types[value].dtype;
        return 0;
    }
    if (value < N_ELEMENT_TYPE && element_types[value].name != NULL)
        return err_set(e, ERR_INPUT, "weights of type %s are not supported",
                       element_types[value].name);
    return err_set(e, ERR_INPUT, "weights of unknown type %llu",
                   (unsigned long long)value);
}

/* Where its data lie, counted from the end of the header. */
struct place {
    uint64_t begin, size;
    const struct tensor *t;
};

static int take_tensor(struct gguf_cursor *cursor, const struct gguf *gguf, struct tensor *tensor,
                       struct place *place, struct err *e)
{
    int block;
    int64_t size;

    if (take_dims(cursor, tensor, e) != 0 || take_element_type(cursor, tensor, e) != 0 ||
        gguf_take(cursor, 8, &place->begin, e) != 0)
        return -1;
    block = dtype_table[tensor->dtype].block;
    if (tensor->shape[tensor->n_dims - 1] % block != 0)
        return err_set(e, ERR_INPUT, "rows of %lld elements, expected a multiple of %d for %s",
                       (long long)tensor->shape[tensor->n_dims - 1], block,
                       dtype_table[tensor->dtype].name);
    if (tensor_measure(tensor, &size) != 0)
        return err_set(e, ERR_INPUT, "is too large");
    if (place->begin % gguf->alignment != 0)
        return err_set(e, ERR_INPUT, "begins at %llu, expected a multiple of %zu",
                       (unsigned long long)place->begin, gguf->alignment);
    place->size = (uint64_t)size;
    place->t = tensor;
    return 0;
}

/* ---- all of a file ---- */

static int by_begin(const void *a, const void *b)
{
    const struct place *p = a, *q = b;

    return p->begin < q->begin ? -1 : p->begin > q->begin;
}

static int check_overlap(struct place *place, int n, struct arena *a, struct err *e)
{
    if (n > 0)
        qsort(place, (size_t)n, sizeof *place, by_begin);
    for (int i = 1; i < n; i++)
        if (place[i - 1].begin + place[i - 1].size > place[i].begin)
            return err_set(e, ERR_INPUT, "the data of %s and %s overlap",
                           str_shown(a, place[i - 1].t->name), str_shown(a, place[i].t->name));
    return 0;
}

/* Points tensor at its data, which begin after the header at `data`. */
static int place_data(struct tensor *tensor, const struct place *place, struct span file,
                      size_t data, struct err *e)
{
    uint64_t room = file.size > data ? file.size - data : 0;

    if (place->begin > room || place->size > room - place->begin)
        return err_set(e, ERR_INPUT, "%llu bytes at %llu, but the file has %llu",
                       (unsigned long long)place->size, (unsigned long long)place->begin,
                       (unsigned long long)room);
    tensor->data = file.data + data + place->begin;
    return 0;
}

static int read_tensors(struct arena *a, const struct gguf *gguf, struct tensor *tensor,
                        struct err *e)
{
    struct gguf_cursor cursor = { gguf->bytes.data, gguf->bytes.data + gguf->tensors_at,
                                  gguf->bytes.data + gguf->bytes.size };
    int count = (int)gguf->n_tensors;
    struct place *place = arena_alloc(a, (size_t)count, sizeof *place);
    size_t data;

    for (int i = 0; i < count; i++) {
        tensor[i].file = gguf->file;
        if (gguf_take_name(&cursor, a, &tensor[i].name, e) != 0)
            return err_under(e, "tensor %d", i);
        if (take_tensor(&cursor, gguf, &tensor[i], &place[i], e) != 0)
            return err_under(e, "%s", str_shown(a, tensor[i].name));
    }
    data = (size_t)(cursor.at - cursor.begin);
    data = (data + gguf->alignment - 1) / gguf->alignment * gguf->alignment;
    for (int i = 0; i < count; i++)
        if (place_data(&tensor[i], &place[i], gguf->bytes, data, e) != 0)
            return err_under(e, "%s", str_shown(a, tensor[i].name));
    return check_overlap(place, count, a, e);
}

/* ---- experts ---- */

/* What holds a part for each expert, and how large one is at least. */
static const struct { const char *end, *of_one; int n_dims, least; } of_experts[] = {
    { "_exps.weight", "weight", 3, 16 }, { "_exps.bias", "bias", 2, 4 },
};

/*
 * "blk.3.ffn_up_exps.weight" [experts, rows, columns] is one matrix an expert, which
 * older files name "blk.3.ffn_up.7.weight": so they are handed out here, and biases
 * [experts, rows] likewise.  Returns the length of "blk.3.ffn_up", or 0 where tensor is none of
 * this kind, which is row *k.  Parts of less than a few bytes are left as they are: a small
 * file could ask for any number of them.
 */
static int expert_stem(const struct tensor *tensor, int *k)
{
    enum { MOST = 1 << 16 };

    for (*k = 0; *k < 2; (*k)++)
        if (tensor->n_dims == of_experts[*k].n_dims &&
            str_ends_with(tensor->name, of_experts[*k].end))
            return tensor->shape[0] <= MOST &&
                   tensor->n_elements / tensor->shape[0] >= of_experts[*k].least ?
                   (int)(strlen(tensor->name) - strlen(of_experts[*k].end)) : 0;
    return 0;
}

static void gguf_tensors_split_experts(struct arena *a, struct tensor *out,
                                       const struct tensor *tensor, int stem, int k)
{
    const struct dtype_row *dtype = &dtype_table[tensor->dtype];
    int64_t count = tensor->n_elements / tensor->shape[0];

    for (int64_t i = 0; i < tensor->shape[0]; i++) {
        out[i] = *tensor;
        out[i].name = arena_printf(a, "%.*s.%lld.%s", stem, tensor->name, (long long)i,
                                   of_experts[k].of_one);
        out[i].n_dims = tensor->n_dims - 1;
        memmove(out[i].shape, tensor->shape + 1, (size_t)out[i].n_dims * sizeof *tensor->shape);
        out[i].n_elements = count;
        out[i].data = tensor->data + i * (count / dtype->block) * dtype->size_bytes;
    }
}

/* The n tensors of tensor with experts one by one; *n becomes their number. */
static struct tensor *each_expert(struct arena *a, struct tensor *tensor, int64_t *n)
{
    int64_t all = 0, at = 0;
    struct tensor *out;
    int k;

    for (int64_t i = 0; i < *n; i++)
        all += expert_stem(&tensor[i], &k) > 0 ? tensor[i].shape[0] : 1;
    if (all == *n)
        return tensor;
    out = arena_alloc(a, (size_t)all, sizeof *out);
    for (int64_t i = 0; i < *n; i++) {
        int stem = expert_stem(&tensor[i], &k);

        if (stem > 0)
            gguf_tensors_split_experts(a, out + at, &tensor[i], stem, k);
        else
            out[at] = tensor[i];
        at += stem > 0 ? tensor[i].shape[0] : 1;
    }
    *n = all;
    return out;
}

/* ---- a file, a model in parts ---- */

static int gguf_tensors_append(struct weights *weights, const struct gguf *gguf, struct err *e)
{
    int64_t count = gguf->n_tensors;
    struct tensor *tensor = arena_alloc(weights->a, (size_t)count, sizeof *tensor);

    if (read_tensors(weights->a, gguf, tensor, e) != 0)
        return err_under(e, "%s", gguf->file);
    tensor = each_expert(weights->a, tensor, &count);
    if (count > INT_MAX - weights->n)
        return err_set(e, ERR_INPUT, "%s: over %d tensors", gguf->file, INT_MAX);
    weights->tensor = arena_grow(weights->a, weights->tensor, (size_t)weights->n,
                                 (size_t)weights->n + (size_t)count, sizeof *weights->tensor);
    if (count > 0)
        memcpy(weights->tensor + weights->n, tensor, (size_t)count * sizeof *tensor);
    weights->n += (int)count;
    weights->n_stored += gguf->n_tensors;
    return 0;
}

/* A key that must be a whole number, where it is there. */
static int small_int(struct arena *a, const struct gguf *gguf, const char *key, int64_t *out,
                     struct err *e)
{
    const struct gguf_value *value = gguf_find(gguf, key);

    if (value == NULL)
        return 0;
    if (value->is_array || !gguf_is_int(value))
        return err_set(e, ERR_INPUT, "%s: %s: is %s, expected a whole number", gguf->file, key,
                       gguf_kind(a, value));
    *out = gguf_int(value, 0);
    return 0;
}

/* "NAME-00002-of-00003.gguf": the length of NAME; -1 where it is none of so many. */
static int part_stem(const char *path, int64_t n_parts)
{
    enum { TAIL = 20 };         /* "-00002-of-00003.gguf" */
    size_t count = strlen(path);
    int no = 0, of = 0;

    if (count <= TAIL || sscanf(path + count - TAIL, "-%5d-of-%5d.gguf", &no, &of) != 2 ||
        no < 1 || of != n_parts || !str_ends_with(path, ".gguf"))
        return -1;
    return (int)(count - TAIL);
}

static int append_part(struct weights *weights, const char *path, struct err *e)
{
    struct span bytes;
    const struct gguf *gguf;

    if (weights_map(weights, path, &bytes, e) != 0)
        return -1;
    gguf = gguf_read(weights->a, bytes, path, e);
    if (gguf == NULL)
        return -1;
    if (weights->gguf == NULL)
        weights->gguf = gguf;
    return gguf_tensors_append(weights, gguf, e);
}

static int open_parts(struct weights *weights, const struct gguf *any, int64_t n_parts,
                      struct err *e)
{
    int stem = part_stem(any->file, n_parts);
    int64_t n_tensors = -1;

    if (stem < 0)
        return err_set(e, ERR_INPUT, "%s: is one of %lld parts, whose names must end in "
                       "-00001-of-%05lld.gguf", any->file, (long long)n_parts,
                       (long long)n_parts);
    for (int64_t i = 1; i <= n_parts; i++)
        if (append_part(weights, arena_printf(weights->a, "%.*s-%05lld-of-%05lld.gguf", stem,
                                              any->file, (long long)i, (long long)n_parts),
                        e) != 0)
            return -1;
    if (small_int(weights->a, weights->gguf, "split.tensors.count", &n_tensors, e) != 0)
        return -1;
    if (n_tensors >= 0 && n_tensors != weights->n_stored)
        return err_set(e, ERR_INPUT, "%s: split.tensors.count: %lld, but the parts have "
                       "%lld tensor%s", weights->gguf->file, (long long)n_tensors,
                       (long long)weights->n_stored, str_plural(weights->n_stored));
    return 0;
}

int gguf_tensors_open(struct weights *weights, struct span bytes, const char *file, struct err *e)
{
    enum { MOST_PARTS = 99999 };
    const struct gguf *gguf = gguf_read(weights->a, bytes, file, e);
    int64_t n_parts = 1;

    if (gguf == NULL || small_int(weights->a, gguf, "split.count", &n_parts, e) != 0)
        return -1;
    if (n_parts < 0 || n_parts > MOST_PARTS)
        return err_set(e, ERR_INPUT, "%s: split.count: found %lld, expected at most %d", file,
                       (long long)n_parts, MOST_PARTS);
    if (n_parts > 1) {
        if (open_parts(weights, gguf, n_parts, e) != 0)
            return -1;
    } else {
        weights->gguf = gguf;
        if (gguf_tensors_append(weights, gguf, e) != 0)
            return -1;
    }
    return weights_sort(weights->a, weights->tensor, weights->n,
                        e) != 0 ? err_under(e, "%s", file) : 0;
}

const struct gguf *weights_gguf(const struct weights *weights)
{
    return weights->gguf;
}
