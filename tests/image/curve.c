/* SPDX-License-Identifier: MIT
 * Curves read back from their PNGs: lines, dots and intervals stand where the data say, and the
 * legend has their colours. */
#include <math.h>

#include "draw/figure/curve.h"
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

/* ---- bins ---- */

static void test_bin_size(void **state)
{
    (void)state;
    assert_int_equal(curve_bin_size(1, 100.0), 1);
    assert_int_equal(curve_bin_size(100, 100.0), 1);
    assert_int_equal(curve_bin_size(101, 100.0), 2);
    assert_int_equal(curve_bin_size(201, 100.0), 5);
    assert_int_equal(curve_bin_size(2000, 173.3), 20);
    assert_int_equal(curve_bin_size(11, -5.0), 2);      /* at least 10 bins */
    assert_int_equal(curve_bin_size(2000000000, 1.0), 200000000);
}

enum { PLACES = 2003, BIN = 20, BINS = 101 };

/* A saw from 0 to 19 in each bin; those of the second bin have no number, all but the last three
 * of the others an interval of 1 to each side. */
static struct curve_line saw(struct arena *a, bool intervals)
{
    double *v[3];

    for (int i = 0; i < 3; i++) {
        v[i] = arena_alloc(a, PLACES, sizeof *v[i]);
        for (int k = 0; k < PLACES; k++)
            v[i][k] = k / BIN == 1 || (i > 0 && (!intervals || k >= PLACES - 3)) ?
                          (double)NAN : k % BIN + (i == 1 ? -1.0 : i == 2 ? 1.0 : 0.0);
    }
    return (struct curve_line){ "L0H0", v[0], v[1], v[2] };
}

static void check_bin(const struct curve *binned, int i, double x, double y, double low,
                      double high)
{
    const struct curve_line *line = binned->line;

    assert_true(binned->x[i] == x && line->y[i] == y);
    assert_true(line->low[i] == low || (isnan(low) && isnan(line->low[i])));
    assert_true(line->high[i] == high || (isnan(high) && isnan(line->high[i])));
}

static struct curve bins_of(struct arena *a, int n_lines, bool intervals)
{
    double *x = arena_alloc(a, PLACES, sizeof *x);
    struct curve_line *line = arena_alloc(a, (size_t)n_lines, sizeof *line);
    struct curve curve = { .n = PLACES, .x = x, .n_lines = n_lines, .line = line,
                           .x_name = "position", .y_name = "entropy" };

    for (int k = 0; k < PLACES; k++)
        x[k] = k;
    for (int i = 0; i < n_lines; i++)
        line[i] = saw(a, intervals);
    return curve_in_bins(&curve, BIN, a);
}

static void test_bins(void **state)
{
    struct curve binned;
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    binned = bins_of(&a, 1, false);
    assert_int_equal(binned.n, BINS);
    assert_true(binned.whole);
    check_bin(&binned, 0, 9.5, 9.5, 0.0, 19.0);
    assert_true(isnan(binned.line->y[1]) && isnan(binned.line->low[1]));
    check_bin(&binned, BINS - 1, 2001.0, 1.0, 0.0, 2.0);        /* of three places */
    binned = bins_of(&a, 1, true);
    assert_false(binned.whole);
    check_bin(&binned, 2, 49.5, 9.5, 8.5, 10.5);
    check_bin(&binned, BINS - 1, 2001.0, 1.0, (double)NAN, (double)NAN);
    binned = bins_of(&a, 5, false);                             /* too many for bands */
    assert_false(binned.whole);
    check_bin(&binned, 0, 9.5, 9.5, (double)NAN, (double)NAN);
    arena_finish(&a);
}

/* The line, the band up to the largest number, and white beyond it. */
static void test_bins_drawn(void **state)
{
    struct arena a;
    struct curve binned = { 0 };
    struct part part = curve_part(&binned);
    struct sheet sheet = { .dpi = 200, .n_parts = 1, .parts = &part };
    struct picture p;

    (void)state;
    arena_init(&a, NULL, NULL);
    binned = bins_of(&a, 1, false);
    draw(&sheet, &p);
    for (int i = 3; i < BINS - 2; i++) {
        struct box mean = curve_point(&sheet, &a, i, 9.5);
        struct box in = curve_point(&sheet, &a, i, 18.6), above = curve_point(&sheet, &a, i, 19.4);

        assert_int_equal(picture_at(&p, (int)mean.x, (int)mean.y), rgb_of(0));
        assert_true((unsigned)picture_at(&p, (int)in.x, (int)in.y) != 0xffffff);
        assert_int_equal(picture_at(&p, (int)above.x, (int)above.y), 0xffffff);
    }
    picture_free(&p);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_many), cmocka_unit_test(test_span),
        cmocka_unit_test(test_bin_size), cmocka_unit_test(test_bins),
        cmocka_unit_test(test_bins_drawn),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image curve", tests, NULL, NULL);
}
