/* SPDX-License-Identifier: MIT
 *
 * Each layout of quantised weights, packed here field by field, against the floats that its
 * formula gives; and each way in which a file can be wrong. */
#include "check.h"

#include "base/half.h"
#include "unit/weights_files.h"
#include "weights/quantised.h"
#include "weights/safetensors.h"
#include "weights/weights.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* ---- files ---- */

enum { MOST = 8, OUT = 16, IN = 32, GROUP = 8, N_GROUPS = IN / GROUP };

struct part {
    const char *name, *dtype;
    int n_dims, d[4];
    const void *data;
    size_t size;
};

struct file {
    struct part part[MOST];
    int n;
};

static void add(struct file *f, const char *name, const char *dtype, int n_dims, const int *d,
                const void *data, size_t size)
{
    struct part *part = &f->part[f->n++];

    *part = (struct part){ .name = name, .dtype = dtype, .n_dims = n_dims, .data = data,
                           .size = size };
    memcpy(part->d, d, (size_t)n_dims * sizeof *d);
}

#define ADD(f, name, dtype, data, ...)                                                    \
    add(f, name, dtype, (int)(sizeof(int[]){ __VA_ARGS__ } / sizeof(int)),                \
        (const int[]){ __VA_ARGS__ }, data, sizeof(data))

static struct weights *opened(const struct file *f)
{
    char *header = arena_strdup(&arena, "{");
    size_t size = 0, at = 0, n;
    unsigned char *bytes;
    struct weights *w;
    struct err e;

