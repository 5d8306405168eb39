/* SPDX-License-Identifier: MIT
 * Products -> scores, in their order: scale, cap, terms, hidden keys; softmax of scores. */
#include "check.h"

#include <string.h>

#include "nn/score.h"
#include "nn/softmax.h"

/* Adds 100 row + key. */
static void add_position(const void *self, float *score, size_t stride, int row0,
                         int n_rows, int key0, int n_keys)
{
    (void)self;
    for (int t = 0; t < n_rows; t++)
        for (int j = 0; j < n_keys; j++)
            score[(size_t)t * stride + (size_t)j] += (float)(100 * (row0 + t) + key0 + j);
}

static void double_it(const void *self, float *score, size_t stride, int row0, int n_rows,
                      int key0, int n_keys)
{
    (void)self;
    (void)row0;
    (void)key0;
    for (int t = 0; t < n_rows; t++)
        for (int j = 0; j < n_keys; j++)
            score[(size_t)t * stride + (size_t)j] *= 2;
}

/* The cap comes before the terms, the terms in their order; rows count from offset. */
static void test_order(void **state)
{
    static const unsigned char hidden[] = { 0, 0, 1, 0, 0, 0 };
    struct attend at = { .S = 9, .scale = 0.5f, .cap = 2, .offset = 3,
                         .term = { { add_position, NULL }, { double_it, NULL } },
                         .hidden = hidden, .hidden_stride = 3 };
    float score[2 * 4] = { 1, -8, 3, 77, 0, 2, 400, 77 };
    const float product[2 * 4] = { 1, -8, 3, 77, 0, 2, 400, 77 };

    (void)state;
    assert_true(score_has_terms(&at));
    score_block(&at, score, 4, 5, 2, 6, 3);
    for (int t = 0; t < 2; t++)
        for (int j = 0; j < 3; j++) {
            double capped = 2 * tanh(0.5 * (double)product[4 * t + j] / 2);
            double expected = 2 * (capped + 100 * (5 + t + 3) + 6 + j);

            if (t == 0 && j == 2)
                expected = (double)SCORE_LEAST;
            check_near("score", 4 * t + j, (double)score[4 * t + j], expected, 2e-4);
        }
    assert_true(score[3] == 77 && score[7] == 77);      /* beyond n_keys */
    assert_true(score[2] < SCORE_HIDDEN);
}

static void test_plain(void **state)
{
    struct attend at = { .S = 2, .scale = 0.25f };
    float score[] = { 4, -8 };

    (void)state;
    assert_false(score_has_terms(&at));
    score_block(&at, score, 2, 0, 1, 0, 2);
    assert_true(score[0] == 1 && score[1] == -2);
}

static void test_softmax_double(void **state)
{
    double w[] = { 1000, -INFINITY, 1000 + log(3) }, counted[] = { 0, 0, -INFINITY };
    static const double times[] = { 1, 3, 0 };

    (void)state;
    softmax_double(w, NULL, 3);
    check_near("weight", 0, w[0], 0.25, 1e-12);
    assert_true(w[1] == 0);
    check_near("weight", 2, w[2], 0.75, 1e-12);
    softmax_double(counted, times, 3);
    check_near("counted", 0, counted[0], 0.25, 1e-15);
    check_near("counted", 1, counted[1], 0.75, 1e-15);
    assert_true(counted[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_plain),
        cmocka_unit_test(test_softmax_double),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
