/* SPDX-License-Identifier: MIT
 * Weights that a quantiser packed: panels that vectors unpack are what is read one by one, to
 * the last bit, whatever the bytes; and vectors do unpack where they can. */
#include "nn_check.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "nn/kernels.h"
#include "nn/linear.h"
#include "nn/product.h"
#include "weights/quantised.h"
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

/* ---- files of any bytes ---- */

enum { MOST = 8 };

struct file {
    const char *header;
    unsigned char *data;
    size_t size;
};

/* data NULL: random bytes, all halves and floats among them. */
static void add(struct file *f, const char *name, const char *dtype, const char *shape,
                size_t size, const void *data)
{
    unsigned char *all = arena_alloc(&arena, f->size + size, 1);

    if (f->size > 0)
        memcpy(all, f->data, f->size);
    for (size_t i = 0; i < size; i++)
        all[f->size + i] = data != NULL ? ((const unsigned char *)data)[i] :
                           (unsigned char)((random_float() + 1) * 128);
    f->header = arena_printf(&arena, "%s%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],"
                             "\"data_offsets\":[%zu,%zu]}", f->size > 0 ? f->header : "{",
                             f->size > 0 ? "," : "", name, dtype, shape, f->size, f->size + size);
    f->data = all;
    f->size += size;
}

static const char *dims(int x, int y)
{
    return arena_printf(&arena, "%d,%d", x, y);
}

static const struct tensor *only_tensor(const struct file *f, const struct quantisation *how)
{
    size_t n = strlen(f->header) + 1;
    unsigned char *bytes = arena_alloc(&arena, 8 + n + f->size, 1);
    struct weights *w;
    struct err e;

    bytes_put(bytes, n, 8);
    memcpy(bytes + 8, f->header, n - 1);
    bytes[8 + n - 1] = '}';
    memcpy(bytes + 8 + n, f->data, f->size);
    w = weights_open_memory(&arena, (struct span){ bytes, 8 + n + f->size }, "f", &e);
    if (w == NULL || weights_dequantise(w, how, &e) != 0)
        fail_msg("%s", e.msg);
    assert_int_equal(weights_count(w), 1);
    return weights_at(w, 0);
}

/* ---- panels ---- */

/* How much of what is packed may still be read one by one: nothing of a full panel. */
static void never(const void *maker, float *out, int64_t first, int64_t n)
{
    (void)maker;
    (void)out;
    fail_msg("%s: %lld elements from %lld on were read one by one",
             nn_kernel_name(nn_kernel()), (long long)n, (long long)first);
}

static void check_panels(struct matrix w, const char *name, bool known)
{
    int width = product_width(), rows = w.order_in_out ? w.K : w.N;
    size_t row = (size_t)linear_row_size(&w);
    float *want = floats((size_t)rows * row), *panel = nan_floats((size_t)w.K * (size_t)width);
    float *room = nan_floats(linear_room());
    bool vectors = known && nn_kernel() != KERNEL_C;

    for (int i = 0; i < rows; i++)
        linear_row(want + (size_t)i * row, &w, i);
    for (int n0 = 0; n0 < w.N; n0 += width) {
        bool whole = n0 + width <= w.N;
        struct matrix unread = w;

        unread.make = whole && vectors ? never : w.make;
        linear_pack(panel, &unread, n0, room);
        for (int k = 0; k < w.K; k++)
            for (int n = n0; n < n0 + width && n < w.N; n++)
                kernel_same(name, n * w.K + k, panel[k * width + n - n0],
                            w.order_in_out ? want[k * w.N + n] : want[n * w.K + k]);
    }
    free(want);
    free(panel);
    free(room);
}

/* As model/bind makes it; of a stack of matrices the one of this number. */
static void check(const struct file *f, const struct quantisation *how, const char *name,
                  bool known)
{
    const struct tensor *t = only_tensor(f, how);
    bool in_out = !t->maker->out_in;
    int stack = t->n_dims == 3 ? (int)t->shape[0] : 1;
    int out = (int)t->shape[t->n_dims - 2], in = (int)t->shape[t->n_dims - 1];
    struct matrix w = {
        .size_bytes = 4, .block = 1, .make = t->maker->read, .maker = t->maker,
        .codes = t->maker->codes, .N = in_out ? in : out, .K = in_out ? out : in, .stride = in,
        .order_in_out = in_out,
    };

    assert_true(!known || t->maker->codes != NULL);
    for (int i = 0; i < stack; i++) {
        check_panels(w, name, known);
        linear_skip(&w, (int64_t)out * in);
    }
    linear_skip(&w, in_out ? 16 - (int64_t)out * in : 8 * w.stride - (int64_t)out * in * stack);
    w.N -= in_out ? 16 : 8;         /* a part of it, as of queries, keys and values in one */
    check_panels(w, name, known);
}

