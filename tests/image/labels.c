/* SPDX-License-Identifier: MIT
 * Ink of labels: it is there, it does not touch, nothing is cut off, and what no
 * font has is said once. */
#include "draw/page.h"
#include "image/figure.h"
#include "image/png_read.h"

static void draw_and_read(struct sample *s, struct picture *p,
                          struct box *box, struct heard *heard)
{
    struct warn w = { hear, heard };
    struct err e = { ERR_NONE, "" };
    struct folder d;
    struct arena a;
    double width, height;

    *heard = (struct heard){ 0, "" };
    folder_init(&d);
    arena_init(&a, NULL, NULL);
    sample_boxes(s, &a, box, &width, &height);
    if (sample_write(s, DRAW_PNG, folder_file(&d, "a.png"), &w, &e) != 0)
        fail_msg("%s", e.msg);
    assert_int_equal(picture_read(p, folder_file(&d, "a.png")), 0);
    arena_finish(&a);
    folder_finish(&d);
}

static bool is_ink(uint32_t rgb)
{
    return (rgb & 0xff) < 0xf0;
}

/* Bands of rows (or columns) of pixels with ink, in x0..x1, y0..y1. */
static int bands(const struct picture *p, int x0, int y0, int x1, int y1, bool across)
{
    int n = 0, lines = across ? x1 - x0 : y1 - y0, length = across ? y1 - y0 : x1 - x0;
    bool before = false;

    for (int i = 0; i < lines; i++) {
        bool ink = false;

        for (int k = 0; k < length; k++)
            ink = ink || is_ink(across ? picture_at(p, x0 + i, y0 + k) :
                                picture_at(p, x0 + k, y0 + i));
        n += ink && !before;
        before = ink;
    }
    return n;
}

/* Labels left of a panel's ticks, and below them. */
static int row_labels(const struct picture *p, struct box b)
{
    int reach = (int)fmin(b.y, 8.0);

    return bands(p, 0, (int)b.y - reach, (int)b.x - 5, (int)(b.y + b.h) + 4, false);
}

static int col_labels(const struct picture *p, struct box b)
{
    int reach = (int)fmin(b.x, 8.0);

    return bands(p, (int)b.x - reach, (int)(b.y + b.h) + 6, (int)(b.x + b.w) + 4, p->h,
                 true);
}

static void check_counts(struct sample *s, int want)
{
    struct box box[MAX_PANELS];
    struct heard heard;
    struct picture p;

    draw_and_read(s, &p, box, &heard);
    assert_int_equal(row_labels(&p, box[0]), want);
    assert_int_equal(col_labels(&p, box[0]), want);
    assert_int_equal(heard.n, 0);
    for (int x = 0; x < p.w; x++)               /* nothing reaches the edge */
        assert_false(is_ink(picture_at(&p, x, 0)) ||
                     is_ink(picture_at(&p, x, p.h - 1)));
    for (int y = 0; y < p.h; y++)
        assert_false(is_ink(picture_at(&p, 0, y)) ||
                     is_ink(picture_at(&p, p.w - 1, y)));
    picture_free(&p);
}

/* "Hgx" has an ascender and a descender: if lines touched, bands would merge. */
static void test_thinning(void **state)
{
    static const struct { int n, cell, pool, want; } table[] = {
        { 5, 24, 1, 5 }, { 16, 18, 1, 16 }, { 30, 11, 1, 30 }, { 40, 10, 1, 40 },
        { 64, 9, 1, 64 }, { 40, 8, 1, 20 }, { 64, 5, 1, 32 }, { 64, 4, 1, 22 },
        { 64, 1, 1, 4 }, { 32, 5, 2, 16 }, { 16, 9, 4, 16 },
    };

    need_dejavu();
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sample s;
        int tokens = table[i].n * table[i].pool;

        sample_init(&s, 1, table[i].n, table[i].n, true);
        sample_labels(&s, tokens < MAX_LABELS ? tokens : MAX_LABELS, "Hgx");
        s.maps.cell_px = table[i].cell;
        s.maps.pool = table[i].pool;
        check_counts(&s, table[i].want - (table[i].cell == 4 ? 6 : 0));
        sample_finish(&s);
    }
}

