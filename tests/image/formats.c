/* SPDX-License-Identifier: MIT
 * What the files hold beside their pixels, that they are the same on every run,
 * and what happens when they cannot be written. */
#include "image/figure.h"
#include "image/png_read.h"

static const struct metadata about[] = {
    { "Software", "mha-viz" },
    { "mha-viz:text", "我喜欢吃苹果 <b>&\"</b>" },
    { "mha-viz:bytes", "half \xe6\x88" },
    { NULL, NULL }
};

static void hostile_sample(struct sample *s)
{
    sample_init(s, 3, 8, 8, true);
    sample_labels(s, 8, "\"><svg onload=alert(1)>");
    s->label[3] = "</svg><script>alert(1)</script>";
    s->label[4] = "#surface1\"image2";
    s->sheet.title = "Tom & <Jerry> \"我\"";
    s->sheet.caption = "one </g>\ntwo";
    s->sheet.metadata = about;
}

static void test_itxt(void **state)
{
    struct sample s;
    struct picture p;
    struct folder d;

    (void)state;
    folder_init(&d);
    hostile_sample(&s);
    draw_ok(&s, DRAW_PNG, folder_file(&d, "a.png"));
    assert_int_equal(picture_read(&p, folder_file(&d, "a.png")), 0);
    assert_int_equal(p.n_text, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(p.text[i].compression, PNG_ITXT_COMPRESSION_NONE);
        assert_string_equal(p.text[i].key, about[i].key);
    }
    assert_string_equal(p.text[0].text, "mha-viz");
    assert_string_equal(p.text[1].text, about[1].value);
    assert_string_equal(p.text[2].text, "half \\xe6\\x88");
    picture_free(&p);
    s.sheet.metadata = NULL;
    draw_ok(&s, DRAW_PNG, folder_file(&d, "a.png"));
    assert_int_equal(picture_read(&p, folder_file(&d, "a.png")), 0);
    assert_int_equal(p.n_text, 0);
    picture_free(&p);
    sample_finish(&s);
    folder_finish(&d);
}

/* Also with other pictures between, of which cairo counts the surfaces. */
static void test_same_bytes(void **state)
{
    struct sample s, other;
    struct folder d;

    (void)state;
    folder_init(&d);
    hostile_sample(&s);
    sample_init(&other, 5, 3, 3, false);
    for (int i = 0; i < N_DRAW_FORMAT; i++) {
        char *one, *two;
        size_t n, m;

        draw_ok(&s, (enum draw_format)i, folder_file(&d, "a"));
        for (int k = 0; k < N_DRAW_FORMAT; k++)
            draw_ok(&other, (enum draw_format)k, folder_file(&d, "c"));
        draw_ok(&s, (enum draw_format)i, folder_file(&d, "b"));
        one = slurp(folder_file(&d, "a"), &n);
        two = slurp(folder_file(&d, "b"), &m);
        assert_int_equal(n, m);
        assert_memory_equal(one, two, n);
        free(one);
        free(two);
    }
    sample_finish(&s);
    sample_finish(&other);
    assert_int_equal(folder_finish(&d), 3);
}

static int count(const char *s, const char *what)
{
    int n = 0;

    while ((s = strstr(s, what)) != NULL) {
        s += strlen(what);
        n++;
    }
    return n;
}

