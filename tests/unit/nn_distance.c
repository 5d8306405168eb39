/* SPDX-License-Identifier: MIT
 * Queries that meet a table by distance, against the formula in double. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "nn/nn.h"

static float noise(void)
{
    return (float)rand() / (float)RAND_MAX * 2 - 1;
}

/* Rows row0 .. row0 + n_rows - 1 and keys key0 .. of a table of n distances; within 2e-6,
 * as sums of D products below 1 are. */
static void check(int n, int centre, int row0, int n_rows, int key0, int n_keys)
{
    enum { D = 7, Q_STRIDE = D + 2 };
    size_t stride = (size_t)n_keys + 3;
    float *q = calloc((size_t)(row0 + n_rows) * Q_STRIDE, sizeof *q);
    float *table = calloc((size_t)n * D, sizeof *table);
    float *score = calloc((size_t)n_rows * stride, sizeof *score);
    struct bias_distance b = { .q = q, .q_stride = Q_STRIDE, .table = table, .d = D, .n = n,
                               .centre = centre, .factor = 0.5f };

    for (int i = 0; i < (row0 + n_rows) * Q_STRIDE; i++)
        q[i] = noise();
    for (int i = 0; i < n * D; i++)
        table[i] = noise();
    for (size_t i = 0; i < (size_t)n_rows * stride; i++)
        score[i] = 3;
    bias_distance(&b, score, stride, row0, n_rows, key0, n_keys);
    for (int t = 0; t < n_rows; t++)
        for (int j = 0; j < (int)stride; j++) {
            int at = key0 + j - row0 - t + centre;
            double sum = 0;

            at = at < 0 ? 0 : at >= n ? n - 1 : at;
            for (int k = 0; k < D; k++)
                sum += (double)q[(row0 + t) * Q_STRIDE + k] * (double)table[k * n + at];
            assert_true(fabs((double)score[(size_t)t * stride + (size_t)j] -
                             (3 + (j < n_keys ? 0.5 * sum : 0))) < 2e-6);
        }
    free(q);
    free(table);
    free(score);
}

static void inside(void **state)
{
    (void)state;
    check(19, 9, 0, 10, 0, 10);
    check(19, 9, 4, 6, 2, 7);
    check(1299, 649, 0, 3, 0, 650);         /* longer than what is summed at a time */
}

static void clipped(void **state)
{
    (void)state;
    check(5, 2, 0, 32, 0, 40);
    check(5, 2, 96, 32, 0, 200);
    check(1, 0, 3, 4, 0, 300);
    check(601, 300, 0, 8, 0, 700);          /* both ends, and a long middle */
    check(5, 2, 0, 4, 64, 30);              /* all beyond the end */
    check(5, 2, 500, 4, 0, 30);             /* all before the beginning */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside),
        cmocka_unit_test(clipped),
    };

    return cmocka_run_group_tests_name("nn_distance", tests, NULL, NULL);
}
