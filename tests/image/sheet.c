/* SPDX-License-Identifier: MIT
 * Sheets: to memory the same bytes as to a file, several parts, a PNG's resolution. */
#include "image/figure.h"
#include "image/png_read.h"

static void test_bytes(void **state)
{
    struct sample s;
    struct folder d;

    (void)state;
    folder_init(&d);
    sample_init(&s, 3, 5, 5, true);
    sample_labels(&s, 5, "word");
    s.sheet.title = "Title";
    for (int i = 0; i < N_DRAW_FORMAT; i++) {
        struct part part;
        struct sheet sheet = sample_sheet(&s, &part);
        struct err e;
        char *file, *memory;
        size_t n, m;

        draw_ok(&s, (enum draw_format)i, folder_file(&d, "a"));
        file = slurp(folder_file(&d, "a"), &n);
        assert_int_equal(sheet_bytes(&sheet, (enum draw_format)i, &memory, &m, NULL, &e),
                         0);
        assert_int_equal(n, m);
        assert_memory_equal(file, memory, n);
        free(file);
        free(memory);
    }
    sample_finish(&s);
    assert_int_equal(folder_finish(&d), 1);
}

static void test_bytes_too_large(void **state)
{
    struct part part;
    struct sheet sheet;
    struct sample s;
    struct err e;
    char *data = (char *)&s;
    size_t size = 1;

    (void)state;
    sample_init(&s, 1, 200, 200, false);
    s.maps.cell_px = 200;
    sheet = sample_sheet(&s, &part);
    assert_int_equal(sheet_bytes(&sheet, DRAW_PNG, &data, &size, NULL, &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    assert_non_null(strstr(e.msg, "picture: a picture of 40"));
    assert_null(data);
    assert_int_equal(size, 0);
    sample_finish(&s);
}

/* Two grids on one sheet: both are there, one below the other. */
static void test_two_parts(void **state)
{
    struct sample s, t;
    struct part part[2];
    struct sheet sheet;
    struct folder d;
    struct picture both, one;
    struct err e;
    bool white = true;

    (void)state;
    folder_init(&d);
    sample_init(&s, 1, 4, 4, false);
    sample_init(&t, 2, 6, 6, true);
    s.maps.cell_px = t.maps.cell_px = 20;
    draw_ok(&s, DRAW_PNG, folder_file(&d, "one.png"));
    assert_int_equal(picture_read(&one, folder_file(&d, "one.png")), 0);
    sheet = sample_sheet(&s, &part[0]);
    part[1] = heatmap_part(&t.maps);
    sheet.n_parts = 2;
    assert_int_equal(sheet_write(&sheet, DRAW_PNG, folder_file(&d, "two.png"), NULL, &e),
                     0);
    assert_int_equal(picture_read(&both, folder_file(&d, "two.png")), 0);
    assert_true(both.w > one.w && both.h > 2 * one.h - 28);
    for (int y = 0; y < 14; y++)        /* between them is the gap of 20 pixels */
        for (int x = 0; x < both.w; x++)
            white = white && picture_at(&both, x, one.h - 14 + 3 + y) == 0xffffff;
    assert_true(white);
    picture_free(&one);
    picture_free(&both);
    sample_finish(&s);
    sample_finish(&t);
    folder_finish(&d);
}

/* pHYs as the bytes have it: both axes, and 1 for the metre. */
static void expect_dpi(int dpi, const char *phys)
{
    struct folder d;
    struct sample s;
    char *png, *at;
    size_t n;

    folder_init(&d);
    sample_init(&s, 1, 2, 2, false);
    s.sheet.dpi = dpi;
    draw_ok(&s, DRAW_PNG, folder_file(&d, "a.png"));
    png = slurp(folder_file(&d, "a.png"), &n);
    at = memmem(png, n, "pHYs", 4);
    assert_non_null(at);
    assert_memory_equal(at + 4, phys, 9);
    free(png);
    sample_finish(&s);
    folder_finish(&d);
}

static void test_dpi(void **state)
{
    (void)state;
    expect_dpi(100, "\0\0\x0f\x61\0\0\x0f\x61\1");      /* 3937 per metre */
    expect_dpi(72, "\0\0\x0b\x13\0\0\x0b\x13\1");       /* 2834.6 */
    expect_dpi(300, "\0\0\x2e\x23\0\0\x2e\x23\1");      /* 11811.02 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes), cmocka_unit_test(test_bytes_too_large),
        cmocka_unit_test(test_two_parts), cmocka_unit_test(test_dpi),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image sheet", tests, NULL, NULL);
}
