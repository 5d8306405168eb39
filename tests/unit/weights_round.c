/* SPDX-License-Identifier: MIT
 * Weights that are rounded: which types they then have, and the numbers of nn/quantise.c. */
#include "nn_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "nn/linear.h"
#include "nn/quantise.h"
#include "weights/safetensors.h"
#include "weights/weights.h"

enum { ROWS = PANEL, K = 64 };

static struct arena arena;

static const struct tensor stored[] = {
    { .name = "matrix", .dtype = DTYPE_F32, .n_dims = 2, .shape = { ROWS, K } },
    { .name = "narrow", .dtype = DTYPE_F32, .n_dims = 2, .shape = { 3, 5 } },
    { .name = "kernel", .dtype = DTYPE_F32, .n_dims = 3, .shape = { 2, 1, 32 } },
    { .name = "norm", .dtype = DTYPE_F32, .n_dims = 1, .shape = { 64 } },
    { .name = "large", .dtype = DTYPE_F32, .n_dims = 2, .shape = { 1, 32 } },
    { .name = "numbers", .dtype = DTYPE_I64, .n_dims = 2, .shape = { 1, 32 } },
    { .name = "half", .dtype = DTYPE_F16, .n_dims = 2, .shape = { 2, 3 } },
    { .name = "byte", .dtype = DTYPE_F8_E4M3, .n_dims = 2, .shape = { 2, 3 } },
    { .name = "tiny", .dtype = DTYPE_F32, .n_dims = 2, .shape = { 1, 64 } },
};
enum { N = sizeof stored / sizeof stored[0], TINY = N - 1 };

static int64_t count(const struct tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->n_dims; i++)
        n *= t->shape[i];
    return n;
}

static float number(int i, int64_t k)
{
    return sinf((float)(37 * k + i)) * (k % 3 == 0 ? 1e-3f : 1) * (k / 32 == 2 ? 0 : 1);
}

static struct weights *opened(void)
{
    struct err e = { ERR_NONE, "" };
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    unsigned char *kept;
    struct weights *w;