static void test_svg(void **state)
{
    struct sample s;
    struct folder d;
    char *svg;
    size_t n;

    (void)state;
    folder_init(&d);
    hostile_sample(&s);
    draw_ok(&s, DRAW_SVG, folder_file(&d, "a.svg"));
    svg = slurp(folder_file(&d, "a.svg"), &n);
    assert_int_equal(strlen(svg), n);
    assert_int_equal(strncmp(svg, "<?xml", 5), 0);
    /* cells and bar of each panel, all crisp, all palette PNGs inside the file */
    assert_int_equal(count(svg, "<image "), 6);
    assert_int_equal(count(svg, "<image image-rendering=\"optimizeSpeed\" "
                           "style=\"image-rendering:pixelated\" id=\""), 6);
    assert_int_equal(count(svg, "xlink:href=\"data:image/png;base64,iVBORw0KGgo"), 6);
    assert_int_equal(count(svg, "href=\"http"), 0);
    /* numbered from 1; cairo 1.18 has other names */
    assert_true(strstr(svg, "id=\"image6\"") != NULL || strstr(svg, "id=\"source-6\"") != NULL);
    assert_null(strstr(svg, "id=\"image7\""));
    /* no word of a token or a title gets in as markup */
    assert_int_equal(count(svg, "<script"), 0);
    assert_int_equal(count(svg, "onload"), count(svg, "&quot;&gt;&lt;svg onload=a"));
    assert_int_equal(count(svg, "</svg>"), 1);
    /* 8 labels of rows, 3 of 8 of columns, 3 titles, 1 of the sheet, a caption, 3 bars */
    assert_in_range(count(svg, "<text "), 8 + 24 + 3 + 2 + 6, 8 + 24 + 3 + 2 + 24);
    assert_int_equal(count(svg, "<text "), count(svg, "</text>"));
    assert_non_null(strstr(svg, ">&lt;/svg&gt;&lt;script&gt;al"));
    assert_non_null(strstr(svg, ">Tom &amp; &lt;Jerry&gt; &quot;我&quot;</t"));
    assert_int_equal(count(svg, "<path d=\"M"), 3 * 36);
    assert_non_null(strstr(svg, "<title>Tom &amp; &lt;Jerry&gt; &quot;我&quot;</title>"));
    assert_non_null(strstr(svg, "我喜欢吃苹果 &lt;b&gt;&amp;&quot;&lt;/b&gt;\n"));
    assert_non_null(strstr(svg, "mha-viz:bytes: half \\xe6\\x88\n"));
    free(svg);
    sample_finish(&s);
    folder_finish(&d);
}

static void test_svg_outlines(void **state)
{
    struct sample s;
    struct folder d;
    char *svg;
    size_t n;

    (void)state;
    folder_init(&d);
    hostile_sample(&s);
    s.sheet.outlines = true;
    draw_ok(&s, DRAW_SVG, folder_file(&d, "a.svg"));
    svg = slurp(folder_file(&d, "a.svg"), &n);
    assert_int_equal(count(svg, "<text"), 0);
    assert_int_equal(count(svg, "font-family"), 0);
    assert_true(count(svg, "<use ") > 100);     /* a glyph each */
    assert_int_equal(count(svg, "<script"), 0);
    free(svg);
    sample_finish(&s);
    folder_finish(&d);
}

/* 257 colours, all of the map and the gray, do not fit a palette. */
static void test_svg_colours(void **state)
{
    struct sample s;
    struct folder d;
    size_t n;

    (void)state;
    folder_init(&d);
    sample_init(&s, 1, 17, 17, false);
    for (int i = 0; i < 289; i++)
        s.value[i] = i < 256 ? (float)i / 255.0f : NAN;
    draw_ok(&s, DRAW_SVG, folder_file(&d, "a.svg"));
    free(slurp(folder_file(&d, "a.svg"), &n));
    assert_true(n > 2000);
    sample_finish(&s);
    folder_finish(&d);
}

static int count_bytes(const char *data, size_t n, const char *what)
{
    const char *at = data;
    int found = 0;

    while ((at = memmem(at, n - (size_t)(at - data), what, strlen(what))) != NULL) {
        at += strlen(what);
        found++;
    }
    return found;
}

static void test_pdf(void **state)
{
    struct sample s;
    struct folder d;
    char *pdf;
    size_t n;

    (void)state;
    folder_init(&d);
    hostile_sample(&s);
    draw_ok(&s, DRAW_PDF, folder_file(&d, "a.pdf"));
    pdf = slurp(folder_file(&d, "a.pdf"), &n);
    assert_int_equal(strncmp(pdf, "%PDF-1.", 7), 0);
    assert_int_equal(count_bytes(pdf, n, "/Interpolate false"), 6);
    assert_int_equal(count_bytes(pdf, n, "/Interpolate true"), 0);
    assert_int_equal(count_bytes(pdf, n, "CreationDate"), 0);
    assert_int_equal(count_bytes(pdf, n, "/JavaScript"), 0);
    assert_non_null(strstr(pdf + n - 8, "%%EOF"));
    free(pdf);
    sample_finish(&s);
    folder_finish(&d);
}

