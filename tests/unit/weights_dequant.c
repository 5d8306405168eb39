/* SPDX-License-Identifier: MIT
 * Blocks of random bytes against what the gguf package makes of them, to the last bit. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "nn/linear.h"
#include "nn/nn.h"
#include "weights/npz.h"

struct blocks {
    const struct dtype_row *d;
    struct tensor t;            /* all blocks as one row */
    float *want;
    int n;
};

static struct arena arena;
static struct weights *npz;

static const struct tensor *member(enum dtype dtype, const char *what)
{
    char name[32];
    const struct tensor *t;

    snprintf(name, sizeof name, "%s.%s", dtype_table[dtype].name, what);
    t = weights_find(npz, name);
    if (t == NULL)
        fail_msg("no %s in blocks.npz", name);
    return t;
}

static struct blocks blocks_of(enum dtype dtype)
{
    const struct tensor *data = member(dtype, "blocks"), *values = member(dtype, "values");
    struct blocks b = { .d = &dtype_table[dtype], .n = (int)values->n_elements };

    assert_int_equal(data->shape[1], b.d->size_bytes);
    assert_int_equal(b.n, data->shape[0] * b.d->block);
    b.want = arena_alloc(&arena, (size_t)b.n, sizeof *b.want);
    tensor_read(b.want, values, 0, b.n);
    b.t = (struct tensor){ .dtype = dtype, .n_dims = 1, .shape = { b.n },
                           .n_elements = b.n, .data = data->data };
    return b;
}

static void test_blocks(void **state)
{
    int seen = 0;

    (void)state;
    for (int i = 0; i < N_DTYPE; i++) {
        struct blocks b;
        float *got;

        if (dtype_table[i].block == 1)
            continue;
        b = blocks_of((enum dtype)i);
        got = arena_alloc(&arena, (size_t)b.n, sizeof *got);
        tensor_read(got, &b.t, 0, b.n);
        for (int k = 0; k < b.n; k++)
            if (memcmp(&got[k], &b.want[k], sizeof got[k]) != 0)
                fail_msg("%s: element %d: %.9g, expected %.9g", b.d->name, k, (double)got[k],
                         (double)b.want[k]);
        seen++;
    }
    assert_int_equal(seen, 13);
}

/* Ranges that begin and end inside of blocks. */
static void test_ranges(void **state)
{
    static const int range[][2] = {
        { 0, 1 }, { 5, 3 }, { 31, 2 }, { 0, 31 }, { 40, 300 }, { 255, 257 }, { 64, 32 },
        { 511, 1 }, { 7, 0 },
    };

    (void)state;
    for (int i = 0; i < N_DTYPE; i++) {
        struct blocks b;

        if (dtype_table[i].block == 1)
            continue;
        b = blocks_of((enum dtype)i);
        for (size_t k = 0; k < sizeof range / sizeof range[0]; k++) {
            float got[302] = { 0 };
            int n = range[k][1];

            got[n] = 42;
            tensor_read(got, &b.t, range[k][0], n);
            assert_memory_equal(got, b.want + range[k][0], (size_t)n * sizeof *got);
            assert_true(got[n] == 42);
        }
    }
}

/* A linear over blocks is, on every kernel, the linear over the floats they stand for. */
static void test_linear(void **state)
{
    (void)state;
    for (int i = 0; i < N_DTYPE; i++) {
        const struct dtype_row *d = &dtype_table[i];
        struct blocks b;
        float x[512], *scratch;

        if (d->block == 1)
            continue;
        b = blocks_of((enum dtype)i);
        for (int K = d->block; K <= 512; K += d->block) {
            struct matrix blocks = { .data = b.t.data, .size_bytes = d->size_bytes,
                                     .block = d->block, .to_f32 = d->to_f32,
                                     .N = b.n / K, .K = K, .stride = K };
            struct matrix floats = { .data = (const unsigned char *)b.want, .size_bytes = 4,
                                     .N = b.n / K, .K = K, .stride = K };
            float got[PANEL], want[PANEL];

            for (int k = 0; k < K; k++)
                x[k] = (float)(k % 7 - 3);
            scratch = arena_alloc(&arena, linear_scratch(K), sizeof *scratch);
            for (int kernel = 0; kernel < N_KERNEL; kernel++) {
                if (nn_choose_kernel(nn_kernel_name((enum kernel)kernel)) != 0)
                    continue;
                linear_panel(got, PANEL, x, K, 1, &blocks, NULL, 0, scratch);
                linear_panel(want, PANEL, x, K, 1, &floats, NULL, 0, scratch);
                assert_memory_equal(got, want, (size_t)blocks.N * sizeof *got);
            }
        }
    }
}

static int set_up(void **state)
{
    struct err e = { ERR_NONE, "" };

    (void)state;
    arena_init(&arena, NULL, NULL);
    npz = npz_open(&arena, "tests/ref/gguf_blocks/blocks.npz", &e);
    if (npz == NULL)
        print_message("# %s\n", e.msg);
    return npz != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    weights_close(npz);
    arena_finish(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_linear),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
