/* SPDX-License-Identifier: MIT
 * Boxes: nothing overlaps, everything fits, pixels are whole. */
#include "check.h"

#include "draw/draw_priv.h"

static const struct sizes plain = {
    .n_panels = 12, .columns = 4, .n_rows = 16, .n_cols = 16, .cell = 18.0,
    .px = 1.0, .whole = true, .row_label = 55.3, .col_label = 52.8, .label_h = 11.0,
    .value_w = 22.1, .value_h = 9.9, .panel_w = 41.0, .panel_h = 13.2
};

/* All the ink of a panel: labels, ticks, title, bar, values. */
static struct box slot(const struct sizes *s, const struct layout *l, struct box b)
{
    double beside = l->line + l->tick + l->label_gap;
    double left = s->row_label > 0.0 ? beside + s->row_label : l->line;
    double below = s->col_label > 0.0 ? beside + s->col_label : l->line;
    double above = l->line + (s->panel_h > 0.0 ? l->panel_gap + s->panel_h : 0.0);
    double right = l->line + l->bar_gap + l->bar_w + l->value_gap + s->value_w;
    double title = (s->panel_w - b.w) / 2.0;
    double label = (s->label_h - s->cell) / 2.0, value = s->value_h - b.h / 2.0;

    left = fmax(left, title);
    right = fmax(right, title);
    above = fmax(fmax(above, label), value);
    below = fmax(fmax(below, label), value);
    return (struct box){ b.x - left, b.y - above, left + b.w + right,
                         above + b.h + below };
}

static bool apart(struct box a, struct box b)
{
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y ||
           b.y + b.h <= a.y;
}

static void check_sound(const struct sizes *s)
{
    struct arena a;
    struct layout l;

    arena_init(&a, NULL, NULL);
    layout_make(&l, s, &a);
    if (s->caption) {
        layout_add_caption(&l, 25.0);
        assert_true(l.caption.y + l.caption.h < l.height);
    }
    for (int i = 0; i < s->n_panels; i++) {
        struct box b = slot(s, &l, l.panel[i]);

        assert_true(b.x >= 0.0 && b.x + b.w <= l.width);
        assert_true(b.y >= l.title.h && b.y + b.h <= l.height);
        if (s->caption)
            assert_true(b.y + b.h <= l.caption.y);
        assert_true(l.panel[i].w == s->n_cols * s->cell);
        assert_true(l.panel[i].h == s->n_rows * s->cell);
        if (s->whole) {
            assert_true(l.panel[i].x == floor(l.panel[i].x));
            assert_true(l.panel[i].y == floor(l.panel[i].y));
        }
        for (int j = 0; j < i; j++)
            assert_true(apart(b, slot(s, &l, l.panel[j])));
    }
    arena_finish(&a);
}

static void test_sound(void **state)
{
    static const int panels[] = { 1, 2, 5, 12, 144 }, cells[] = { 1, 2, 6, 64, 512 };
    static const double side[] = { 1.0, 3.0, 18.0, 37.0 };
    static const double px[] = { 0.5, 0.72, 1.0, 1.5, 6.0 };

    (void)state;
    for (int p = 0; p < 5; p++)
        for (int n = 0; n < 5; n++)
            for (int c = 0; c < 4; c++)
                for (int u = 0; u < 5; u++) {
                    struct sizes s = plain;

                    s.n_panels = panels[p];
                    s.n_rows = cells[n];
                    s.n_cols = cells[(n + c) % 5];
                    s.cell = side[c];
                    s.px = px[u];
                    s.whole = u != 1;
                    s.caption = c % 2 == 0;
                    s.title_h = n % 2 * 15.2;
                    s.title_w = 1000.0;
                    s.row_label = u % 2 * 55.3;
                    check_sound(&s);
                }
}

static void test_few_panels(void **state)
{
    struct sizes one = plain, four = plain;
    struct layout l, l4;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    one.n_panels = 1;
    four.n_panels = 4;
    layout_make(&l, &one, &a);
    layout_make(&l4, &four, &a);
    assert_true(l.width < l4.width / 3.0);      /* no empty columns */
    assert_true(l.height == l4.height);
    four.columns = 1;
    layout_make(&l4, &four, &a);
    assert_true(l4.panel[3].x == l4.panel[0].x);
    assert_true(l4.panel[3].y > l4.panel[2].y);
    arena_finish(&a);
}

static void test_label_step(void **state)
{
    (void)state;
    assert_int_equal(layout_label_step(11.0, 11.0), 1);
    assert_int_equal(layout_label_step(10.9, 11.0), 2);
    assert_int_equal(layout_label_step(1.0, 9.9), 16);
    for (int px = 9; px < 60; px++)             /* every token has its label */
        assert_int_equal(layout_label_step(px, 1.1 * layout_label_px(px)), 1);
    for (int px = 1; px < 9; px++) {
        int step = layout_label_step(px, 1.1 * layout_label_px(px));

        assert_true(step * px >= 9.9 && step / 2 * px < 9.9);
    }
}

static void plan(int n, int columns, int want, int dpi, int *cell, int *pool)
{
    draw_plan(n, n, 12, columns, want, dpi, cell, pool);
}

static void test_plan(void **state)
{
    int cell, pool, before = 24;

    (void)state;
    for (int n = 1; n <= 600; n++) {
        plan(n, 4, 0, 100, &cell, &pool);
        assert_int_equal(pool, 1);
        assert_true(cell >= 1 && cell <= before && cell * n <= 600);
        if (n <= 37)
            assert_in_range(cell, 16, 24);
        before = cell;
    }
    for (int n = 601; n <= 100000; n += 61) {
        plan(n, 4, 0, 100, &cell, &pool);
        assert_int_equal(cell, 1);
        assert_in_range((n + pool - 1) / pool, 300, 600);
    }
    plan(4096, 4, 0, 100, &cell, &pool);
    assert_int_equal(pool, 8);
    plan(64, 4, 0, 100, &cell, &pool);
    assert_int_equal(cell, 9);
    draw_plan(3, 64, 12, 4, 0, 100, &cell, &pool);      /* the longer side */
    assert_int_equal(cell, 9);
    draw_plan(20, 20, 12, 1, 0, 100, &cell, &pool);     /* room for more */
    assert_int_equal(cell, 24);
}

/* What was wanted stays, until the picture would be too large. */
static void test_plan_wanted(void **state)
{
    int cell, pool;

    (void)state;
    plan(64, 4, 3, 100, &cell, &pool);
    assert_int_equal(cell, 3);
    assert_int_equal(pool, 1);
    plan(1000, 4, 2, 100, &cell, &pool);
    assert_int_equal(cell, 2);
    assert_int_equal(pool, 1);
    plan(4096, 4, 10, 100, &cell, &pool);
    assert_int_equal(cell, 10);
    assert_int_equal(pool, 8);                  /* 4: over 40,000 wide */
    plan(600, 4, 0, 1200, &cell, &pool);
    assert_true(4 * ((600 + pool - 1) / pool * cell * 12) <= 32000);
}

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
        struct bar_text b = bar_text(ends[i].s, (struct range){ ends[i].lo,
                                                                ends[i].hi, true });

        assert_string_equal(b.lo, ends[i].want_lo);
        assert_string_equal(b.hi, ends[i].want_hi);
    }
    assert_string_equal(bar_text(SCALE_LOG, (struct range){ 0, 0, false }).hi, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_few_panels),
        cmocka_unit_test(test_label_step),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_plan_wanted),
        cmocka_unit_test(test_bar_ends),
    };

    return cmocka_run_group_tests_name("draw_layout", tests, NULL, NULL);
}
