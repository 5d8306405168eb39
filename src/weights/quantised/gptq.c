/* SPDX-License-Identifier: MIT
 * Words of GPTQ and of AWQ, with scales and zeros by group -> weights. */
#include "weights/quantised/quant_priv.h"

struct words {
    struct maker maker;
    struct packed_codes codes;
    const unsigned char *q, *z;
    const struct tensor *scale;         /* [G, out] */
    const unsigned char *order;         /* I32 [in] group of each input; NULL: in order */
    int64_t in, out, group;             /* inputs of a group */
    int bits, plus;                     /* plus: added to zeros */
};

static inline uint32_t field(uint32_t word, int at, int bits)
{
    return word >> at & ((1u << bits) - 1);
}

static int64_t gptq_group_of(const struct words *w, int64_t k)
{
    return w->order != NULL ? quant_word(w->order, k) : k / w->group;
}

/* ---- GPTQ ---- */

static float gptq_zero(const struct words *w, int64_t group, int64_t o)
{
    int per = 32 / w->bits;
    uint32_t word = quant_word(w->z, group * (w->out / per) + o / per);
    uint32_t zero = field(word, (int)(o % per) * w->bits, w->bits) + (uint32_t)w->plus;

    return (float)(zero & ((1u << w->bits) - 1));
}

/* Inputs [k, k + n) of output o. */
static void gptq_row(const struct words *w, float *out, int64_t o, int64_t k, int64_t n)
{
    int per = 32 / w->bits;
    int64_t last = -1;
    float zero = 0, scale = 0;

    for (int64_t i = 0; i < n; i++, k++) {
        int64_t group = gptq_group_of(w, k);
        uint32_t word = quant_word(w->q, k / per * w->out + o);

        if (group != last) {
            zero = gptq_zero(w, group, o);
            scale = quant_scale(w->scale, group * w->out + o);
            last = group;
        }
        out[i] = ((float)field(word, (int)(k % per) * w->bits, w->bits) - zero) * scale;
    }
}

static void gptq_scales_of(const struct words *w, float *scale, int64_t group, int64_t o, int n)
{
    const struct dtype_row *d = &dtype_table[w->scale->dtype];

    d->to_f32(scale, w->scale->data + (group * w->out + o) * d->size_bytes, n);
}

static void gptq_group(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k)
{
    const struct words *w = self;
    int64_t group = gptq_group_of(w, k);

    gptq_scales_of(w, scale, group, o, n);
    for (int i = 0; i < n; i++)
        zero[i] = gptq_zero(w, group, o + i);
}

/* ---- AWQ ---- */

static const int nibble_of[8] = { 0, 4, 1, 5, 2, 6, 3, 7 };     /* of a word's columns */

static void awq_row(const struct words *w, float *out, int64_t o, int64_t k, int64_t n)
{
    int at = 4 * nibble_of[o % 8];
    int64_t last = -1, words = w->out / 8, word = o / 8;
    float zero = 0, scale = 0;

    for (int64_t i = 0; i < n; i++, k++) {
        int64_t group = gptq_group_of(w, k);

        if (group != last) {
            zero = (float)field(quant_word(w->z, group * words + word), at, 4);
            scale = quant_scale(w->scale, group * w->out + o);
            last = group;
        }
        out[i] = ((float)field(quant_word(w->q, k * words + word), at, 4) - zero) * scale;
    }
}

static void awq_group(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k)
{
    const struct words *w = self;
    int64_t group = gptq_group_of(w, k);

    gptq_scales_of(w, scale, group, o, n);
    for (int64_t i = o; i < o + n; i++)
        zero[i - o] = (float)field(quant_word(w->z, group * (w->out / 8) + i / 8),
                                   4 * nibble_of[i % 8], 4);
}

/* ---- both ---- */

static void gptq_read_rows(const struct words *w, float *out, int64_t first, int64_t n,
                           void (*row)(const struct words *w, float *out, int64_t o, int64_t k,
                                       int64_t n))
{
    while (n > 0) {
        int64_t k = first % w->in, count = w->in - k < n ? w->in - k : n;

        row(w, out, first / w->in, k, count);
        out += count;
        first += count;
        n -= count;
    }
}

static void read_gptq(const void *maker, float *out, int64_t first, int64_t n)
{
    gptq_read_rows(maker, out, first, n, gptq_row);
}

