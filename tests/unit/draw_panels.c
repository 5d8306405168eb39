/* SPDX-License-Identifier: MIT
 * Panels of lines: their boxes do not overlap, and fill the page that is asked for. */
#include "check.h"

#include "draw/figure/legend.h"
#include "draw/figure/panels.h"

static bool overlap(struct box x, struct box y)
{
    return x.x + x.w > y.x + 1e-9 && y.x + y.w > x.x + 1e-9 && x.y + x.h > y.y + 1e-9 &&
           y.y + y.h > x.y + 1e-9;
}

/* A field with the texts around it. */
static struct box whole(const struct panels_sizes *s, struct box field)
{
    return (struct box){ field.x - s->left, field.y - s->above, s->left + field.w + s->right,
                         s->above + field.h + s->below };
}

static void check_inside(const struct panels *p, struct box b)
{
    assert_true(b.x >= -1e-9 && b.y >= -1e-9 && b.x + b.w <= p->width + 1e-9 &&
                b.y + b.h <= p->height + 1e-9);
}

static void check_boxes(const struct panels_sizes *s)
{
    static const struct box corner = { 0, 0, 0, 0 };
    struct panels p;

    panels_make(&p, s);
    for (int i = 0; i < s->n; i++) {
        struct box one = whole(s, panels_field(&p, corner, i));

        check_inside(&p, one);
        for (int k = 0; k < i; k++)
            assert_false(overlap(one, whole(s, panels_field(&p, corner, k))));
        if (s->legend_h > 0.0)
            assert_false(overlap(one, panels_legend(&p, corner)));
    }
    if (s->legend_h > 0.0)
        check_inside(&p, panels_legend(&p, corner));
}

static void test_boxes(void **state)
{
    (void)state;
    for (int n = 1; n <= 40; n += 3)
        for (int columns = 1; columns <= 8; columns++)
            for (int kind = 0; kind < 8; kind++) {
                struct panels_sizes s = {
                    .units = { kind & 1 ? 0.72 : 1.5, !(kind & 1) }, .n = n, .columns = columns,
                    .field_w = 20.25 * columns, .field_h = 1400.0 / n, .left = 31.0,
                    .right = kind & 2 ? 17.5 : 0.0, .above = 12.0, .below = kind & 2 ? 50.0 : 0.0,
                    .legend_w = kind & 4 ? 333.0 : 0.0, .legend_h = kind & 4 ? 28.0 : 0.0,
                    .narrow = kind & 1,
                };

                check_boxes(&s);
            }
}

/* As many columns as there is room for stand on the page. */
static void test_columns(void **state)
{
    static const int counts[] = { 1, 2, 4, 7, 12, 24, 72, 1024 };
    const struct units units = { 1.0, false };

    (void)state;
    for (double page = 160.0; page <= 1600.0; page += 55.0)
        for (int i = 0; i < 8; i++) {
            int columns = panels_columns(units, page, counts[i], 117.0);

            assert_in_range(columns, 1, counts[i] < 8 ? counts[i] : 8);
            assert_true(panels_room(units, page, columns) >= 117.0);
        }
    assert_int_equal(panels_columns(units, 100.0, 4, 117.0), 0);
    assert_int_equal(panels_columns(units, 685.0, 12, 117.0), 4);   /* 4 x 3, none is empty */
    assert_int_equal(panels_columns(units, 685.0, 5, 117.0), 5);
    assert_int_equal(panels_columns(units, 335.0, 12, 117.0), 2);
}

static void test_legend(void **state)
{
    (void)state;
    for (int n = 1; n <= 24; n++)
        for (double entry = 40.0; entry < 400.0; entry += 33.0) {
            int columns = legend_columns(n, entry, 18.0, 320.0);

            assert_in_range(columns, 1, n);
            assert_true(columns == 1 || columns * (entry + 18.0) - 18.0 <= 320.0);
            assert_true(columns == n || (columns + 1) * (entry + 18.0) - 18.0 > 320.0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_legend),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
