/* SPDX-License-Identifier: MIT
 * Colours against matplotlib's, positions against its rule. */
#include "check.h"

#include <string.h>

#include "draw/cmap.h"
#include "draw/scale.h"
#include "draw/sheet.h"

/* colormaps[NAME]([0, 128, 255], bytes=True) of matplotlib 3.11. */
static const struct {
    const char *name;
    unsigned char first[3], middle[3], last[3];
} known[] = {
    { "viridis", { 68, 1, 84 }, { 32, 144, 140 }, { 253, 231, 36 } },
    { "magma", { 0, 0, 3 }, { 182, 54, 121 }, { 251, 252, 191 } },
    { "inferno", { 0, 0, 3 }, { 187, 55, 84 }, { 252, 254, 164 } },
    { "plasma", { 12, 7, 134 }, { 203, 71, 119 }, { 239, 248, 33 } },
    { "cividis", { 0, 34, 77 }, { 124, 123, 120 }, { 253, 231, 55 } },
    { "gray", { 0, 0, 0 }, { 128, 128, 128 }, { 255, 255, 255 } },
    { "bluered", { 33, 82, 165 }, { 247, 246, 246 }, { 178, 30, 40 } },
    { "Blues", { 247, 251, 255 }, { 106, 173, 213 }, { 8, 48, 107 } },
    { "Blues_r", { 8, 48, 107 }, { 107, 174, 214 }, { 247, 251, 255 } },
    { "Greys", { 255, 255, 255 }, { 149, 149, 149 }, { 0, 0, 0 } },
    { "Greys_r", { 0, 0, 0 }, { 150, 150, 150 }, { 255, 255, 255 } },
    { "Reds", { 255, 245, 240 }, { 250, 105, 73 }, { 103, 0, 12 } },
    { "Reds_r", { 103, 0, 12 }, { 251, 106, 74 }, { 255, 245, 240 } },
    { "viridis_r", { 253, 231, 36 }, { 32, 143, 140 }, { 68, 1, 84 } },
    { "gray_r", { 255, 255, 255 }, { 127, 127, 127 }, { 0, 0, 0 } },
};
enum { N_KNOWN = sizeof known / sizeof *known };

static void test_tables(void **state)
{
    (void)state;
    for (int i = 0; i < N_KNOWN; i++) {
        const struct cmap *c = cmap_find(known[i].name);

        assert_non_null(c);
        assert_memory_equal(cmap_colour(c, 0), known[i].first, 3);
        assert_memory_equal(cmap_colour(c, 128), known[i].middle, 3);
        assert_memory_equal(cmap_colour(c, 255), known[i].last, 3);
    }
}

static void test_names(void **state)
{
    int n = 0;

    (void)state;
    for (; cmap_table[n].name != NULL; n++)
        assert_string_equal(cmap_names[n], cmap_table[n].name);
    assert_null(cmap_names[n]);
    assert_int_equal(n, 20);
    assert_string_equal(cmap_table[0].name, "viridis");
    assert_null(cmap_find("jet"));
    assert_null(cmap_find(""));
    assert_string_equal(scale_names[SCALE_ROW], "row");
    assert_null(scale_names[N_SCALE]);
    assert_null(draw_format_names[N_DRAW_FORMAT]);
}

/* Colours go from dark to light without a step that an eye would see. */
static void test_smooth(void **state)
{
    (void)state;
    for (const struct cmap *c = cmap_table; c->name != NULL; c++)
        for (int i = 1; i < 256; i++)
            for (int k = 0; k < 3; k++)
                assert_in_range(c->rgb[i][k] - c->rgb[i - 1][k] + 5, 0, 10);
}

