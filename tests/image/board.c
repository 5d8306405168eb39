/* SPDX-License-Identifier: MIT
 * Boards and scatters read back from their PNGs: the colours of cells, thumbnails and points are
 * those of the data. */
#include <math.h>

#include "draw/figure/board.h"
#include "draw/figure/scatter.h"
#include "image/figure.h"
#include "image/png_read.h"

enum { ROWS = 3, COLS = 5, N = ROWS * COLS };

static void init(struct arena *a)
{
    arena_init(a, NULL, NULL);
}

static unsigned rgb_of(const struct cmap *cmap, int index)
{
    const unsigned char *rgb = cmap_colour(cmap, index);

    return (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2];
}

/* Its only part is the board's. */
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

static unsigned pixel(const struct picture *p, double x, double y)
{
    return (unsigned)picture_at(p, (int)x, (int)y);
}

/* ---- numbers ---- */

static void check_numbers(double width_px, float missing)
{
    float value[N];
    struct panel panel = { NULL, ROWS, COLS, value };
    struct heatmaps maps = { .n_panels = 1, .panels = &panel, .columns = 1, .pool = 1,
                             .cmap = cmap_find("viridis"), .vmin = NAN, .vmax = NAN };
    struct board board = { .n_rows = ROWS, .n_cols = COLS, .maps = &maps };
    struct part part = board_part(&board);
    struct sheet sheet = { .dpi = 100, .n_parts = 1, .parts = &part, .width_px = width_px,
                           .font_px = width_px > 0.0 ? 8.0 : 0.0 };
    struct box cell[N];
    struct picture p;
    struct arena a;

    for (int i = 0; i < N; i++)
        value[i] = i == 7 ? missing : (float)(i * i) / 10.0f - 3.0f;
    init(&a);
    board_cells(&sheet, &a, cell);
    draw(&sheet, &p);
    for (int i = 0; i < N; i++) {
        unsigned want = isnan(value[i]) ? 0xd0d0d0 :
                        rgb_of(maps.cmap, scale_index(SCALE_LINEAR, value[i], value[0],
                                                      value[N - 1]));

        /* At the corners: the number stands in the middle. */
        assert_int_equal(pixel(&p, cell[i].x, cell[i].y), want);
        assert_int_equal(pixel(&p, cell[i].x + cell[i].w - 1, cell[i].y + cell[i].h - 1), want);
        assert_true(cell[i].x + cell[i].w <= p.w && cell[i].y + cell[i].h <= p.h);
    }
    picture_free(&p);
    arena_finish(&a);
}

static void test_numbers(void **state)
{
    (void)state;
    check_numbers(0.0, 1.0f);
    check_numbers(0.0, NAN);
    check_numbers(335.0, 1.0f);
    check_numbers(157.0, 1.0f);
}

/* ---- thumbnails ---- */

enum { TOKENS = 7 };

static void check_thumbnails(double width_px, int dpi, bool shared)
{
    float value[N][TOKENS * TOKENS];
    struct panel panel[N];
    struct heatmaps maps = { .n_panels = N, .panels = panel, .columns = 1, .pool = 1,
                             .cmap = cmap_find("magma"), .vmin = NAN, .vmax = NAN,
                             .shared = shared };
    struct board board = { .n_rows = ROWS, .n_cols = COLS, .maps = &maps, .thumbnails = true };
    struct part part = board_part(&board);
    struct sheet sheet = { .dpi = dpi, .n_parts = 1, .parts = &part, .width_px = width_px,
                           .font_px = width_px > 0.0 ? 8.0 : 0.0 };
    struct box cell[N];
    struct picture p;
    struct arena a;

    for (int i = 0; i < N; i++) {
        for (int k = 0; k < TOKENS * TOKENS; k++)
            value[i][k] = k % TOKENS > k / TOKENS ? NAN : (float)(k * (i + 1) % 50) / 50.0f;
        value[i][0] = 0.0f;
        value[i][TOKENS * TOKENS - 1] = shared ? 1.0f : 0.5f + (float)i;
        panel[i] = (struct panel){ NULL, i == 4 ? 0 : TOKENS, TOKENS, value[i] };
    }
    init(&a);
    board_cells(&sheet, &a, cell);
    draw(&sheet, &p);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < TOKENS * TOKENS; k++) {
            double x = cell[i].x + (k % TOKENS + 0.5) * cell[i].w / TOKENS;
            double y = cell[i].y + (k / TOKENS + 0.5) * cell[i].h / TOKENS;
            float hi = shared ? 1.0f : fmaxf(value[i][TOKENS * TOKENS - 1], 0.98f);
            unsigned want = isnan(value[i][k]) ? 0xd0d0d0 :
                            rgb_of(maps.cmap, scale_index(SCALE_LINEAR, value[i][k], 0.0f, hi));

            if (i == 4)
                assert_int_equal(pixel(&p, x, y), 0xffffff);    /* no head is there */
            else if (shared || value[i][TOKENS * TOKENS - 1] >= 0.98f)
                assert_int_equal(pixel(&p, x, y), want);
        }
    picture_free(&p);
    arena_finish(&a);
}