    for (int i = 0; i < f->n; i++) {
        const struct part *part = &f->part[i];
        const char *shape = "";

        for (int k = 0; k < part->n_dims; k++)
            shape = arena_printf(&arena, "%s%s%d", shape, k > 0 ? "," : "", part->d[k]);
        header = arena_printf(&arena, "%s%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],"
                              "\"data_offsets\":[%zu,%zu]}", header, i > 0 ? "," : "",
                              part->name, part->dtype, shape, size, size + part->size);
        size += part->size;
    }
    header = arena_printf(&arena, "%s}", header);
    n = strlen(header);
    bytes = arena_alloc(&arena, 8 + n + size, 1);
    bytes_put(bytes, n, 8);
    memcpy(bytes + 8, header, n);
    for (int i = 0; i < f->n; at += f->part[i++].size)
        memcpy(bytes + 8 + n + at, f->part[i].data, f->part[i].size);
    w = weights_open_memory(&arena, (struct span){ bytes, 8 + n + size }, "f", &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    return w;
}

/* The only tensor, "k.weight" or that of another name, against want[n]. */
static void check(const struct file *f, const struct quantisation *q, const char *name,
                  const float *want, int64_t n)
{
    struct weights *w = opened(f);
    const struct tensor *t;
    struct err e = { ERR_NONE, "" };
    float got[8];
    double bits = 0;
    size_t bytes = 0;

    if (weights_dequantise(w, q, &e) != 0)
        fail_msg("%s", e.msg);
    assert_int_equal(weights_count(w), 1);
    t = weights_at(w, 0);
    assert_string_equal(t->name, name);
    assert_int_equal(t->n_elements, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t count = n - i < 7 ? n - i : 7;

        tensor_read(got, t, i, count);
        for (int64_t k = 0; k < count; k++)
            if (!(got[k] == want[i + k] || (isnan(got[k]) && isnan(want[i + k]))))
                fail_msg("%s[%lld]: %.9g, expected %.9g", name, (long long)(i + k),
                         (double)got[k], (double)want[i + k]);
    }
    assert_non_null(weights_quantised(w, &bits));
    for (int i = 0; i < f->n; i++)
        bytes += f->part[i].size;
    assert_true(bits > 1 && bits * (double)n <= 8.0 * (double)bytes + 1e-6);
    assert_string_equal(weights_most_type(w), t->maker->how);
    assert_true(t->maker->quantised);
}

static void refused(const struct file *f, const struct quantisation *q, const char *says)
{
    struct err e = { ERR_NONE, "" };

    assert_int_equal(weights_dequantise(opened(f), q, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, says) == NULL)
        fail_msg("'%s' is not in '%s'", says, e.msg);
}

/* The part of this name in another shape, of another type, or gone (n_dims 0). */
static struct file changed(const struct file *f, const char *name, const char *dtype, int n_dims,
                           int d0, int d1)
{
    struct file other = { .n = 0 };

    for (int i = 0; i < f->n; i++) {
        struct part part = f->part[i];

        if (strcmp(part.name, name) == 0 && n_dims == 0)
            continue;
        if (strcmp(part.name, name) == 0) {
            part.dtype = dtype != NULL ? dtype : part.dtype;
            part.n_dims = n_dims;
            part.d[0] = d0;
            part.d[1] = d1;
            part.size = (size_t)d0 * (size_t)(n_dims > 1 ? d1 : 1) *
                        (strcmp(part.dtype, "F32") == 0 || strcmp(part.dtype, "I32") == 0 ? 4 :
                         strcmp(part.dtype, "I64") == 0 ? 8 :
                         strcmp(part.dtype, "F16") == 0 ? 2 : 1);
            part.data = arena_alloc(&arena, part.size + 1, 1);
        }
        other.part[other.n++] = part;
    }
    return other;
}

static void refused_part(const struct file *f, const struct quantisation *q, const char *name,
                         const char *dtype, int n_dims, int d0, int d1, const char *says)
{
    struct file other = changed(f, name, dtype, n_dims, d0, d1);

    refused(&other, q, says);
}

/* ---- fields of words ---- */

/* Any numbers below 2^bits. */
static unsigned value(int i, int bits)
{
    return (unsigned)(i * 37 + i / 5 * 11 + 3) & ((1u << bits) - 1);
}

/* little-endian words */
static void put_field(unsigned char *words, int word, int at, unsigned v)
{
    uint32_t now = (uint32_t)bytes_get(words + 4 * word, 4) | v << at;

    bytes_put(words + 4 * word, now, 4);
}

static const uint16_t half_scale[4] = { 0x3c00, 0x3800, 0x4200, 0xb400 };    /* 1 .5 3 -.25 */
static const float scale_of[4] = { 1, 0.5f, 3, -0.25f };

struct gptq {
    unsigned char q[4 * IN * OUT], z[4 * N_GROUPS * OUT], scale[2 * N_GROUPS * OUT],
                  order[4 * IN];
    float want[OUT * IN];
};

static void make_gptq(struct file *f, struct gptq *g, int bits, bool v2, bool ordered)
{
    int per = 32 / bits, mask = (1 << bits) - 1;

    *g = (struct gptq){ .want = { 0 } };
    for (int k = 0; k < IN; k++)
        bytes_put(g->order + 4 * k, (uint64_t)(ordered ? k / GROUP : k % N_GROUPS), 4);
    for (int i = 0; i < N_GROUPS; i++)
        for (int o = 0; o < OUT; o++) {
            bytes_put(g->scale + 2 * (i * OUT + o), half_scale[(i + o) % 4], 2);
            put_field(g->z, i * (OUT / per) + o / per, o % per * bits, value(i + 7 * o, bits));
        }
    for (int o = 0; o < OUT; o++)
        for (int k = 0; k < IN; k++) {
            int group = ordered ? k / GROUP : k % N_GROUPS;
            int z = ((int)value(group + 7 * o, bits) + !v2) & mask;
            unsigned q = value(o * IN + k, bits);

            put_field(g->q, k / per * OUT + o, k % per * bits, q);
            g->want[o * IN + k] = ((float)q - (float)z) * scale_of[(group + o) % 4];
        }
    f->n = 0;
    add(f, "k.qweight", "I32", 2, (int[]){ IN / per, OUT }, g->q, (size_t)(4 * IN / per * OUT));
    add(f, "k.qzeros", "I32", 2, (int[]){ N_GROUPS, OUT / per }, g->z,
        (size_t)(4 * N_GROUPS * OUT / per));
    ADD(f, "k.scales", "F16", g->scale, N_GROUPS, OUT);
    if (!ordered)
        ADD(f, "k.g_idx", "I32", g->order, IN);
}

static void test_gptq(void **state)
{
    static struct gptq g;
    struct file f;

    (void)state;
    for (int bits = 2; bits <= 8; bits *= 2)
        for (int k = 0; k < 4; k++) {
            struct quantisation q = { .method = QUANT_GPTQ, .bits = bits, .group = GROUP,
                                      .v2 = k % 2 == 1 };

            make_gptq(&f, &g, bits, q.v2, k > 1);
            check(&f, &q, "k.weight", g.want, OUT * IN);
        }
}

static void test_gptq_refused(void **state)
{
    struct quantisation q = { .method = QUANT_GPTQ, .bits = 4, .group = GROUP };
    static struct gptq g;
    struct file f;

    (void)state;
    make_gptq(&f, &g, 4, false, false);
    refused_part(&f, &q, "k.qzeros", NULL, 0, 0, 0, "f: has no k.qzeros, which weights of gptq");
    refused_part(&f, &q, "k.scales", NULL, 0, 0, 0, "has no k.scales");
    refused_part(&f, &q, "k.qzeros", NULL, 2, N_GROUPS, 3, "k.qzeros: shape [4,3], expected [4,2]");
    refused_part(&f, &q, "k.scales", NULL, 2, 3, OUT, "k.scales: shape [3,16], expected [4,16]");
    refused_part(&f, &q, "k.scales", NULL, 1, OUT, 0, "k.scales: shape [16], expected [4,16]");
    refused_part(&f, &q, "k.scales", NULL, 2, N_GROUPS, 15, "shape [4,15], expected [4,16]");
    refused_part(&f, &q, "k.scales", "U8", 2, N_GROUPS, OUT, "holds U8, expected F32, F16 or BF16");
    refused_part(&f, &q, "k.qweight", "U8", 2, 4, OUT, "k.qweight: holds U8, expected I32");
    refused_part(&f, &q, "k.qweight", NULL, 1, 64, 0, "shape [64], expected 2 dimensions of 1 or");
    refused_part(&f, &q, "k.qweight", NULL, 2, 0, OUT, "shape [0,16], expected 2 dimensions");
    refused_part(&f, &q, "k.qweight", NULL, 2, 4, 15, "15 outputs, expected a multiple of the 8");
    refused_part(&f, &q, "k.g_idx", NULL, 2, IN, 1, "k.g_idx: shape [32,1], expected [32]");
    refused_part(&f, &q, "k.qzeros", "U8", 2, N_GROUPS, 2, "k.qzeros: holds U8, expected I32");
    refused_part(&f, &q, "k.g_idx", NULL, 1, IN - 1, 0, "k.g_idx: shape [31], expected [32]");
    q.group = 5;
    refused(&f, &q, "k.qweight: groups of 5 do not divide the 32 inputs");
    q.group = GROUP;
    bytes_put(g.order + 4 * 9, 4, 4);
    refused(&f, &q, "k.g_idx: group 4 of input 9, expected 0 to 3");
    bytes_put(g.order + 4 * 9, 0xffffffff, 4);
    refused(&f, &q, "k.g_idx: group -1 of input 9");
    q.method = QUANT_MXFP4;
    refused(&f, &q, "weights quantised by mxfp4, but no tensor here ends in _blocks");
    f.n = 0;
    refused(&f, &q, "the weights: config.json has");
    q.method = QUANT_NONE;
    assert_int_equal(weights_dequantise(opened(&f), &q, NULL), 0);
}

/* One group of all inputs, scales of the other types. */
static void test_one_group(void **state)
{
    static const float scale[4] = { 1, -2, 0.5f, 3 };
    unsigned char q[4 * 4] = { 0 }, z[4] = { 0 }, f32[16], bf16[8];
    struct quantisation how = { .method = QUANT_GPTQ, .bits = 8, .v2 = true };
    struct file f = { .n = 0 };
    float want[16];

    (void)state;
    for (int o = 0; o < 4; o++) {
        uint32_t bits;

        memcpy(&bits, &scale[o], 4);
        bytes_put(f32 + 4 * o, bits, 4);
        bytes_put(bf16 + 2 * o, bits >> 16, 2);
        put_field(z, 0, 8 * o, (unsigned)o);
        for (int k = 0; k < 4; k++) {
            put_field(q, o, 8 * k, value(o * 4 + k, 8));
            want[o * 4 + k] = ((float)value(o * 4 + k, 8) - (float)o) * scale[o];
        }
    }
    ADD(&f, "k.qweight", "I32", q, 1, 4);
    ADD(&f, "k.qzeros", "I32", z, 1, 1);
    ADD(&f, "k.scales", "F32", f32, 1, 4);
    check(&f, &how, "k.weight", want, 16);
    f.n = 2;
    ADD(&f, "k.scales", "BF16", bf16, 1, 4);
    check(&f, &how, "k.weight", want, 16);
}

static void test_awq(void **state)
{
    static const int column[8] = { 0, 2, 4, 6, 1, 3, 5, 7 };    /* of nibble i */
    static unsigned char q[4 * IN * OUT / 8], z[4 * N_GROUPS * OUT / 8],
                         scale[2 * N_GROUPS * OUT];
    static float want[OUT * IN];
    struct quantisation how = { .method = QUANT_AWQ, .bits = 4, .group = GROUP };
    struct file f = { .n = 0 };

    (void)state;
    memset(q, 0, sizeof q);
    memset(z, 0, sizeof z);
    for (int o = 0; o < OUT; o++) {
        int nibble = 0;

        while (column[nibble] != o % 8)
            nibble++;
        for (int i = 0; i < N_GROUPS; i++) {
            bytes_put(scale + 2 * (i * OUT + o), half_scale[(i + o) % 4], 2);
            put_field(z, i * OUT / 8 + o / 8, 4 * nibble, value(i + 7 * o, 4));
        }
        for (int k = 0; k < IN; k++) {
            put_field(q, k * OUT / 8 + o / 8, 4 * nibble, value(o * IN + k, 4));
            want[o * IN + k] = ((float)value(o * IN + k, 4) -
                                (float)value(k / GROUP + 7 * o, 4)) *
                               scale_of[(k / GROUP + o) % 4];
        }
    }
    ADD(&f, "k.qweight", "I32", q, IN, OUT / 8);
    ADD(&f, "k.qzeros", "I32", z, N_GROUPS, OUT / 8);
    ADD(&f, "k.scales", "F16", scale, N_GROUPS, OUT);
    check(&f, &how, "k.weight", want, OUT * IN);
    refused_part(&f, &how, "k.qweight", NULL, 1, 64, 0, "expected 2 dimensions");
    how.group = 5;
    refused(&f, &how, "groups of 5 do not divide the 32 inputs");
}

/* ---- bitsandbytes ---- */

static void put_f32(unsigned char *out, float x)
{
    uint32_t bits;

    memcpy(&bits, &x, 4);
    bytes_put(out, bits, 4);
}

enum { BNB_OUT = 3, BNB_IN = 5, BNB_N = BNB_OUT * BNB_IN, BNB_BLOCK = 4,
       BNB_BLOCKS = (BNB_N - 1) / BNB_BLOCK + 1 };

struct bnb {
    unsigned char q[(BNB_N + 1) / 2], map[16 * 4], largest[4 * BNB_BLOCKS],
                  small[BNB_BLOCKS], nested[4 * 2], nested_map[4 * 256];
    float want[BNB_N];
};

static void make_bnb(struct file *f, struct bnb *b, const char *state, const char *name,
                     bool nested, float (*rounded)(float))
{
    *b = (struct bnb){ .want = { 0 } };
    for (int i = 0; i < 16; i++)
        put_f32(b->map + 4 * i, (float)(i - 7) / 8);
    for (int i = 0; i < 256; i++)
        put_f32(b->nested_map + 4 * i, (float)(i - 100) / 64);
    put_f32(b->nested, 2);
    put_f32(b->nested + 4, 0.5f);
    for (int i = 0; i < BNB_BLOCKS; i++) {
        put_f32(b->largest + 4 * i, 1.0f + (float)i / 3);
        b->small[i] = (unsigned char)(90 + 17 * i);
    }
    for (int i = 0; i < BNB_N; i++) {
        unsigned q = value(i, 4);
        int block = i / BNB_BLOCK;
        float largest = nested ? (float)(b->small[block] - 100) / 64 *
                                     (block / 2 == 0 ? 2 : 0.5f) + 0.25f :
                                 1.0f + (float)block / 3;

        b->q[i / 2] |= (unsigned char)(i % 2 == 0 ? q << 4 : q);
        b->want[i] = rounded((float)((int)q - 7) / 8 * largest);
    }
    f->n = 0;
    ADD(f, "k.weight", "U8", b->q, (BNB_N + 1) / 2, 1);
    if (nested)
        ADD(f, "k.weight.absmax", "U8", b->small, BNB_BLOCKS);
    else
        ADD(f, "k.weight.absmax", "F32", b->largest, BNB_BLOCKS);
    ADD(f, "k.weight.quant_map", "F32", b->map, 16);
    add(f, name, "U8", 1, (int[]){ (int)strlen(state) }, state, strlen(state));
    if (nested) {
        ADD(f, "k.weight.nested_absmax", "F32", b->nested, 2);
        ADD(f, "k.weight.nested_quant_map", "F32", b->nested_map, 256);
    }
}

static float as_it_is(float x)
{
    return x;
}

static float to_half(float x)
{
    return half_round(x);
}

#define NF4 "k.weight.quant_state.bitsandbytes__nf4"
#define STATE(dtype) "{\"shape\":[3,5],\"blocksize\":4,\"dtype\":\"" dtype "\""
#define NESTED ",\"nested_blocksize\":2,\"nested_offset\":0.25}"

static void test_bnb4(void **state)
{
    const struct quantisation how = { .method = QUANT_BNB4 };
    struct bnb b;
    struct file f;

    (void)state;
    make_bnb(&f, &b, STATE("float32") "}", NF4, false, as_it_is);
    check(&f, &how, "k.weight", b.want, BNB_N);
    make_bnb(&f, &b, STATE("float16") "}", "k.weight.quant_state.bitsandbytes__fp4", false,
             to_half);
    check(&f, &how, "k.weight", b.want, BNB_N);
    make_bnb(&f, &b, STATE("bfloat16") NESTED, NF4, true, bf16_round);
    check(&f, &how, "k.weight", b.want, BNB_N);
}

static void test_bnb4_refused(void **state)
{
    static const struct { const char *state, *says; } row[] = {
        { "{", NF4 ": " }, { STATE("int8") "}", "dtype: found \"int8\", expected float32" },
        { "{\"shape\":[3,5],\"blocksize\":1,\"dtype\":\"float32\"}", "blocksize: found 1" },
        { "{\"shape\":[3,5],\"blocksize\":4}", "dtype: found nothing" },
        { "{\"shape\":[15],\"blocksize\":4,\"dtype\":\"float32\"}", "shape: found [15]" },
        { "{\"shape\":[0,5],\"blocksize\":4,\"dtype\":\"float32\"}", "shape[0]: found 0" },
        { "{\"shape\":[3,7],\"blocksize\":4,\"dtype\":\"float32\"}",
          "k.weight: shape [8,1], expected [11,1]" },
        { "{\"shape\":[3,5],\"blocksize\":8,\"dtype\":\"float32\"}",
          "k.weight.absmax: shape [4], expected [2]" },
    };
    const struct quantisation how = { .method = QUANT_BNB4 };
    struct bnb b;
    struct file f;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        make_bnb(&f, &b, row[i].state, NF4, false, as_it_is);
        refused(&f, &how, row[i].says);
    }
    make_bnb(&f, &b, STATE("float32") "}", NF4, false, as_it_is);
    refused_part(&f, &how, "k.weight", NULL, 0, 0, 0, "has no k.weight,");
    refused_part(&f, &how, "k.weight.quant_map", NULL, 0, 0, 0, "has no k.weight.quant_map");
    refused_part(&f, &how, "k.weight.quant_map", NULL, 1, 15, 0, "shape [15], expected [16]");
    refused_part(&f, &how, NF4, NULL, 0, 0, 0, "has no " NF4);
    refused_part(&f, &how, NF4, NULL, 2, 3, 4, "shape [3,4], expected 1 dimension of 1");
    make_bnb(&f, &b, STATE("float32") "}", NF4, true, as_it_is);
    refused(&f, &how, "nested_blocksize: found nothing");
    make_bnb(&f, &b, STATE("float32") ",\"nested_blocksize\":2}", NF4, true, as_it_is);
    refused(&f, &how, "nested_offset: found nothing");
    make_bnb(&f, &b, STATE("float32") NESTED, NF4, true, as_it_is);
    refused_part(&f, &how, "k.weight.nested_quant_map", NULL, 0, 0, 0, "has no k.weight.nested_q");
    refused_part(&f, &how, "k.weight.nested_quant_map", NULL, 1, 255, 0, "shape [255]");
    refused_part(&f, &how, "k.weight.nested_absmax", NULL, 1, 3, 0, "shape [3], expected [2]");
    refused_part(&f, &how, "k.weight.absmax", NULL, 1, 3, 0, "shape [3], expected [4]");
}

