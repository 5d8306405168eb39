/* SPDX-License-Identifier: MIT
 * Boxes of boards: cells in rows and columns that do not overlap, and what stands around. */
#include "check.h"

#include "draw/figure/board.h"
#include "draw/figure/board_boxes.h"

static bool apart(struct box a, struct box b)
{
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
}

static bool inside(struct box a, double width, double height)
{
    return a.x >= 0.0 && a.y >= 0.0 && a.x + a.w <= width && a.y + a.h <= height;
}

static void check_board(const struct board_sizes *s)
{
    const struct box at = { 0.0, 0.0, 0.0, 0.0 };
    struct board_boxes b;
    struct box last;

    board_boxes_make(&b, s);
    last = board_boxes_cell(&b, at, s->n_rows - 1, s->n_cols - 1);
    assert_true(inside(last, b.width, b.height));
    assert_true(b.first.x >= s->row_label + s->row_name);
    assert_true(b.first.y >= s->col_label + s->col_name + s->name_h);
    if (s->n_cols > 1)
        assert_true(apart(b.first, board_boxes_cell(&b, at, 0, 1)));
    if (s->n_rows > 1) {
        struct box below = board_boxes_cell(&b, at, 1, 0);

        below.y -= s->name_h;
        below.h += s->name_h;
        assert_true(apart(b.first, below));
    }
    if (s->value_w > 0.0)
        assert_true(inside(b.bar, b.width, b.height) && b.bar.x >= last.x + last.w &&
                    b.bar.x + b.bar.w + s->value_w <= b.width);
    if (s->legend_h > 0.0)
        assert_true(inside(b.legend, b.width, b.height) && b.legend.y >= last.y + last.h);
}

/* From one head to 1,024, with and without what may stand around. */
static void test_apart(void **state)
{
    static const int sides[] = { 1, 2, 12, 32 };

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            for (int with = 0; with < 32; with++)
                check_board(&(struct board_sizes){
                    .units = { 1.0, with & 1 }, .n_rows = sides[i], .n_cols = sides[k],
                    .cell_w = 20.0, .cell_h = 31.0, .gap = 2.0,
                    .name_h = with & 2 ? 9.5 : 0.0, .row_label = with & 4 ? 21.3 : 0.0,
                    .col_label = with & 4 ? 11.0 : 0.0, .row_name = with & 8 ? 14.0 : 0.0,
                    .col_name = with & 8 ? 14.0 : 0.0, .value_w = with & 16 ? 30.0 : 0.0,
                    .value_h = 10.0, .legend_w = with & 1 ? 300.0 : 0.0,
                    .legend_h = with & 1 ? 25.0 : 0.0 });
}

/* Cells of the room that a page has make a board as wide as the page. */
static void test_room(void **state)
{
    (void)state;
    for (int n = 1; n <= 64; n *= 2)
        for (double width = 160.0; width < 1600.0; width *= 1.7) {
            struct board_sizes s = { .units = { 1.0, false }, .n_rows = 3, .n_cols = n,
                                     .cell_h = 9.0, .gap = 2.0, .row_label = 20.0,
                                     .value_w = 24.0 };
            struct board_boxes b;

            s.cell_w = board_boxes_room(&s, width);
            board_boxes_make(&b, &s);
            assert_true(fabs(b.width - width) < 1e-9);
        }
}

static void check_pool(const struct heatmap_page *page, int n, int n_cols, int want)
{
    double least = 0.0;

    assert_int_equal(board_pool(page, n, n_cols, 0, &least), want);
}

static void test_pool(void **state)
{
    struct heatmap_page page = { .format = DRAW_PNG, .dpi = 100, .labels = true };
    double least = 0.0;

    (void)state;
    check_pool(&page, 70, 12, 1);       /* thumbnails of 70 pixels */
    check_pool(&page, 71, 12, 2);
    check_pool(&page, 26, 32, 1);       /* of 26 */
    check_pool(&page, 512, 32, 32);
    page.dpi = 200;
    check_pool(&page, 512, 32, 16);
    assert_int_equal(board_pool(&page, 5000, 32, 2, &least), 1);        /* --cell */
    page.width_px = 200.0;
    page.font_px = 8.0;
    assert_int_equal(board_pool(&page, 10, 32, 0, &least), 0);
    page.width_px = least;
    assert_true(board_pool(&page, 10, 32, 0, &least) > 0);
}

static void expect_number(double value, double largest, enum board_detail detail,
                          const char *want)
{
    char text[BOARD_TEXT];

    board_number(text, value, largest, detail);
    assert_string_equal(text, want);
}

static void test_numbers(void **state)
{
    (void)state;
    expect_number(0.125, 1.0, BOARD_WHOLE, "0.12");
    expect_number(0.125, 1.0, BOARD_SHORT, ".12");
    expect_number(-0.57, 1.0, BOARD_SHORT, "-.57");
    expect_number(-0.57, 1.0, BOARD_ROUNDED, "-.6");
    expect_number(-0.001, 1.0, BOARD_WHOLE, "0.00");
    expect_number(12.34, 12.34, BOARD_WHOLE, "12.3");
    expect_number(123.4, 123.4, BOARD_WHOLE, "123");
    expect_number(0.0456, 0.05, BOARD_WHOLE, "0.046");
    expect_number(0.000123, 0.001, BOARD_WHOLE, "1.2e-4");
    expect_number(0.000123, 0.001, BOARD_ROUNDED, "1e-4");
    expect_number(2345678.0, 2345678.0, BOARD_WHOLE, "2.3e6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart), cmocka_unit_test(test_room),
        cmocka_unit_test(test_pool), cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests_name("draw board_boxes", tests, NULL, NULL);
}
