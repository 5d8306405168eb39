/* SPDX-License-Identifier: MIT
 * The round numbers beside a bar: in the range, rising, apart, and as many as fit. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "draw/ticks.h"

/* "0.0 0.2 0.4", with ends beyond which there are values. */
static const char *shown(enum scale scale, float lo, float hi, double gap)
{
    static char all[MAX_TICKS * TICK_TEXT];
    struct ticks t = ticks_make(scale, (struct scale_range){ lo, hi, true, false, false }, gap);

    all[0] = '\0';
    for (int i = 0; i < t.n; i++) {
        char text[TICK_TEXT];

        ticks_text(text, t.value[i], t.decimals);
        strcat(all, i > 0 ? " " : "");
        strcat(all, text);
    }
    return all;
}

static void test_round(void **state)
{
    (void)state;
    assert_string_equal(shown(SCALE_LINEAR, 0, 1, 0.1), "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_string_equal(shown(SCALE_LINEAR, 0, 1, 0.3), "0.0 0.5 1.0");
    assert_string_equal(shown(SCALE_LINEAR, 0, 1, 0.6), "0 1");
    assert_string_equal(shown(SCALE_LINEAR, 0.0003f, 0.87f, 0.1), "0.0 0.2 0.4 0.6 0.8");
    assert_string_equal(shown(SCALE_LINEAR, 0.0f, 0.0734f, 0.1),
                        "0.00 0.01 0.02 0.03 0.04 0.05 0.06 0.07");
    assert_string_equal(shown(SCALE_LINEAR, -0.25f, 0.25f, 0.15), "-0.2 -0.1 0.0 0.1 0.2");
    assert_string_equal(shown(SCALE_LINEAR, 0.981f, 0.984f, 0.2), "0.981 0.982 0.983 0.984");
    assert_string_equal(shown(SCALE_LINEAR, 0, 30, 0.2), "0 10 20 30");
    assert_string_equal(shown(SCALE_ROW, 0.1f, 1, 0.2), "0.2 0.4 0.6 0.8 1.0");
    /* by their place on the scale, not by their difference */
    assert_string_equal(shown(SCALE_SQRT, 0, 1, 0.1), "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_string_equal(shown(SCALE_SQRT, 0, 1, 0.12), "0.0 0.5 1.0");
}

static void test_decades(void **state)
{
    (void)state;
    assert_string_equal(shown(SCALE_LOG, 0, 1, 0.1), "1e-6 1e-5 1e-4 1e-3 1e-2 1e-1 1e0");
    assert_string_equal(shown(SCALE_LOG, 0, 1, 0.3), "1e-6 1e-4 1e-2 1e0");
    assert_string_equal(shown(SCALE_LOG, 0.0031f, 0.87f, 0.1), "1e-2 1e-1");
    assert_string_equal(shown(SCALE_LOG, 0.31f, 0.87f, 0.1), "0.4 0.5 0.6 0.7 0.8");
    assert_string_equal(shown(SCALE_LOG, 0, 0, 0.1), "");
}

/* Then a bar shows its ends. */
static void test_none(void **state)
{
    (void)state;
    assert_string_equal(shown(SCALE_LINEAR, 0.5f, 0.5f, 0.1), "");
    assert_string_equal(shown(SCALE_LINEAR, 0.3f, 0.7f, 2.0), "");
    assert_string_equal(shown(SCALE_LINEAR, 0, 1e-9f, 0.1), "");
    assert_string_equal(shown(SCALE_LINEAR, 0, 3e8f, 0.1), "");
    assert_int_equal(ticks_make(SCALE_LINEAR, (struct scale_range){ .hi = 1 }, 0.1).n, 0);
}

static void test_ends(void **state)
{
    char text[TICK_TEXT];

    (void)state;
    ticks_end_text(text, true, 0.0734, 2);
    assert_string_equal(text, "≥0.073");
    ticks_end_text(text, false, 0.1, 1);
    assert_string_equal(text, "≤0.10");
    ticks_end_text(text, true, 0.0123, -1);
    assert_string_equal(text, "≥1.2e-2");
}

static void test_any_range(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (int k = 0; k < 100000; k++) {
        float x[3];
        enum scale scale = (enum scale)(k % N_SCALE);
        double gap = 0.02 + 0.3 * (k % 7);
        struct ticks t;

        for (int i = 0; i < 3; i++) {
            seed = seed * 1664525u + 1013904223u;
            x[i] = (float)(seed >> 8) / 16777216.0f;
        }
        x[0] *= x[2] * x[2];
        x[1] *= x[2];
        if (x[0] >= x[1])
            continue;
        t = ticks_make(scale, (struct scale_range){ x[0], x[1], true, false, false }, gap);
        assert_true(t.n == 0 || (t.n >= 2 && t.n <= MAX_TICKS));
        for (int i = 0; i < t.n; i++) {
            char text[TICK_TEXT];

            ticks_text(text, t.value[i], t.decimals);
            assert_true(fabs(strtod(text, NULL) - t.value[i]) <= 1e-9);
            assert_true(t.at[i] >= 0.0 && t.at[i] <= 1.0);
            assert_true(i == 0 || t.at[i] - t.at[i - 1] >= gap);
            assert_true(fabs(t.at[i] - (double)scale_position(scale, (float)t.value[i], x[0],
                                                              x[1])) < 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_decades),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_any_range),
    };

    return cmocka_run_group_tests_name("draw_ticks", tests, NULL, NULL);
}
