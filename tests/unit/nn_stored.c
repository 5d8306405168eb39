/* SPDX-License-Identifier: MIT
 * Linears of every stored format: what vectors decode is what plain C decodes, to the last
 * bit, whatever the bytes; and linears of few rows are those of many. */
#include "nn_check.h"
#include "nn/kernels.h"
#include "nn/linear.h"
#include "nn/turned.h"
#include "weights/weights.h"

static enum element element_of(enum dtype dtype)
{
    static const enum element element[N_DTYPE] = {
        [DTYPE_F16] = ELEMENT_F16, [DTYPE_BF16] = ELEMENT_BF16,
#define BLOCKS(name, type, n_elements, size_bytes) [DTYPE_##name] = ELEMENT_##name,
#include "base/blocks.def"
#undef BLOCKS
    };

    return element[dtype];
}

/* Random bytes: all scales come up, subnormal ones, infinities and NaN too. */
static struct matrix random_matrix(enum dtype dtype, int N, int K, int64_t stride)
{
    const struct dtype_row *d = &dtype_table[dtype];
    size_t row = (size_t)(stride / d->block) * (size_t)d->size_bytes;
    size_t used = (size_t)(K / d->block) * (size_t)d->size_bytes;
    size_t size = (size_t)(N - 1) * row + used;
    unsigned char *data = malloc(size);

    assert_non_null(data);
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)((random_float() + 1) * 128);
    return (struct matrix){ .data = data, .size_bytes = d->size_bytes, .block = d->block,
                            .to_f32 = d->to_f32, .element = element_of(dtype), .N = N, .K = K,
                            .stride = stride };
}

/* y[n] = element k of stored row n: the sum of one product with 1. */
static void check_elements(const struct matrix *w, const char *name)
{
    float *want = floats((size_t)w->N * (size_t)w->K);
    float *panel = floats((size_t)w->K * PANEL);
    pack_stored *pack = nn_kernels()->stored->pack[w->element];

    for (int n = 0; n < w->N; n++)
        linear_row(want + (size_t)n * (size_t)w->K, w, n);
    for (int n0 = 0; pack != NULL && n0 + PANEL <= w->N; n0 += PANEL) {
        int64_t row = w->stride / w->block * w->size_bytes;

        pack(panel, PANEL, w->data + n0 * row, row, w->K);
        for (int n = 0; n < PANEL; n++)
            for (int k = 0; k < w->K; k++)
                kernel_same(name, n * w->K + k, panel[k * PANEL + n],
                            want[(n0 + n) * w->K + k]);
    }
    free(want);
    free(panel);
}

static void elements(void)
{
    for (int i = 0; i < N_DTYPE; i++) {
        const struct dtype_row *d = &dtype_table[i];
        int step = d->block > 8 ? d->block : 8;

        if (element_of((enum dtype)i) == ELEMENT_OTHER)
            continue;
        for (int blocks = 1; blocks < 5; blocks++) {
            struct matrix w = random_matrix((enum dtype)i, 3 * PANEL, blocks * step,
                                            (blocks + blocks % 2) * step);

            check_elements(&w, d->name);
            free((void *)(uintptr_t)w.data);
        }
    }
}

/* Not random: sums that overflow hide what is wrong in them. */
static void calm(struct matrix *w, enum dtype dtype)
{
    unsigned char *data = (unsigned char *)(uintptr_t)w->data;
    int rows = w->order_in_out ? w->K : w->N;
    int64_t size = ((rows - 1) * w->stride + linear_row_size(w)) / w->block * w->size_bytes;

    for (int64_t i = 0; i < size; i++)
        data[i] &= dtype == DTYPE_F32 ? 0xbd : 0x3f;    /* scales and floats below 2 */
}

/* Up to four rows, in parts of any width: the bytes of linear_panel. */
static void check_few(const struct matrix *w, const float *bias, int M, const char *name)
{
    int x_stride = w->K + 3, y_stride = w->N + 5;
    size_t count = (size_t)M * (size_t)y_stride;
    float *x = random_floats((size_t)M * (size_t)x_stride), *want = nan_floats(count);
    float *got = nan_floats(count), *room = nan_floats(linear_scratch(w->K));

    for (int n0 = 0; n0 < w->N; n0 += PANEL)
        linear_panel(want, y_stride, x, x_stride, M, w, bias, n0, room);
    for (int step = PANEL; step < w->N + PANEL; step += PANEL) {
        for (int n0 = 0; n0 < w->N; n0 += step)
            linear_few(got, y_stride, x, x_stride, M, w, bias, n0,
                       w->N - n0 < step ? w->N - n0 : step, room);
        for (int n = 0; n < M * y_stride; n++)
            kernel_same(name, n, got[n], want[n]);
    }
    free(x);
    free(room);
    free(want);
    free(got);
}

static void few_rows(void)
{
    static const int N[] = { 7, 32, 70, 96 }, blocks[] = { 1, 2, 3, 5 };

    for (int d = DTYPE_F32; d < N_DTYPE; d++) {
        bool known = d == DTYPE_F32 || element_of((enum dtype)d) != ELEMENT_OTHER;
        int block = dtype_table[d].block;

        for (int i = 0; known && i < 16; i++) {
            bool in_out = block == 1 && i % 2 == 1;
            int K = block > 1 ? block * blocks[i / 4] : 8 * blocks[i / 4] + (i % 3 == 0 ? 8 : 0);
            int width = in_out ? N[i % 4] : K, rows = in_out ? K : N[i % 4];
            struct matrix w = random_matrix((enum dtype)d, rows, width, width + i % 2 * block);
            float *bias = random_floats((size_t)N[i % 4]);

            w.N = N[i % 4];
            w.K = K;
            w.order_in_out = in_out;
            if (d == DTYPE_F32)
                w.to_f32 = NULL;
            calm(&w, (enum dtype)d);
            check_few(&w, i % 3 == 0 ? NULL : bias, i % 5 == 0 ? 1 + i / 5 : 1,
                      dtype_table[d].name);
            free(bias);
            free((void *)(uintptr_t)w.data);
        }
    }
}

