/* SPDX-License-Identifier: MIT
 * Character cells: widths, cuts, line breaks, and the colours that are written. */
#include "check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "draw/canvas.h"

struct drawn {
    struct arena a;
    struct canvas c;
    char *text;
    size_t size;
};

static void begin(struct drawn *d, int columns, enum terminal_way way)
{
    const struct terminal t = { true, columns, 8 * columns, way };

    arena_init(&d->a, NULL, NULL);
    canvas_init(&d->c, &d->a, &t);
}

static void end(struct drawn *d, const char *want)
{
    FILE *f = open_memstream(&d->text, &d->size);

    canvas_write(&d->c, f);
    fclose(f);
    assert_string_equal(d->text, want);
    free(d->text);
    arena_finish(&d->a);
}

/* ---- text ---- */

static void test_width(void **state)
{
    (void)state;
    assert_int_equal(canvas_width(""), 0);
    assert_int_equal(canvas_width("cat"), 3);
    assert_int_equal(canvas_width("我喜欢"), 6);
    assert_int_equal(canvas_width("ｶﾅ"), 2);
    assert_int_equal(canvas_width("e\xcc\x81"), 1);
    assert_int_equal(canvas_width("한"), 2);
    assert_int_equal(canvas_width("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), 2);
    assert_int_equal(canvas_width("\xcc\x81"), 1);
}

static void test_cut(void **state)
{
    struct drawn d;

    (void)state;
    begin(&d, 10, TERMINAL_DIGITS);
    assert_int_equal(canvas_text(&d.c, 0, 0, 4, "cats", false), 4);
    assert_int_equal(canvas_text(&d.c, 1, 0, 4, "catso", false), 4);
    assert_int_equal(canvas_text(&d.c, 2, 0, 4, "我喜欢", false), 3);
    assert_int_equal(canvas_text(&d.c, 3, 0, 5, "我喜欢", false), 5);
    assert_int_equal(canvas_text(&d.c, 4, 8, 9, "edge", false), 2);
    assert_int_equal(canvas_text(&d.c, 5, 0, 9, "\xcc\x81x", false), 2);
    assert_int_equal(canvas_text(&d.c, 6, 10, 9, "beyond", false), 0);
    end(&d, "cats\ncat…\n我…\n我喜…\n        e…\n◌\xcc\x81x\n");
}

static void test_paragraph(void **state)
{
    struct drawn d;

    (void)state;
    begin(&d, 8, TERMINAL_DIGITS);
    assert_int_equal(canvas_paragraph(&d.c, 0, "the cat sat", false), 2);
    assert_int_equal(canvas_paragraph(&d.c, 2, "mm 我喜欢吃", false), 4);
    assert_int_equal(canvas_paragraph(&d.c, 4, "unbreakable", false), 6);
    end(&d, "the cat\nsat\nmm 我喜\n欢吃\nunbreaka\nble\n");
}

/* ---- colours ---- */

static int rgb_of(int index)
{
    static const int cube[6] = { 0, 95, 135, 175, 215, 255 };
    int i = index - 16, gray = 8 + 10 * (index - 232);

    if (index >= 232)
        return gray << 16 | gray << 8 | gray;
    return cube[i / 36] << 16 | cube[i / 6 % 6] << 8 | cube[i % 6];
}

static int far(int x, int y)
{
    int r = (x >> 16) - (y >> 16), g = (x >> 8 & 255) - (y >> 8 & 255), b = (x & 255) - (y & 255);

    return r * r + g * g + b * b;
}

/* No other of the 240 is nearer. */
static void test_nearest_colour(void **state)
{
    (void)state;
    for (int index = 16; index < 256; index++)
        assert_int_equal(rgb_of(canvas_colour_256(rgb_of(index))), rgb_of(index));
    for (int rgb = 0; rgb < 1 << 24; rgb += 7919) {
        int got = far(rgb_of(canvas_colour_256(rgb)), rgb), least = INT_MAX;

        for (int index = 16; index < 256; index++)
            least = far(rgb_of(index), rgb) < least ? far(rgb_of(index), rgb) : least;
        assert_int_equal(got, least);
    }
}

static void paint(struct drawn *d, enum terminal_way way)
{
    begin(d, 6, way);
    *canvas_at(&d->c, 0, 0) = (struct glyph){ "▀", 0xff0000, 0x0000ff, false };
    *canvas_at(&d->c, 0, 1) = (struct glyph){ NULL, CANVAS_PLAIN, 0x0000ff, false };
    *canvas_at(&d->c, 0, 2) = (struct glyph){ "x", CANVAS_PLAIN, CANVAS_PLAIN, true };
    canvas_at(&d->c, 1, 5);
}

/* A colour is written where it changes, and a line leaves none behind. */
static void test_sequences(void **state)
{
    struct drawn d;

    (void)state;
    paint(&d, TERMINAL_TRUE);
    end(&d, "\033[38;2;255;0;0m\033[48;2;0;0;255m▀ \033[1m\033[39m\033[49mx\033[0m\n\n");
    paint(&d, TERMINAL_256);
    end(&d, "\033[38;5;196m\033[48;5;21m▀ \033[1m\033[39m\033[49mx\033[0m\n\n");
    paint(&d, TERMINAL_DIGITS);
    end(&d, "▀ x\n\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_paragraph),
        cmocka_unit_test(test_nearest_colour),
        cmocka_unit_test(test_sequences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