/* ---- the layouts ---- */

enum { OUT = 112, IN = 192 };       /* panels and a rest; groups of 32, 64 and 192 */

static void gptq(void)
{
    for (int i = 0; i < 24; i++) {
        int bits = 2 << i % 3, group = 32 << i / 3 % 2, n_groups = IN / group;
        int order_of = i / 6 % 2 == 0 ? 0 : 1 + i % 2;      /* 2: of groups of unequal sizes */
        struct quantisation how = { .method = QUANT_GPTQ, .bits = bits, .group = group,
                                    .v2 = i > 11 };
        struct file f = { .size = 0 };
        unsigned char order[4 * IN];

        for (int k = 0; k < IN; k++)
            bytes_put(order + 4 * k, (uint64_t)(order_of == 0 ? k / group : order_of == 1 ?
                                                k % n_groups : k * k % 7 % (n_groups - 1)), 4);
        add(&f, "k.qweight", "I32", dims(IN * bits / 32, OUT), (size_t)(OUT * IN * bits / 8), NULL);
        add(&f, "k.qzeros", "I32", dims(n_groups, OUT * bits / 32),
            (size_t)(n_groups * OUT * bits / 8), NULL);
        add(&f, "k.scales", i % 2 == 0 ? "F16" : "BF16", dims(n_groups, OUT),
            (size_t)(2 * n_groups * OUT), NULL);
        add(&f, "k.g_idx", "I32", arena_printf(&arena, "%d", IN), sizeof order, order);
        check(&f, &how, "gptq", true);
    }
}

static void awq(void)
{
    for (int group = 16; group <= 64; group *= 2) {
        struct quantisation how = { .method = QUANT_AWQ, .bits = 4, .group = group };
        struct file f = { .size = 0 };

        add(&f, "k.qweight", "I32", dims(IN, OUT / 8), IN * OUT / 2, NULL);
        add(&f, "k.qzeros", "I32", dims(IN / group, OUT / 8), (size_t)(IN / group * OUT / 2), NULL);
        add(&f, "k.scales", "F16", dims(IN / group, OUT), (size_t)(2 * IN / group * OUT), NULL);
        check(&f, &how, "awq", true);
    }
}

static void bitsandbytes(void)
{
    static const char *const type[] = { "float32", "float16", "bfloat16" };
    static const int block[] = { 16, 32, 64, 128, 384 };    /* 128: half a row is left */

    for (int i = 0; i < 15; i++) {
        int size = block[i / 3], n = (OUT * IN - 1) / size + 1;
        const char *state = arena_printf(&arena, "{\"shape\":[%d,%d],\"blocksize\":%d,"
                                         "\"dtype\":\"%s\"}", OUT, IN, size, type[i % 3]);
        struct quantisation how = { .method = QUANT_BNB4 };
        struct file f = { .size = 0 };

        add(&f, "k.weight.quant_map", "F32", "16", 64, NULL);
        add(&f, "k.weight.absmax", "F32", arena_printf(&arena, "%d", n), (size_t)(4 * n), NULL);
        add(&f, "k.weight", "U8", dims(OUT * IN / 2, 1), OUT * IN / 2, NULL);
        add(&f, "k.weight.quant_state.bitsandbytes__nf4", "U8",
            arena_printf(&arena, "%zu", strlen(state)), strlen(state), state);
        check(&f, &how, "nf4", size != 128);
    }
}

