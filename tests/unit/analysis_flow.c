/* SPDX-License-Identifier: MIT
 * Greatest flows that are known. */
#include "check.h"

#include "analysis/flow.h"

/*
 * Two layers of three tokens.  From token 2: .5 to 0, .5 to 1 of the middle; from there 0 gives
 * .25 each to 0 and 1, and 1 gives .75 to 1.  A way through only one of them is not enough for
 * token 1: .25 + .5.
 */
static void two_ways(void **state)
{
    static const double capacity[2][3][3] = {
        { { .25, .25, 0 }, { 0, .75, 0 }, { 0, 0, 1 } },
        { { 1, 0, 0 }, { 0, 1, 0 }, { .5, .5, 0 } },
    };
    static const double want[9] = { .5, .5, 0, 0, 1, 0, .25, .75, 0 };
    struct arena arena;
    double out[9];

    (void)state;
    arena_init(&arena, NULL, NULL);
    flow_all(out, &capacity[0][0][0], 2, 3, &arena, NULL);
    for (int i = 0; i < 9; i++)
        check_near("flow", i, out[i], want[i], 1e-12);
    arena_finish(&arena);
}

/*
 * What went a way that another needs is sent back: of the upper middle, 0 reaches 1 and 2 of
 * the lower, 1 reaches 1 alone; so 2 to token 0, and .5 to token 1.
 */
static void sent_back(void **state)
{
    static const double capacity[3][3][3] = {
        { { 1, 0, 0 }, { 1, 0, 0 }, { 1, .5, 0 } },
        { { 0, 1, 1 }, { 0, 1, 0 }, { 0, 0, 0 } },
        { { 1, 1, 0 }, { 0, 0, 1 }, { 0, 0, 1 } },
    };
    struct arena arena;
    double out[9];

    (void)state;
    arena_init(&arena, NULL, NULL);
    flow_all(out, &capacity[0][0][0], 3, 3, &arena, NULL);
    check_close(out[0], 2 / 2.5, 1e-12);
    check_close(out[1], .5 / 2.5, 1e-12);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(two_ways),
                                        cmocka_unit_test(sent_back) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
