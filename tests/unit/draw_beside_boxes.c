/* SPDX-License-Identifier: MIT
 * Parts beside each other: their boxes do not overlap, whatever their sizes. */
#include "check.h"

#include "draw/figure/beside_boxes.h"

static bool overlap(struct box x, struct box y)
{
    return x.x + x.w > y.x + 1e-9 && y.x + y.w > x.x + 1e-9 && x.y + x.h > y.y + 1e-9 &&
           y.y + y.h > x.y + 1e-9;
}

static bool is_whole(struct box b)
{
    return b.x == floor(b.x) && b.y == floor(b.y);
}

static void check_box(const struct beside_boxes *b, const struct beside_sizes *s, struct box box)
{
    assert_true(box.x >= 0.0 && box.y >= 0.0 && box.x + box.w <= b->width + 1e-9 &&
                box.y + box.h <= b->height + 1e-9);
    if (s->units.whole)
        assert_true(is_whole(box));
}

static void check_sizes(const struct beside_sizes *s)
{
    struct beside_boxes b;
    struct arena a;

    arena_init(&a, NULL, NULL);
    beside_make(&b, s, &a);
    for (int i = 0; i < s->n; i++) {
        check_box(&b, s, b.part[i]);
        check_box(&b, s, b.heading[i]);
        assert_true(b.part[i].w == s->part[i].w && b.part[i].h == s->part[i].h);
        assert_true(b.heading[i].w == beside_column(s, i % s->columns));
        assert_true(b.heading[i].y + b.heading[i].h <= b.part[i].y + 1e-9);
        assert_true(b.part[i].y == b.part[i - i % s->columns].y);      /* of a row */
        for (int k = 0; k < i; k++) {
            assert_false(overlap(b.part[i], b.part[k]));
            assert_false(overlap(b.heading[i], b.heading[k]));
            assert_false(overlap(b.part[i], b.heading[k]) || overlap(b.heading[i], b.part[k]));
        }
    }
    arena_finish(&a);
}

static void test_boxes(void **state)
{
    struct box part[16];
    double heading[16];

    (void)state;
    for (int i = 0; i < 16; i++) {
        part[i] = (struct box){ .w = 20.0 + 137.0 * (i * 7 % 11), .h = 9.0 + 71.0 * (i * 5 % 13) };
        heading[i] = i % 3 * 13.5;
    }
    for (int n = 1; n <= 16; n++)
        for (int columns = 1; columns <= n; columns++)
            for (int kind = 0; kind < 8; kind++)
                check_sizes(&(struct beside_sizes){
                    .units = { kind & 1 ? 0.72 : 1.5, !(kind & 1) }, .n = n, .columns = columns,
                    .part = part, .heading = kind & 2 ? heading : NULL, .narrow = kind & 4,
                });
}

/* What each of them has on a page makes a page again. */
static void test_room(void **state)
{
    struct box part[8];

    (void)state;
    for (double width = 160.0; width <= 1600.0; width += 30.0)
        for (int columns = 1; columns <= 8; columns++)
            for (int whole = 0; whole < 2; whole++) {
                struct beside_sizes s = { .units = { 1.0, whole }, .n = columns,
                                          .columns = columns, .part = part, .narrow = true };
                double room = beside_room(s.units, width, columns, 25.0);
                struct beside_boxes b;
                struct arena a;

                arena_init(&a, NULL, NULL);
                for (int i = 0; i < columns; i++)
                    part[i] = (struct box){ .w = room + (i == columns - 1 ? 25.0 : 0.0), .h = 9.0 };
                beside_make(&b, &s, &a);
                if (room > 0.0) {
                    assert_true(b.width + 2.0 * LAYOUT_NARROW_MARGIN <= width + 1e-9);
                    assert_true(b.width + 2.0 * LAYOUT_NARROW_MARGIN + columns > width);
                }
                arena_finish(&a);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