static void test_linear(void **state)
{
    (void)state;
    /* matplotlib: int(x * 256), 1.0 and more clipped to 255 */
    assert_int_equal(scale_index(SCALE_LINEAR, 0.0f, 0.0f, 1.0f), 0);
    assert_int_equal(scale_index(SCALE_LINEAR, 0.00390624f, 0.0f, 1.0f), 0);
    assert_int_equal(scale_index(SCALE_LINEAR, 0.00390625f, 0.0f, 1.0f), 1);
    assert_int_equal(scale_index(SCALE_LINEAR, 0.5f, 0.0f, 1.0f), 128);
    assert_int_equal(scale_index(SCALE_LINEAR, 0.9999f, 0.0f, 1.0f), 255);
    assert_int_equal(scale_index(SCALE_LINEAR, 1.0f, 0.0f, 1.0f), 255);
    assert_int_equal(scale_index(SCALE_LINEAR, 0.3f, 0.1f, 0.5f), 128);
    assert_int_equal(scale_index(SCALE_LINEAR, 7.0f, 0.0f, 1.0f), 255);
    assert_int_equal(scale_index(SCALE_LINEAR, -7.0f, 0.0f, 1.0f), 0);
    assert_int_equal(scale_index(SCALE_LINEAR, INFINITY, 0.0f, 1.0f), 255);
    assert_int_equal(scale_index(SCALE_LINEAR, -INFINITY, 0.0f, 1.0f), 0);
    assert_int_equal(scale_index(SCALE_LINEAR, NAN, 0.0f, 1.0f), 0);
    assert_int_equal(scale_index(SCALE_ROW, 0.25f, 0.0f, 1.0f), 64);
}

/* (float) (v - lo) / (hi - lo) in numpy float32, computed there. */
static void test_rounding(void **state)
{
    (void)state;
    assert_int_equal(scale_index(SCALE_LINEAR, 0.1f, 0.0f, 0.8f), 32);
    assert_int_equal(scale_index(SCALE_LINEAR, 0.7f, 0.0f, 0.8f), 224);
    assert_int_equal(scale_index(SCALE_LINEAR, 1e-30f, 0.0f, 2e-30f), 128);
}

static void test_sqrt(void **state)
{
    (void)state;
    assert_int_equal(scale_index(SCALE_SQRT, 0.25f, 0.0f, 1.0f), 128);
    assert_int_equal(scale_index(SCALE_SQRT, 0.01f, 0.0f, 1.0f), 25);
    assert_int_equal(scale_index(SCALE_SQRT, -0.5f, 0.0f, 1.0f), 0);
    assert_int_equal(scale_index(SCALE_SQRT, 1.0f, 0.0f, 1.0f), 255);
    assert_int_equal(scale_index(SCALE_SQRT, 0.2f, 0.1f, 0.5f), 128);
}

static void test_log(void **state)
{
    (void)state;
    assert_int_equal(scale_index(SCALE_LOG, 1e-6f, 0.0f, 1.0f), 0);
    assert_int_equal(scale_index(SCALE_LOG, 0.0f, 0.0f, 1.0f), 0);
    assert_int_equal(scale_index(SCALE_LOG, 1.0f, 0.0f, 1.0f), 255);
    /* ln(1e-4 / 1e-6) / ln(1 / 1e-6) = 1/3, 85.33 of 256 */
    assert_int_equal(scale_index(SCALE_LOG, 1e-4f, 0.0f, 1.0f), 85);
    /* ln(0.05 / 0.01) / ln(0.5 / 0.01) = 0.4114, 105.3 */
    assert_int_equal(scale_index(SCALE_LOG, 0.05f, 0.01f, 0.5f), 105);
    assert_int_equal(scale_index(SCALE_LOG, 1e-9f, 0.0f, 1e-8f), 0);
}

static void test_no_range(void **state)
{
    (void)state;
    for (int s = 0; s < N_SCALE; s++) {
        assert_int_equal(scale_index((enum scale)s, 1.0f, 1.0f, 1.0f), 0);
        assert_int_equal(scale_index((enum scale)s, 0.0f, 0.0f, 0.0f), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_sqrt),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_no_range),
    };

    return cmocka_run_group_tests_name("draw_cmap", tests, NULL, NULL);
}