static void test_bnb8(void **state)
{
    const struct quantisation how = { .method = QUANT_BNB8 };
    unsigned char q[6] = { 1, 0xff, 127, 0x81, 0, 5 }, largest[8], format[1] = { 0 };
    float want[6];
    struct file f = { .n = 0 };

    (void)state;
    put_f32(largest, 127);
    put_f32(largest + 4, 1.5f);
    for (int i = 0; i < 6; i++)
        want[i] = (float)(int8_t)q[i] * (i < 3 ? 127 : 1.5f) * (1.0f / 127);
    ADD(&f, "k.weight", "I8", q, 2, 3);
    ADD(&f, "k.SCB", "F32", largest, 2);
    check(&f, &how, "k.weight", want, 6);
    ADD(&f, "k.weight_format", "U8", format, 1);
    check(&f, &how, "k.weight", want, 6);
    refused_part(&f, &how, "k.weight", NULL, 0, 0, 0, "has no k.weight,");
    refused_part(&f, &how, "k.weight", NULL, 1, 6, 0, "shape [6], expected 2 dimensions");
    refused_part(&f, &how, "k.SCB", NULL, 1, 3, 0, "shape [3], expected [2]");
    refused_part(&f, &how, "k.weight_format", NULL, 1, 2, 0, "another order than that of rows");
    refused_part(&f, &how, "k.weight_format", "I8", 1, 1, 0, "another order than that of rows");
    format[0] = 1;
    refused(&f, &how, "another order than that of rows");
}