static void test_dpi(void **state)
{
    struct sample s;

    need_dejavu();
    (void)state;
    sample_init(&s, 1, 20, 20, true);
    sample_labels(&s, 20, "Hgx");
    s.maps.cell_px = 16;
    for (int dpi = 75; dpi <= 300; dpi += 25) {
        struct box box[MAX_PANELS];
        struct heard heard;
        struct picture p;

        s.sheet.dpi = dpi;
        draw_and_read(&s, &p, box, &heard);
        assert_int_equal(bands(&p, 0, 0, (int)(box[0].x - 5 * dpi / 100.0), p.h,
                               false), 20);
        picture_free(&p);
    }
    sample_finish(&s);
}

/* Empty and hostile labels: a line each. */
static void test_hostile(void **state)
{
    struct sample s;

    need_dejavu();
    (void)state;
    sample_init(&s, 1, 9, 9, true);
    sample_labels(&s, 9, "Hgx");
    s.label[1] = "Donaudampfschifffahrtsgesellschaft";
    s.label[3] = "a\nb\nc";
    s.label[4] = "\u202eabc";
    s.label[5] = "<span size='99999'>x</span>";
    s.label[6] = "\xe6\x88";
    s.label[7] = " ";
    s.maps.cell_px = 16;
    check_counts(&s, 9);
    s.label[7] = "";
    check_counts(&s, 8);
    sample_finish(&s);
}

/* A tower of combining marks is cut at its slot: other pixels stay. */
static void test_tower(void **state)
{
    static char tower[4002];
    struct box box[MAX_PANELS];
    struct picture with, without;
    struct heard heard;
    struct sample s;

    need_dejavu();
    (void)state;
    tower[0] = 'x';
    for (int i = 1; i < 4001; i += 2)
        memcpy(tower + i, "\u0301", 2);
    sample_init(&s, 1, 9, 9, true);
    sample_labels(&s, 9, "wide enough");
    s.maps.cell_px = 16;
    s.label[4] = "x";
    draw_and_read(&s, &without, box, &heard);
    s.label[4] = tower;
    draw_and_read(&s, &with, box, &heard);
    assert_int_equal(with.w, without.w);
    assert_int_equal(with.h, without.h);
    for (int y = 0; y < with.h; y++)
        for (int x = 0; x < with.w; x++) {
            bool row = x < box[0].x && (int)(y - box[0].y) / 16 == 4;
            bool col = y > box[0].y + box[0].h && (int)(x - box[0].x) / 16 == 4;

            if (!row && !col)
                assert_int_equal(picture_at(&with, x, y),
                                 picture_at(&without, x, y));
        }
    picture_free(&with);
    picture_free(&without);
    sample_finish(&s);
}

static void test_nothing_to_say(void **state)
{
    struct box box[MAX_PANELS];
    struct sample s;
    struct heard heard;
    struct picture p;

    (void)state;
    sample_init(&s, 1, 9, 9, true);
    s.panel[0].title = NULL;
    draw_and_read(&s, &p, box, &heard);
    assert_int_equal(row_labels(&p, box[0]), 0);
    assert_int_equal(col_labels(&p, box[0]), 0);
    picture_free(&p);
    sample_finish(&s);
}

/* The length of a label counts, not its NUL. */
static void test_sizes(void **state)
{
    static const size_t size[] = { 3, 1, 5 };
    struct box box[2][MAX_PANELS];
    struct heard heard;
    struct picture p;
    struct sample s;

    (void)state;
    sample_init(&s, 1, 3, 3, true);
    sample_labels(&s, 3, "a\0b\0c\0d");
    s.maps.rows.size = s.maps.cols.size = size;
    draw_and_read(&s, &p, box[0], &heard);
    picture_free(&p);
    s.maps.rows.size = s.maps.cols.size = NULL;
    draw_and_read(&s, &p, box[1], &heard);
    picture_free(&p);
    assert_true(box[0][0].x > box[1][0].x);     /* "a\x00b\x00c" is wider than "a" */
    sample_finish(&s);
}

