/* SPDX-License-Identifier: MIT
 * The text of an SVG, read back: its characters, its places, its fonts; and what its cells
 * say. */
#include "image/figure.h"

struct drawn { struct sample s; struct folder d; char *svg; };

static void drawn_init(struct drawn *d, int n_panels, int n, const char *label)
{
    folder_init(&d->d);
    sample_init(&d->s, n_panels, n, n, true);
    sample_labels(&d->s, n < MAX_LABELS ? n : MAX_LABELS, label);
    d->s.maps.no_bars = true;
}

static void drawn_draw(struct drawn *d)
{
    size_t size;

    draw_ok(&d->s, DRAW_SVG, folder_file(&d->d, "a.svg"));
    d->svg = slurp(folder_file(&d->d, "a.svg"), &size);
}

static void drawn_finish(struct drawn *d)
{
    free(d->svg);
    sample_finish(&d->s);
    folder_finish(&d->d);
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

/* The element with this text, from its "<text", and the group that it stands in. */
static const char *element(const char *svg, const char *text, const char **group)
{
    const char *at = strstr(svg, text);

    assert_non_null(at);
    while (strncmp(at, "<text ", 6) != 0)
        at--;
    for (*group = at; strncmp(*group, "<g ", 3) != 0;)
        --*group;
    return at;
}

/* The tag at `at` has this attribute. */
static bool has(const char *at, const char *attribute)
{
    const char *found = strstr(at, attribute);

    return found != NULL && found < strchr(at, '>');
}

static double number(const char *at, const char *name)
{
    const char *found = strstr(at, name);

    assert_true(found != NULL && found < strchr(at, '>'));
    return strtod(found + strlen(name), NULL);
}

static void box_of(const struct sample *s, struct box *box)
{
    double w, h;
    struct arena a;

    arena_init(&a, NULL, NULL);
    sample_boxes(s, &a, box, &w, &h);
    arena_finish(&a);
}

/* What a wider font must not move towards the cells is held there. */
static void test_places(void **state)
{
    struct drawn d;
    struct box box[MAX_PANELS];
    const char *at, *group;

    (void)state;
    drawn_init(&d, 2, 3, "tea");
    d.s.label[1] = "milk";
    d.s.label[2] = "ox";
    drawn_draw(&d);
    box_of(&d.s, box);
    at = element(d.svg, ">milk<", &group);
    assert_true(has(group, "text-anchor=\"end\""));
    assert_true(has(group, "font-family=\"'DejaVu Sans', sans-serif\""));
    assert_true(number(at, " x=\"") < box[0].x && number(at, " x=\"") > box[0].x - 14.0);
    check_close(number(at, " y=\""), box[0].y + box[0].h / 2.0 + 4.0, 2.0);
    at = element(strstr(at + 1, "rotate(-90"), ">milk<", &group);
    assert_true(has(group, "text-anchor=\"end\""));
    check_close(number(at, " x=\""), box[0].x + box[0].w / 2.0 + 4.0, 2.0);
    assert_true(number(at, " y=\"") > box[0].y + box[0].h);
    assert_true(number(at, " y=\"") < box[0].y + box[0].h + 12.0);
    at = element(d.svg, ">Head<", &group);
    assert_true(has(group, "text-anchor=\"middle\""));
    check_close(number(at, " x=\""), box[0].x + box[0].w / 2.0, 2.0);
    assert_int_equal(count(d.svg, ">milk</text>"), 3);  /* rows of the first, columns of both */
    assert_int_equal(count(d.svg, ">Head</text>"), 2);
    drawn_finish(&d);
}

/* From right to left, what is held at the right end is where a line begins. */
static void test_to_left(void **state)
{
    struct drawn d;
    const char *group;

    (void)state;
    drawn_init(&d, 1, 2, "مرحبا");
    d.s.sheet.caption = "one";
    drawn_draw(&d);
    element(d.svg, ">مرحبا<", &group);
    assert_true(has(group, "direction=\"rtl\""));
    assert_true(has(group, "text-anchor=\"start\""));
    element(d.svg, ">one<", &group);
    assert_false(has(group, "direction"));
    drawn_finish(&d);
}

/* Parts in another font say so: Arabic is not in the serif one. */
static void test_fonts(void **state)
{
    struct drawn d;
    const char *group;

    (void)state;
    drawn_init(&d, 1, 2, "tea مر milk");
    d.s.sheet.font = "DejaVu Serif";
    drawn_draw(&d);
    element(d.svg, ">tea <", &group);
    assert_true(has(group, "font-family=\"'DejaVu Serif', sans-serif\""));
    assert_non_null(strstr(d.svg, "<tspan font-family=\"'DejaVu Sans', sans-serif\">مر"));
    drawn_finish(&d);
}

/* What has no room is not in the file either; a tower of marks stays in its line. */
static void test_cut(void **state)
{
    struct drawn d;
    char tower[64] = "a";

    (void)state;
    for (int i = 0; i < 11; i++)
        strcat(tower, "\xcc\x81");
    drawn_init(&d, 1, 4, "a");
    d.s.label[2] = tower;
    d.s.maps.cell_px = 11;
    d.s.maps.columns = 1;
    d.s.panel[0].title = "Donaudampfschifffahrt";
    drawn_draw(&d);
    assert_int_equal(count(d.svg, "<clipPath id=\"line"), 2);
    assert_int_equal(count(d.svg, "clip-path=\"url(#line"), 2);
    assert_int_equal(count(d.svg, ">Donaudampfschifffahrt<"), 1);
    free(d.svg);
    d.s.maps.cell_px = 0;
    d.s.sheet.width_px = 150.0;
    d.s.sheet.font_px = 12.0;
    drawn_draw(&d);
    assert_int_equal(count(d.svg, ">Donaudampfschifffahrt<"), 0);
    assert_int_equal(count(d.svg, ">Donau"), 1);
    assert_int_equal(count(d.svg, "…</text>"), 1);
    drawn_finish(&d);
}

/* A label ends where its width does: after more narrow letters than wide ones. */
static void test_width(void **state)
{
    struct drawn d;

    (void)state;
    drawn_init(&d, 1, 4, "a");
    d.s.label[1] = "iiiiiiiiiiiiiiiiiiiiiiii";
    d.s.label[2] = "WWWWWWWWWWWWWWWWWWWWWWWW";
    drawn_draw(&d);
    assert_int_equal(count(d.svg, ">iiiiiiiiiiiiiiiiiiiiiiii</text>"), 2);
    assert_int_equal(count(d.svg, "WWWWWWWW…</text>"), 2);
    assert_int_equal(count(d.svg, "WWWWWWWWWWWW…</text>"), 0);
    drawn_finish(&d);
}

/* Parts of a character have one label, in the middle of theirs. */
static void test_joined(void **state)
{
    struct drawn d;
    struct box box[MAX_PANELS];
    struct arena a;
    const char *at, *group;

    (void)state;
    arena_init(&a, NULL, NULL);
    drawn_init(&d, 1, 6, "a");
    d.s.label[2] = "\xd9";
    d.s.label[3] = "\x85";
    d.s.label[4] = "\xd9";
    label_join(&a, &d.s.maps.rows);
    label_join(&a, &d.s.maps.cols);
    drawn_draw(&d);
    box_of(&d.s, box);
    assert_int_equal(count(d.svg, ">م</text>"), 2);
    assert_int_equal(count(d.svg, ">\\xd9</text>"), 2);
    assert_int_equal(count(d.svg, ">a</text>"), 6);
    at = element(d.svg, ">م<", &group);
    check_close(number(at, " y=\""), box[0].y + box[0].h / 2.0 + 4.0, 2.0);
    assert_non_null(strstr(d.svg, "<title>م → a: "));
    drawn_finish(&d);
    arena_finish(&a);
}

/* Lines of a paragraph are elements of their own, without the spaces between them. */
static void test_paragraph(void **state)
{
    struct drawn d;

    (void)state;
    drawn_init(&d, 1, 2, "a");
    d.s.sheet.caption = "a caption of so many words that it takes more than one line or two";
    drawn_draw(&d);
    assert_int_equal(count(d.svg, ">a caption"), 1);
    assert_int_equal(count(d.svg, d.s.sheet.caption), 0);
    assert_int_equal(count(d.svg, " </text>"), 0);
    drawn_finish(&d);
}

/* ---- what cells say ---- */

static void test_titles(void **state)
{
    struct drawn d;
    struct box box[MAX_PANELS];
    const char *at;

    (void)state;
    drawn_init(&d, 1, 3, "a");
    d.s.label[0] = "<&>";
    d.s.value[3] = 0.25f;
    drawn_draw(&d);
    box_of(&d.s, box);
    assert_int_equal(count(d.svg, "</title></path>"), 6);       /* what a query sees */
    at = strstr(d.svg, "<title>a → &lt;&amp;&gt;: 0.25</title>");
    assert_non_null(at);
    while (strncmp(at, "d=\"M", 4) != 0)
        at--;
    check_close(strtod(at + 4, NULL), box[0].x, 2.0);
    check_close(strtod(strchr(at, ' ') + 1, NULL), box[0].y + box[0].h / 3.0, 2.0);
    free(d.svg);
    d.s.maps.rows.n = d.s.maps.cols.n = 0;
    drawn_draw(&d);
    assert_non_null(strstr(d.svg, "<title>1 → 0: 0.25</title>"));
    drawn_finish(&d);
}

/* No titles of long texts, nor where a cell is of several tokens. */
static void test_titles_end(void **state)
{
    struct drawn d;

    (void)state;
    drawn_init(&d, 2, 50, "a");
    drawn_draw(&d);
    assert_int_equal(count(d.svg, "</title></path>"), 2 * 1275);
    free(d.svg);
    d.s.maps.pool = 2;
    drawn_draw(&d);
    assert_int_equal(count(d.svg, "<title>"), 0);
    drawn_finish(&d);
    drawn_init(&d, 2, 51, "a");
    drawn_draw(&d);
    assert_int_equal(count(d.svg, "<title>"), 0);
    drawn_finish(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_to_left),
        cmocka_unit_test(test_fonts),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_paragraph),
        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_titles_end),
    };

    use_fonts("fonts.conf");
    return cmocka_run_group_tests_name("text of an SVG", tests, NULL, NULL);
}