/* Wherever in memory they begin: what lies before a vector's multiple goes another way. */
static void few_rows_anywhere(void)
{
    static const enum dtype numbers[] = { DTYPE_F32, DTYPE_F16, DTYPE_BF16 };

    for (int i = 0; i < 3 * 33; i++) {
        enum dtype dtype = numbers[i % 3];
        size_t offset = (size_t)(i / 3 * dtype_table[dtype].size_bytes);

        for (int K = 16; K <= 80; K += 16) {
            struct matrix w = random_matrix(dtype, 2 * PANEL, K, K);
            size_t size = 2 * PANEL * (size_t)(K * dtype_table[dtype].size_bytes);
            unsigned char *data = malloc(offset + size);

            assert_non_null(data);
            calm(&w, dtype);
            memcpy(data + offset, w.data, size);
            free((void *)(uintptr_t)w.data);
            w.data = data + offset;
            if (dtype == DTYPE_F32)
                w.to_f32 = NULL;
            check_few(&w, NULL, 1, dtype_table[dtype].name);
            free(data);
        }
    }
}

/* Rows that are turned: the bytes of linear_panel. */
static void check_turned(const struct matrix *w, const float *bias, int M, const char *name)
{
    int x_stride = w->K + 3, y_stride = w->N + 5, n = w->N / TURNED;
    size_t count = (size_t)M * (size_t)y_stride;
    int64_t row = turned_row(w);
    float *x = random_floats((size_t)M * (size_t)x_stride), *want = nan_floats(count);
    float *got = nan_floats(count), *room = nan_floats(linear_scratch(w->K));
    unsigned char *panels = aligned_alloc(64, (size_t)(n * TURNED * row));

    assert_non_null(panels);
    memset(panels, 0xff, (size_t)(n * TURNED * row));
    for (int i = 0; i < n; i++)
        turned_make(panels + i * TURNED * row, w, i * TURNED);
    for (int n0 = 0; n0 < w->N; n0 += PANEL)
        linear_panel(want, y_stride, x, x_stride, M, w, bias, n0, room);
    turned_few(got, y_stride, x, x_stride, M, w, bias, 0, n, panels);
    for (int m = 0; m < M; m++) {
        for (int i = 0; i < n * TURNED; i++)
            kernel_same(name, m * w->N + i, got[m * y_stride + i], want[m * y_stride + i]);
        for (int i = n * TURNED; i < y_stride; i++)
            assert_true(isnan(got[m * y_stride + i]));
    }
    free(x);
    free(room);
    free(want);
    free(got);
    free(panels);
}

/* Of every type but those that plain C alone decodes, or whose scales are of two factors. */
static void turned_rows(void)
{
    bool vectors = nn_kernel() != KERNEL_C;

    for (int d = DTYPE_F32; d < N_DTYPE; d++) {
        bool known = d == DTYPE_F32 || element_of((enum dtype)d) != ELEMENT_OTHER;
        int block = dtype_table[d].block > 1 ? dtype_table[d].block : 16;

        for (int i = 0; i < 12; i++) {
            int K = block * (1 + i % 4), N = TURNED * (1 + i % 3) + 9 * (i % 2);
            struct matrix w = random_matrix((enum dtype)d, N, K, K + i % 2 * block);
            float *bias = random_floats((size_t)N);

            if (d == DTYPE_F32)
                w.to_f32 = NULL;
            calm(&w, (enum dtype)d);
            assert_int_equal(turned_row(&w) > 0, vectors && known && d != DTYPE_MXFP4);
            if (turned_row(&w) > 0)
                check_turned(&w, i % 3 == 0 ? NULL : bias, 1 + i % LINEAR_FEW,
                             dtype_table[d].name);
            free(bias);
            free((void *)(uintptr_t)w.data);
        }
    }
}

KERNEL_TEST(elements)
KERNEL_TEST(few_rows)
KERNEL_TEST(few_rows_anywhere)
KERNEL_TEST(turned_rows)

/* y[c] is one sum upwards, however many columns there are. */
static void check_columns(int n, int K)
{
    int stride = n + 3;
    float *x = random_floats((size_t)K + 1), *y = nan_floats((size_t)n + 1);
    float *w = random_floats((size_t)K * (size_t)stride + 1);

    nn_kernels()->stored->columns(y, x, w, stride, n, K);
    for (int c = 0; c < n; c++) {
        float sum = 0;

        for (int k = 0; k < K; k++)
            sum = nn_kernel() == KERNEL_C ? sum + x[k] * w[k * stride + c] :
                                            fmaf(x[k], w[k * stride + c], sum);
        assert_memory_equal(&y[c], &sum, sizeof sum);
    }
    assert_true(isnan(y[n]));
    free(x);
    free(y);
    free(w);
}

static void columns(void)
{
    static const int n[] = { 1, 7, 8, 15, 16, 31, 32, 40, 63, 64, 65, 80, 127, 128, 192, 200, 256,
                             257, 300, 1024 };
    static const int K[] = { 0, 1, 7, 8, 9, 40 };

    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (size_t j = 0; j < sizeof K / sizeof *K; j++)
            check_columns(n[i], K[j]);
}

KERNEL_TEST(columns)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements), cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_few_rows_anywhere), cmocka_unit_test(test_turned_rows),
        cmocka_unit_test(test_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
