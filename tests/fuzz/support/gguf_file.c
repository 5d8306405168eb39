/* SPDX-License-Identifier: MIT
 * Keys and tensors <-> GGUF (weights/gguf.h), and what can be done to keys in between. */
#include "support/gguf_file.h"

#include <string.h>

#include "weights/weights.h"

enum { STRING = 8, ARRAY = 9, N_TYPES = 13 };

static const int value_bytes[N_TYPES] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

/* Numbers of GGUF for the types that it has; DTYPE_BOOL and DTYPE_U8 have none. */
static const uint32_t type_number[N_DTYPE] = {
    [DTYPE_F64] = 28, [DTYPE_F32] = 0, [DTYPE_F16] = 1, [DTYPE_BF16] = 30, [DTYPE_I64] = 27,
    [DTYPE_I32] = 26, [DTYPE_I16] = 25, [DTYPE_I8] = 24, [DTYPE_U8] = 9, [DTYPE_BOOL] = 40,
    [DTYPE_Q4_0] = 2, [DTYPE_Q4_1] = 3, [DTYPE_Q5_0] = 6, [DTYPE_Q5_1] = 7, [DTYPE_Q8_0] = 8,
    [DTYPE_Q2_K] = 10, [DTYPE_Q3_K] = 11, [DTYPE_Q4_K] = 12, [DTYPE_Q5_K] = 13,
    [DTYPE_Q6_K] = 14, [DTYPE_IQ4_NL] = 20, [DTYPE_IQ4_XS] = 23,
    [DTYPE_MXFP4] = 39,
};

/* ---- reading ---- */

struct in {
    const uint8_t *at, *end;
    bool good;                  /* nothing was missing so far */
};

static const uint8_t *bytes(struct in *in, uint64_t n)
{
    const uint8_t *at = in->at;

    in->good = in->good && n <= (uint64_t)(in->end - in->at);
    in->at += in->good ? n : 0;
    return at;
}

static uint64_t number(struct in *in, int n)
{
    const uint8_t *at = bytes(in, (uint64_t)n);
    uint64_t value = 0;

    for (int i = n - 1; i >= 0 && in->good; i--)
        value = value << 8 | at[i];
    return value;
}

static void name(struct in *in, char out[TENSOR_NAME])
{
    uint64_t n = number(in, 8);

    in->good = in->good && n > 0 && n < TENSOR_NAME;
    memset(out, 0, TENSOR_NAME);
    if (in->good) {
        const uint8_t *at = bytes(in, n);

        if (in->good)
            memcpy(out, at, (size_t)n);
    }
}

static void skip(struct in *in, uint32_t type, uint64_t n)
{
    in->good = in->good && type < N_TYPES && type != ARRAY && n < 1 << 20;
    if (in->good && type != STRING)
        bytes(in, n * (uint64_t)value_bytes[type]);
    for (uint64_t i = 0; in->good && type == STRING && i < n; i++)
        bytes(in, number(in, 8));
}

static void read_key(struct in *in, struct gguf_key *k)
{
    name(in, k->name);
    k->type = (uint32_t)number(in, 4);
    k->element = k->type == ARRAY ? (uint32_t)number(in, 4) : k->type;
    k->n = k->type == ARRAY ? number(in, 8) : 1;
    k->data = in->at;
    skip(in, k->element, k->n);
    k->size = (size_t)(in->at - k->data);
}

static int type_of(uint64_t number)
{
    for (int i = 0; i < N_DTYPE; i++)
        if (type_number[i] == number)
            return i;
    return -1;
}

static uint64_t read_tensor(struct in *in, struct one_tensor *t)
{
    name(in, t->name);
    t->n_dims = (int)number(in, 4);
    in->good = in->good && t->n_dims > 0 && t->n_dims <= TENSOR_DIMS;
    for (int i = t->n_dims - 1; in->good && i >= 0; i--)
        t->dim[i] = (int64_t)number(in, 8);
    t->type = type_of(number(in, 4));
    in->good = in->good && t->type >= 0;
    return number(in, 8);
}

static size_t aligned(size_t n)
{
    return (n + 31) / 32 * 32;
}

bool gguf_file_read(struct gguf_file *g, const uint8_t *data, size_t size)
{
    struct in in = { data, data + size, true };
    uint64_t n_tensors, n_keys, offset[TENSORS_MOST] = { 0 };
    size_t begin;

    in.good = number(&in, 4) == 0x46554747;
    g->version = (uint32_t)number(&in, 4);
    n_tensors = number(&in, 8);
    n_keys = number(&in, 8);
    if (!in.good || n_tensors > TENSORS_MOST || n_keys > GGUF_KEYS_MOST)
        return false;
    g->n_keys = (int)n_keys;
    g->all.n = (int)n_tensors;
    for (int i = 0; in.good && i < g->n_keys; i++)
        read_key(&in, &g->key[i]);
    for (int i = 0; in.good && i < g->all.n; i++)
        offset[i] = read_tensor(&in, &g->all.t[i]);
    begin = aligned((size_t)(in.at - data));
    for (int i = 0; in.good && i < g->all.n; i++) {
        size_t need = tensor_bytes(&g->all.t[i]);

        g->all.t[i].data = data;
        g->all.t[i].size = 0;
        if (begin <= size && offset[i] <= size - begin && need <= size - begin - offset[i]) {
            g->all.t[i].data = data + begin + offset[i];
            g->all.t[i].size = need;
        }
    }
    return in.good;
}

/* ---- writing ---- */

struct out {
    uint8_t *begin, *at, *end;
    bool good;                  /* there was room so far */
};

