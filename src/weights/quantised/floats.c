/* SPDX-License-Identifier: MIT
 * Floats of 8 and of 4 bits, with scales by row, by block or by group -> weights. */
#include "weights/quantised/quant_priv.h"

enum { NV_GROUP = 16, MX_GROUP = 32 };

static const float e2m1[16] = {
    0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6
};

/* ---- 8 bits: by row or as a whole (compressed-tensors), by block (fp8) ---- */

struct scaled {
    struct maker maker;
    struct packed_codes codes;
    const struct tensor *q, *scale;     /* scale [rows, columns] of blocks */
    int64_t in, columns;                /* columns of scale */
    int64_t rows_of, columns_of;        /* a block's */
};

/* At most to the end of a block: so many have one scale. */
static int64_t with_one_scale(const struct scaled *scaled, int64_t k, int64_t n)
{
    int64_t left = scaled->columns_of - k % scaled->columns_of, in_row = scaled->in - k;

    left = left < in_row ? left : in_row;
    return left < n ? left : n;
}

static void read_scaled(const void *maker, float *out, int64_t first, int64_t n)
{
    const struct scaled *s = maker;

    while (n > 0) {
        int64_t o = first / s->in, k = first % s->in, count = with_one_scale(s, k, n);
        float scale = quant_scale(s->scale, o / s->rows_of * s->columns + k / s->columns_of);

        dtype_table[s->q->dtype].to_f32(out, s->q->data + first, count);
        for (int64_t i = 0; i < count; i++)
            out[i] *= scale;
        out += count;
        first += count;
        n -= count;
    }
}

static void scaled_group(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k)
{
    const struct scaled *s = self;

    for (int i = 0; i < n; i++) {
        zero[i] = 0;
        scale[i] = quant_scale(s->scale, (o + i) / s->rows_of * s->columns + k / s->columns_of);
    }
}

/* For those who unpack in vectors: whole words of four inputs. */
static void describe_scaled(struct scaled *scaled)
{
    if (scaled->in % 4 != 0 || scaled->columns_of % 4 != 0)
        return;
    scaled->codes = (struct packed_codes){ .lie = PACKED_ALONG, .q = scaled->q->data,
                                           .stride = scaled->in,
                                           .out = scaled->q->shape[0], .in = scaled->in,
                                           .group = scaled->columns_of,
                                           .bits = 8, .group_of = scaled_group,
                                           .is = scaled->q->dtype == DTYPE_F8_E4M3 ? PACKED_E4M3 :
                                                                                     PACKED_E5M2 };
    scaled->maker.codes = &scaled->codes;
}

static const struct tensor *find_8_bits(struct unpacker *unpacker)
{
    const struct tensor *q = quant_part(unpacker, ".weight");

    if (q == NULL || (q->dtype == DTYPE_F8_E5M2 && unpacker->p->method == QUANT_FP8))
        return q != NULL && quant_check_dims(unpacker, q, DTYPE_F8_E5M2, 2) == 0 ? q : NULL;
    return quant_check_dims(unpacker, q, DTYPE_F8_E4M3, 2) == 0 ? q : NULL;
}

static void fill_scaled(struct unpacker *unpacker, struct scaled *scaled,
                        const struct tensor *tensor, const struct tensor *scale, struct tensor *out)
{
    const struct tensor *part[2] = { tensor, scale };

    scaled->maker.part = quant_parts(unpacker, part, 2);
    scaled->maker.n_parts = 2;
    scaled->maker.read = read_scaled;
    scaled->q = &scaled->maker.part[0];
    scaled->scale = &scaled->maker.part[1];
    scaled->in = tensor->shape[1];
    describe_scaled(scaled);
    quant_fill(out, &scaled->maker, tensor->shape[0], scaled->in);
}

