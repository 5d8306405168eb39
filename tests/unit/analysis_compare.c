/* SPDX-License-Identifier: MIT
 * Names of two sides that are paired, and counted. */
#include "check.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pairs), cmocka_unit_test(shared) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