static void test_missing_characters(void **state)
{
    static const struct { const char *label, *want; } table[] = {
        { "我喜欢我", "3 of the characters (first: U+6211 我); they are drawn as "
          "boxes: install one (Debian: fonts-noto-cjk)" },
        { "हि", "2 of the characters (first: U+0939 ह); they are drawn as boxes: "
          "install one (Debian: fonts-noto-core)" },
        { "🇯我", "2 of the characters (first: U+1F1EF 🇯); they are drawn as boxes: "
          "install one (Debian: fonts-noto-cjk, fonts-noto-color-emoji)" },
    };
    struct box box[MAX_PANELS];
    struct heard heard;
    struct picture p;
    struct sample s;

    need_dejavu();
    (void)state;
    for (int i = 0; i < 3; i++) {
        sample_init(&s, 12, 4, 4, true);
        sample_labels(&s, 4, table[i].label);
        draw_and_read(&s, &p, box, &heard);
        assert_int_equal(heard.n, 1);
        if (strstr(heard.last, table[i].want) == NULL)
            fail_msg("%s", heard.last);
        assert_int_equal(row_labels(&p, box[0]), 4);
        picture_free(&p);
        sample_finish(&s);
    }
}

/* A font that is not there is no error, nor is a name that is no text. */
static void test_font(void **state)
{
    static const char *const fonts[] = { "No Such Font", "", ",,", "\xff\n", "DejaVu Sans" };
    struct box box[MAX_PANELS];
    struct heard heard;
    struct picture p;
    struct sample s;

    need_dejavu();
    (void)state;
    sample_init(&s, 1, 4, 4, true);
    sample_labels(&s, 4, "Hgx");
    for (int i = 0; i < 5; i++) {
        s.sheet.font = fonts[i];
        draw_and_read(&s, &p, box, &heard);
        assert_int_equal(row_labels(&p, box[0]), 4);
        assert_int_equal(heard.n, 0);
        picture_free(&p);
    }
    sample_finish(&s);
}

/* Titles and captions wrap: any length makes a picture of modest size. */
static void test_long_texts(void **state)
{
    struct box box[MAX_PANELS];
    char *text = malloc(1000001);
    struct heard heard;
    struct picture p;
    struct sample s;

    (void)state;
    for (int i = 0; i < 1000000; i++)
        text[i] = i % 7 == 6 ? ' ' : 'w';
    text[1000000] = '\0';
    sample_init(&s, 1, 1, 1, false);
    s.sheet.title = s.sheet.caption = s.panel[0].title = text;
    draw_and_read(&s, &p, box, &heard);
    assert_true(p.w < 800 && p.h < 300);
    picture_free(&p);
    free(text);
    sample_finish(&s);
}

/* A line between the texts of a pair, through the labels too. */
static void test_pair(void **state)
{
    struct box box[MAX_PANELS];
    struct heard heard;
    struct picture p;
    struct sample s;

    (void)state;
    sample_init(&s, 1, 6, 6, false);
    sample_labels(&s, 6, "and");
    s.maps.rows.second = s.maps.cols.second = 2;
    s.maps.cell_px = 16;
    draw_and_read(&s, &p, box, &heard);
    for (int i = 0; i < 6; i++) {
        int x = (int)box[0].x, y = (int)box[0].y;

        assert_int_equal(picture_at(&p, x + 32, y + 16 * i + 8), 0x808080);
        assert_int_equal(picture_at(&p, x + 16 * i + 8, y + 32), 0x808080);
    }
    assert_int_equal(picture_at(&p, (int)box[0].x - 12, (int)box[0].y + 32), 0x212121);
    assert_int_equal(picture_at(&p, (int)box[0].x + 32, (int)(box[0].y + box[0].h) + 12), 0x212121);
    picture_free(&p);
    sample_finish(&s);
}