/* ---- compressed-tensors, fp8 ---- */

enum { CT_OUT = 10, CT_IN = 12, CT_GROUP = 6 };

struct ct {
    unsigned char q[4 * CT_OUT * 4], z[4 * 3 * 2], scale[2 * CT_OUT * 2], shape[16],
                  order[4 * CT_IN];
    float want[CT_OUT * CT_IN];
};

static void make_ct(struct file *f, struct ct *c, int bits, bool zeros, bool ordered)
{
    int per = 32 / bits, words = (CT_IN - 1) / per + 1;

    *c = (struct ct){ .want = { 0 } };
    bytes_put(c->shape, CT_OUT, 8);
    bytes_put(c->shape + 8, CT_IN, 8);
    for (int o = 0; o < CT_OUT; o++)
        for (int k = 0; k < CT_IN; k++) {
            int group = ordered ? k / CT_GROUP : k % 2;
            unsigned q = value(o * CT_IN + k, bits);
            float z = zeros ? (float)value(o + 3 * group, bits) : (float)(1 << (bits - 1));

            bytes_put(c->order + 4 * k, (uint64_t)group, 4);
            bytes_put(c->scale + 2 * (o * 2 + group), half_scale[(o + group) % 4], 2);
            put_field(c->q, o * words + k / per, k % per * bits, q);
            if (k == (group == 0 ? 0 : ordered ? CT_GROUP : 1))
                put_field(c->z, o / per * 2 + group, o % per * bits,
                          value(o + 3 * group, bits));
            c->want[o * CT_IN + k] = ((float)q - z) * scale_of[(o + group) % 4];
        }
    f->n = 0;
    add(f, "k.weight_packed", "I32", 2, (int[]){ CT_OUT, words }, c->q,
        (size_t)(4 * CT_OUT * words));
    ADD(f, "k.weight_scale", "F16", c->scale, CT_OUT, 2);
    ADD(f, "k.weight_shape", "I64", c->shape, 2);
    if (zeros)
        add(f, "k.weight_zero_point", "I32", 2, (int[]){ (CT_OUT - 1) / per + 1, 2 }, c->z,
            (size_t)(4 * ((CT_OUT - 1) / per + 1) * 2));
    if (!ordered)
        ADD(f, "k.weight_g_idx", "I32", c->order, CT_IN);
}

