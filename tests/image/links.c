/* SPDX-License-Identifier: MIT
 * Lines of links, read back from pictures: where they begin and end, their colours, dashes,
 * widths and opacities, and the legend. */
#include "draw/figure/links.h"

#include <math.h>

#include "draw/figure/stroke.h"
#include "image/figure.h"
#include "image/png_read.h"
#include "image/svg_read.h"

enum { N_TOKENS = 6, HEADS = 30 };

static void near(double got, double want, double most)
{
    if (!(fabs(got - want) <= most))
        fail_msg("%g, expected %g", got, want);
}

static const char *const tokens[N_TOKENS] = { "the", "key", "is", "in", "the", "door" };

struct drawing {
    struct links_figure figure;
    const char *name[HEADS];
    struct links_line line[SVG_LINES];
};

static void init(struct drawing *d, int n_heads)
{
    *d = (struct drawing){ .figure = {
        .n_heads = n_heads, .n_rows = N_TOKENS, .n_cols = N_TOKENS, .columns = 4,
        .rows = { N_TOKENS, tokens, NULL, NULL }, .cols = { N_TOKENS, tokens, NULL, NULL },
        .row_name = "query", .col_name = "key",
    } };
    for (int i = 0; i < n_heads; i++)
        d->name[i] = "Head";
    d->figure.name = d->figure.title = d->name;
    d->figure.line = d->line;
}

static void add(struct drawing *d, int query, int key, int head, float weight)
{
    d->line[d->figure.n++] = (struct links_line){ query, key, head, weight };
}

/* Every query looks at some keys with each head. */
static void add_all(struct drawing *d)
{
    for (int head = 0; head < d->figure.n_heads; head++)
        for (int query = 0; query < N_TOKENS; query++)
            add(d, query, (query * 5 + head) % N_TOKENS, head,
                (float)(1 + (query + head) % 10) / 10.0f);
}

static char *draw(const struct drawing *d, double width_px, enum draw_format format, size_t *size)
{
    const struct part part = links_part(&d->figure);
    const struct sheet sheet = { .dpi = 100, .n_parts = 1, .parts = &part, .width_px = width_px,
                                 .font_px = width_px > 0.0 ? 8.0 : 0.0 };
    struct err e = { ERR_NONE, "" };
    char *data, *text;

    if (sheet_bytes(&sheet, format, &data, size, NULL, &e) != 0)
        fail_msg("%s", e.msg);
    text = malloc(*size + 1);
    memcpy(text, data, *size);
    text[*size] = '\0';
    free(data);
    return text;
}

/* The curves of the SVG; *n_samples: straight lines of legends and titles, to sample. */
static void read_back(const struct drawing *d, double width_px, struct svg_line *line,
                      struct svg_line *sample, int *n_samples)
{
    size_t size;
    char *svg = draw(d, width_px, DRAW_SVG, &size);

    assert_int_equal(svg_lines(svg, true, line), d->figure.n);
    *n_samples = svg_lines(svg, false, sample);
    free(svg);
}

static void check_pen(const struct svg_line *line, int head, int n)
{
    const unsigned char *rgb = stroke_colour(head, n);

    for (int c = 0; c < 3; c++)
        assert_int_equal(line->rgb[c], rgb[c]);
    assert_int_equal(line->dashed, n <= STROKE_MOST && head >= STROKE_COLOURS);
}

/* Lines of the first head give the places of tokens; those of all others must agree. */
static void check_lists(const struct drawing *d, const struct svg_line *line)
{
    double y = line[0].y1, step = line[1].y1 - y, left = line[0].x1, right = line[0].x2;

    assert_true(step > 8.0 && right - left > 50.0);
    for (int i = 0; i < d->figure.n; i++) {
        const struct links_line *of = &d->line[i];
        double apart = line[of->head * N_TOKENS].y1 - y;

        assert_true(of->head == 0 || apart > 0.0);
        near(line[i].y1, y + of->query * step + apart, 0.05);
        near(line[i].y2, y + of->key * step + apart, 0.05);
        near(line[i].x1, left, 0.05);
        near(line[i].x2, right, 0.05);
        near(line[i].opacity, stroke_alpha(of->weight), 1e-4);
        assert_true(line[i].width <= 0.8 + 3.4 * of->weight + 1e-4);
        check_pen(&line[i], of->head, d->figure.n_heads);
    }
}

static void test_lists(void **state)
{
    static const int heads[] = { 1, 2, 8, 9, 24 };
    static struct svg_line line[SVG_LINES], sample[SVG_LINES];
    static struct drawing d;

    (void)state;
    need_dejavu();
    for (int i = 0; i < 5; i++) {
        int n_samples;

        init(&d, heads[i]);
        add_all(&d);
        for (double width = 0.0; width < 700.0; width += 335.0) {
            read_back(&d, width, line, sample, &n_samples);
            check_lists(&d, line);
            assert_int_equal(n_samples, heads[i]);      /* the legend */
            for (int head = 0; head < heads[i]; head++)
                check_pen(&sample[head], head, heads[i]);
        }
    }
}

/* More heads than can be told apart: one ink, no legend. */
static void test_one_ink(void **state)
{
    static struct svg_line line[SVG_LINES], sample[SVG_LINES];
    static struct drawing d;
    int n_samples;

    (void)state;
    init(&d, 25);
    add_all(&d);
    read_back(&d, 0.0, line, sample, &n_samples);
    assert_int_equal(n_samples, 0);
    for (int i = 0; i < d.figure.n; i++)
        check_pen(&line[i], d.line[i].head, 25);
    assert_memory_equal(line[0].rgb, line[30].rgb, sizeof line[0].rgb);
}