static void compressed_tensors(void)
{
    unsigned char shape[16];

    bytes_put(shape, OUT, 8);
    bytes_put(shape + 8, IN, 8);
    for (int i = 0; i < 24; i++) {
        int group = 16 << i % 3, n_groups = IN / group, bits = i / 6 % 2 == 0 ? 4 : 8;
        struct quantisation how = { .method = QUANT_CT_INT, .bits = bits, .group = group,
                                    .zeros = i / 3 % 2 == 1, .ordered = i > 11 };
        struct file f = { .size = 0 };
        unsigned char order[4 * IN];

        for (int k = 0; k < IN; k++)
            bytes_put(order + 4 * k, (uint64_t)(k % n_groups), 4);
        if (how.ordered)
            add(&f, "k.weight_g_idx", "I32", arena_printf(&arena, "%d", IN), sizeof order, order);
        add(&f, "k.weight_packed", "I32", dims(OUT, IN * bits / 32), (size_t)(OUT * IN * bits / 8),
            NULL);
        add(&f, "k.weight_scale", i % 2 == 0 ? "F32" : "F16", dims(OUT, n_groups),
            (size_t)((i % 2 == 0 ? 4 : 2) * OUT * n_groups), NULL);
        add(&f, "k.weight_shape", "I64", "2", sizeof shape, shape);
        if (how.zeros)
            add(&f, "k.weight_zero_point", "I32", dims(OUT * bits / 32, n_groups),
                (size_t)(OUT * bits / 8 * n_groups), NULL);
        check(&f, &how, "compressed-tensors", true);
    }
}

static void nvfp4(void)
{
    struct quantisation how = { .method = QUANT_CT_NVFP4 };
    static const unsigned char global[4] = { 0, 0, 0x40, 0x44 };    /* 768 */
    struct file f = { .size = 0 };

    add(&f, "k.weight_packed", "U8", dims(OUT, IN / 2), OUT * IN / 2, NULL);
    add(&f, "k.weight_scale", "F8_E4M3", dims(OUT, IN / 16), OUT * IN / 16, NULL);
    add(&f, "k.weight_global_scale", "F32", "1", sizeof global, global);
    check(&f, &how, "nvfp4", true);
}

static void bytes_by_row(void)
{
    struct quantisation how = { .method = QUANT_BNB8 };
    struct file f = { .size = 0 };

    add(&f, "k.weight", "I8", dims(OUT, IN), OUT * IN, NULL);
    add(&f, "k.SCB", "F32", arena_printf(&arena, "%d", OUT), 4 * OUT, NULL);
    check(&f, &how, "int8", true);
}

/* Scales by row and by block, of which the last of a row is not whole. */
static void e4m3(void)
{
    for (int i = 0; i < 5; i++) {
        int block = i == 4 ? 6 : 64 << i % 2, n = (IN - 1) / block + 1, m = (OUT - 1) / block + 1;
        bool by_row = i / 2 == 1;
        struct quantisation how = { .method = by_row ? QUANT_CT_FLOAT : QUANT_FP8,
                                    .block = { block, block } };
        struct file f = { .size = 0 };

        add(&f, "k.weight", "F8_E4M3", dims(OUT, IN), OUT * IN, NULL);
        if (by_row)
            add(&f, "k.weight_scale", "BF16", dims(OUT, 1), 2 * OUT, NULL);
        else
            add(&f, "k.weight_scale_inv", "F32", dims(m, n), (size_t)(4 * m * n), NULL);
        check(&f, &how, "e4m3", block != 6);
    }
}

static void e5m2(void)
{
    struct quantisation how = { .method = QUANT_FP8, .block = { 64, 64 } };
    struct file f = { .size = 0 };

    add(&f, "k.weight", "F8_E5M2", dims(OUT, IN), OUT * IN, NULL);
    add(&f, "k.weight_scale_inv", "F32", dims(2, 3), 4 * 2 * 3, NULL);
    check(&f, &how, "e5m2", true);
}

static void mxfp4(void)
{
    struct quantisation how = { .method = QUANT_MXFP4 };
    struct file f = { .size = 0 };

    add(&f, "k_blocks", "U8", arena_printf(&arena, "3,%d,%d,16", OUT, IN / 32), 3 * OUT * IN / 2,
        NULL);
    add(&f, "k_scales", "U8", arena_printf(&arena, "3,%d,%d", OUT, IN / 32), 3 * OUT * IN / 32,
        NULL);
    check(&f, &how, "mxfp4", true);
}

KERNEL_TEST(gptq)
KERNEL_TEST(awq)
KERNEL_TEST(bitsandbytes)
KERNEL_TEST(compressed_tensors)
KERNEL_TEST(mxfp4)
KERNEL_TEST(nvfp4)
KERNEL_TEST(bytes_by_row)
KERNEL_TEST(e4m3)
KERNEL_TEST(e5m2)

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gptq), TEST(awq), TEST(bitsandbytes), TEST(compressed_tensors), TEST(mxfp4),
        TEST(nvfp4), TEST(bytes_by_row), TEST(e4m3), TEST(e5m2),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