static void read_awq(const void *maker, float *out, int64_t first, int64_t n)
{
    gptq_read_rows(maker, out, first, n, awq_row);
}

/* Whether groups follow each other; a file may say so of each input. */
static bool is_in_order(const struct words *w)
{
    for (int64_t k = 0; w->order != NULL && k < w->in; k++)
        if (quant_word(w->order, k) != k / w->group)
            return false;
    return true;
}

/* For those who unpack in vectors: fields of a word are of one group, or of any. */
static void gptq_describe(struct unpacker *u, struct words *w, struct packed_codes codes)
{
    int per = codes.lie == PACKED_DOWN ? 32 / w->bits : 1;

    if (!is_in_order(w))
        codes.order = quant_order(u, w->order, w->in, w->in / w->group);
    if (codes.order == NULL && (w->group % per != 0 || !is_in_order(w)))
        return;
    codes.q = w->q;
    codes.out = w->out;
    codes.in = w->in;
    codes.group = w->group;
    codes.bits = w->bits;
    w->codes = codes;
    w->maker.codes = &w->codes;
}

/* Zeros and scales by group, and the order of inputs, of w whose sizes are known. */
static int open_groups(struct unpacker *u, struct words *w, const struct tensor *packed,
                       struct tensor *out)
{
    const struct tensor *zeros = quant_part(u, ".qzeros");
    const struct tensor *scales = quant_part(u, ".scales");
    const struct tensor *order = quant_find(u, ".g_idx");
    const struct tensor *part[4] = { packed, zeros, scales, order };
    int64_t n_groups;

    if (zeros == NULL || scales == NULL || quant_groups(u, packed, w->in, &n_groups) != 0)
        return -1;
    if (quant_check(u, zeros, DTYPE_I32, n_groups, w->out * w->bits / 32) != 0 ||
        quant_check_scale(u, scales, n_groups, w->out) != 0 ||
        (order != NULL && quant_check_order(u, order, w->in, n_groups) != 0))
        return -1;
    w->q = packed->data;
    w->z = zeros->data;
    w->order = order != NULL ? order->data : NULL;
    w->group = w->in / n_groups;
    w->maker.n_parts = order != NULL ? 4 : 3;
    w->maker.part = quant_parts(u, part, w->maker.n_parts);
    w->scale = &w->maker.part[2];
    quant_fill(out, &w->maker, w->out, w->in);
    return 0;
}

int quant_gptq(struct unpacker *u, const struct tensor *packed, struct tensor *out)
{
    struct words *words = arena_alloc(u->w->a, 1, sizeof *words);
    int per = 32 / u->p->bits;

    if (quant_check_dims(u, packed, DTYPE_I32, 2) != 0)
        return -1;
    if (packed->shape[1] % per != 0)
        return err_set(u->e, ERR_INPUT, "%s: %s: %lld outputs, expected a multiple of the %d "
                       "that a word of zeros holds", packed->file,
                       str_shown(u->w->a, packed->name), (long long)packed->shape[1], per);
    words->bits = u->p->bits;
    words->plus = !u->p->v2;
    words->in = packed->shape[0] * per;
    words->out = packed->shape[1];
    words->maker.read = read_gptq;
    words->maker.how = arena_printf(u->w->a, "GPTQ, %d bits%s", u->p->bits,
                                   quant_in_groups(u));
    if (open_groups(u, words, packed, out) != 0)
        return -1;
    gptq_describe(u, words, (struct packed_codes){ .lie = PACKED_DOWN, .stride = 4 * words->out,
                                                   .group_of = gptq_group });
    return 0;
}

int quant_awq(struct unpacker *u, const struct tensor *packed, struct tensor *out)
{
    struct words *words = arena_alloc(u->w->a, 1, sizeof *words);

    if (quant_check_dims(u, packed, DTYPE_I32, 2) != 0)
        return -1;
    words->bits = 4;
    words->in = packed->shape[0];
    words->out = packed->shape[1] * 8;
    words->maker.read = read_awq;
    words->maker.how = arena_printf(u->w->a, "AWQ, 4 bits%s", quant_in_groups(u));
    if (open_groups(u, words, packed, out) != 0)
        return -1;
    gptq_describe(u, words, (struct packed_codes){ .lie = PACKED_ACROSS, .stride = words->out / 2,
                                                   .group_of = awq_group });
    return 0;
}
