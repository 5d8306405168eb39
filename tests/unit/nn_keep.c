/* SPDX-License-Identifier: MIT
 * What a bounded cache keeps: by votes, by bounds, of equal ones the first. */
#include "check.h"

#include <string.h>

#include "nn/keep.h"

static void highest(void **state)
{
    const double x[] = { 3, 1, 5, 3, 3, -1 };
    double room[6];
    int at[6];

    (void)state;
    assert_int_equal(keep_highest(at, x, 6, 3, room), 3);
    assert_true(at[0] == 0 && at[1] == 2 && at[2] == 3);
    assert_int_equal(keep_highest(at, x, 6, 0, room), 0);
    assert_int_equal(keep_highest(at, x, 2, 9, room), 2);
    assert_true(at[0] == 0 && at[1] == 1);
}

/* The columns of the full attention as votes, chosen anew in each row: the mass kept is .9
 * and .5 (one recent key, one heavy). */
static void heavy_hitters(void **state)
{
    static const double row[4][4] = {
        { 1 }, { .5, .5 }, { .7, .1, .2 }, { .4, .3, .2, .1 },
    };
    static const double want[] = { 1, 1, .9, .5 };
    double votes[4] = { 0 }, room[6];
    int at[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        int key[4] = { 0, 1, 2, 3 };
        int n = keep_heavy(key, i + 1, votes, 1, 2, at, room);
        double mass = 0;

        assert_int_equal(n, i < 2 ? i + 1 : 2);
        for (int j = 0; j < n; j++)
            mass += row[i][key[j]];
        check_close(mass, want[i], 1e-12);
        for (int j = 0; j <= i; j++)
            votes[j] += row[i][j];
    }
}

/* Votes that differ by less than rounding are equal: the first keys stay. */
static void equal_votes(void **state)
{
    const double votes[] = { 0, .3, .3 + 4e-8, .3 - 4e-8, 0, 0 };
    double room[12];
    int key[] = { 1, 2, 3, 4, 5 }, at[6];

    (void)state;
    assert_int_equal(keep_heavy(key, 5, votes, 2, 4, at, room), 4);
    assert_true(key[0] == 1 && key[1] == 2 && key[2] == 4 && key[3] == 5);
}

/* Bounds 1 and 2, as pages come key by key. */
static void bounds_of_pages(void **state)
{
    const float k[] = { 1, 0, 0, 2, 1, 1, -1, -1 }, q[] = { 1, -1 };
    float low[4], high[4];
    struct keep_pages pages = { .size = 2, .d = 2, .low = low, .high = high };

    (void)state;
    keep_add(&pages, k, 2, 1);
    check_close(keep_bound(&pages, q, 0), 1, 0);
    keep_add(&pages, k, 2, 3);
    check_close(keep_bound(&pages, q, 0), 1, 0);
    check_close(keep_bound(&pages, q, 1), 0, 0);
    keep_add(&pages, k, 2, 4);
    check_close(keep_bound(&pages, q, 1), 2, 0);
    keep_add(&pages, k, 2, 4);
    assert_int_equal(pages.n, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest),
        cmocka_unit_test(heavy_hitters),
        cmocka_unit_test(equal_votes),
        cmocka_unit_test(bounds_of_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
