/* SPDX-License-Identifier: MIT
 * Heatmaps on a page of a given width: how many beside each other, and what is left for cells. */
#include "check.h"

#include "draw/figure/heatmap.h"
#include "draw/fit.h"

static struct fit page(double mm, bool bars, bool one_bar)
{
    struct fit f;

    fit_init(&f, (struct units){ 1.0, false }, mm / 25.4 * 100.0, 6.0 / 0.72);
    f.bars = bars;
    f.one_bar = one_bar;
    return f;
}

static int columns(double mm, int n_panels, bool bars, bool one_bar)
{
    struct fit f = page(mm, bars, one_bar);

    return fit_columns(&f, n_panels);
}

static void test_columns(void **state)
{
    (void)state;
    assert_int_equal(columns(174, 12, false, false), 6);
    assert_int_equal(columns(174, 12, true, true), 6);
    assert_int_equal(columns(174, 32, true, true), 8);
    assert_int_equal(columns(174, 4, true, false), 4);
    assert_int_equal(columns(174, 7, true, true), 7);
    assert_int_equal(columns(85, 12, true, false), 3);
    assert_int_equal(columns(85, 4, true, false), 2);
    assert_int_equal(columns(40, 12, true, false), 1);
    assert_int_equal(columns(400, 1, true, false), 1);
}

/* All heads of a layer in a row where they are legible; none is left over in the last row where
 * that can be. */
static int sheet_columns(double mm, int n_heads)
{
    const struct heatmap_page page = { .format = DRAW_PDF, .dpi = 100, .sheet = true,
                                       .width_px = mm / 25.4 * 100.0, .font_px = 6.0 / 0.72,
                                       .labels = true, .titles = true };
    int columns = 0, pool;
    double least;

    assert_int_equal(heatmap_plan_page(&page, 15, n_heads, &columns, &pool, &least), 0);
    assert_int_equal(pool, 1);
    return columns;
}

static void test_sheet(void **state)
{
    (void)state;
    assert_int_equal(sheet_columns(174, 4), 4);
    assert_int_equal(sheet_columns(174, 12), 12);
    assert_int_equal(sheet_columns(85, 12), 6);
    assert_int_equal(sheet_columns(174, 32), 8);
    assert_int_equal(sheet_columns(400, 16), 16);
}

/* What is chosen can be drawn, or there is room for none. */
static void test_any_page(void **state)
{
    static const int panels[] = { 1, 2, 12, 16, 72, 144, 1024 };

    (void)state;
    for (int mm = 20; mm <= 400; mm += 7)
        for (int p = 0; p < 7; p++)
            for (int kind = 0; kind < 8; kind++) {
                struct fit f = page(mm, kind & 1, kind & 2);
                int k;
                double room;

                f.labels = kind & 4;
                k = fit_columns(&f, panels[p]);
                room = fit_room(&f, panels[p], k);
                assert_in_range(k, 1, panels[p] < 8 ? panels[p] : 8);
                for (int n = 1; n <= 1000; n += 111)
                    for (int whole = 0; whole < 2; whole++) {
                        int pool, cells;

                        f.whole_cells = whole;
                        pool = fit_pool(&f, room, n);
                        assert_true(pool > 0 || (k == 1 && mm < 60));
                        if (pool == 0)
                            continue;
                        cells = (n + pool - 1) / pool;
                        assert_true(fit_cell(&f, room, cells) * cells <= room + 1e-9);
                        assert_true(fit_cell(&f, room, cells) >= (whole ? 1.0 : 0.25));
                    }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_any_page),
    };

    return cmocka_run_group_tests_name("draw_fit", tests, NULL, NULL);
}