static void test_thumbnails(void **state)
{
    (void)state;
    check_thumbnails(0.0, 100, true);
    check_thumbnails(0.0, 100, false);
    check_thumbnails(200.0, 100, true);
    check_thumbnails(685.0, 300, false);
}

/* ---- kinds ---- */

static void test_kinds(void **state)
{
    static const char *const name[] = { "broad", "local", "previous" };
    static const short of[] = { 0, 1, 2, 0, BOARD_NO_KIND, BOARD_NO_CELL };
    const struct board_kinds kinds = { 3, name, of };
    struct board board = { .n_rows = 2, .n_cols = 3, .kinds = &kinds };
    struct part part = board_part(&board);
    struct sheet sheet = { .dpi = 100, .n_parts = 1, .parts = &part };
    struct box cell[6];
    unsigned colour[6];
    struct picture p;
    struct arena a;

    (void)state;
    init(&a);
    board_cells(&sheet, &a, cell);
    draw(&sheet, &p);
    for (int i = 0; i < 6; i++)
        colour[i] = pixel(&p, cell[i].x, cell[i].y);
    assert_int_equal(colour[0], colour[3]);
    assert_true(colour[0] != colour[1] && colour[1] != colour[2] && colour[0] != colour[2]);
    assert_true(colour[4] != 0xffffff && colour[4] != colour[0]);
    assert_int_equal(colour[5], 0xffffff);
    picture_free(&p);
    arena_finish(&a);
}

/* ---- points ---- */

static void test_points(void **state)
{
    static const struct scatter_point point[] = {
        { 0.0, 0.0, "L0H0", -1 }, { 2.0, 0.0, "L0H1", -1 }, { 0.0, 1.0, "L1H0", -1 },
    };
    static const float shade[] = { 0.0f, 0.0f, 1.0f };
    struct scatter scatter = { .n = 3, .point = point, .shade = shade,
                               .cmap = cmap_find("viridis"), .shade_name = "layer",
                               .unit = "" };
    struct part part = scatter_part(&scatter);
    struct sheet sheet = { .dpi = 100, .n_parts = 1, .parts = &part };
    struct box at[3], name[3];
    struct picture p;
    struct arena a;

    (void)state;
    init(&a);
    scatter_boxes(&sheet, &a, at, name);
    draw(&sheet, &p);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pixel(&p, at[i].x + at[i].w / 2.0, at[i].y + at[i].h / 2.0),
                         rgb_of(scatter.cmap, shade[i] > 0.0f ? 255 : 0));
        assert_true(name[i].w > 0.0);
    }
    /* Both axes have one scale, and y goes up. */
    assert_true(fabs((at[1].x - at[0].x) - 2.0 * (at[0].y - at[2].y)) < 1e-6);
    assert_true(at[1].x > at[0].x && at[1].y == at[0].y && at[2].x == at[0].x);
    picture_free(&p);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_thumbnails),
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_points),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image board", tests, NULL, NULL);
}
