/* SPDX-License-Identifier: MIT
 * Which keys a row sees, against the definition, key by key. */
#include "check.h"

#include <limits.h>
#include <string.h>

#include "nn/visible.h"

/* By the definition in attend.h, without ranges. */
static bool by_definition(const struct attend *at, int row, int key)
{
    int64_t away = (int64_t)key - (row + at->offset);

    return key >= 0 && key < at->S && (at->lo == INT_MAX || away >= -(int64_t)at->lo) &&
           (at->hi == INT_MAX || away <= at->hi);
}

static void check_rows(const struct attend *at, int T)
{
    for (int i = 0; i < T; i++) {
        struct key_range r = visible_range(at, i);

        for (int j = 0; j < at->S; j++) {
            bool expected = by_definition(at, i, j);

            assert_int_equal(j >= r.first && j < r.end, expected);
            assert_int_equal(visible(at, i, j), expected);
        }
    }
}

/* The marks of a block are those of its rows, key by key. */
static void check_marks(const struct attend *at, int row0, int n_rows)
{
    enum { STRIDE = 160 };
    unsigned char hidden[8 * STRIDE];
    struct key_range keys = visible_keys(at, row0, n_rows);
    int key0 = (int)keys.first, n_keys = (int)(keys.end - keys.first), n_visible[8];
    bool any = false;

    assert_true(n_rows <= 8 && n_keys <= STRIDE && key0 % 32 == 0);
    memset(hidden, 7, sizeof hidden);
    if (n_keys == 0)
        return;
    any = visible_mark(at, hidden, STRIDE, n_visible, row0, n_rows, key0, n_keys);
    for (int t = 0; t < n_rows; t++) {
        int n = 0;

        for (int j = 0; j < n_keys; j++) {
            bool sees = by_definition(at, row0 + t, key0 + j);

            assert_int_equal(hidden[t * STRIDE + j], !sees);
            n += sees;
        }
        assert_int_equal(n_visible[t], n);
        assert_true(any || n == n_keys);
        for (int j = 0; j < at->S; j++)         /* no row sees a key outside the block's */
            assert_true((j >= key0 && j < key0 + n_keys) ||
                        !by_definition(at, row0 + t, j));
    }
}

static void test_limits(void **state)
{
    static const int limit[] = { 0, 1, 3, 40, 200, INT_MAX };

    (void)state;
    for (int S = 1; S <= 150; S = 3 * S / 2 + 1)
        for (int lo = 0; lo < 6; lo++)
            for (int hi = 0; hi < 6; hi++)
                for (int offset = 0; offset < 3; offset++) {
                    struct attend at = { .S = S, .lo = limit[lo], .hi = limit[hi],
                                         .offset = offset * S / 2 };

                    check_rows(&at, S);
                    for (int row0 = 0; row0 + 8 <= S; row0 += 5)
                        check_marks(&at, row0, 8);
                }
}

static void test_hidden(void **state)
{
    static const unsigned char hidden[] = { 0, 1, 0, 9,
                                            1, 1, 1, 9 };
    struct attend at = { .S = 3, .lo = INT_MAX, .hi = 1, .hidden = hidden,
                         .hidden_stride = 4 };

    (void)state;
    assert_true(visible(&at, 0, 0));
    assert_false(visible(&at, 0, 1));           /* hidden by itself */
    assert_false(visible(&at, 0, 2));           /* beyond hi */
    assert_true(visible_any(&at, 0, visible_range(&at, 0)));
    assert_false(visible_any(&at, 1, visible_range(&at, 1)));
    assert_false(visible_any(&at, 0, (struct key_range){ 2, 2 }));
}

/* A text that ends before the window of a row begins. */
static void test_none(void **state)
{
    struct attend at = { .S = 4, .lo = 1, .hi = 0, .offset = 9 };
    struct key_range keys = visible_keys(&at, 0, 3);

    (void)state;
    assert_int_equal(keys.first, 0);
    assert_int_equal(keys.end, 0);
    assert_false(visible(&at, 0, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits), cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