static void test_ct_int(void **state)
{
    struct ct c;
    struct file f;

    (void)state;
    for (int bits = 4; bits <= 8; bits += 4)
        for (int k = 0; k < 4; k++) {
            struct quantisation how = { .method = QUANT_CT_INT, .bits = bits,
                                        .group = CT_GROUP, .zeros = k % 2 == 1 };

            make_ct(&f, &c, bits, how.zeros, k > 1);
            check(&f, &how, "k.weight", c.want, CT_OUT * CT_IN);
        }
}

static void test_ct_int_refused(void **state)
{
    struct quantisation how = { .method = QUANT_CT_INT, .bits = 4, .group = CT_GROUP,
                                .zeros = true };
    struct ct c;
    struct file f;

    (void)state;
    make_ct(&f, &c, 4, true, false);
    refused_part(&f, &how, "k.weight_shape", NULL, 0, 0, 0, "has no k.weight_shape");
    refused_part(&f, &how, "k.weight_scale", NULL, 0, 0, 0, "has no k.weight_scale");
    refused_part(&f, &how, "k.weight_zero_point", NULL, 0, 0, 0, "has no k.weight_zero_point");
    refused_part(&f, &how, "k.weight_packed", NULL, 1, 20, 0, "expected 2 dimensions");
    refused_part(&f, &how, "k.weight_shape", NULL, 1, 3, 0, "shape [3], expected [2]");
    refused_part(&f, &how, "k.weight_shape", NULL, 1, 2, 0, "holds 0, 0, which k.weight_packed");
    refused_part(&f, &how, "k.weight_scale", NULL, 2, CT_OUT, 3, "shape [10,3], expected [10,2]");
    refused_part(&f, &how, "k.weight_zero_point", NULL, 2, 3, 2, "shape [3,2], expected [2,2]");
    refused_part(&f, &how, "k.weight_g_idx", NULL, 1, 11, 0, "shape [11], expected [12]");
    how.ordered = true;
    refused_part(&f, &how, "k.weight_g_idx", NULL, 0, 0, 0, "has no k.weight_g_idx");
    how.ordered = false;
    bytes_put(c.shape, CT_OUT, 8);
    bytes_put(c.shape + 8, 0, 8);
    refused(&f, &how, "holds 10, 0, which k.weight_packed of shape [10,2] does not fit");
    bytes_put(c.shape + 8, 17, 8);
    refused(&f, &how, "holds 10, 17");
    bytes_put(c.shape + 8, CT_IN, 8);
    how.group = 5;
    refused(&f, &how, "groups of 5 do not divide the 12 inputs");
    how = (struct quantisation){ .method = QUANT_CT_INT, .bits = 4, .group = CT_GROUP };
    make_ct(&f, &c, 4, false, false);
    f.part[3].name = "k.weight_zero_point";     /* unused, as of what is symmetric */
    assert_int_equal(weights_dequantise(opened(&f), &how, NULL), 0);
}