/* Beyond 100 tokens, beside the positions: where a sentence begins. */
static void test_sentences(void **state)
{
    enum { N = 120 };
    static const char *text[N];
    static bool sentence[N];
    struct box box[MAX_PANELS];
    struct heard heard;
    struct picture p;
    struct sample s;

    (void)state;
    for (int i = 0; i < N; i++)
        text[i] = "and";
    sentence[45] = true;
    sample_init(&s, 1, N, N, false);
    s.maps.rows = s.maps.cols = (struct label_list){ .n = N, .text = text, .sentence = sentence };
    s.maps.cell_px = 4;
    draw_and_read(&s, &p, box, &heard);
    for (int i = 1; i < N; i++) {
        uint32_t mark = picture_at(&p, (int)box[0].x - 5, (int)box[0].y + 4 * i);

        assert_int_equal(mark == 0x212121, i == 45);
    }
    picture_free(&p);
    sample_finish(&s);
}

/* Of 300 tokens, of which some are left out: those whose number the step divides. */
static void test_positions(void **state)
{
    enum { N = 300, OUT = 7 };
    static const struct style style = { 9.0, 1.0, 0.0, false, true, 0.0 };
    static int position[N];
    const struct label_list list = { N, NULL, NULL, position };
    const struct sheet sheet = { .dpi = 100 };
    struct page_labels labels;
    struct page page;
    struct arena a;

    (void)state;
    for (int i = 0; i < N; i++)
        position[i] = i + (i >= 20 ? OUT : 0);
    arena_init(&a, NULL, NULL);
    page_init(&page, &sheet, DRAW_PNG, &a);
    labels = page_positions(&page, &list, N, 50, &style);
    assert_int_equal(labels.n, 7);          /* 0, 50, ..., 300 */
    for (int i = 0; i < 7; i++)
        assert_int_equal(labels.token[i], i == 0 ? 0 : 50 * i - OUT);
    assert_true(labels.longest > 0.0);
    page_finish(&page);
    arena_finish(&a);
}

/* The rectangle of what is not white below the axis of one cell with this label. */
static void ink_below(const char *label, int *w, int *h)
{
    struct sample s;
    struct folder d;
    struct picture p;
    struct arena a;
    struct box box;
    double width, height;
    int x0 = 1 << 20, x1 = 0, y0 = 1 << 20, y1 = 0;

    sample_init(&s, 1, 1, 1, false);
    sample_labels(&s, 1, label);
    s.maps.cell_px = 60;
    s.maps.no_bars = true;
    folder_init(&d);
    arena_init(&a, NULL, NULL);
    draw_ok(&s, DRAW_PNG, folder_file(&d, "a.png"));
    sample_boxes(&s, &a, &box, &width, &height);
    assert_int_equal(picture_read(&p, folder_file(&d, "a.png")), 0);
    for (int y = (int)(box.y + box.h) + 5; y < p.h; y++)
        for (int x = 0; x < p.w; x++)
            if (picture_at(&p, x, y) != 0xffffff) {
                x0 = x < x0 ? x : x0, x1 = x > x1 ? x : x1;
                y0 = y < y0 ? y : y0, y1 = y > y1 ? y : y1;
            }
    *w = x1 - x0 + 1;
    *h = y1 - y0 + 1;
    picture_free(&p);
    arena_finish(&a);
    folder_finish(&d);
    sample_finish(&s);
}

/* A word is turned; a Han character that no font has is a box of its number, in two rows. */
static void test_upright_ink(void **state)
{
    int w, h;

    (void)state;
    need_dejavu();
    ink_below("wwww", &w, &h);
    assert_true(h > 2 * w);
    ink_below("人", &w, &h);
    assert_true(h < 2 * w && w < 2 * h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_upright_ink),
        cmocka_unit_test(test_thinning),
        cmocka_unit_test(test_dpi),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_nothing_to_say),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_missing_characters),
        cmocka_unit_test(test_font),
        cmocka_unit_test(test_long_texts),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image labels", tests, NULL, NULL);
}
