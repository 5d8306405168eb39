/* SPDX-License-Identifier: MIT
 * Weights -> weights rounded to another type, in a safetensors file in memory. */
#include <math.h>

#include "base/half.h"
#include "base/memory_file.h"
#include "weights/gguf.h"
#include "weights/safetensors.h"
#include "weights/weights_priv.h"

enum { BLOCK = 32, CHUNK = 1024 };      /* of Q8_0; elements at a time: whole blocks */

/* ---- which type ---- */

/* The scale of a block must be a half too. */
static float round_largest_of(enum dtype to)
{
    return to == DTYPE_Q8_0 ? 127 * 65504.0f : 65504.0f;
}

static bool round_fits(const struct tensor *tensor, enum dtype to)
{
    float chunk[CHUNK], most = round_largest_of(to);

    for (int64_t at = 0; at < tensor->n_elements; at += CHUNK) {
        int64_t n = tensor->n_elements - at < CHUNK ? tensor->n_elements - at : CHUNK;

        tensor_read(chunk, tensor, at, n);
        for (int64_t i = 0; i < n; i++)
            if (!(fabsf(chunk[i]) <= most))
                return false;
    }
    return true;
}

static enum dtype round_type_of(const struct tensor *tensor, enum weights_held held)
{
    const struct dtype_row *stored = &dtype_table[tensor->dtype];
    bool rows = tensor->n_dims == 2 && tensor->shape[1] % BLOCK == 0 && held == HELD_Q8_0;
    enum dtype to = rows ? DTYPE_Q8_0 : DTYPE_F16;

    if (!stored->is_float || tensor->n_dims < 2 || stored->block > 1)
        return tensor->dtype;
    return tensor->dtype != to && round_fits(tensor, to) ? to : tensor->dtype;
}

/* ---- elements ---- */

static void put_f16(unsigned char *out, const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        bytes_put(out + 2 * i, half_bits(x[i]), 2);
}

static void put_f32(unsigned char *out, const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, x + i, sizeof bits);
        bytes_put(out + 4 * i, bits, 4);
    }
}

/*
 * d 2, q 32 (signed): d q, as quantise_blocks rounds them.  Ties away from zero; a d that is
 * too small to divide by is 0.
 */
static void put_q8_0(unsigned char *out, const float *x)
{
    float largest = 0, d, inverse;

    for (int i = 0; i < BLOCK; i++)
        largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    d = largest / 127;
    inverse = d != 0 && !isinf(1 / d) ? 1 / d : 0;
    bytes_put(out, half_bits(d), 2);
    for (int i = 0; i < BLOCK; i++) {
        float scaled = x[i] * inverse, whole = truncf(scaled);

        if (fabsf(scaled - whole) >= 0.5f)
            whole += copysignf(1, scaled);
        out[2 + i] = (unsigned char)(int)whole;
    }
}

static unsigned char *put_tensor(unsigned char *out, const struct tensor *from, enum dtype to)
{
    const struct dtype_row *type = &dtype_table[to];
    float chunk[CHUNK];

    if (from->dtype == to && from->maker == NULL) {
        size_t size = (size_t)(from->n_elements / type->block) * (size_t)type->size_bytes;

        memcpy(out, from->data, size);
        return out + size;
    }
    for (int64_t at = 0; at < from->n_elements; at += CHUNK) {
        int64_t n = from->n_elements - at < CHUNK ? from->n_elements - at : CHUNK;

        tensor_read(chunk, from, at, n);
        if (to == DTYPE_F16)
            put_f16(out, chunk, n);
        else if (to == DTYPE_F32)           /* what was made, and is too large to be rounded */
            put_f32(out, chunk, n);
        for (int64_t i = 0; to == DTYPE_Q8_0 && i < n; i += BLOCK)
            put_q8_0(out + i / BLOCK * type->size_bytes, chunk + i);
        out += n / type->block * type->size_bytes;
    }
    return out;
}

/* ---- the file ---- */

/* As many bytes as *data tell; the data follow after *header of them. */
static int write_header(struct arena *a, const struct weights *weights, const struct tensor *tensor,
                        unsigned char **file, size_t *header, uint64_t data, struct err *e)
{
    struct memory_file *begin = memory_file_new(a);

    if (safetensors_begin(begin->file, tensor, weights->n, weights->note, weights->n_notes, e) != 0)
        return -1;
    if (memory_file_close(begin) != 0)
        return err_set(e, ERR_SYSTEM, "rounded weights: no memory for their names");
    *header = begin->size;
    *file = arena_alloc_raw(a, *header + data, 1);
    memcpy(*file, begin->data, *header);
    arena_release(a, begin);
    return 0;
}

/* Borrows from names and shapes of weights; sets what the data take, and whether any are
 * rounded. */
static int round_choose(const struct weights *weights, enum weights_held held,
                        struct tensor *tensor, uint64_t *data, bool *any, struct err *e)
{
    *data = 0;
    *any = false;
    for (int i = 0; i < weights->n; i++) {
        int64_t size;

        tensor[i] = weights->tensor[i];
        tensor[i].dtype = round_type_of(&weights->tensor[i], held);
        *any |= tensor[i].dtype != weights->tensor[i].dtype || weights->tensor[i].maker != NULL;
        if (tensor_measure(&tensor[i], &size) != 0 || (uint64_t)size > SIZE_MAX / 2 - *data)
            return err_set(e, ERR_INPUT, "%s: is too large to be rounded", tensor[i].name);
        *data += (uint64_t)size;
    }
    return 0;
}

int weights_round(struct weights *weights, enum weights_held held, struct err *e)
{
    struct tensor *to;
    unsigned char *file = NULL, *out;
    uint64_t data;
    size_t header = 0;
    bool any;
    int n;

    if (held == HELD_AS_STORED)
        return 0;
    if (weights_gguf(weights) != NULL)
        return err_set(e, ERR_USAGE, "%s: weights of a GGUF file stay in their types, expected "
                       "safetensors", weights_gguf(weights)->file);
    to = arena_alloc(weights->a, (uint64_t)weights->n + 1, sizeof *to);
    if (round_choose(weights, held, to, &data, &any, e) != 0)
        return -1;
    if (!any)
        return 0;
    if (write_header(weights->a, weights, to, &file, &header, data, e) != 0)
        return -1;
    out = file + header;
    for (int i = 0; i < weights->n; i++)
        out = put_tensor(out, &weights->tensor[i], to[i].dtype);
    weights->rounded = (struct span){ file, header + (size_t)data };
    weights->tensor = safetensors_read(weights->a, weights->rounded, "rounded weights", &n, NULL,
                                       e);
    weights->n = n;
    return weights->tensor != NULL ? 0 : -1;
}

struct span weights_rounded(const struct weights *weights)
{
    return weights->rounded;
}
