/* SPDX-License-Identifier: MIT
 * Names of two sides that are paired, and counted. */
#include "unit/analysis_rows.h"

#include "analysis/compare.h"

#define NAMES(...) \
    { (const char *const[]){ __VA_ARGS__ }, \
      (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)) }

static void check_pairs(const int *first_of, const int *want, int n)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(first_of[i], want[i]);
}

static void pairs(void **state)
{
    const struct compare_names x = NAMES("a", "b", "c", "a", "d");
    const struct compare_names same = NAMES("z", "a", "b", "c", "d");
    const struct compare_names longer = NAMES("b", "a", "b", "a", "d", "e");
    const int by_place[] = { 0, 1, 2, 3, 4 }, common[] = { -1, 0, 1, 3, 4, -1 };
    /* The "a" at 0 is the "a" at 3: "b", "a", "b" have no counterpart before it. */
    const int around[] = { -1, -1, -1, 0, 4, -1 };
    /* At one position: "b", "a" before it are those of "a", "b"; "e" after it has none. */
    const int level[] = { 0, 1, 2, 3, 4, -1 };
    const struct compare_names shorter = NAMES("z", "y", "x", "d");
    const int last[] = { 0, 1, 2, 4 }, even[] = { 0, 1, 2, 3 };
    int first_of[6];
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_int_equal(compare_pair(&a, x, same, first_of), 5);
    check_pairs(first_of, by_place, 5);
    assert_int_equal(compare_pair(&a, x, longer, first_of), 4);
    check_pairs(first_of, common, 6);
    assert_int_equal(compare_pair_around(&a, x, longer, (int[]){ 0, 3 }, first_of), 2);
    check_pairs(first_of, around, 6);
    assert_int_equal(compare_pair_around(&a, x, longer, (int[]){ 2, 2 }, first_of), 5);
    check_pairs(first_of, level, 6);
    assert_int_equal(compare_pair_around(&a, x, shorter, (int[]){ 2, 2 }, first_of), 4);
    check_pairs(first_of, last, 4);
    assert_int_equal(compare_pair_around(&a, x, shorter, (int[]){ 3, 3 }, first_of), 4);
    check_pairs(first_of, even, 4);
    arena_finish(&a);
}

static void shared(void **state)
{
    const struct compare_names x = NAMES("a", "b", "c", "a"), y = NAMES("a", "x", "c", "c");
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_int_equal(compare_shared(&a, x, y), 2);
    assert_int_equal(compare_shared(&a, y, x), 2);
    assert_int_equal(compare_shared(&a, x, x), 4);
    assert_int_equal(compare_shared(&a, x, (struct compare_names){ NULL, 0 }), 0);
    arena_finish(&a);
}

/* ---- rows ---- */

enum { N = 4 };

/* Weights of head `head` of side `side`: rows that sum to 1, all of them different. */
static void fill(float *w, int side, int head)
{
    memset(w, 0, N * STRIDE * sizeof *w);
    for (int i = 0; i < N; i++) {
        double sum = 0;

        for (int j = 0; j < N; j++)
            sum += 1 + (7 * i + 5 * j + 3 * head + side * (i + j + head)) % 11;
        for (int j = 0; j < N; j++)
            w[i * STRIDE + j] =
                (float)((1 + (7 * i + 5 * j + 3 * head + side * (i + j + head)) % 11) / sum);
    }
}

static double half_kl(const double *p, const double *q, int n)
{
    double sum = 0;

    for (int j = 0; j < n; j++)
        sum += p[j] > 0 ? 0.5 * p[j] * log(2 * p[j] / (p[j] + q[j])) : 0;
    return sum;
}

static int largest_of(const double *p, int n)
{
    int best = 0;

    for (int j = 1; j < n; j++)
        best = p[j] > p[best] ? j : best;
    return best;
}

/*
 * Of each head by hand: key j of the second side is key j - 1 of the first, whose last one it
 * does not have; its key 0 is new.  So do its rows.
 */
static struct head_difference by_hand(const float *first, const float *second)
{
    struct head_difference d = { .largest = 0 };