static float e4m3(unsigned v)
{
    int exponent = v >> 3 & 15;
    float size = exponent == 0 ? (float)(v & 7) / 8 * 0x1p-6f :
                                 (1 + (float)(v & 7) / 8) * ldexpf(1, exponent - 7);

    return (v & 127) == 127 ? NAN : v >= 128 ? -size : size;
}

static void test_floats_of_8_bits(void **state)
{
    struct quantisation how = { .method = QUANT_CT_FLOAT };
    unsigned char q[256], scale[8], block[4 * 2 * 6], unused[4] = { 0 };
    float want[256];
    struct file f = { .n = 0 };

    (void)state;
    put_f32(scale, 0.5f);
    put_f32(scale + 4, 3);
    for (int i = 0; i < 256; i++) {
        q[i] = (unsigned char)i;
        want[i] = e4m3((unsigned)i) * (i < 128 ? 0.5f : 3);
    }
    ADD(&f, "k.weight", "F8_E4M3", q, 2, 128);
    ADD(&f, "k.weight_scale", "F32", scale, 2, 1);
    ADD(&f, "k.input_scale", "F32", unused, 1);
    check(&f, &how, "k.weight", want, 256);
    f.n = 1;
    ADD(&f, "k.weight_scale", "F32", scale, 2);
    check(&f, &how, "k.weight", want, 256);
    refused_part(&f, &how, "k.weight", NULL, 0, 0, 0, "has no k.weight,");
    refused_part(&f, &how, "k.weight", "F8_E5M2", 2, 2, 128, "F8_E5M2, expected F8_E4M3");
    refused_part(&f, &how, "k.weight_scale", NULL, 2, 2, 2, "shape [2,2], expected [2,1]");
    refused_part(&f, &how, "k.weight_scale", NULL, 1, 1, 0, "shape [1], expected [2]");
    how.whole = true;
    f.n = 1;
    f.part[0].d[0] = 1;
    f.part[0].size = 128;
    add(&f, "k.weight_scale", "F32", 1, (int[]){ 1 }, scale, 4);
    check(&f, &how, "k.weight", want, 128);

    how = (struct quantisation){ .method = QUANT_FP8, .block = { 2, 6 } };
    for (int i = 0; i < 12; i++)
        put_f32(block + 4 * i, (float)(i + 1) / 4);
    for (int i = 0; i < 3 * 33; i++)
        want[i] = e4m3(q[i]) * ((float)(i / 33 / 2 * 6 + i % 33 / 6 + 1) / 4);
    f.n = 0;
    add(&f, "k.weight", "F8_E4M3", 2, (int[]){ 3, 33 }, q, 99);
    ADD(&f, "k.weight_scale_inv", "F32", block, 2, 6);
    check(&f, &how, "k.weight", want, 99);
    refused_part(&f, &how, "k.weight_scale_inv", NULL, 2, 2, 5, "shape [2,5], expected [2,6]");
    refused_part(&f, &how, "k.weight", "U8", 2, 3, 33, "holds U8, expected F8_E4M3");
    refused_part(&f, &how, "k.weight", "F8_E5M2", 1, 99, 0, "expected 2 dimensions");
    refused_part(&f, &how, "k.weight", NULL, 0, 0, 0, "has no k.weight,");
    f.part[0].dtype = "F8_E5M2";
    for (int i = 0; i < 99; i++)
        want[i] = half_to_float((uint16_t)(q[i] << 8)) *
                  ((float)(i / 33 / 2 * 6 + i % 33 / 6 + 1) / 4);
    check(&f, &how, "k.weight", want, 99);
}