static void test_width(void **state)
{
    static struct svg_line line[SVG_LINES], sample[SVG_LINES];
    static struct drawing d;
    int n_samples;

    (void)state;
    init(&d, 1);
    for (int i = 0; i <= 10; i++)
        add(&d, 0, 0, 0, (float)i / 10.0f);
    read_back(&d, 0.0, line, sample, &n_samples);
    for (int i = 0; i <= 10; i++) {
        near(line[i].width, 0.8 + 0.34 * i, 1e-4);
        assert_true(i == 0 || line[i].opacity > line[i - 1].opacity);
    }
}

/* A panel holds the lines of its head alone; panels stand in the order of heads. */
static void test_panels(void **state)
{
    static struct svg_line line[SVG_LINES], sample[SVG_LINES];
    static struct drawing d;
    int n_samples;

    (void)state;
    need_dejavu();
    init(&d, 5);
    d.figure.panels = true;
    d.figure.columns = 2;
    add_all(&d);
    read_back(&d, 0.0, line, sample, &n_samples);
    assert_int_equal(n_samples, 5);
    for (int i = 0; i < d.figure.n; i++) {
        int head = i / N_TOKENS;
        const struct svg_line *first = &line[head * N_TOKENS];

        check_pen(&line[i], head, 5);
        near(line[i].x1, line[head % 2 * N_TOKENS].x1, 0.05);
        near(first->y1, line[head / 2 * 2 * N_TOKENS].y1, 0.05);
        assert_true(sample[head].y1 < first->y1);
        assert_true(head < 2 || first->y1 > line[(head - 1) / 2 * N_TOKENS].y1 + 50.0);
    }
}

/* Lists of 60 tokens have room for all their labels, in panels too. */
static void test_long(void **state)
{
    static struct svg_line line[SVG_LINES], sample[SVG_LINES];
    static struct drawing d;
    int n_samples;

    (void)state;
    for (int panels = 0; panels < 2; panels++) {
        init(&d, 2);
        d.figure.panels = panels;
        d.figure.rows.n = d.figure.cols.n = 0;
        d.figure.n_rows = d.figure.n_cols = 60;
        add(&d, 0, 0, 0, 1.0f);
        add(&d, 1, 0, 0, 1.0f);
        read_back(&d, 0.0, line, sample, &n_samples);
        assert_true(line[1].y1 - line[0].y1 >= 1.1 * 11.0);     /* a line of type */
    }
}

/* Arcs stand on the tokens; the two directions are of different heights. */
static void test_arcs(void **state)
{
    static struct svg_line line[SVG_LINES], sample[SVG_LINES];
    static struct drawing d;
    double step, base, top;
    int n_samples;

    (void)state;
    init(&d, 1);
    d.figure.arcs = true;
    add(&d, 1, 0, 0, 0.5f);
    add(&d, 5, 1, 0, 0.5f);
    add(&d, 1, 5, 0, 0.5f);
    add(&d, 3, 3, 0, 0.5f);
    read_back(&d, 0.0, line, sample, &n_samples);
    step = line[0].x1 - line[0].x2;
    base = line[0].y1;
    top = base - 0.75 * (base - line[1].control[1]);
    assert_true(step > 10.0);
    for (int i = 0; i < 3; i++) {
        near(line[i].x1, line[0].x2 + d.line[i].query * step, 0.05);
        near(line[i].x2, line[0].x2 + d.line[i].key * step, 0.05);
        near(line[i].y2, base, 0.05);
    }
    near((line[3].x1 + line[3].x2) / 2.0, line[0].x2 + 3.0 * step, 0.05);
    assert_true(line[3].x1 < line[3].x2);
    assert_true(top > 0.0 && line[2].control[1] > line[1].control[1] + 1.0);
}

/* The longest text keeps to the page, in any format. */
static void test_page(void **state)
{
    static struct drawing d;

    (void)state;
    init(&d, 4);
    add_all(&d);
    for (int kind = 0; kind < 4; kind++)
        for (double width = 160.0; width < 1600.0; width += 477.0) {
            struct picture p;
            struct folder f;
            size_t size;
            char *png;
            FILE *file;

            d.figure.panels = kind & 1;
            d.figure.arcs = kind & 2;
            d.figure.columns = 1;
            png = draw(&d, width, DRAW_PNG, &size);
            folder_init(&f);
            file = fopen(folder_file(&f, "a.png"), "wb");
            assert_int_equal(fwrite(png, 1, size, file), size);
            fclose(file);
            free(png);
            assert_int_equal(picture_read(&p, folder_file(&f, "a.png")), 0);
            assert_int_equal(p.w, (int)width);
            picture_free(&p);
            folder_finish(&f);
        }
}

/* The page of `report` has the same colours. */
static void test_page_colours(void **state)
{
    size_t size;
    char *css = slurp("src/report/page/frame.css", &size);
    unsigned rgb;
    int n = 0;

    (void)state;
    for (const char *at = css; n < STROKE_COLOURS && (at = strstr(at, "--tone")) != NULL; at++)
        if (sscanf(at, "--tone%*d: #%6x", &rgb) == 1) {
            const unsigned char *own = stroke_colour(n++, STROKE_COLOURS);

            assert_int_equal(own[0] << 16 | own[1] << 8 | own[2], rgb);
        }
    assert_int_equal(n, STROKE_COLOURS);
    assert_int_equal(sscanf(strstr(css, "--mark"), "--mark: #%6x", &rgb), 1);
    assert_int_equal(stroke_colour(0, 25)[0] << 16 | stroke_colour(0, 25)[1] << 8 |
                     stroke_colour(0, 25)[2], rgb);
    free(css);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_one_ink),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_arcs),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_page_colours),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
