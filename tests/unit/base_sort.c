/* SPDX-License-Identifier: MIT
 * Numbers in order, against an order found by comparing all pairs. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"

/* Numbers of which many are equal. */
static void any_numbers(void **state)
{
    (void)state;
    for (int n = 0; n <= 200; n++) {
        float x[200], before[200], room[200];

        for (int i = 0; i < n; i++)
            before[i] = x[i] = (float)(i * 7919 % (n / 2 + 1)) - 10;
        sort_down(x, room, n);
        for (int i = 1; i < n; i++)
            assert_true(x[i - 1] >= x[i]);
        for (int i = 0; i < n; i++) {
            int had = 0, has = 0;

            for (int k = 0; k < n; k++) {
                had += before[k] == before[i];
                has += x[k] == before[i];
            }
            assert_int_equal(has, had);
        }
    }
}

static void orders_that_are_there(void **state)
{
    float up[] = { 1, 2, 3, 4, 5, 6, 7 }, down[] = { 7, 6, 5, 4, 3, 2, 1 };
    float far[] = { 0, INFINITY, -INFINITY, -1 }, room[7];

    (void)state;
    sort_down(up, room, 7);
    sort_down(down, room, 7);
    for (int i = 0; i < 7; i++)
        assert_true(up[i] == (float)(7 - i) && down[i] == (float)(7 - i));
    sort_down(far, room, 4);
    assert_true(isinf(far[0]) && far[1] == 0 && far[2] == -1 && isinf(far[3]));
}

static int falling(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x < y) - (x > y);
}

/* Of all sizes and both signs, in numbers that are sorted in another way than few are. */
static void many_numbers(void **state)
{
    enum { N = 3000 };
    static float x[N], before[N], room[N];
    uint32_t random = 1;

    (void)state;
    for (int n = 90; n <= N; n = n * 3 / 2) {
        for (int i = 0; i < n; i++) {
            random = random * 1664525 + 1013904223;
            x[i] = ldexpf((float)(random >> 8), (int)(random % 50) - 60);
            if (random >> 20 & 1)
                x[i] = -x[i];
            before[i] = x[i];
        }
        x[n / 2] = before[n / 2] = INFINITY;
        x[n / 3] = before[n / 3] = -INFINITY;
        x[0] = before[0] = 0;
        sort_down(x, room, n);
        qsort(before, (size_t)n, sizeof *before, falling);
        for (int i = 0; i < n; i++)
            assert_true(x[i] == before[i]);
    }
}

static void equal_numbers(void **state)
{
    float x[500], room[500];

    (void)state;
    for (int i = 0; i < 500; i++)
        x[i] = i == 123 ? 0.5f : 0.25f;
    sort_down(x, room, 500);
    for (int i = 0; i < 500; i++)
        assert_true(x[i] == (i == 0 ? 0.5f : 0.25f));
}

/* The order of keys, as digits. */
static const char *places(struct arena *a, const double *key, int n, bool reverse)
{
    const int *place = sort_places(a, key, n, reverse);
    char *digits = arena_alloc(a, (uint64_t)n + 1, 1);

    for (int i = 0; i < n; i++)
        digits[i] = (char)('0' + place[i]);
    return digits;
}

static void places_of_numbers(void **state)
{
    const double key[] = { 1, (double)NAN, 3, 1, (double)NAN, -INFINITY, INFINITY };
    const double none[] = { (double)NAN, (double)NAN }, equal[] = { 0, 0, 0 };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_string_equal(places(&a, key, 7, false), "6203514");
    assert_string_equal(places(&a, key, 7, true), "5302614");
    assert_string_equal(places(&a, none, 2, true), "01");
    assert_string_equal(places(&a, equal, 3, false), "012");
    assert_string_equal(places(&a, equal, 3, true), "210");
    assert_string_equal(places(&a, NULL, 0, true), "");
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_numbers), cmocka_unit_test(orders_that_are_there),
        cmocka_unit_test(many_numbers), cmocka_unit_test(equal_numbers),
        cmocka_unit_test(places_of_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