static const float e2m1[8] = { 0, 0.5f, 1, 1.5f, 2, 3, 4, 6 };

static float e2m1_of(unsigned q)
{
    return q >= 8 ? -e2m1[q - 8] : e2m1[q];
}

static void test_nvfp4(void **state)
{
    const struct quantisation how = { .method = QUANT_CT_NVFP4 };
    unsigned char q[2 * 16] = { 0 }, scale[4] = { 0x38, 0x40, 0x31, 0xb8 }, global[4],
                  unused[4] = { 0 };
    float want[64];
    struct file f = { .n = 0 };

    (void)state;
    put_f32(global, 3);
    for (int i = 0; i < 64; i++) {
        unsigned v = value(i, 4);

        q[i / 2] |= (unsigned char)(i % 2 == 0 ? v : v << 4);
        want[i] = e2m1_of(v) * (e4m3(scale[i / 16]) / 3);
    }
    ADD(&f, "k.weight_packed", "U8", q, 2, 16);
    ADD(&f, "k.weight_scale", "F8_E4M3", scale, 2, 2);
    ADD(&f, "k.weight_global_scale", "F32", global, 1);
    ADD(&f, "k.input_global_scale", "F32", unused, 1);
    check(&f, &how, "k.weight", want, 64);
    refused_part(&f, &how, "k.weight_scale", NULL, 0, 0, 0, "has no k.weight_scale");
    refused_part(&f, &how, "k.weight_global_scale", NULL, 0, 0, 0, "has no k.weight_global");
    refused_part(&f, &how, "k.weight_packed", NULL, 1, 32, 0, "expected 2 dimensions");
    refused_part(&f, &how, "k.weight_packed", NULL, 2, 2, 15, "groups of 16 do not divide the 30");
    refused_part(&f, &how, "k.weight_scale", NULL, 2, 2, 3, "shape [2,3], expected [2,2]");
    refused_part(&f, &how, "k.weight_global_scale", NULL, 1, 2, 0, "shape [2], expected [1]");
}

/* What is said of all is said of the first. */
static void test_two_modules(void **state)
{
    const struct quantisation how = { .method = QUANT_BNB8 };
    unsigned char q[6] = { 1 }, largest[8] = { 0 };
    struct file f = { .n = 0 };
    struct weights *w;
    double bits = 0;

    (void)state;
    ADD(&f, "a.weight", "I8", q, 2, 3);
    ADD(&f, "a.SCB", "F32", largest, 2);
    ADD(&f, "b.weight", "I8", q, 2, 3);
    ADD(&f, "b.SCB", "F32", largest, 2);
    w = opened(&f);
    assert_int_equal(weights_dequantise(w, &how, NULL), 0);
    assert_string_equal(weights_quantised(w, &bits), "bitsandbytes, 8 bits by row");
    assert_true(fabs(bits - 8.0 * 28 / 12) < 1e-9);
}