int quant_ct_float(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct scaled *s = arena_alloc(unpacker->w->a, 1, sizeof *s);
    const struct tensor *q = find_8_bits(unpacker);
    int64_t rows;
    bool flat;

    quant_find(unpacker, ".input_scale");         /* of activations, which stay floats */
    if (q == NULL)
        return -1;
    rows = unpacker->p->whole ? 1 : q->shape[0];
    flat = packed->n_dims == 1;
    if (quant_check_scale(unpacker, packed, rows, flat ? -1 : 1) != 0)
        return -1;
    s->rows_of = unpacker->p->whole ? q->shape[0] : 1;
    s->columns_of = q->shape[1];
    s->columns = 1;
    s->maker.how = unpacker->p->whole ? "compressed-tensors, F8_E4M3" :
                                       "compressed-tensors, F8_E4M3 by row";
    fill_scaled(unpacker, s, q, packed, out);
    return 0;
}

int quant_fp8(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct scaled *s = arena_alloc(unpacker->w->a, 1, sizeof *s);
    const struct tensor *q = find_8_bits(unpacker);

    quant_find(unpacker, ".activation_scale");
    if (q == NULL)
        return -1;
    s->rows_of = unpacker->p->block[0];
    s->columns_of = unpacker->p->block[1];
    s->columns = (q->shape[1] - 1) / s->columns_of + 1;
    if (quant_check_scale(unpacker, packed, (q->shape[0] - 1) / s->rows_of + 1, s->columns) != 0)
        return -1;
    s->maker.how = arena_printf(unpacker->w->a, "%s in blocks of %dx%d", dtype_table[q->dtype].name,
                               unpacker->p->block[0], unpacker->p->block[1]);
    fill_scaled(unpacker, s, q, packed, out);
    return 0;
}

/* ---- 4 bits of compressed-tensors: a scale by 16, and one for all ---- */

struct nvfp4 {
    struct maker maker;
    struct packed_codes codes;
    const unsigned char *q, *scale;     /* [out, in / 2], E4M3 [out, in / 16] */
    float scale_of[256];                /* E4M3, divided by the scale for all */
};

static int low_first(const unsigned char *q, int64_t i)
{
    return i % 2 == 0 ? q[i / 2] & 15 : q[i / 2] >> 4;
}

/* Rows are whole groups, so groups follow each other through all of the matrix. */
static void read_nvfp4(const void *maker, float *out, int64_t first, int64_t n)
{
    const struct nvfp4 *f = maker;
    int64_t last = -1;
    float scale = 0;

    for (int64_t i = first; i < first + n; i++) {
        if (i / NV_GROUP != last) {
            last = i / NV_GROUP;
            scale = f->scale_of[f->scale[last]];
        }
        *out++ = e2m1[low_first(f->q, i)] * scale;
    }
}

static void nvfp4_group(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k)
{
    const struct nvfp4 *f = self;

    for (int i = 0; i < n; i++) {
        zero[i] = 0;
        scale[i] = f->scale_of[f->scale[((o + i) * f->codes.in + k) / NV_GROUP]];
    }
}

int quant_ct_nvfp4(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct nvfp4 *f = arena_alloc(unpacker->w->a, 1, sizeof *f);
    const struct tensor *scale = quant_part(unpacker, ".weight_scale");
    const struct tensor *global = quant_part(unpacker, ".weight_global_scale");
    const struct tensor *part[3] = { packed, scale, global };
    int64_t in;

    quant_find(unpacker, ".input_global_scale");
    if (scale == NULL || global == NULL || quant_check_dims(unpacker, packed, DTYPE_U8, 2) != 0)
        return -1;
    in = 2 * packed->shape[1];
    if (in % NV_GROUP != 0)
        return err_set(unpacker->e, ERR_INPUT, "%s: %s: groups of %d do not divide the %lld inputs",
                       packed->file, str_shown(unpacker->w->a, packed->name), NV_GROUP,
                       (long long)in);
    if (quant_check(unpacker, scale, DTYPE_F8_E4M3, packed->shape[0], in / NV_GROUP) != 0 ||
        quant_check(unpacker, global, DTYPE_F32, 1, -1) != 0)
        return -1;
    f->q = packed->data;
    f->scale = scale->data;
    for (int i = 0; i < 256; i++)
        f->scale_of[i] = f8_e4m3_to_float((uint8_t)i) / quant_float(global->data, 0);
    f->codes = (struct packed_codes){ .lie = PACKED_ALONG, .q = f->q, .stride = in / 2,
                                      .out = packed->shape[0], .in = in, .group = NV_GROUP,
                                      .bits = 4, .value = e2m1, .group_of = nvfp4_group };
    f->maker = (struct maker){ .read = read_nvfp4, .codes = &f->codes,
                             .how = "compressed-tensors, NVFP4",
                             .part = quant_parts(unpacker, part, 3), .n_parts = 3 };
    quant_fill(out, &f->maker, packed->shape[0], in);
    return 0;
}

