/* SPDX-License-Identifier: MIT
 * Pictures on a terminal: what kitty and sixel sequences hold is the PNG, pixel by pixel; no
 * wider than the terminal. */
#include "image/figure.h"
#include "image/png_read.h"

struct shown {
    struct sample sample;
    struct terminal terminal;
    struct folder dir;
};

static void begin(struct shown *s, enum terminal_way way, int width_px)
{
    sample_init(&s->sample, 3, 9, 9, true);
    sample_labels(&s->sample, 9, "cat");
    s->sample.maps.rows = s->sample.maps.cols;
    s->sample.sheet.caption = "caption 我喜欢";
    s->terminal = (struct terminal){ true, 80, width_px, way };
    s->sample.sheet.terminal = &s->terminal;
    folder_init(&s->dir);
}

static void end(struct shown *s)
{
    sample_finish(&s->sample);
    folder_finish(&s->dir);
}

/* ---- readers ---- */

/* The bytes of base64 in s[n]; how many. */
static size_t unbase64(unsigned char *dst, const char *s, size_t n)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t out = 0;
    unsigned bits = 0, count = 0;

    for (size_t i = 0; i < n && s[i] != '='; i++) {
        const char *found = strchr(letters, s[i]);

        assert_non_null(found);
        bits = bits << 6 | (unsigned)(found - letters);
        count += 6;
        if (count >= 8) {
            count -= 8;
            dst[out++] = (unsigned char)(bits >> count);
        }
    }
    return out;
}

/* Of "\033_G...;LETTERS\033\\" one after the other, the last with m=0; what they hold. */
static size_t read_kitty(unsigned char *dst, const char *s)
{
    size_t out = 0;
    bool more = true, first = true;

    while (more) {
        const char *letters = strchr(s, ';') + 1, *stop = strstr(letters, "\033\\");

        assert_memory_equal(s, first ? "\033_Ga=T,f=100,q=2,m=" : "\033_Gm=", first ? 19 : 5);
        more = letters[-2] == '1';
        assert_true(stop - letters <= 4096 && (!more || (stop - letters) % 4 == 0));
        out += unbase64(dst + out, letters, (size_t)(stop - letters));
        s = stop + 2;
        first = false;
    }
    assert_string_equal(s, "\n");
    return out;
}

struct sixel { int w, h; int palette[256]; int *rgb; };

static const char *read_run(struct sixel *p, const char *s, int *x, int top, int rgb)
{
    int n = 1;

    if (*s == '!')
        n = (int)strtol(s + 1, (char **)&s, 10);
    assert_in_range(*s, '?', '~');
    for (; n > 0; n--, ++*x)
        for (int y = 0; y < 6; y++)
            if (((*s - '?') >> y & 1) != 0) {
                assert_true(*x < p->w && top + y < p->h);
                p->rgb[(top + y) * p->w + *x] = rgb;
            }
    return s + 1;
}

static const char *read_colour(struct sixel *p, const char *s, int *rgb)
{
    int at = (int)strtol(s + 1, (char **)&s, 10), part[4];

    assert_in_range(at, 0, 255);
    if (*s == ';') {
        for (int i = 0; i < 4; i++)
            part[i] = (int)strtol(s + 1, (char **)&s, 10);
        assert_int_equal(part[0], 2);
        p->palette[at] = part[1] * 255 / 100 << 16 | part[2] * 255 / 100 << 8 | part[3] * 255 / 100;
    }
    *rgb = p->palette[at];
    return s;
}

static void read_sixel(struct sixel *p, const char *s)
{
    int x = 0, top = 0, rgb = 0;

    assert_int_equal(sscanf(s, "\033Pq\"1;1;%d;%d", &p->w, &p->h), 2);
    p->rgb = malloc((size_t)p->w * (size_t)p->h * sizeof *p->rgb);
    memset(p->rgb, 0xff, (size_t)p->w * (size_t)p->h * sizeof *p->rgb);
    s = strchr(s, '#');
    while (*s != '\033')
        if (*s == '#') {
            s = read_colour(p, s, &rgb);
        } else if (*s == '$' || *s == '-') {
            top += *s++ == '-' ? 6 : 0;
            x = 0;
        } else {
            s = read_run(p, s, &x, top, rgb);
        }
    assert_string_equal(s, "\033\\\n");
}

/* ---- tests ---- */

static void test_kitty(void **state)
{
    struct shown s;
    char *text, *png;
    unsigned char *bytes;
    size_t n, m;

    (void)state;
    begin(&s, TERMINAL_KITTY, 4000);
    draw_ok(&s.sample, DRAW_PNG, folder_file(&s.dir, "a.png"));
    draw_ok(&s.sample, DRAW_TERMINAL, folder_file(&s.dir, "b"));
    png = slurp(folder_file(&s.dir, "a.png"), &n);
    text = slurp(folder_file(&s.dir, "b"), &m);
    bytes = malloc(m);
    assert_int_equal(read_kitty(bytes, text), n);
    assert_memory_equal(bytes, png, n);
    free(bytes);
    free(png);
    free(text);
    end(&s);
}

/* Colours are hundredths, and at most 256 of them. */
static void test_sixel(void **state)
{
    struct sixel sixel;
    struct shown s;
    struct picture p;
    char *text;
    size_t n;
    int far = 0;

    (void)state;
    begin(&s, TERMINAL_SIXEL, 4000);
    draw_ok(&s.sample, DRAW_PNG, folder_file(&s.dir, "a.png"));
    draw_ok(&s.sample, DRAW_TERMINAL, folder_file(&s.dir, "b"));
    assert_int_equal(picture_read(&p, folder_file(&s.dir, "a.png")), 0);
    text = slurp(folder_file(&s.dir, "b"), &n);
    read_sixel(&sixel, text);
    assert_int_equal(sixel.w, p.w);
    assert_int_equal(sixel.h, p.h);
    for (int i = 0; i < p.w * p.h; i++) {
        assert_true(sixel.rgb[i] >= 0);
        for (int k = 0; k < 3; k++)
            far += abs((sixel.rgb[i] >> (16 - 8 * k) & 255) - p.rgb[3 * i + k]) > 3;
    }
    assert_true(far < p.w * p.h / 50);
    free(sixel.rgb);
    free(text);
    picture_free(&p);
    end(&s);
}

/* Fewer pixels, not fewer heatmaps. */
static void test_narrow(void **state)
{
    (void)state;
    for (int width = 160; width <= 640; width *= 2) {
        struct shown s;
        char *text;
        size_t n;
        int w, h;

        begin(&s, TERMINAL_SIXEL, width);
        draw_ok(&s.sample, DRAW_TERMINAL, folder_file(&s.dir, "b"));
        text = slurp(folder_file(&s.dir, "b"), &n);
        assert_int_equal(sscanf(text, "\033Pq\"1;1;%d;%d", &w, &h), 2);
        assert_in_range(w, width / 2, width);
        free(text);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kitty),
        cmocka_unit_test(test_sixel),
        cmocka_unit_test(test_narrow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
