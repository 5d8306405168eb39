/* SPDX-License-Identifier: MIT
 * The boxes of a grid: nothing overlaps, everything fits, pixels are whole. */
#include "check.h"

#include "draw/figure/grid.h"
#include "draw/figure/heatmap.h"

static const struct grid_sizes plain = {
    .n_panels = 12, .columns = 4, .n_rows = 16, .n_cols = 16, .cell = 18.0,
    .units = { 1.0, true }, .row_label = 55.3, .col_label = 52.8, .label_h = 11.0,
    .value_w = 22.1, .value_h = 9.9, .panel_w = 41.0, .panel_h = 13.2
};

/* All the ink of panel i: labels, ticks, title, bar, values. */
static struct box slot(const struct grid_sizes *s, const struct grid *g, struct box at, int i)
{
    struct box b = grid_panel(g, at, i);
    double beside = g->line + g->tick + g->label_gap;
    double left = s->row_label > 0.0 && i % g->columns == 0 ? beside + s->row_label : g->line;
    bool lowest = i + g->columns >= s->n_panels;
    double below = s->col_label > 0.0 && (lowest || !s->edges) ? beside + s->col_label : g->line;
    double above = g->line + (s->panel_h > 0.0 ? g->panel_gap + s->panel_h : 0.0);
    double right = s->one_bar || s->value_h == 0.0 ? g->line :
                   g->line + g->bar_gap + g->bar_w + g->value_gap + s->value_w;
    double name = i % g->columns == 0 ? s->row_name : 0.0;
    double title = (s->panel_w - b.w) / 2.0;
    double label = (s->label_h - s->cell) / 2.0, value = s->value_h - b.h / 2.0;

    left = fmax(left + name, title);
    right = fmax(right, title);
    above = fmax(fmax(above, label), value);
    below = fmax(fmax(below, label), value);
    below += lowest ? s->col_name : 0.0;
    return (struct box){ b.x - left, b.y - above, left + b.w + right,
                         above + b.h + below };
}

static bool apart(struct box a, struct box b)
{
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y ||
           b.y + b.h <= a.y;
}

/* One bar with its numbers. */
static struct box only_bar(const struct grid_sizes *s, const struct grid *g, struct box at)
{
    struct box b = grid_bar(g, at, 0);

    return (struct box){ b.x, b.y, b.w + g->value_gap + s->value_w, b.h };
}

/* In the grid, beside the cells; at least as high as it was measured for. */
static void check_bars(const struct grid_sizes *s, const struct grid *g, struct box at)
{
    for (int i = 0; i < (s->one_bar ? 1 : s->n_panels) && s->value_h > 0.0; i++) {
        struct box cells = grid_panel(g, at, i), b = grid_bar(g, at, i);

        assert_true(b.y == cells.y && b.h >= grid_bar_height(s) && b.x > cells.x + cells.w);
        assert_true(b.x + b.w + g->value_gap + s->value_w <= at.x + g->width + 1e-9);
        assert_true(b.y + b.h <= at.y + g->height + 1e-9);
    }
}

static void check_sound(const struct grid_sizes *s)
{
    const struct box at = { 14.0, 40.0, 0.0, 0.0 };
    struct grid g;

    grid_make(&g, s);
    for (int i = 0; i < s->n_panels; i++) {
        struct box cells = grid_panel(&g, at, i), b = slot(s, &g, at, i);

        assert_true(b.x >= at.x && b.x + b.w <= at.x + g.width + 1e-9);
        assert_true(b.y >= at.y && b.y + b.h <= at.y + g.height + 1e-9);
        assert_true(cells.w == s->n_cols * s->cell);
        assert_true(cells.h == s->n_rows * s->cell);
        if (s->units.whole) {
            assert_true(cells.x == floor(cells.x));
            assert_true(cells.y == floor(cells.y));
        }
        for (int j = 0; j < i; j++)
            assert_true(apart(b, slot(s, &g, at, j)));
        if (s->one_bar && s->value_h > 0.0)
            assert_true(apart(b, only_bar(s, &g, at)));
    }
    check_bars(s, &g, at);
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
                    struct grid_sizes s = plain;

                    s.n_panels = panels[p];
                    s.n_rows = cells[n];
                    s.n_cols = cells[(n + c) % 5];
                    s.cell = side[c];
                    s.units = (struct units){ px[u], u != 1 };
                    s.row_label = u % 2 * 55.3;
                    s.row_name = s.col_name = n % 2 * 12.7;
                    check_sound(&s);
                    s.one_bar = true;
                    check_sound(&s);
                    s.edges = true;
                    check_sound(&s);
                }
}