/* ---- 4 bits of experts: a power of two by 32 ---- */

struct mxfp4 {
    struct maker maker;
    struct packed_codes codes;
    const unsigned char *q, *scale;     /* [E, out, in / 2], [E, out, in / 32] */
    int64_t in, out;
};

/* 2^(scale - 127), which is subnormal for 0, and NaN for 255. */
static float power_of(unsigned scale)
{
    return float_of_bits(scale == 0 ? 0x400000u : scale == 255 ? 0x7fc00000u : scale << 23);
}

/* Element [e, k, o] of what lies as [e, o, k]. */
static void read_mxfp4(const void *maker, float *out, int64_t first, int64_t n)
{
    const struct mxfp4 *f = maker;
    int64_t o = first % f->out, k = first / f->out % f->in, e = first / f->out / f->in;

    for (int64_t i = 0; i < n; i++) {
        int64_t at = (e * f->out + o) * f->in + k;

        out[i] = e2m1[low_first(f->q, at)] * power_of(f->scale[at / MX_GROUP]);
        if (++o < f->out)
            continue;
        o = 0;
        if (++k < f->in)
            continue;
        k = 0;
        e++;
    }
}

static void mxfp4_group(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k)
{
    const struct mxfp4 *f = self;

    for (int i = 0; i < n; i++) {
        zero[i] = 0;
        scale[i] = power_of(f->scale[((o + i) * f->in + k) / MX_GROUP]);
    }
}

int quant_mxfp4(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct mxfp4 *f = arena_alloc(unpacker->w->a, 1, sizeof *f);
    const struct tensor *scale = quant_part(unpacker, "_scales");
    const struct tensor *part[2] = { packed, scale };

    if (scale == NULL || quant_check_dims(unpacker, packed, DTYPE_U8, 4) != 0 ||
        quant_check_dims(unpacker, scale, DTYPE_U8, 3) != 0)
        return -1;
    if (packed->shape[3] != MX_GROUP / 2)
        return err_set(unpacker->e, ERR_INPUT, "%s: %s: shape %s, expected %d bytes in each block",
                       packed->file, str_shown(unpacker->w->a, packed->name),
                       tensor_shape(unpacker->w->a, packed), MX_GROUP / 2);
    if (memcmp(packed->shape, scale->shape, 3 * sizeof *scale->shape) != 0)
        return err_set(unpacker->e, ERR_INPUT,
                       "%s: %s: shape %s, which blocks of shape %s do not fit", scale->file,
                       str_shown(unpacker->w->a, scale->name), tensor_shape(unpacker->w->a, scale),
                       tensor_shape(unpacker->w->a, packed));
    f->q = packed->data;
    f->scale = scale->data;
    f->out = packed->shape[1];
    f->in = packed->shape[2] * MX_GROUP;
    f->codes = (struct packed_codes){ .lie = PACKED_ALONG, .q = f->q, .stride = f->in / 2,
                                      .out = packed->shape[0] * f->out, .in = f->in,
                                      .in_out = f->out, .group = MX_GROUP, .bits = 4,
                                      .value = e2m1, .group_of = mxfp4_group };
    f->maker = (struct maker){ .read = read_mxfp4, .codes = &f->codes,
                             .how = "MXFP4 in groups of 32",
                             .part = quant_parts(unpacker, part, 2), .n_parts = 2 };
    quant_fill(out, &f->maker, f->in, f->out);
    f->maker.out_in = false;
    out->n_dims = 3;
    out->shape[2] = out->shape[1];
    out->shape[1] = out->shape[0];
    out->shape[0] = packed->shape[0];
    return 0;
}
