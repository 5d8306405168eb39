/* SPDX-License-Identifier: MIT
 * Numbers in the cells of heatmaps: how they are written, and in which ink. */
#include "check.h"

#include "draw/figure/numbers.h"

static void check_text(float value, const char *expected)
{
    char text[NUMBER_TEXT];

    numbers_text(text, value);
    assert_string_equal(text, expected);
}

static void test_text(void **state)
{
    (void)state;
    check_text(0.125f, "0.12");
    check_text(1.0f, "1.00");
    check_text(-0.5f, "-0.50");
    check_text(0.004f, "0");
    check_text(-0.004f, "0");
    check_text(0.0f, "0");
    check_text(12.5f, "12.50");
    check_text(123456.0f, "1.23e+05");
    check_text(NAN, "");
    check_text(-INFINITY, "");
}

/* At both ends of each map: the ink with the better contrast. */
static void test_ink(void **state)
{
    static const unsigned char gray[3] = { 127, 127, 127 }, yellow[3] = { 253, 231, 37 },
                               purple[3] = { 68, 1, 84 }, red[3] = { 200, 0, 0 };

    (void)state;
    assert_true(numbers_are_black(gray));
    assert_true(numbers_are_black(yellow));
    assert_false(numbers_are_black(purple));
    assert_false(numbers_are_black(red));
    for (int i = 0; i < 256; i++)
        assert_true(numbers_are_black(cmap_colour(cmap_find("gray"), i)) == (i > 107));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_ink),
    };

    return cmocka_run_group_tests_name("draw_numbers", tests, NULL, NULL);
}