/* As wide as was asked for, and no wider, with one column or all beside each other. */
static void test_fit(void **state)
{
    static const int panels[] = { 1, 3, 12, 72, 1024 }, cells[] = { 1, 9, 60, 1000 };

    (void)state;
    for (int p = 0; p < 5; p++)
        for (int n = 0; n < 4; n++)
            for (int mm = 40; mm <= 400; mm += 45)
                for (int bars = 0; bars < 3; bars++) {
                    struct grid_sizes s = plain;
                    double width = mm / 25.4 * 100.0;
                    struct grid g;

                    s.narrow = true;
                    s.n_panels = panels[p];
                    s.columns = 1 + (p + n) % 4;
                    s.n_rows = s.n_cols = cells[n];
                    s.units.whole = false;
                    s.one_bar = bars == 1;
                    s.value_w = s.value_h = 0.0;
                    if (bars < 2) {
                        s.value_w = plain.value_w;
                        s.value_h = plain.value_h;
                    }
                    s.row_label = s.panel_w = width / 10.0;
                    s.cell = grid_fit(&s, width);
                    if (s.cell < 1e-9)
                        continue;
                    grid_make(&g, &s);
                    assert_true(g.width <= width + 1e-6 && g.width > width - 1e-3);
                    if (panels[p] < 100)
                        check_sound(&s);
                }
}

static void test_few_panels(void **state)
{
    const struct box at = { 0.0, 0.0, 0.0, 0.0 };
    struct grid_sizes one = plain, four = plain;
    struct grid g, g4;

    (void)state;
    one.n_panels = 1;
    four.n_panels = 4;
    grid_make(&g, &one);
    grid_make(&g4, &four);
    assert_true(g.width < g4.width / 2.5);      /* no empty columns */
    assert_true(g.height == g4.height);
    four.columns = 1;
    grid_make(&g4, &four);
    assert_true(grid_panel(&g4, at, 3).x == grid_panel(&g4, at, 0).x);
    assert_true(grid_panel(&g4, at, 3).y > grid_panel(&g4, at, 2).y);
}

static void test_label_step(void **state)
{
    (void)state;
    assert_int_equal(grid_label_step(11.0, 11.0), 1);
    assert_int_equal(grid_label_step(10.9, 11.0), 2);
    assert_int_equal(grid_label_step(1.0, 9.9), 16);
    for (int px = 9; px < 60; px++)             /* every token has its label */
        assert_int_equal(grid_label_step(px, 1.1 * grid_label_px(px)), 1);
    for (int px = 1; px < 9; px++) {
        int step = grid_label_step(px, 1.1 * grid_label_px(px));

        assert_true(step * px >= 9.9 && step / 2 * px < 9.9);
    }
}

static void plan(int n, int columns, int wish, int dpi, int *cell, int *pool)
{
    heatmap_plan(n, n, 12, columns, wish, dpi, cell, pool);
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
    heatmap_plan(3, 64, 12, 4, 0, 100, &cell, &pool);      /* the longer side */
    assert_int_equal(cell, 9);
    heatmap_plan(20, 20, 12, 1, 0, 100, &cell, &pool);     /* room for more */
    assert_int_equal(cell, 24);
}

/* What was asked for stays, until the picture would be too large. */
static void test_plan_asked(void **state)
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

/* The more panels in a row, the smaller; they always fit in what cairo can draw. */
static void test_thumbs(void **state)
{
    static const int heads[] = { 1, 4, 12, 32, 64 }, tokens[] = { 1, 10, 60, 512, 16384 };
    int cell, pool, last = 1 << 20;

    (void)state;
    for (int h = 0; h < 5; h++)
        for (int n = 0; n < 5; n++) {
            int side;

            heatmap_plan_thumbs(tokens[n], tokens[n], 32 * heads[h], heads[h], 0, 100, &cell,
                                &pool);
            side = (tokens[n] + pool - 1) / pool * cell;
            assert_true(cell >= 1 && cell <= 24 && side <= 288 && heads[h] * side <= 48 * 64);
        }
    for (int h = 0; h < 5; h++) {
        heatmap_plan_thumbs(10, 10, 6 * heads[h], heads[h], 0, 100, &cell, &pool);
        assert_true(cell <= last && pool == 1);
        last = cell;
    }
    heatmap_plan_thumbs(10, 10, 72, 12, 17, 100, &cell, &pool);    /* as was asked for */
    assert_true(cell == 17 && pool == 1);
    heatmap_plan_thumbs(9000, 9000, 72, 12, 17, 100, &cell, &pool);
    assert_true(cell == 17 && pool > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thumbs),
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_few_panels),
        cmocka_unit_test(test_label_step),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_plan_asked),
    };

    return cmocka_run_group_tests_name("draw_grid", tests, NULL, NULL);
}