    assert_int_equal(safetensors_begin(f, stored, N, NULL, 0, &e), 0);
    for (int i = 0; i < N; i++)
        for (int64_t k = 0; k < count(&stored[i]); k++) {
            float x = i == 4 ? 1e9f : i == TINY ? (k < 32 ? 1e-38f : 1) : number(i, k);
            unsigned char zeros[8] = { 0 };

            if (stored[i].dtype == DTYPE_F32)
                fwrite(&x, sizeof x, 1, f);
            else
                fwrite(zeros, (size_t)dtype_table[stored[i].dtype].size_bytes, 1, f);
        }
    fclose(f);
    kept = arena_alloc(&arena, size, 1);
    memcpy(kept, bytes, size);
    free(bytes);
    w = weights_open_memory(&arena, (struct span){ kept, size }, "test", &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    return w;
}

static void check_types(const struct weights *w, const enum dtype want[N])
{
    assert_int_equal(weights_count(w), N);
    for (int i = 0; i < N; i++) {
        const struct tensor *t = weights_find(w, stored[i].name);

        assert_non_null(t);
        if (t->dtype != want[i])
            fail_msg("%s: %s", t->name, dtype_table[t->dtype].name);
    }
}

static void halves(void **state)
{
    static const enum dtype want[N] = { DTYPE_F16, DTYPE_F16, DTYPE_F16, DTYPE_F32, DTYPE_F32,
                                        DTYPE_I64, DTYPE_F16, DTYPE_F8_E4M3, DTYPE_F16 };
    struct err e = { ERR_NONE, "" };
    struct weights *w = opened();
    float got[ROWS * K];

    (void)state;
    assert_null(weights_rounded(w).data);
    assert_string_equal(weights_most_type(w), "F32");
    assert_int_equal(weights_round(w, HELD_F16, &e), 0);
    check_types(w, want);
    assert_string_equal(weights_most_type(w), "F16");
    tensor_read(got, weights_find(w, "matrix"), 0, ROWS * K);
    for (int64_t k = 0; k < ROWS * K; k++)
        assert_true(got[k] == half_round(number(0, k)));
    tensor_read(got, weights_find(w, "norm"), 0, 64);
    for (int64_t k = 0; k < 64; k++)
        assert_true(got[k] == number(3, k));
}

/* As a linear of --dtype q8_0 rounds them. */
static void blocks(void **state)
{
    static const enum dtype want[N] = { DTYPE_Q8_0, DTYPE_F16, DTYPE_F16, DTYPE_F32, DTYPE_F32,
                                        DTYPE_I64, DTYPE_F16, DTYPE_F8_E4M3, DTYPE_Q8_0 };
    struct err e = { ERR_NONE, "" };
    struct weights *w = opened(), *again;
    float got[ROWS * K], panel[K * PANEL];

    (void)state;
    assert_int_equal(weights_round(w, HELD_Q8_0, &e), 0);
    check_types(w, want);
    tensor_read(got, weights_find(w, "matrix"), 0, ROWS * K);
    for (int n = 0; n < ROWS; n++)
        for (int k = 0; k < K; k++)
            panel[k * PANEL + n] = number(0, n * K + k);
    quantise_blocks(PRECISION_Q8_0, panel, K);
    for (int n = 0; n < ROWS; n++)
        for (int k = 0; k < K; k++)
            if (got[n * K + k] != panel[k * PANEL + n])
                fail_msg("%d, %d: %g, expected %g", n, k, (double)got[n * K + k],
                         (double)panel[k * PANEL + n]);
    tensor_read(got, weights_find(w, "tiny"), 0, 64);   /* too small to divide by: 0 */
    for (int k = 0; k < 64; k++)
        assert_true(k < 32 ? got[k] == 0 : fabsf(got[k] - 1) < 1e-3f);
    again = weights_open_memory(&arena, weights_rounded(w), "again", &e);
    assert_non_null(again);
    check_types(again, want);
    assert_int_equal(weights_round(again, HELD_Q8_0, &e), 0);
    assert_null(weights_rounded(again).data);   /* nothing changes */
    check_types(again, want);
}

/*
 * [inputs, outputs], as GPT-2 stores its matrices: the product of blocks is that of their numbers.
 */
static void blocks_of_outputs(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w = opened();
    const struct tensor *t;
    struct matrix matrix = { .N = K, .K = ROWS, .stride = K, .order_in_out = true }, plain = matrix;
    float *x = floats(ROWS), *y = floats(K), *want = floats(K), *all = floats(ROWS * K);
    float *scratch = floats(linear_scratch(ROWS));

    (void)state;
    assert_int_equal(weights_round(w, HELD_Q8_0, &e), 0);
    t = weights_find(w, "matrix");
    tensor_read(all, t, 0, ROWS * K);
    plain.data = (const unsigned char *)all;
    plain.size_bytes = sizeof *all;
    matrix.data = t->data;
    matrix.size_bytes = dtype_table[t->dtype].size_bytes;
    matrix.block = dtype_table[t->dtype].block;
    matrix.to_f32 = dtype_table[t->dtype].to_f32;
    for (int i = 0; i < ROWS; i++)
        x[i] = number(7, i);
    for (int n0 = 0; n0 < K; n0 += PANEL) {
        linear_panel(y, K, x, ROWS, 1, &matrix, NULL, n0, scratch);
        linear_panel(want, K, x, ROWS, 1, &plain, NULL, n0, scratch);
    }
    assert_memory_equal(y, want, K * sizeof *y);
    linear_row(y, &matrix, 3);
    assert_memory_equal(y, all + 3 * K, K * sizeof *y);
    free(x);
    free(y);
    free(want);
    free(all);
    free(scratch);
}

/* Those of a GGUF file have blocks of their own. */
static void gguf(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w = weights_open(&arena, "tests/ref/families/gguf_qwen2/model.gguf", &e);

    (void)state;
    assert_non_null(w);
    assert_int_equal(weights_round(w, HELD_AS_STORED, &e), 0);
    assert_int_equal(weights_round(w, HELD_Q8_0, &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    assert_non_null(strstr(e.msg, "model.gguf: weights of a GGUF file stay in their types"));
    weights_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(halves), cmocka_unit_test(blocks),
                                        cmocka_unit_test(blocks_of_outputs),
                                        cmocka_unit_test(gguf) };

    arena_init(&arena, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
