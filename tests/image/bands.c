/* SPDX-License-Identifier: MIT
 * Bands read back from their PNGs: each column of a band has the colour of its number, numbers
 * stand on theirs, and a page that is too narrow says how wide it must be. */
#include <math.h>

#include "draw/figure/bands.h"
#include "draw/scale.h"
#include "image/figure.h"
#include "image/png_read.h"

enum { ROWS = 5, COLS = 16 };

struct sample_bands {
    float lead[COLS], value[ROWS][COLS], number[ROWS];
    struct bands_field field[2];
    struct bands bands;
};

static void fill(struct sample_bands *s)
{
    static const char *const label[ROWS] = { "the", "cat", "<script>", "我", "x" };

    for (int c = 0; c < COLS; c++) {
        s->lead[c] = (float)(c - 8) / 8.0f;
        for (int i = 0; i < ROWS; i++)
            s->value[i][c] = (float)((5 * i + 3 * c) % 17 - 8) / 8.0f;
    }
    for (int i = 0; i < ROWS; i++)
        s->number[i] = (float)i / ROWS;
    s->field[0] = (struct bands_field){ "k", COLS, s->value[0], cmap_find("bluered"), -1.0f, 1.0f,
                                        "q, k" };
    s->field[1] = (struct bands_field){ "softmax", 1, s->number, cmap_find("Blues"), 0.0f, 1.0f,
                                        NULL };
    s->bands = (struct bands){ .n_rows = ROWS, .rows = { ROWS, label, NULL, NULL },
                               .n_fields = 2, .field = s->field, .lead = s->lead,
                               .lead_title = "q", .lead_label = "cat" };
}

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

static unsigned rgb_of(const struct bands_field *field, float value)
{
    const unsigned char *rgb =
        cmap_colour(field->cmap, scale_index(SCALE_LINEAR, value, field->low, field->high));

    return (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2];
}

static void expect_band(const struct picture *p, const struct sheet *sheet, struct arena *a,
                        const struct bands_field *field, int i, const float *value)
{
    struct box box = bands_box(sheet, a, i, 0);

    for (int c = 0; c < COLS; c++)
        assert_int_equal(picture_at(p, (int)(box.x + (c + 0.5) * box.w / COLS),
                                    (int)(box.y + box.h / 2.0)), rgb_of(field, value[c]));
}

static void check_cells(double width_px, int dpi)
{
    struct sample_bands s = { { 0 } };
    struct part part = bands_part(&s.bands);
    struct sheet sheet = { .dpi = dpi, .n_parts = 1, .parts = &part, .width_px = width_px,
                           .font_px = width_px > 0.0 ? 8.0 : 0.0 };
    struct picture p;
    struct arena a;

    fill(&s);
    arena_init(&a, NULL, NULL);
    draw(&sheet, &p);
    expect_band(&p, &sheet, &a, &s.field[0], -1, s.lead);
    for (int i = 0; i < ROWS; i++) {
        struct box box = bands_box(&sheet, &a, i, 1);

        expect_band(&p, &sheet, &a, &s.field[0], i, s.value[i]);
        assert_int_equal(picture_at(&p, (int)box.x + 1, (int)(box.y + box.h / 2.0)),
                         rgb_of(&s.field[1], s.number[i]));
    }
    if (width_px > 0.0) {
        assert_int_equal(p.w, (int)(width_px * dpi / 100.0));
        assert_true(bands_least(&sheet, DRAW_PNG, &a) <= width_px);
    }
    picture_free(&p);
    arena_finish(&a);
}

static void test_cells(void **state)
{
    (void)state;
    check_cells(0.0, 100);
    check_cells(0.0, 250);
    check_cells(335.0, 300);
    check_cells(685.0, 200);
}

/* The number has ink of its own on the colour. */
static void test_numbers(void **state)
{
    struct sample_bands s = { { 0 } };
    struct part part = bands_part(&s.bands);
    struct sheet sheet = { .dpi = 200, .n_parts = 1, .parts = &part };
    struct picture p;
    struct arena a;

    (void)state;
    fill(&s);
    s.number[3] = NAN;          /* nothing to write, and gray */
    arena_init(&a, NULL, NULL);
    draw(&sheet, &p);
    for (int i = 0; i < ROWS; i++) {
        struct box box = bands_box(&sheet, &a, i, 1);
        unsigned ground = (unsigned)picture_at(&p, (int)box.x + 1, (int)(box.y + box.h / 2.0));
        int ink = 0;

        for (int y = (int)box.y + 2; y < (int)(box.y + box.h) - 4; y++)
            for (int x = (int)box.x + 1; x < (int)(box.x + box.w) - 1; x++)
                ink += (unsigned)picture_at(&p, x, y) != ground;
        assert_int_equal(ink > 20, i != 3);
        assert_int_equal(ground == 0xd0d0d0, i == 3);
    }
    picture_free(&p);
    arena_finish(&a);
}

/* The least width has room, and one of half of it has not. */
static void test_least(void **state)
{
    struct sample_bands s = { { 0 } };
    struct part part = bands_part(&s.bands);
    struct sheet sheet = { .dpi = 100, .n_parts = 1, .parts = &part, .width_px = 100.0,
                           .font_px = 8.0 };
    struct arena a;
    double least;

    (void)state;
    fill(&s);
    arena_init(&a, NULL, NULL);
    for (int format = DRAW_PNG; format <= DRAW_PDF; format++) {
        sheet.width_px = 60.0;
        least = bands_least(&sheet, (enum draw_format)format, &a);
        assert_true(least > 100.0);
        sheet.width_px = ceil(least);
        assert_true(bands_least(&sheet, (enum draw_format)format, &a) <= sheet.width_px);
    }
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells), cmocka_unit_test(test_numbers), cmocka_unit_test(test_least),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image bands", tests, NULL, NULL);
}
