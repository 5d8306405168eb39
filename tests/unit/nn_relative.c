/* SPDX-License-Identifier: MIT
 * Scores by distance and by segment: blocks of any place and size against sums in double,
 * and the same bytes in each. */
#include "nn_check.h"
#include "nn/attention.h"
#include "nn/linear.h"
#include "nn/relative.h"

enum { T = 83, D = 11, ROWS = 70, STRIDE = 3 * D + 2 };

/* Products of 11 numbers in [-1, 1], two of them and a sum: a few units of 2^-24 of 25. */
#define TOLERANCE 4e-6

struct fixture {
    float *q, *k;               /* [T], STRIDE apart */
    float *A, *B, *add;         /* [ROWS, D], [ROWS] in whole panels */
    float *packed_A, *packed_B;
    int row[2 * T - 1], begin[ROWS / PANEL + 2];
    struct distances at;
    struct relative_positions b;
};

static float *pack_rows(const float *rows)
{
    float *packed = nan_floats(relative_packed(ROWS, D));

    relative_pack(packed, rows, D, ROWS, D);
    return packed;
}

/* Distances share rows at both ends, and some rows are read by two. */
static void fixture_new(struct fixture *f)
{
    *f = (struct fixture){ .q = random_floats(2 * T * STRIDE), .A = random_floats(ROWS * D),
                           .B = random_floats(ROWS * D), .add = random_floats(3 * PANEL) };
    f->k = f->q + D;
    f->packed_A = pack_rows(f->A);
    f->packed_B = pack_rows(f->B);
    for (int d = 1 - T; d < T; d++) {
        int r = d / (abs(d) > 20 ? 2 : 1) + (abs(d) > 20 ? d / abs(d) * 10 : 0) + ROWS / 2;

        f->row[T - 1 + d] = r < 0 ? 0 : r < ROWS ? r : ROWS - 1;
    }
    assert_int_equal(relative_begins(ROWS), ROWS / PANEL + 2);
    relative_find_begins(f->begin, f->row, T - 1, ROWS);
    f->at = (struct distances){ T - 1, f->row, f->begin };
    f->b = (struct relative_positions){
        .at = &f->at, .by_query = f->packed_A, .by_key = f->packed_B, .add = f->add,
        .q = f->q, .k = f->k, .q_stride = STRIDE, .k_stride = STRIDE, .d = D, .scale = 0.3f,
    };
}

static void fixture_free(struct fixture *f)
{
    free(f->q), free(f->A), free(f->B), free(f->add), free(f->packed_A), free(f->packed_B);
}

static double dot(const float *x, const float *y)
{
    double sum = 0;

    for (int c = 0; c < D; c++)
        sum += (double)x[c] * (double)y[c];
    return sum;
}

/* What is added for query i and key j. */
static double want_relative(const struct fixture *f, int i, int j)
{
    int r = f->row[T - 1 + i - j];
    double sum = 0;

    if (f->b.by_query != NULL)
        sum += dot(f->q + i * STRIDE, f->A + r * D);
    if (f->b.by_query != NULL && f->b.add != NULL)
        sum += (double)f->add[r];
    if (f->b.by_key != NULL)
        sum += dot(f->k + j * STRIDE, f->B + r * D);
    return (double)f->b.scale * sum;
}

/* One block, with columns around it that must stay. */
static float *block_of(const struct score_term *term, int row0, int n_rows, int key0,
                       int n_keys)
{
    size_t stride = (size_t)n_keys + 2;
    float *score = floats((size_t)n_rows * stride);

    for (size_t i = 0; i < (size_t)n_rows * stride; i++)
        score[i] = 1;
    term->add(term->self, score + 1, stride, row0, n_rows, key0, n_keys);
    for (int t = 0; t < n_rows; t++) {
        assert_true(score[(size_t)t * stride] == 1);
        assert_true(score[(size_t)t * stride + stride - 1] == 1);
    }
    return score;
}

