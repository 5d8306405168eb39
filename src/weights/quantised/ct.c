/* SPDX-License-Identifier: MIT
 * Whole numbers of compressed-tensors, packed along the inputs -> weights. */
#include "weights/quantised/quant_priv.h"

struct fields {
    struct maker maker;
    struct packed_codes codes;
    const unsigned char *q, *z, *order; /* z NULL: no zero points; order NULL: in order */
    const struct tensor *scale;         /* [out, G] */
    int64_t in, words, group, n_groups; /* words of a row; inputs of a group */
    int bits;
};

static int64_t group_at(const struct fields *fields, int64_t k)
{
    return fields->order != NULL ? quant_word(fields->order, k) : k / fields->group;
}

static float zero_of(const struct fields *fields, int64_t o, int64_t group)
{
    int per = 32 / fields->bits;
    uint32_t mask = (1u << fields->bits) - 1;

    if (fields->z == NULL)
        return (float)(1 << (fields->bits - 1));
    return (float)(quant_word(fields->z, o / per * fields->n_groups + group) >>
                       o % per * fields->bits &
                   mask);
}

static void read_fields(const void *maker, float *out, int64_t first, int64_t n)
{
    const struct fields *f = maker;
    int per = 32 / f->bits;
    uint32_t mask = (1u << f->bits) - 1;
    int64_t o = first / f->in, k = first % f->in, last = -1;
    float zero = 0, scale = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t group = group_at(f, k);
        uint32_t word = quant_word(f->q, o * f->words + k / per);

        if (o * f->n_groups + group != last) {
            last = o * f->n_groups + group;
            zero = zero_of(f, o, group);
            scale = quant_scale(f->scale, last);
        }
        out[i] = ((float)(word >> k % per * f->bits & mask) - zero) * scale;
        if (++k == f->in) {
            k = 0;
            o++;
        }
    }
}

static void ct_group_of(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k)
{
    const struct fields *f = self;
    int64_t group = group_at(f, k);

    for (int i = 0; i < n; i++) {
        zero[i] = zero_of(f, o + i, group);
        scale[i] = quant_scale(f->scale, (o + i) * f->n_groups + group);
    }
}

/* For those who unpack in vectors: fields of a word are of one group, or of any. */
static void ct_describe(struct unpacker *unpacker, struct fields *fields, int64_t out)
{
    const struct packed_order *order = NULL;

    if (fields->order != NULL)
        order = quant_order(unpacker, fields->order, fields->in, fields->n_groups);
    if ((fields->bits != 4 && fields->bits != 8) || fields->in % (32 / fields->bits) != 0 ||
        (order == NULL && (fields->order != NULL || fields->group % (32 / fields->bits) != 0)))
        return;
    fields->codes = (struct packed_codes){ .lie = PACKED_ALONG, .q = fields->q,
                                           .stride = 4 * fields->words,
                                           .out = out, .in = fields->in, .group = fields->group,
                                           .order = order, .bits = fields->bits,
                                           .group_of = ct_group_of };
    fields->maker.codes = &fields->codes;
}

/* The sizes before packing, which fit what was packed. */
static int ct_read_shape(struct unpacker *unpacker, const struct tensor *tensor,
                         const struct tensor *packed, int per, int64_t *in)
{
    int64_t size[2];

    if (quant_check(unpacker, tensor, DTYPE_I64, 2, -1) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        size[i] = (int64_t)bytes_get(tensor->data + 8 * i, 8);
    *in = size[1];
    if (size[0] != packed->shape[0] || size[1] < 1 ||
        (size[1] - 1) / per + 1 != packed->shape[1])
        return err_set(unpacker->e, ERR_INPUT,
                       "%s: %s: holds %lld, %lld, which %s of shape %s does "
                       "not fit",
                       tensor->file, str_shown(unpacker->w->a, tensor->name), (long long)size[0],
                       (long long)size[1], str_shown(unpacker->w->a, packed->name),
                       tensor_shape(unpacker->w->a, packed));
    return 0;
}

static int open_zeros(struct unpacker *unpacker, struct fields *fields, int64_t out,
                      const struct tensor **zeros)
{
    int per = 32 / fields->bits;

    *zeros = unpacker->p->zeros ? quant_part(unpacker, ".weight_zero_point") :
                                  quant_find(unpacker, ".weight_zero_point");
    if (!unpacker->p->zeros)
        *zeros = NULL;          /* of what is symmetric they say nothing */
    else if (*zeros == NULL ||
             quant_check(unpacker, *zeros, DTYPE_I32, (out - 1) / per + 1, fields->n_groups) != 0)
        return -1;
    else
        fields->z = (*zeros)->data;
    return 0;
}

static int open_order(struct unpacker *unpacker, struct fields *fields, const struct tensor **order)
{
    *order = unpacker->p->ordered ? quant_part(unpacker, ".weight_g_idx") :
             quant_find(unpacker, ".weight_g_idx");
    if (*order == NULL)
        return unpacker->p->ordered ? -1 : 0;
    if (quant_check_order(unpacker, *order, fields->in, fields->n_groups) != 0)
        return -1;
    fields->order = (*order)->data;
    return 0;
}

int quant_ct_int(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct fields *f = arena_alloc(unpacker->w->a, 1, sizeof *f);
    const struct tensor *shape = quant_part(unpacker, ".weight_shape");
    const struct tensor *scale = quant_part(unpacker, ".weight_scale");
    const struct tensor *part[4] = { packed, scale };
    const struct tensor *zeros, *order;

    f->bits = unpacker->p->bits;
    if (shape == NULL || scale == NULL || quant_check_dims(unpacker, packed, DTYPE_I32, 2) != 0 ||
        ct_read_shape(unpacker, shape, packed, 32 / f->bits, &f->in) != 0 ||
        quant_groups(unpacker, packed, f->in, &f->n_groups) != 0 ||
        quant_check_scale(unpacker, scale, packed->shape[0], f->n_groups) != 0 ||
        open_zeros(unpacker, f, packed->shape[0], &zeros) != 0 ||
        open_order(unpacker, f, &order) != 0)
        return -1;
    f->q = packed->data;
    f->words = packed->shape[1];
    f->group = f->in / f->n_groups;
    f->maker.n_parts = 2;
    if (zeros != NULL)
        part[f->maker.n_parts++] = zeros;
    if (order != NULL)
        part[f->maker.n_parts++] = order;
    f->maker.part = quant_parts(unpacker, part, f->maker.n_parts);
    f->scale = &f->maker.part[1];
    ct_describe(unpacker, f, packed->shape[0]);
    f->maker.read = read_fields;
    f->maker.how = arena_printf(unpacker->w->a, "compressed-tensors, %d bits%s", f->bits,
                               quant_in_groups(unpacker));
    quant_fill(out, &f->maker, packed->shape[0], f->in);
    return 0;
}
