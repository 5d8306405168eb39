/* SPDX-License-Identifier: MIT
 * The first singular vectors: of matrices whose singular values are known, by each way. */
#include "nn_check.h"

#include "nn/spectrum.h"

/* A = sum of s_i u_i v_i^T with u, v cosines, which are orthogonal. */
static double cosine(int i, int j, int n)
{
    return sqrt(2.0 / n) * cos(3.141592653589793 * (i + 1) * (j + 0.5) / n);
}

static float *matrix(int n, int m, const double *s, int rank)
{
    float *a = floats((size_t)n * (size_t)m);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;

            for (int k = 0; k < rank; k++)
                sum += s[k] * cosine(k, i, n) * cosine(k, j, m);
            a[i * m + j] = (float)sum;
        }
    return a;
}

static void check(int n, int m, const double *s, int rank, int r, double tolerance)
{
    float *a = matrix(n, m, s, rank);
    struct spectrum_matrix x = { a, m, 1, n, m };
    double *v = malloc((size_t)m * (size_t)r * sizeof *v);
    size_t size = (size_t)spectrum_room(&x, r);
    void *room = NULL;

    assert_int_equal(posix_memalign(&room, 64, size), 0);
    memset(room, 0xff, size);
    spectrum_top(v, &x, r, room);
    for (int k = 0; k < r; k++) {
        double dot = 0;

        for (int j = 0; j < m; j++)
            dot += v[j * r + k] * cosine(k, j, m);
        check_close(fabs(dot), 1, tolerance);
    }
    free(room);
    free(v);
    free(a);
}

/* 7 > 6 > ... > 2, then a tail of small ones. */
static void known_directions(void **state)
{
    double s[60];

    (void)state;
    for (int i = 0; i < 60; i++)
        s[i] = i < 6 ? 7 - i : 0.5 / i;
    check(20, 12, s, 10, 3, 1e-10);     /* all directions: Jacobi's method */
    check(90, 80, s, 60, 3, 1e-10);     /* 38 of 80, by the Gram matrix */
    check(600, 520, s, 50, 1, 1e-10);   /* 34 of 520, by the matrix itself */
}

/* Fewer directions than asked for: the others are 0 or anything that A does not see. */
static void rank_deficient(void **state)
{
    const double s[] = { 2, 1 };
    float *a = matrix(60, 50, s, 2);
    struct spectrum_matrix x = { a, 50, 1, 60, 50 };
    double v[50 * 4], left = 0;
    void *room = NULL;

    (void)state;
    assert_int_equal(posix_memalign(&room, 64, (size_t)spectrum_room(&x, 4)), 0);
    spectrum_top(v, &x, 4, room);
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 50; j++) {
            double got = 0;

            for (int k = 0; k < 4; k++)
                for (int c = 0; c < 50; c++)
                    got += (double)a[i * 50 + c] * v[c * 4 + k] * v[j * 4 + k];
            left = fmax(left, fabs(got - (double)a[i * 50 + j]));
        }
    assert_true(left < 1e-6);
    free(room);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_directions),
        cmocka_unit_test(rank_deficient),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
