/* SPDX-License-Identifier: MIT
 * Bars read back from their PNG: each as long as its number, dark as far as its inner one. */
#include <math.h>

#include "draw/figure/bars.h"
#include "draw/pen.h"
#include "image/figure.h"
#include "image/png_read.h"

enum { N = 4 };

static const struct bar bars[N] = {
    { "load", "8 ms", 8, 0 }, { "linear 384 → 1536", "4 ms, 50 %", 4, 2 },
    { "attention", "1 ms", 1, 1 }, { "other", "0 ms", 0, 0 },
};

static void draw(const struct sheet *sheet, struct picture *p)
{
    struct folder d;
    struct err e = { ERR_NONE, "" };

    folder_init(&d);
    if (sheet_write(sheet, DRAW_PNG, folder_file(&d, "a.png"), NULL, &e) != 0)
        fail_msg("%s", e.msg);
    assert_int_equal(picture_read(p, folder_file(&d, "a.png")), 0);
    folder_finish(&d);
}

/* Pixels from x on, in the row y, that are of the dark colour; or that are not white. */
static int run_of(const struct picture *p, int x, int y, bool dark)
{
    const unsigned char *rgb = pen_colour(0);
    unsigned colour = (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2];
    int n = 0;

    while (x + n < p->w && (dark ? (unsigned)picture_at(p, x + n, y) == colour :
                                   (unsigned)picture_at(p, x + n, y) != 0xffffff))
        n++;
    return n;
}

static void check(double width_px, int dpi, bool no_labels)
{
    const struct bars shown = { N, bars, no_labels };
    struct part part = bars_part(&shown);
    struct sheet sheet = { .dpi = dpi, .n_parts = 1, .parts = &part, .width_px = width_px };
    struct picture p;
    struct arena a;
    struct box first;

    arena_init(&a, NULL, NULL);
    draw(&sheet, &p);
    first = bars_box(&sheet, &a, 0);
    for (int i = 0; i < N; i++) {
        struct box box = bars_box(&sheet, &a, i);
        int x = (int)lround(box.x), y = (int)lround(box.y + box.h / 2);

        assert_true(fabs(box.w - first.w * bars[i].length / 8) <= 1);
        assert_true(abs(run_of(&p, x, y, false) - (int)lround(box.w)) <= 1);
        assert_true(abs(run_of(&p, x, y, true) - (int)lround(
            bars[i].length > 0 ? box.w * bars[i].inner / bars[i].length : 0)) <= 1);
        assert_true(i == 0 || box.y > bars_box(&sheet, &a, i - 1).y + box.h);
        assert_true(box.x + box.w <= p.w);
    }
    picture_free(&p);
    arena_finish(&a);
}

static void test_lengths(void **state)
{
    (void)state;
    check(0.0, 100, false);
    check(0.0, 200, false);
    check(0.0, 100, true);
}

static void test_widths(void **state)
{
    (void)state;
    for (double mm = 60; mm <= 400; mm += 85)
        check(mm / 25.4 * 100, 100, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_widths),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image bars", tests, NULL, NULL);
}