static void test_mxfp4(void **state)
{
    const struct quantisation how = { .method = QUANT_MXFP4 };
    enum { E = 2, O = 3, K = 64 };
    unsigned char q[E * O * K / 2] = { 0 }, scale[E * O * K / 32];
    float want[E * K * O];
    struct file f = { .n = 0 };

    (void)state;
    for (int i = 0; i < E * O * K / 32; i++)
        scale[i] = (unsigned char)(i == 3 ? 0 : i == 4 ? 255 : 120 + i);
    for (int e = 0; e < E; e++)
        for (int o = 0; o < O; o++)
            for (int k = 0; k < K; k++) {
                int at = (e * O + o) * K + k, s = scale[at / 32];
                unsigned v = value(at, 4);

                q[at / 2] |= (unsigned char)(at % 2 == 0 ? v : v << 4);
                want[(e * K + k) * O + o] = s == 255 ? NAN : ldexpf(e2m1_of(v), s - 127);
            }
    ADD(&f, "x.down_proj_blocks", "U8", q, E, O, K / 32, 16);
    ADD(&f, "x.down_proj_scales", "U8", scale, E, O, K / 32);
    check(&f, &how, "x.down_proj", want, E * K * O);
    refused_part(&f, &how, "x.down_proj_scales", NULL, 0, 0, 0, "has no x.down_proj_scales");
    refused_part(&f, &how, "x.down_proj_scales", NULL, 2, 6, 2, "expected 3 dimensions");
    refused_part(&f, &how, "x.down_proj_blocks", NULL, 2, 6, 32, "expected 4 dimensions");
    f.part[1].d[1] = 2;
    f.part[1].d[2] = 3;
    refused(&f, &how, "shape [2,2,3], which blocks of shape [2,3,2,16] do not fit");
    f.part[0].d[2] = 4;
    f.part[0].d[3] = 8;
    refused(&f, &how, "expected 16 bytes in each block");
}

/* ---- what else sees them ---- */

/* Beside others; the packed parts of a module and its own weight. */
static void test_beside_others(void **state)
{
    struct quantisation q = { .method = QUANT_GPTQ, .bits = 4, .group = GROUP };
    static struct gptq g;
    struct file f;
    struct weights *w;
    struct err e = { ERR_NONE, "" };
    double bits = 0;
    unsigned char norm[400] = { 0 };

    (void)state;
    make_gptq(&f, &g, 4, false, false);
    ADD(&f, "norm.weight", "F32", norm, 100);
    w = opened(&f);
    assert_null(weights_quantised(w, &bits));
    assert_int_equal(weights_dequantise(w, &q, &e), 0);
    assert_int_equal(weights_count(w), 2);
    assert_string_equal(weights_quantised(w, &bits), "GPTQ, 4 bits in groups of 8");
    assert_true(fabs(bits - 8.0 * (256 + 32 + 128 + 128) / 512) < 1e-9);
    assert_int_equal(tensor_stored_bytes(weights_find(w, "k.weight")), 544);
    ADD(&f, "k.weight", "F32", norm, 100);
    assert_int_equal(weights_dequantise(opened(&f), &q, &e), -1);
    assert_non_null(strstr(e.msg, "k.weight: appears twice"));
}

/* Rounded, they are stored again; a number that halves cannot hold stays a float. */
static void test_rounded(void **state)
{
    struct quantisation q = { .method = QUANT_GPTQ, .bits = 8, .v2 = true };
    unsigned char words[4 * 4] = { 9, 0, 7, 8, 1, 2, 3, 4 }, z[4] = { 0 }, scale[16];
    struct file f = { .n = 0 };
    struct err e = { ERR_NONE, "" };
    float got[16];

    (void)state;
    ADD(&f, "k.qweight", "I32", words, 1, 4);
    ADD(&f, "k.qzeros", "I32", z, 1, 1);
    ADD(&f, "k.scales", "F32", scale, 1, 4);
    for (int large = 0; large < 2; large++) {
        struct weights *w;

        for (int o = 0; o < 4; o++)
            put_f32(scale + 4 * o, large ? 1e6f : 0.5f);
        w = opened(&f);
        assert_int_equal(weights_dequantise(w, &q, &e), 0);
        assert_int_equal(weights_round(w, HELD_F16, &e), 0);
        assert_null(weights_at(w, 0)->maker);
        assert_int_equal(weights_at(w, 0)->dtype, large ? DTYPE_F32 : DTYPE_F16);
        tensor_read(got, weights_at(w, 0), 0, 16);
        assert_true(got[0] == 9 * (large ? 1e6f : 0.5f) && got[3] == 8 * (large ? 1e6f : 0.5f));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gptq),          cmocka_unit_test(test_gptq_refused),
        cmocka_unit_test(test_one_group),     cmocka_unit_test(test_awq),
        cmocka_unit_test(test_bnb4),          cmocka_unit_test(test_bnb4_refused),
        cmocka_unit_test(test_bnb8),          cmocka_unit_test(test_ct_int),
        cmocka_unit_test(test_ct_int_refused), cmocka_unit_test(test_floats_of_8_bits),
        cmocka_unit_test(test_nvfp4),         cmocka_unit_test(test_mxfp4),
        cmocka_unit_test(test_two_modules),   cmocka_unit_test(test_beside_others),
        cmocka_unit_test(test_rounded),
    };

    return cmocka_run_group_tests_name("quantised", tests, begin, end);
}
