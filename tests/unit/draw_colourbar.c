/* SPDX-License-Identifier: MIT
 * The end values beside a colour bar: short, and different where the ends are. */
#include "check.h"

#include "draw/figure/colourbar.h"

static const struct { enum scale s; float lo, hi; const char *want_lo, *want_hi; }
ends[] = {
    { SCALE_LINEAR, 0.0003f, 0.87f, "0.00", "0.87" },
    { SCALE_LINEAR, 0.0f, 1.0f, "0.00", "1.00" },
    { SCALE_LINEAR, -0.001f, 1.0f, "0.00", "1.00" },
    { SCALE_LINEAR, -0.25f, 0.25f, "-0.25", "0.25" },
    { SCALE_LINEAR, 0.0f, 0.031f, "0.00", "0.031" },
    { SCALE_LINEAR, 2e-5f, 0.00012f, "2e-5", "0.00012" },
    { SCALE_LINEAR, 0.981f, 0.984f, "0.981", "0.984" },
    { SCALE_LINEAR, 1.0f, 1.0f, "", "1.00" },
    { SCALE_LINEAR, 0.0f, 0.0f, "", "0.00" },
    { SCALE_LINEAR, 0.0f, 12345678.0f, "0.00", "1.2e7" },
    { SCALE_ROW, 0.1f, 1.0f, "0.10", "1.00" },
    { SCALE_SQRT, 0.002f, 0.5f, "0.00", "0.50" },
    { SCALE_LOG, 0.0f, 0.87f, "1e-6", "0.87" },
    { SCALE_LOG, 0.0031f, 0.87f, "0.0031", "0.87" },
};

static void test_bar_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct colourbar_text b =
            colourbar_text(ends[i].s, (struct scale_range){ ends[i].lo, ends[i].hi, true });

        assert_string_equal(b.lo, ends[i].want_lo);
        assert_string_equal(b.hi, ends[i].want_hi);
    }
    assert_string_equal(colourbar_text(SCALE_LOG, (struct scale_range){ 0, 0, false }).hi, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bar_ends) };

    return cmocka_run_group_tests_name("draw_colourbar", tests, NULL, NULL);
}
