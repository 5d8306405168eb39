/* SPDX-License-Identifier: MIT
 * Linears against OpenBLAS, where it is installed. */
#include "nn_check.h"

#if __has_include(<cblas.h>)

#include <cblas.h>

#include "nn/linear.h"
#include "nn/product.h"

struct shape {
    int M, K, N;
    float *x, *w, *bias, *y, *want;
    struct matrix m;
};

static struct shape make_shape(int M, int K, int N)
{
    struct shape s = {
        .M = M, .K = K, .N = N, .x = random_floats((size_t)M * (size_t)K),
        .w = random_floats((size_t)N * (size_t)K), .bias = random_floats((size_t)N),
        .y = nan_floats((size_t)M * (size_t)N), .want = nan_floats((size_t)M * (size_t)N),
        .m = { .size_bytes = 4, .N = N, .K = K, .stride = K },
    };

    s.m.data = (unsigned char *)s.w;
    for (int m = 0; m < M; m++)
        memcpy(s.want + (size_t)m * (size_t)N, s.bias, (size_t)N * sizeof *s.bias);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, N, K, 1, s.x, K, s.w, K, 1, s.want,
                N);
    return s;
}

/* Within 2e-6 of the expected sum of magnitudes, K / 4. */
static void check_shape(struct shape *s, const char *what)
{
    for (int j = 0; j < s->M * s->N; j++)
        kernel_near(what, j, s->y[j], s->want[j], 2e-6 * (0.25 * s->K + 1));
}

static void free_shape(struct shape *s)
{
    free(s->x);
    free(s->w);
    free(s->bias);
    free(s->y);
    free(s->want);
}

/* Panels that are packed for the rows at hand. */
static void by_panel(struct shape *s)
{
    float *scratch = nan_floats(linear_scratch(s->K));

    for (int n0 = 0; n0 < s->N; n0 += PANEL)
        linear_panel(s->y, s->N, s->x, s->K, s->M, &s->m, s->bias, n0, scratch);
    free(scratch);
}

/* Panels that are packed before, in groups of `group`; rows in blocks of `rows`. */
static void by_block(struct shape *s, int group, int rows)
{
    int width = product_width(), n_panels = (s->N + width - 1) / width;
    size_t size = (size_t)s->K * (size_t)width;
    float *panels = nan_floats(size * (size_t)n_panels), *room = nan_floats(linear_room());

    for (int i = 0; i < n_panels; i++)
        linear_pack(panels + (size_t)i * size, &s->m, i * width, room);
    for (int i = 0; i < n_panels; i += group)
        for (int m = 0; m < s->M; m += rows)
            linear_packed(s->y + (size_t)m * (size_t)s->N, s->N, s->x + (size_t)m * (size_t)s->K,
                          s->K, s->M - m < rows ? s->M - m : rows, &s->m, s->bias, i * width,
                          n_panels - i < group ? n_panels - i : group,
                          panels + (size_t)i * size, size);
    free(panels);
    free(room);
}

/* Every shape against OpenBLAS, and blocks against panels, to the bit. */
static void agrees_at(int M, int K, int N)
{
    struct shape s = make_shape(M, K, N);
    float *panel = floats((size_t)M * (size_t)N);

    by_panel(&s);
    check_shape(&s, "panel");
    memcpy(panel, s.y, (size_t)M * (size_t)N * sizeof *panel);
    for (int group = 1; group < 6; group += 2) {
        for (int j = 0; j < M * N; j++)
            s.y[j] = NAN;
        by_block(&s, group, 1 + 13 * group);
        for (int j = 0; j < M * N; j++)
            kernel_same("block", j, s.y[j], panel[j]);
    }
    free(panel);
    free_shape(&s);
}

/* Heights and widths of every tile, depths around those of a block. */
static void tiles(void)
{
    static const int K[] = { 1, 2, 33, 383, 384, 385, 769 };

    for (int M = 1; M <= 29; M++)
        agrees_at(M, K[M % 7], 1 + M * 7 % 67);
    for (int N = 1; N <= 65; N++)
        agrees_at(1 + N % 15, K[N % 7], N);
}

/* Those of MiniLM, BERT and GPT-2, at rows of a text and of a batch. */
static void models(void)
{
    static const int KN[][2] = { { 384, 384 }, { 384, 1536 }, { 1536, 384 }, { 768, 768 },
                                 { 768, 3072 }, { 3072, 768 } };

    for (int i = 0; i < 6; i++) {
        agrees_at(24, KN[i][0], KN[i][1]);
        if (i < 3)
            agrees_at(169, KN[i][0], KN[i][1]);
    }
}

KERNEL_TEST(tiles)
KERNEL_TEST(models)

#else

static void test_tiles(void **state)
{
    (void)state;
    print_message("no cblas.h: not compared with OpenBLAS\n");
    skip();
}

static void test_models(void **state)
{
    test_tiles(state);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_tiles),
                                        cmocka_unit_test(test_models) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
