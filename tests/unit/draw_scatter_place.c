/* SPDX-License-Identifier: MIT
 * Names of points: within the frame, on no point, and none over another. */
#include "check.h"

#include "draw/figure/scatter_place.h"

enum { MOST = 400 };

static bool apart(struct box a, struct box b)
{
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
}

static unsigned draw_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

/* Returns how many names have a place. */
static int check_places(const struct scatter_spot *spot, int n, struct box frame)
{
    struct box label[MOST];
    int placed = 0;

    scatter_place(label, spot, n, frame);
    for (int i = 0; i < n; i++) {
        if (label[i].w <= 0.0)
            continue;
        placed++;
        assert_true(label[i].w == spot[i].w && label[i].h == spot[i].h);
        assert_true(label[i].x >= frame.x && label[i].x + label[i].w <= frame.x + frame.w);
        assert_true(label[i].y >= frame.y && label[i].y + label[i].h <= frame.y + frame.h);
        for (int k = 0; k < i; k++)
            assert_true(label[k].w <= 0.0 || apart(label[i], label[k]));
        for (int k = 0; k < n; k++)
            assert_true(apart(label[i], (struct box){ spot[k].x - spot[k].r,
                                                      spot[k].y - spot[k].r, 2.0 * spot[k].r,
                                                      2.0 * spot[k].r }));
    }
    return placed;
}

static void test_alone(void **state)
{
    const struct scatter_spot spot = { 50.0, 50.0, 3.0, 20.0, 8.0 };
    const struct scatter_spot edge = { 97.0, 50.0, 3.0, 20.0, 8.0 };
    const struct box frame = { 0.0, 0.0, 100.0, 100.0 };
    struct box label;

    (void)state;
    scatter_place(&label, &spot, 1, frame);
    assert_true(label.x > 53.0 && label.x < 56.0 && label.y == 46.0);   /* to its right */
    scatter_place(&label, &edge, 1, frame);
    assert_true(label.x + label.w < 94.0 && label.y == 46.0);           /* to its left */
    scatter_place(&label, &spot, 1, (struct box){ 45.0, 45.0, 10.0, 10.0 });
    assert_true(label.w == 0.0);
}

static void test_many(void **state)
{
    static const int count[] = { 2, 24, 144, MOST };
    struct scatter_spot spot[MOST];
    unsigned seed = 7;

    (void)state;
    for (int i = 0; i < 4; i++) {
        double side = 100.0 * (i + 1);

        for (int k = 0; k < count[i]; k++)
            spot[k] = (struct scatter_spot){ draw_number(&seed) % 1000 * side / 1000.0,
                                             draw_number(&seed) % 1000 * side / 1000.0, 3.0,
                                             8.0 + draw_number(&seed) % 20, 8.0 };
        assert_true(check_places(spot, count[i], (struct box){ 0.0, 0.0, side, side }) >
                    count[i] / 4);
    }
}

/* Heads that are the same lie on each other: the first names have places around them. */
static void test_same(void **state)
{
    struct scatter_spot spot[40];
    int placed;

    (void)state;
    for (int i = 0; i < 40; i++)
        spot[i] = (struct scatter_spot){ 200.0, 200.0, 3.0, 22.0, 9.0 };
    placed = check_places(spot, 40, (struct box){ 0.0, 0.0, 400.0, 400.0 });
    assert_true(placed >= 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone), cmocka_unit_test(test_many), cmocka_unit_test(test_same),
    };

    return cmocka_run_group_tests_name("draw scatter_place", tests, NULL, NULL);
}
