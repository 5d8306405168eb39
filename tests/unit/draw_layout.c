/* SPDX-License-Identifier: MIT
 * The boxes of a sheet: title, parts and caption follow each other and fit. */
#include "check.h"

#include "draw/layout.h"

enum { MARGIN = 14, TITLE_GAP = 12, PART_GAP = 20, CAPTION_GAP = 14, READABLE = 300 };

static struct layout laid_out(struct arena *a, const struct box *part, int n_parts,
                              double title_w, double title_h, bool caption)
{
    const struct layout_sizes s = { .units = { 1.0, true }, .n_parts = n_parts,
                                    .part = part, .title_w = title_w,
                                    .title_h = title_h, .caption = caption };
    struct layout l;

    layout_make(&l, &s, a);
    return l;
}

static void expect_box(struct box got, double x, double y, double w, double h)
{
    if (got.x != x || got.y != y || got.w != w || got.h != h)
        fail_msg("%g %g %g %g, expected %g %g %g %g", got.x, got.y, got.w, got.h, x, y, w,
                 h);
}

static void test_part_alone(void **state)
{
    const struct box part = { 0, 0, 401, 203 };
    struct arena a;
    struct layout l;

    (void)state;
    arena_init(&a, NULL, NULL);
    l = laid_out(&a, &part, 1, 0, 0, false);
    expect_box(l.part[0], MARGIN, MARGIN, 401, 203);
    assert_true(l.width == 401 + 2 * MARGIN && l.height == 203 + 2 * MARGIN);
    arena_finish(&a);
}

/* A small part is centred below a title and above a caption that can be read. */
static void test_all(void **state)
{
    const struct box part = { 0, 0, 101, 50 };
    struct arena a;
    struct layout l;

    (void)state;
    arena_init(&a, NULL, NULL);
    l = laid_out(&a, &part, 1, 1000, 15.2, true);
    expect_box(l.title, MARGIN, MARGIN, READABLE, 16);
    expect_box(l.part[0], MARGIN + 100, MARGIN + 16 + TITLE_GAP, 101, 50);
    expect_box(l.caption, MARGIN, l.part[0].y + 50 + CAPTION_GAP, READABLE, 0);
    layout_add_caption(&l, 25);
    assert_true(l.caption.h == 25);
    assert_true(l.width == READABLE + 2 * MARGIN);
    assert_true(l.height == l.caption.y + 25 + MARGIN);
    arena_finish(&a);
}

/* A title shorter than the least width of a caption needs no more than its own. */
static void test_short_title(void **state)
{
    const struct box part = { 0, 0, 20, 20 };
    struct arena a;
    struct layout l;

    (void)state;
    arena_init(&a, NULL, NULL);
    l = laid_out(&a, &part, 1, 99.5, 15.2, false);
    assert_true(l.width == 100 + 2 * MARGIN);
    arena_finish(&a);
}

static void test_parts_below_each_other(void **state)
{
    const struct box part[] = { { 0, 0, 300, 100 }, { 0, 0, 100, 40 }, { 0, 0, 500, 7 } };
    struct arena a;
    struct layout l;

    (void)state;
    arena_init(&a, NULL, NULL);
    l = laid_out(&a, part, 3, 0, 0, false);
    expect_box(l.part[0], MARGIN + 100, MARGIN, 300, 100);
    expect_box(l.part[1], MARGIN + 200, MARGIN + 100 + PART_GAP, 100, 40);
    expect_box(l.part[2], MARGIN, MARGIN + 140 + 2 * PART_GAP, 500, 7);
    assert_true(l.height == 2 * MARGIN + 147 + 2 * PART_GAP);
    arena_finish(&a);
}

/* A PDF counts in points and keeps fractions; a PNG has whole pixels. */
static void test_units(void **state)
{
    const struct units pdf = { 0.72, false }, png = { 1.5, true }, small = { 0.1, true };

    (void)state;
    assert_true(layout_units(pdf, 14) == 14 * 0.72);
    assert_true(layout_whole(pdf, 10.08) == 10.08);
    assert_true(layout_units(png, 3) == 5 && layout_whole(png, 4.1) == 5);
    assert_true(layout_units(small, 1) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part_alone), cmocka_unit_test(test_all),
        cmocka_unit_test(test_short_title), cmocka_unit_test(test_parts_below_each_other),
        cmocka_unit_test(test_units),
    };

    return cmocka_run_group_tests_name("draw_layout", tests, NULL, NULL);
}