/* All places of a block that panels and ends tell apart, and one score by itself. */
static void check_blocks(const struct score_term *term, const void *self,
                         double (*want)(const void *self, int i, int j))
{
    static const int rows[] = { 1, 5, ATTEND_ROWS, T }, keys[] = { 1, 32, 33, T };

    for (int n = 0; n < 4; n++)
        for (int m = 0; m < 4; m++)
            for (int row0 = 0; row0 + rows[n] <= T; row0 += 17)
                for (int key0 = 0; key0 + keys[m] <= T; key0 += 13) {
                    int n_keys = keys[m];
                    float *got = block_of(term, row0, rows[n], key0, n_keys);

                    for (int t = 0; t < rows[n]; t++)
                        for (int j = 0; j < n_keys; j++) {
                            float *one = block_of(term, row0 + t, 1, key0 + j, 1);
                            float score = got[t * (n_keys + 2) + 1 + j];

                            kernel_near("score", (row0 + t) * T + key0 + j, (double)score - 1,
                                       want(self, row0 + t, key0 + j), TOLERANCE);
                            kernel_same("score by itself", t * T + j, one[1], score);
                            free(one);
                        }
                    free(got);
                }
}

static double want_of_fixture(const void *self, int i, int j)
{
    return want_relative(self, i, j);
}

static void relative(void)
{
    struct fixture f;
    struct score_term term;

    fixture_new(&f);
    term = (struct score_term){ relative_positions, &f.b };
    check_blocks(&term, &f, want_of_fixture);
    f.b.by_key = NULL;
    check_blocks(&term, &f, want_of_fixture);
    f.b.add = NULL;
    check_blocks(&term, &f, want_of_fixture);
    f.b.by_key = f.packed_B;
    f.b.by_query = NULL;
    check_blocks(&term, &f, want_of_fixture);
    fixture_free(&f);
}

/* ---- segments ---- */

struct segments {
    float *q, *A, *packed, *add;
    int type[T];
    struct relative_segments b;
};

static double want_segment(const void *self, int i, int j)
{
    const struct segments *s = self;
    int other = s->type[i] != s->type[j];

    return (double)s->b.scale * (dot(s->q + i * STRIDE, s->A + other * D) +
                                 (double)s->add[other]);
}

static void segments(void)
{
    struct segments s = { .q = random_floats(T * STRIDE), .A = random_floats(2 * D),
                          .packed = nan_floats(relative_packed(2, D)),
                          .add = random_floats(PANEL) };
    struct score_term term = { relative_segments, &s.b };

    relative_pack(s.packed, s.A, D, 2, D);
    for (int i = 0; i < T; i++)
        s.type[i] = i < 20 ? 0 : i < T - 1 ? 1 : 2;
    s.b = (struct relative_segments){ .type = s.type, .by_query = s.packed, .add = s.add,
                                  .q = s.q, .q_stride = STRIDE, .d = D, .scale = 0.4f };
    check_blocks(&term, &s, want_segment);
    free(s.q), free(s.A), free(s.packed), free(s.add);
}

/* ---- buckets ---- */

/* 4 + ceil(3 ln(n / 4) / ln(23 / 4)) from 5 on, for 8 buckets up to 24. */
static void buckets(void **state)
{
    static const int want[][2] = {
        { 0, 0 }, { 1, 1 }, { 4, 4 }, { 5, 5 }, { 7, 5 }, { 8, 6 }, { 12, 6 }, { 13, 7 },
        { 23, 7 }, { 24, 8 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        assert_int_equal(relative_log_bucket(want[i][0], 8, 24), want[i][1]);
        assert_int_equal(relative_log_bucket(-want[i][0], 8, 24), -want[i][1]);
    }
    assert_int_equal(relative_log_bucket(700, 2, 1000), 1);      /* all are alike but 0 */
    /* Beyond the table's end numbers stay small. */
    assert_int_equal(relative_log_bucket(1 << 24, 1 << 16, (1 << 15) + 2), 5 << 15);
    assert_int_equal(relative_log_bucket(-(1 << 24), 1 << 16, (1 << 15) + 2), -(5 << 15));
}

/* Panels that no distance reads are empty; the last ends behind the longest distance. */
static void begins(void **state)
{
    static const int row[] = { 0, 0, 31, 32, 33, 99, 99 };
    int begin[5];

    (void)state;
    relative_find_begins(begin, row, 3, 100);
    assert_int_equal(begin[0], -3);
    assert_int_equal(begin[1], 0);
    assert_int_equal(begin[2], 2);
    assert_int_equal(begin[3], 2);
    assert_int_equal(begin[4], 4);
}

KERNEL_TEST(relative)
KERNEL_TEST(segments)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relative), cmocka_unit_test(test_segments),
        cmocka_unit_test(buckets), cmocka_unit_test(begins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
