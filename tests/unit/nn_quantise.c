/* SPDX-License-Identifier: MIT
 * Quantised linears against the gguf package, to the last bit, and against torchao
 * (values.npz of tests/ref/make_quantised.py). */
#include "nn_check.h"

#include "nn/linear.h"
#include "nn/quantise.h"
#include "weights/npz.h"

static struct arena arena;
static struct weights *npz;

static float *values(const char *name)
{
    const struct tensor *t = weights_find(npz, name);
    float *v;

    if (t == NULL)
        fail_msg("no %s in values.npz", name);
    v = arena_alloc(&arena, (size_t)t->n_elements, sizeof *v);
    tensor_read(v, t, 0, t->n_elements);
    return v;
}

static int dim(const char *name, int d)
{
    return (int)weights_find(npz, name)->shape[d];
}

/* y = x w^T + bias, in one precision. */
static float *product(const struct matrix *w, const float *x, int M, const float *bias)
{
    float *y = arena_alloc(&arena, (size_t)(M * w->N), sizeof *y);
    float *scratch = arena_alloc(&arena, linear_scratch(w->K), sizeof *scratch);

    for (int n0 = 0; n0 < w->N; n0 += PANEL)
        linear_panel(y, w->N, x, w->K, M, w, bias, n0, scratch);
    return y;
}

static struct matrix matrix_of(const float *w, int N, int K, enum precision precision)
{
    return (struct matrix){ .data = (const unsigned char *)w, .size_bytes = 4, .N = N, .K = K,
                            .stride = K, .precision = precision };
}

/* A product with the unit matrix shows the weights; the same of w as [K, N]. */
static void check_blocks(enum precision precision)
{
    int N = dim("x", 0), K = dim("x", 1);
    const float *w = values("x"), *want = values(precision_names[precision]);
    float *one = arena_alloc(&arena, (size_t)(K * K), sizeof *one);
    float *turned = arena_alloc(&arena, (size_t)(K * N), sizeof *turned), *got;
    struct matrix matrix = matrix_of(w, N, K, precision);

    for (int k = 0; k < K; k++) {
        one[k * K + k] = 1;
        for (int n = 0; n < N; n++)
            turned[k * N + n] = w[n * K + k];
    }
    for (int i = 0; i < 2; i++) {
        got = product(&matrix, one, K, NULL);
        for (int n = 0; n < N; n++)
            for (int k = 0; k < K; k++)
                kernel_near(precision_names[precision], n * K + k, got[k * N + n],
                            want[n * K + k], 0);
        matrix = matrix_of(turned, N, K, precision);
        matrix.order_in_out = true;
        matrix.stride = N;
    }
}

static void blocks(void)
{
    check_blocks(PRECISION_Q8_0);
    check_blocks(PRECISION_Q5_0);
    check_blocks(PRECISION_Q4_0);
}

/* Sums of whole numbers and the order of the factors leave no room for a difference. */
static void int8(void)
{
    int M = dim("a", 0), K = dim("a", 1), N = dim("w", 0);
    const float *a = values("a"), *want = values("y");
    struct matrix matrix = matrix_of(values("w"), N, K, PRECISION_INT8);
    float *x = arena_alloc(&arena, (size_t)(M * K), sizeof *x);
    float *scale = arena_alloc(&arena, (size_t)M, sizeof *scale), *got;

    for (int m = 0; m < M; m++)
        scale[m] = quantise_row(x + m * K, a + m * K, K);
    matrix.x_scale = scale;
    got = product(&matrix, x, M, values("bias"));
    for (int i = 0; i < M * N; i++)
        kernel_near("int8", i, got[i], want[i], 0);
}

/* What is not finite is not lost, wherever it stands in a block. */
static void test_not_finite(void **state)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY };
    float row[QUANTISE_BLOCK], *panel = floats(QUANTISE_BLOCK * PANEL);

    (void)state;
    for (int i = 0; i < 3 * QUANTISE_BLOCK; i++)
        for (enum precision to = PRECISION_INT8; to < N_PRECISION; to++) {
            int at = i % QUANTISE_BLOCK;
            float scale[PANEL];

            for (int k = 0; k < QUANTISE_BLOCK * PANEL; k++)
                panel[k] = (float)(k / PANEL % 7) - 3;
            for (int k = 0; k < QUANTISE_BLOCK; k++)
                row[k] = panel[k * PANEL + 1];
            panel[at * PANEL + 1] = row[at] = bad[i / QUANTISE_BLOCK];
            if (to == PRECISION_INT8) {
                quantise_columns(panel, QUANTISE_BLOCK, scale);
                quantise_row(row, row, QUANTISE_BLOCK);
                assert_true(isnan(row[at]));
            } else {
                quantise_blocks(to, panel, QUANTISE_BLOCK);
            }
            assert_true(isnan(panel[at * PANEL + 1]));
            for (int k = 0; k < QUANTISE_BLOCK; k++)
                assert_true(isfinite(panel[k * PANEL]) && isfinite(panel[k * PANEL + 2]));
        }
    free(panel);
}

KERNEL_TEST(blocks)
KERNEL_TEST(int8)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_int8),
        cmocka_unit_test(test_not_finite),
    };
    struct err e = { ERR_NONE, "" };
    int failed;

    arena_init(&arena, NULL, NULL);
    npz = npz_open(&arena, "tests/ref/quantised/values.npz", &e);
    if (npz == NULL) {
        printf("%s\n", e.msg);
        return 1;
    }
    failed = cmocka_run_group_tests_name("nn_quantise", tests, NULL, NULL);
    weights_close(npz);
    arena_finish(&arena);
    return failed;
}
