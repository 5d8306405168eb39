/* SPDX-License-Identifier: MIT
 * Curves read back from their PNGs: lines, dots and intervals stand where the data say, and the
 * legend has their colours. */
#include <math.h>

#include "draw/curve.h"
#include "draw/pen.h"
#include "image/figure.h"
#include "image/png_read.h"

enum { N = 6, LINES = 3, MANY = 30 };

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

static unsigned rgb_of(int pen)
{
    const unsigned char *rgb = pen_colour(pen);

    return (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2];
}

static int count_pixels(const struct picture *p, unsigned rgb)
{
    int n = 0;

    for (int y = 0; y < p->h; y++)
        for (int x = 0; x < p->w; x++)
            n += (unsigned)picture_at(p, x, y) == rgb;
    return n;
}

struct sample_curve {
    double x[N], y[MANY][N], low[MANY][N], high[MANY][N];
    char name[MANY][8];
    struct curve_line line[MANY];
    struct curve curve;
};

static void fill(struct sample_curve *s, int n_lines)
{
    for (int i = 0; i < n_lines; i++) {
        for (int k = 0; k < N; k++) {
            s->x[k] = k;
            s->y[i][k] = 10.0 * i + (k * k) % 7 + 1.0;
            s->low[i][k] = s->high[i][k] = NAN;
        }
        snprintf(s->name[i], sizeof s->name[i], "L%dH0", i);
        s->line[i] = (struct curve_line){ s->name[i], s->y[i], s->low[i], s->high[i] };
    }
    s->curve = (struct curve){ .n = N, .x = s->x, .n_lines = n_lines, .line = s->line,
                               .x_name = "layer", .y_name = "entropy" };
}

static void check_lines(double width_px, int dpi)
{
    struct sample_curve s = { { 0 } };
    struct part part = curve_part(&s.curve);
    struct sheet sheet = { .dpi = dpi, .n_parts = 1, .parts = &part, .width_px = width_px,
                           .font_px = width_px > 0.0 ? 8.0 : 0.0 };
    struct picture p;
    struct arena a;

    fill(&s, LINES);
    s.y[1][3] = NAN;
    arena_init(&a, NULL, NULL);
    draw(&sheet, &p);
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k < N; k++) {
            struct box at;

            if (isnan(s.y[i][k]))
                continue;
            at = curve_point(&sheet, &a, k, s.y[i][k]);
            assert_int_equal(picture_at(&p, (int)at.x, (int)at.y), rgb_of(i));
        }
    for (int i = 0; i < LINES; i++)
        assert_true(count_pixels(&p, rgb_of(i)) > 100);         /* with the legend */
    assert_int_equal(count_pixels(&p, rgb_of(LINES)), 0);
    if (width_px > 0.0)
        assert_int_equal(p.w, (int)(width_px * dpi / 100.0));
    picture_free(&p);
    arena_finish(&a);
}

static void test_lines(void **state)
{
    (void)state;
    check_lines(0.0, 100);
    check_lines(0.0, 200);
    check_lines(335.0, 300);
}

/* Within the interval the ground is not white, above and below it is. */
static void test_intervals(void **state)
{
    struct sample_curve s = { { 0 } };
    struct part part = curve_part(&s.curve);
    struct sheet sheet = { .dpi = 100, .n_parts = 1, .parts = &part };
    struct picture p;
    struct arena a;
    struct box in, out;

    (void)state;
    fill(&s, 1);
    for (int k = 0; k < N; k++) {
        s.low[0][k] = s.y[0][k] - 1.0;
        s.high[0][k] = s.y[0][k] + 1.0;
    }
    arena_init(&a, NULL, NULL);
    draw(&sheet, &p);
    for (int k = 1; k < N - 1; k++) {
        in = curve_point(&sheet, &a, k, s.y[0][k] + 0.6);
        out = curve_point(&sheet, &a, k, s.y[0][k] + 1.6);
        assert_true(picture_at(&p, (int)in.x, (int)in.y) != 0xffffff);
        if (out.y > 10.0 && fmod(s.y[0][k] + 1.6, 2.0) > 0.3)
            assert_true((unsigned)picture_at(&p, (int)out.x, (int)out.y) >= 0xe0e0e0);
    }
    picture_free(&p);
    arena_finish(&a);
}

/* More lines than pens have one ink, and no legend. */
static void test_many(void **state)
{
    struct sample_curve s = { { 0 } };
    struct part part = curve_part(&s.curve);
    struct sheet sheet = { .dpi = 100, .n_parts = 1, .parts = &part };
    struct picture few, many;

    (void)state;
    fill(&s, MOST_PENS);
    assert_true(curve_has_legend(&s.curve));
    draw(&sheet, &few);
    fill(&s, MANY);
    assert_false(curve_has_legend(&s.curve));
    draw(&sheet, &many);
    assert_true(many.h < few.h);
    for (int i = 0; i < PEN_TONES; i++) {
        assert_true(count_pixels(&few, rgb_of(i)) > 0);
        assert_int_equal(count_pixels(&many, rgb_of(i)), 0);
    }
    picture_free(&few);
    picture_free(&many);
}

static void expect_span(double first, double last, double interval, double low, double high)
{
    const double x[] = { 0.0, 1.0 }, y[] = { first, last }, none[] = { NAN, NAN };
    const double below[] = { NAN, last - interval }, above[] = { NAN, last + interval };
    const struct curve_line line = { "", y, interval > 0.0 ? below : none,
                                     interval > 0.0 ? above : none };
    const struct curve curve = { .n = 2, .x = x, .n_lines = 1, .line = &line };
    struct curve_span span = curve_span(&curve);

    assert_true(fabs(span.low - low) < 1e-9 && fabs(span.high - high) < 1e-9);
}

static void test_span(void **state)
{
    (void)state;
    expect_span(1.0, 10.0, 0.0, 0.0, 10.36);            /* zero is near */
    expect_span(90.0, 100.0, 0.0, 89.6, 100.4);
    expect_span(-1.0, 1.0, 0.0, -1.08, 1.08);
    expect_span(3.0, 3.0, 0.0, 2.5, 3.5);
    expect_span(90.0, 100.0, 2.0, 89.52, 102.48);
    expect_span(90.0, 100.0, 1000.0, 84.2, 105.8);      /* as far as half of the range */
    expect_span((double)NAN, (double)NAN, 0.0, 0.0, 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_many), cmocka_unit_test(test_span),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image curve", tests, NULL, NULL);
}
