/* SPDX-License-Identifier: MIT
 * Places in the plane and clusters, of distances known. */
#include "check.h"

#include "analysis/scaling.h"

static struct arena arena;

/* The corners of a rectangle of 4 x 3, and its middle: their own places, about the middle. */
static void a_rectangle(void **state)
{
    static const double x[] = { -2, 2, -2, 2, 0 }, y[] = { -1.5, -1.5, 1.5, 1.5, 0 };
    double squared[25], place[10];

    (void)state;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            squared[5 * i + k] = (x[i] - x[k]) * (x[i] - x[k]) + (y[i] - y[k]) * (y[i] - y[k]);
    scaling_plane(place, squared, 5, &arena, NULL);
    /* of equal magnitudes the first is positive */
    for (int i = 0; i < 5; i++) {
        check_near("x", i, place[2 * i], -x[i], 1e-12);
        check_near("y", i, place[2 * i + 1], -y[i], 1e-12);
    }
}

/* Points 0 and 3 of a line; one alone; one place for all: no second axis. */
static void on_a_line(void **state)
{
    static const double two[] = { 0, 9, 9, 0 }, one[] = { 0 }, same[9] = { 0 };
    double place[6];

    (void)state;
    scaling_plane(place, two, 2, &arena, NULL);
    check_close(place[0], 1.5, 1e-12);
    check_close(place[2], -1.5, 1e-12);
    check_close(place[1], 0, 1e-7);
    check_close(place[3], 0, 1e-7);
    place[1] = 7;
    scaling_plane(place, one, 1, &arena, NULL);
    check_close(place[0], 0, 0);
    check_close(place[1], 0, 0);
    scaling_plane(place, same, 3, &arena, NULL);
    for (int i = 0; i < 6; i++)
        check_close(place[i], 0, 0);
}

/* Points 0 1 5 6 20 of a line. */
static void clusters(void **state)
{
    static const double x[] = { 5, 0, 6, 20, 1 };
    static const int want[5][5] = {
        { 0, 0, 0, 0, 0 }, { 0, 0, 0, 1, 0 }, { 0, 1, 0, 2, 1 }, { 0, 1, 0, 2, 3 },
        { 0, 1, 2, 3, 4 },
    };
    double squared[25];

    (void)state;
    for (int i = 0; i < 25; i++)
        squared[i] = (x[i / 5] - x[i % 5]) * (x[i / 5] - x[i % 5]);
    for (int most = 1; most <= 5; most++) {
        int cluster[5];

        scaling_clusters(cluster, squared, 5, most, &arena, NULL);
        assert_memory_equal(cluster, want[most - 1], sizeof cluster);
    }
}

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rectangle), cmocka_unit_test(on_a_line), cmocka_unit_test(clusters),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