    for (int i = 0; i < N - 1; i++) {
        double p[N + 1] = { 0 }, q[N + 1] = { 0 };

        for (int j = 0; j < N; j++) {
            p[j] = (double)first[i * STRIDE + j];
            q[j == 0 ? N : j - 1] = (double)second[(i + 1) * STRIDE + j];
        }
        for (int j = 0; j <= N; j++)
            d.largest = fmax(d.largest, fabs(p[j] - q[j]));
        d.js += (half_kl(p, q, N + 1) + half_kl(q, p, N + 1)) / (N - 1);
        d.links_kept += (largest_of(p, N + 1) == largest_of(q, N + 1)) / (double)(N - 1);
    }
    return d;
}

/* Two layers of two heads, each with rows of its own; nothing is written behind the room. */
static void rows_of_each_head(void **state)
{
    static const int first_of[N] = { -1, 0, 1, 2 };
    const struct axis_pair pair = { N, N, first_of };
    float weight[2][4][N * STRIDE];
    struct compare *c;
    unsigned char *behind;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    c = compare_new(&a, 2, 2, pair, pair);
    compare_all(c, &a);
    behind = arena_alloc(&a, 256, 1);
    memset(behind, 0x5a, 256);
    for (int side = 0; side < 2; side++)
        for (int h = 0; h < 4; h++) {
            fill(weight[side][h], side, h);
            rows_give(side == 0 ? compare_first(c) : compare_second(c), 0, h / 2, h % 2, N,
                      weight[side][h], false);
        }
    for (int h = 0; h < 4; h++) {
        struct head_difference got = compare_head(c, h / 2, h % 2);
        struct head_difference want = by_hand(weight[0][h], weight[1][h]);

        check_near("js", h, got.js, want.js, 1e-7);
        check_near("links kept", h, got.links_kept, want.links_kept, 1e-12);
        check_near("largest", h, got.largest, want.largest, 1e-7);
        assert_true(got.entropy_first > 0.5 && got.entropy_second > 0.5);
    }
    for (int h = 0; h < 4; h++) {
        double least = INFINITY;
        int best[2], want = -1;

        for (int k = 0; k < 4; k++) {
            double js = by_hand(weight[0][h], weight[1][k]).js;

            want = js < least ? k : want;
            least = fmin(js, least);
        }
        check_near("js_best", h, compare_best(c, h / 2, h % 2, best), least, 1e-7);
        assert_int_equal(2 * best[0] + best[1], want);
    }
    for (int i = 0; i < 256; i++)
        assert_int_equal(behind[i], 0x5a);
    arena_finish(&a);
}

/* The entropy of one row, where only that counts of its side. */
static void one_row_counts(void **state)
{
    static const int first_of[N] = { 0, 1, 2, 3 };
    const struct axis_pair pair = { N, N, first_of };
    float weight[2][N * STRIDE];
    double entropy[2][N] = { { 0 } }, sum[2] = { 0 };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    for (int side = 0; side < 2; side++) {
        fill(weight[side], side, 0);
        for (int i = 0; i < N * STRIDE; i++)
            if (weight[side][i] > 0)
                entropy[side][i / STRIDE] -=
                    (double)weight[side][i] * log((double)weight[side][i]);
        for (int i = 0; i < N; i++)
            sum[side] += entropy[side][i] / N;
    }
    for (int only = 0; only < 2; only++) {
        struct compare *c = compare_new(&a, 1, 1, pair, pair);
        struct head_difference d;
        int best[2];

        compare_only(c, only == 0 ? 1 : -1, only == 0 ? -1 : 2);
        rows_give(compare_first(c), 0, 0, 0, N, weight[0], false);
        rows_give(compare_second(c), 0, 0, 0, N, weight[1], false);
        d = compare_head(c, 0, 0);
        assert_true(isnan(compare_best(c, 0, 0, best)) && best[0] == -1 && best[1] == -1);
        check_close(d.entropy_first, only == 0 ? entropy[0][1] : sum[0], 1e-12);
        check_close(d.entropy_second, only == 0 ? sum[1] : entropy[1][2], 1e-12);
    }
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pairs), cmocka_unit_test(shared),
                                        cmocka_unit_test(rows_of_each_head),
                                        cmocka_unit_test(one_row_counts) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
