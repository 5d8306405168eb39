/* SPDX-License-Identifier: MIT
 * Texts beside each other, read back: every cell of each has the colour of its number, in a range
 * of its own or in one of them all. */
#include "draw/figure/beside.h"
#include "draw/figure/cells.h"
#include "image/figure.h"
#include "image/png_read.h"

enum { TEXTS = 3, PANELS = 2 };

struct texts {
    struct sample sample[TEXTS];        /* of 4, 9 and 6 tokens */
    struct heatmaps maps[TEXTS];
    const char *heading[TEXTS];
    struct beside beside;
    struct part part;
    struct sheet sheet;
};

/* Text i has numbers up to 1 / (i + 1), and more in its second panel. */
static void texts_init(struct texts *t, int columns, double width_px)
{
    static const int n[TEXTS] = { 4, 9, 6 };
    static const char *const heading[TEXTS] = { "the cat sat", "我喜欢吃苹果 and a text that is "
        "so long that it takes more than two lines above so few tokens", NULL };

    for (int i = 0; i < TEXTS; i++) {
        struct sample *s = &t->sample[i];

        sample_init(s, PANELS, n[i], n[i], true);
        sample_labels(s, n[i], "cat");
        for (int k = 0; k < PANELS * n[i] * n[i]; k++)
            s->value[k] /= (float)(i + 1);
        t->maps[i] = s->maps;
        t->maps[i].columns = 1;
        t->maps[i].cell_px = width_px > 0.0 ? 0 : 12;
        t->heading[i] = heading[i];
    }
    t->beside = (struct beside){ TEXTS, t->maps, t->heading, columns };
    t->part = beside_part(&t->beside);
    t->sheet = (struct sheet){ .dpi = 100, .n_parts = 1, .parts = &t->part, .width_px = width_px,
                               .font_px = width_px > 0.0 ? 9.0 : 0.0 };
}

static void texts_finish(struct texts *t)
{
    for (int i = 0; i < TEXTS; i++)
        sample_finish(&t->sample[i]);
}

static struct scale_range range_of(const struct texts *t, int first, int last, int panel)
{
    struct scale_range range = { INFINITY, -INFINITY, true, false, false };

    for (int i = first; i <= last; i++)
        for (int p = 0; p < PANELS; p++) {
            const struct panel *one = &t->maps[i].panels[p];

            for (int k = 0; k < one->n_rows * one->n_cols; k++)
                if (!isnan(one->value[k]) && (panel < 0 || p == panel)) {
                    range.lo = fminf(range.lo, one->value[k]);
                    range.hi = fmaxf(range.hi, one->value[k]);
                }
        }
    return range;
}

static void check_panel(const struct picture *p, const struct panel *panel, struct box b,
                        struct scale_range range)
{
    int side = (int)b.w / panel->n_cols;

    assert_true(b.x == floor(b.x) && b.y == floor(b.y) && side > 0);
    assert_int_equal((int)b.w, side * panel->n_cols);
    for (int y = 0; y < (int)b.h; y++)
        for (int x = 0; x < (int)b.w; x++) {
            float value = panel->value[y / side * panel->n_cols + x / side];
            const unsigned char *c = isnan(value) ? NULL :
                cmap_colour(&cmap_table[0], scale_index(SCALE_LINEAR, value, range.lo, range.hi));
            uint32_t want = c == NULL ? 0xd0d0d0 :
                            (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];

            assert_int_equal(picture_at(p, (int)b.x + x, (int)b.y + y), want);
        }
}

/* A colour in the middle of where a bar stands. */
static bool has_bar(const struct picture *p, struct box b, bool narrow)
{
    int x = (int)(b.x + b.w) + (narrow ? 1 + 4 + 3 : 1 + 8 + 5);

    return x < p->w && picture_at(p, x, (int)(b.y + b.h / 2.0)) != 0xffffff;
}

static void check(int columns, double width_px, bool shared)
{
    struct texts t;
    struct folder d;
    struct arena a;
    struct picture p;
    struct box box[TEXTS * PANELS];
    struct err e = { ERR_NONE, "" };

    folder_init(&d);
    arena_init(&a, NULL, NULL);
    texts_init(&t, columns, width_px);
    for (int i = 0; i < TEXTS; i++)
        t.maps[i].shared = shared;
    if (shared)
        heatmap_share(t.maps, TEXTS, &a);
    if (sheet_write(&t.sheet, DRAW_PNG, folder_file(&d, "a.png"), NULL, &e) != 0)
        fail_msg("%s", e.msg);
    beside_panels(&t.sheet, &a, box);
    assert_int_equal(picture_read(&p, folder_file(&d, "a.png")), 0);
    for (int i = 0; i < TEXTS * PANELS; i++) {
        int text = i / PANELS, panel = i % PANELS;

        check_panel(&p, &t.maps[text].panels[panel], box[i],
                    shared ? range_of(&t, 0, TEXTS - 1, -1) : range_of(&t, text, text, panel));
        if (!shared)
            assert_true(has_bar(&p, box[i], width_px > 0.0));
        else if (panel == 0)
            assert_int_equal(has_bar(&p, box[i], width_px > 0.0), text == columns - 1);
        assert_true(box[i].x >= 0.0 && box[i].x + box[i].w <= p.w && box[i].y + box[i].h <= p.h);
        if (text > 0 && text < columns)
            assert_true(box[i].x > box[i - PANELS].x + box[i - PANELS].w);
    }
    if (width_px > 0.0)
        assert_int_equal(p.w, (int)width_px);
    picture_free(&p);
    arena_finish(&a);
    texts_finish(&t);
    assert_int_equal(folder_finish(&d), 1);
}

static void test_ranges(void **state)
{
    (void)state;
    for (int columns = 1; columns <= TEXTS; columns++)
        for (int shared = 0; shared < 2; shared++)
            check(columns, 0.0, shared);
}

static void test_width(void **state)
{
    (void)state;
    for (double width = 335.0; width <= 1600.0; width += 115.0)
        for (int shared = 0; shared < 2; shared++)
            check(TEXTS, width, shared);
}

static void test_formats(void **state)
{
    struct texts t;
    struct folder d;

    (void)state;
    folder_init(&d);
    texts_init(&t, 2, 685.0);
    for (int format = 0; format < N_DRAW_FORMAT; format++)
        for (int again = 0; again < 2; again++) {
            struct err e = { ERR_NONE, "" };

            assert_int_equal(sheet_write(&t.sheet, (enum draw_format)format,
                                         folder_file(&d, draw_format_names[format]), NULL, &e), 0);
        }
    texts_finish(&t);
    assert_int_equal(folder_finish(&d), N_DRAW_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_formats),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