/* ---- failures ---- */

static void test_cannot_write(void **state)
{
    struct sample s;
    struct folder d;
    struct err e;

    (void)state;
    folder_init(&d);
    hostile_sample(&s);
    for (int i = 0; i < N_DRAW_FORMAT; i++) {
        enum draw_format format = (enum draw_format)i;

        assert_int_equal(sample_write(&s, format, "/dev/full", NULL, &e), -1);
        assert_int_equal(e.kind, ERR_SYSTEM);
        assert_non_null(strstr(e.msg, "/dev/full"));
        assert_non_null(strstr(e.msg, "No space left"));
        assert_int_equal(sample_write(&s, format, d.name, NULL, &e), -1);
        assert_int_equal(e.kind, ERR_SYSTEM);
        assert_int_equal(sample_write(&s, format, folder_file(&d, "none/a.png"),
                                     NULL, &e), -1);
        assert_int_equal(e.kind, ERR_SYSTEM);
        assert_non_null(strstr(e.msg, "none/a.png"));
    }
    sample_finish(&s);
    assert_int_equal(folder_finish(&d), 0);
}

static void test_too_large(void **state)
{
    struct sample s;
    struct folder d;
    struct err e;

    (void)state;
    folder_init(&d);
    sample_init(&s, 4, 50, 50, false);
    s.maps.columns = 4;
    s.maps.cell_px = 200;          /* 4 x 10,000 wide */
    assert_int_equal(sample_write(&s, DRAW_PNG, folder_file(&d, "a.png"), NULL, &e),
                     -1);
    assert_int_equal(e.kind, ERR_USAGE);
    assert_non_null(strstr(e.msg, "a.png"));
    assert_non_null(strstr(e.msg, "32000"));
    s.maps.columns = 2;            /* 20,400 x 20,200: over 400 million */
    assert_int_equal(sample_write(&s, DRAW_PNG, folder_file(&d, "a.png"), NULL, &e),
                     -1);
    assert_int_equal(e.kind, ERR_USAGE);
    s.maps.cell_px = 20;
    s.sheet.dpi = 2000;
    assert_int_equal(sample_write(&s, DRAW_PNG, folder_file(&d, "a.png"), NULL, &e),
                     -1);
    assert_int_equal(e.kind, ERR_USAGE);
    sample_finish(&s);
    assert_int_equal(folder_finish(&d), 0);
}

/* What heatmap_plan says always fits. */
static void test_plan_fits(void **state)
{
    static const int tokens[] = { 1, 16, 64, 600, 1200, 4096, 20000 };
    static const int dpi[] = { 10, 100, 300, 600 };

    (void)state;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 4; k++)
            for (int columns = 1; columns <= 16; columns *= 4) {
                int cell, pool, n;
                double w, h;
                struct box box[MAX_PANELS];
                struct sample s;
                struct arena a;

                heatmap_plan(tokens[i], tokens[i], 12, columns, 0, dpi[k], &cell, &pool);
                n = (tokens[i] + pool - 1) / pool;
                arena_init(&a, NULL, NULL);
                sample_init(&s, 12, n, n, true);
                sample_labels(&s, n < MAX_LABELS ? n : MAX_LABELS,
                              "Donaudampfschifffahrt");
                s.sheet.caption = "caption";
                s.maps.columns = columns;
                s.maps.cell_px = cell;
                s.sheet.dpi = dpi[k];
                sample_boxes(&s, &a, box, &w, &h);
                assert_true(w <= 32000.0 && h <= 32000.0 && w * h <= 4e8);
                sample_finish(&s);
                arena_finish(&a);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_itxt),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_svg),
        cmocka_unit_test(test_svg_outlines),
        cmocka_unit_test(test_svg_colours),
        cmocka_unit_test(test_pdf),
        cmocka_unit_test(test_cannot_write),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_plan_fits),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("image formats", tests, NULL, NULL);
}