static void put(struct out *out, const void *data, size_t n)
{
    out->good = out->good && n <= (size_t)(out->end - out->at);
    if (!out->good)
        return;
    if (n > 0)
        memcpy(out->at, data, n);
    out->at += n;
}

static void put_number(struct out *out, uint64_t value, int n)
{
    uint8_t byte[8];

    for (int i = 0; i < n; i++)
        byte[i] = (uint8_t)(value >> 8 * i);
    put(out, byte, (size_t)n);
}

static void put_name(struct out *out, const char *s)
{
    put_number(out, strlen(s), 8);
    put(out, s, strlen(s));
}

static void put_key(struct out *out, const struct gguf_key *k)
{
    put_name(out, k->name);
    put_number(out, k->type, 4);
    if (k->type == ARRAY) {
        put_number(out, k->element, 4);
        put_number(out, k->n, 8);
    }
    put(out, k->data, k->size);
}

static void put_tensor(struct out *out, const struct one_tensor *t, size_t offset)
{
    put_name(out, t->name);
    put_number(out, (uint64_t)t->n_dims, 4);
    for (int i = t->n_dims - 1; i >= 0; i--)
        put_number(out, (uint64_t)t->dim[i], 8);
    put_number(out, type_number[t->type], 4);
    put_number(out, offset, 8);
}

static void pad(struct out *out)
{
    static const uint8_t zeros[32];
    size_t n = (size_t)(out->at - out->begin);

    put(out, zeros, aligned(n) - n);
}

size_t gguf_file_write(const struct gguf_file *g, uint8_t *data, size_t most)
{
    struct out out = { data, data, data + most, true };
    size_t at = 0;

    put(&out, "GGUF", 4);
    put_number(&out, g->version, 4);
    put_number(&out, (uint64_t)g->all.n, 8);
    put_number(&out, (uint64_t)g->n_keys, 8);
    for (int i = 0; i < g->n_keys; i++)
        put_key(&out, &g->key[i]);
    for (int i = 0; i < g->all.n; i++) {
        put_tensor(&out, &g->all.t[i], at);
        at = aligned(at + tensor_bytes(&g->all.t[i]));
    }
    for (int i = 0; i < g->all.n; i++) {
        size_t n = tensor_bytes(&g->all.t[i]);

        pad(&out);
        out.good = out.good && n <= (size_t)(out.end - out.at);
        if (!out.good)
            return 0;
        tensor_fill(out.at, n, &g->all.t[i]);
        out.at += n;
    }
    return out.good ? (size_t)(out.at - out.begin) : 0;
}

/* ---- changes ---- */

static void set_own(struct gguf_key *k, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        k->own[i] = (uint8_t)(value >> 8 * i % 64);
    k->data = k->own;
    k->size = n;
}

/* A number or a short text becomes another of its type. */
static void change_value(struct gguf_key *k, struct dice *d)
{
    uint64_t now = 0;
    size_t n;

    if (k->type == STRING && k->size >= 8 && k->size < sizeof k->own / 2) {
        memmove(k->own, k->data, k->size);
        n = LLVMFuzzerMutate(k->own + 8, k->size - 8, sizeof k->own - 8);
        k->data = k->own;
        k->size = n + 8;
        for (int i = 0; i < 8; i++)
            k->own[i] = (uint8_t)((uint64_t)n >> 8 * i);
    } else if (k->type < N_TYPES && k->type != ARRAY && k->type != STRING) {
        for (size_t i = k->size; i-- > 0; )
            now = now << 8 | k->data[i];
        set_own(k, (uint64_t)dice_number(d, (int64_t)now), k->size);
    } else if (k->type == ARRAY && k->element != STRING && k->n > 0) {
        k->n /= 2;
        k->size = (size_t)k->n * (size_t)value_bytes[k->element];
    }
}

/* A number of another width, sign or kind. */
static void change_type(struct gguf_key *k, struct dice *d)
{
    uint32_t type = (uint32_t)dice_roll(d, N_TYPES);

    if (type == ARRAY || type == STRING || k->type == ARRAY || k->type == STRING)
        return;
    k->type = k->element = type;
    set_own(k, dice_roll(d, 9), (size_t)value_bytes[type]);
}

static void rename_key(struct gguf_file *g, struct gguf_key *k, struct dice *d)
{
    const struct gguf_key *other = &g->key[dice_roll(d, (size_t)g->n_keys)];
    size_t n;

    if (dice_roll(d, 2) == 0) {
        memcpy(k->name, other->name, sizeof k->name);
        return;
    }
    n = LLVMFuzzerMutate((uint8_t *)k->name, strlen(k->name), TENSOR_NAME - 1);
    memset(k->name + n, 0, TENSOR_NAME - n);
    if (n == 0)
        k->name[0] = 'k';
}

/* A copy has its own value in itself. */
static void copy_key(struct gguf_key *to, const struct gguf_key *from)
{
    *to = *from;
    if (from->data == from->own)
        to->data = to->own;
}

void gguf_file_change(struct gguf_file *g, struct dice *d)
{
    struct gguf_key *k = &g->key[g->n_keys > 0 ? dice_roll(d, (size_t)g->n_keys) : 0];

    if (g->n_keys == 0)
        return;
    switch (dice_roll(d, 8)) {
    case 0: copy_key(k, &g->key[--g->n_keys]); break;
    case 1:
        if (g->n_keys < GGUF_KEYS_MOST) {
            copy_key(&g->key[g->n_keys++], k);
            rename_key(g, &g->key[g->n_keys - 1], d);
        }
        break;
    case 2: rename_key(g, k, d); break;
    case 3: change_type(k, d); break;
    default: change_value(k, d);
    }
}
