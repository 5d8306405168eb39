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

static int64_t group_at(const struct fields *f, int64_t k)
{
    return f->order != NULL ? quant_word(f->order, k) : k / f->group;
}

static float zero_of(const struct fields *f, int64_t o, int64_t group)
{
    int per = 32 / f->bits;
    uint32_t mask = (1u << f->bits) - 1;

    if (f->z == NULL)
        return (float)(1 << (f->bits - 1));
    return (float)(quant_word(f->z, o / per * f->n_groups + group) >> o % per * f->bits &
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
static void ct_describe(struct unpacker *u, struct fields *f, int64_t out)
{
    const struct packed_order *order = NULL;

    if (f->order != NULL)
        order = quant_order(u, f->order, f->in, f->n_groups);
    if ((f->bits != 4 && f->bits != 8) || f->in % (32 / f->bits) != 0 ||
        (order == NULL && (f->order != NULL || f->group % (32 / f->bits) != 0)))
        return;
    f->codes = (struct packed_codes){ .lie = PACKED_ALONG, .q = f->q, .stride = 4 * f->words,
                                      .out = out, .in = f->in, .group = f->group,
                                      .order = order, .bits = f->bits, .group_of = ct_group_of };
    f->maker.codes = &f->codes;
}

/* The sizes before packing, which fit what was packed. */
static int ct_read_shape(struct unpacker *u, const struct tensor *t, const struct tensor *packed,
                         int per, int64_t *in)
{
    int64_t size[2];

    if (quant_check(u, t, DTYPE_I64, 2, -1) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        size[i] = (int64_t)bytes_get(t->data + 8 * i, 8);
    *in = size[1];
    if (size[0] != packed->shape[0] || size[1] < 1 ||
        (size[1] - 1) / per + 1 != packed->shape[1])
        return err_set(u->e, ERR_INPUT, "%s: %s: holds %lld, %lld, which %s of shape %s does "
                       "not fit", t->file, str_shown(u->w->a, t->name), (long long)size[0],
                       (long long)size[1], str_shown(u->w->a, packed->name),
                       tensor_shape(u->w->a, packed));
    return 0;
}

static int open_zeros(struct unpacker *u, struct fields *f, int64_t out,
                      const struct tensor **zeros)
{
    int per = 32 / f->bits;

    *zeros = u->p->zeros ? quant_part(u, ".weight_zero_point") :
                           quant_find(u, ".weight_zero_point");
    if (!u->p->zeros)
        *zeros = NULL;          /* of what is symmetric they say nothing */
    else if (*zeros == NULL ||
             quant_check(u, *zeros, DTYPE_I32, (out - 1) / per + 1, f->n_groups) != 0)
        return -1;
    else
        f->z = (*zeros)->data;
    return 0;
}

static int open_order(struct unpacker *u, struct fields *f, const struct tensor **order)
{
    *order = u->p->ordered ? quant_part(u, ".weight_g_idx") : quant_find(u, ".weight_g_idx");
    if (*order == NULL)
        return u->p->ordered ? -1 : 0;
    if (quant_check_order(u, *order, f->in, f->n_groups) != 0)
        return -1;
    f->order = (*order)->data;
    return 0;
}

int quant_ct_int(struct unpacker *u, const struct tensor *packed, struct tensor *out)
{
    struct fields *f = arena_alloc(u->w->a, 1, sizeof *f);
    const struct tensor *shape = quant_part(u, ".weight_shape");
    const struct tensor *scale = quant_part(u, ".weight_scale");
    const struct tensor *part[4] = { packed, scale };
    const struct tensor *zeros, *order;

    f->bits = u->p->bits;
    if (shape == NULL || scale == NULL || quant_check_dims(u, packed, DTYPE_I32, 2) != 0 ||
        ct_read_shape(u, shape, packed, 32 / f->bits, &f->in) != 0 ||
        quant_groups(u, packed, f->in, &f->n_groups) != 0 ||
        quant_check_scale(u, scale, packed->shape[0], f->n_groups) != 0 ||
        open_zeros(u, f, packed->shape[0], &zeros) != 0 || open_order(u, f, &order) != 0)
        return -1;
    f->q = packed->data;
    f->words = packed->shape[1];
    f->group = f->in / f->n_groups;
    f->maker.n_parts = 2;
    if (zeros != NULL)
        part[f->maker.n_parts++] = zeros;
    if (order != NULL)
        part[f->maker.n_parts++] = order;
    f->maker.part = quant_parts(u, part, f->maker.n_parts);
    f->scale = &f->maker.part[1];
    ct_describe(u, f, packed->shape[0]);
    f->maker.read = read_fields;
    f->maker.how = arena_printf(u->w->a, "compressed-tensors, %d bits%s", f->bits,
                               quant_in_groups(u));
    quant_fill(out, &f->maker, packed->shape[0], f->in);
    return 0;
}
