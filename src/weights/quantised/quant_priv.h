/* SPDX-License-Identifier: MIT
 * Private interface of the layouts of quantised linears in this folder. */
#ifndef WEIGHTS_QUANT_PRIV_H
#define WEIGHTS_QUANT_PRIV_H

#include "base/half.h"
#include "weights/quantised.h"
#include "weights/weights_priv.h"

struct unpacker {
    struct weights *w;
    const struct quantisation *p;
    const char *method;         /* its name in messages */
    bool *used;                 /* [w->n] tensors that belong to a packed linear */
    const char *module;         /* name of the present module: "h.0.attn.c_attn" */
    struct err *e;
};

/*
 * A layout: fills out except its name: maker, n_dims, shape; packed is the tensor whose name has
 * the ending that identifies the method.
 */
typedef int quant_open(struct unpacker *u, const struct tensor *packed, struct tensor *out);

quant_open quant_gptq, quant_awq, quant_bnb4, quant_bnb8, quant_ct_float,
            quant_ct_int, quant_ct_nvfp4, quant_fp8, quant_mxfp4;

/* The module's tensor with this ending, marked as used; NULL if there is none. */
const struct tensor *quant_find(struct unpacker *unpacker, const char *ending);

/* The same; an error if there is none. */
const struct tensor *quant_part(struct unpacker *unpacker, const char *ending);

/* Errors: another type; not n dimensions, each of 1 or more. */
int quant_check_dims(struct unpacker *unpacker, const struct tensor *tensor, enum dtype dtype,
                     int n);

/* Errors: another type, or another shape than [rows, columns], or [rows] if columns is -1. */
int quant_check(struct unpacker *unpacker, const struct tensor *tensor, enum dtype dtype,
                int64_t rows, int64_t columns);

/* The same for F32, F16 or BF16, which quant_scale reads. */
int quant_check_scale(struct unpacker *unpacker, const struct tensor *tensor, int64_t rows,
                       int64_t columns);

/* The number of groups of `in` inputs.  Errors: in is no multiple of the group. */
int quant_groups(struct unpacker *unpacker, const struct tensor *tensor, int64_t in,
                 int64_t *n_groups);

/* The group of each input in order: I32 [in] below n_groups. */
int quant_check_order(struct unpacker *unpacker, const struct tensor *order, int64_t in,
                       int64_t n_groups);

/* The order in the form that vector kernels use; NULL: more inputs than an int can count. */
const struct packed_order *quant_order(struct unpacker *unpacker, const unsigned char *order,
                                       int64_t in, int64_t n_groups);

/* Makes tensor a matrix [out, in] that maker computes. */
void quant_fill(struct tensor *tensor, struct maker *maker, int64_t out, int64_t in);

/* A copy of the list of parts of a computed tensor, which lasts as long as the weights. */
const struct tensor *quant_parts(struct unpacker *unpacker, const struct tensor *const *part,
                                 int n);

/* " in groups of 128"; "" for one scale per row. */
const char *quant_in_groups(struct unpacker *unpacker);

static inline uint32_t quant_word(const unsigned char *data, int64_t i)
{
    const unsigned char *p = data + 4 * i;

    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline float quant_float(const unsigned char *data, int64_t i)
{
    return float_of_bits(quant_word(data, i));
}

/* Element i of F32, F16 or BF16. */
static inline float quant_scale(const struct tensor *tensor, int64_t i)
{
    const unsigned char *data = tensor->data;
    uint16_t half;

    if (tensor->dtype == DTYPE_F32)
        return quant_float(data, i);
    half = (uint16_t)(data[2 * i] | data[2 * i + 1] << 8);
    return tensor->dtype == DTYPE_F16 ? half_to_float(half) : bf16_to_float(half);
}

#endif
