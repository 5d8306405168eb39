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

static int64_t gptq_group_of(const struct words *words, int64_t k)
{
    return words->order != NULL ? quant_word(words->order, k) : k / words->group;
}

/* ---- GPTQ ---- */

static float gptq_zero(const struct words *words, int64_t group, int64_t o)
{
    int per = 32 / words->bits;
    uint32_t word = quant_word(words->z, group * (words->out / per) + o / per);
    uint32_t zero = field(word, (int)(o % per) * words->bits, words->bits) + (uint32_t)words->plus;

    return (float)(zero & ((1u << words->bits) - 1));
}

/* Inputs [k, k + n) of output o. */
static void gptq_row(const struct words *words, float *out, int64_t o, int64_t k, int64_t n)
{
    int per = 32 / words->bits;
    int64_t last = -1;
    float zero = 0, scale = 0;

    for (int64_t i = 0; i < n; i++, k++) {
        int64_t group = gptq_group_of(words, k);
        uint32_t word = quant_word(words->q, k / per * words->out + o);

        if (group != last) {
            zero = gptq_zero(words, group, o);
            scale = quant_scale(words->scale, group * words->out + o);
            last = group;
        }
        out[i] = ((float)field(word, (int)(k % per) * words->bits, words->bits) - zero) * scale;
    }
}

static void gptq_scales_of(const struct words *words, float *scale, int64_t group, int64_t o, int n)
{
    const struct dtype_row *d = &dtype_table[words->scale->dtype];

    d->to_f32(scale, words->scale->data + (group * words->out + o) * d->size_bytes, n);
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

static void gptq_read_rows(const struct words *words, float *out, int64_t first, int64_t n,
                           void (*row)(const struct words *words, float *out, int64_t o, int64_t k,
                                       int64_t n))
{
    while (n > 0) {
        int64_t k = first % words->in, count = words->in - k < n ? words->in - k : n;

        row(words, out, first / words->in, k, count);
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
static bool is_in_order(const struct words *words)
{
    for (int64_t k = 0; words->order != NULL && k < words->in; k++)
        if (quant_word(words->order, k) != k / words->group)
            return false;
    return true;
}

/* For those who unpack in vectors: fields of a word are of one group, or of any. */
static void gptq_describe(struct unpacker *unpacker, struct words *words, struct packed_codes codes)
{
    int per = codes.lie == PACKED_DOWN ? 32 / words->bits : 1;

    if (!is_in_order(words))
        codes.order = quant_order(unpacker, words->order, words->in, words->in / words->group);
    if (codes.order == NULL && (words->group % per != 0 || !is_in_order(words)))
        return;
    codes.q = words->q;
    codes.out = words->out;
    codes.in = words->in;
    codes.group = words->group;
    codes.bits = words->bits;
    words->codes = codes;
    words->maker.codes = &words->codes;
}

/* Zeros and scales by group, and the order of inputs, of words whose sizes are known. */
static int open_groups(struct unpacker *unpacker, struct words *words, const struct tensor *packed,
                       struct tensor *out)
{
    const struct tensor *zeros = quant_part(unpacker, ".qzeros");
    const struct tensor *scales = quant_part(unpacker, ".scales");
    const struct tensor *order = quant_find(unpacker, ".g_idx");
    const struct tensor *part[4] = { packed, zeros, scales, order };
    int64_t n_groups;

    if (zeros == NULL || scales == NULL ||
        quant_groups(unpacker, packed, words->in, &n_groups) != 0)
        return -1;
    if (quant_check(unpacker, zeros, DTYPE_I32, n_groups, words->out * words->bits / 32) != 0 ||
        quant_check_scale(unpacker, scales, n_groups, words->out) != 0 ||
        (order != NULL && quant_check_order(unpacker, order, words->in, n_groups) != 0))
        return -1;
    words->q = packed->data;
    words->z = zeros->data;
    words->order = order != NULL ? order->data : NULL;
    words->group = words->in / n_groups;
    words->maker.n_parts = order != NULL ? 4 : 3;
    words->maker.part = quant_parts(unpacker, part, words->maker.n_parts);
    words->scale = &words->maker.part[2];
    quant_fill(out, &words->maker, words->out, words->in);
    return 0;
}

int quant_gptq(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct words *words = arena_alloc(unpacker->w->a, 1, sizeof *words);
    int per = 32 / unpacker->p->bits;

    if (quant_check_dims(unpacker, packed, DTYPE_I32, 2) != 0)
        return -1;
    if (packed->shape[1] % per != 0)
        return err_set(unpacker->e, ERR_INPUT,
                       "%s: %s: %lld outputs, expected a multiple of the %d "
                       "that a word of zeros holds",
                       packed->file, str_shown(unpacker->w->a, packed->name),
                       (long long)packed->shape[1], per);
    words->bits = unpacker->p->bits;
    words->plus = !unpacker->p->v2;
    words->in = packed->shape[0] * per;
    words->out = packed->shape[1];
    words->maker.read = read_gptq;
    words->maker.how = arena_printf(unpacker->w->a, "GPTQ, %d bits%s", unpacker->p->bits,
                                   quant_in_groups(unpacker));
    if (open_groups(unpacker, words, packed, out) != 0)
        return -1;
    gptq_describe(unpacker, words, (struct packed_codes){ .lie = PACKED_DOWN,
                                                          .stride = 4 * words->out,
                                                          .group_of = gptq_group });
    return 0;
}

int quant_awq(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct words *words = arena_alloc(unpacker->w->a, 1, sizeof *words);

    if (quant_check_dims(unpacker, packed, DTYPE_I32, 2) != 0)
        return -1;
    words->bits = 4;
    words->in = packed->shape[0];
    words->out = packed->shape[1] * 8;
    words->maker.read = read_awq;
    words->maker.how = arena_printf(unpacker->w->a, "AWQ, 4 bits%s", quant_in_groups(unpacker));
    if (open_groups(unpacker, words, packed, out) != 0)
        return -1;
    gptq_describe(unpacker, words, (struct packed_codes){ .lie = PACKED_ACROSS,
                                                          .stride = words->out / 2,
                                                          .group_of = awq_group });
    return 0;
}
