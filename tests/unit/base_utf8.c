/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

#include "base/utf8.h"

static bool is_scalar(int cp)
{
    return cp < 0xd800 || cp > 0xdfff;
}

/* Every code point there and back; every shorter prefix is refused. */
static void every_code_point(void **state)
{
    (void)state;
    for (int cp = 0; cp <= 0x10ffff; cp++) {
        char s[4];
        int n, got;

        if (!is_scalar(cp))
            continue;
        n = utf8_encode(cp, s);
        if (utf8_decode(s, (size_t)n, &got) != n || got != cp)
            fail_msg("U+%04X", (unsigned)cp);
        if (n > 1 && utf8_decode(s, (size_t)n - 1, &got) != -1)
            fail_msg("U+%04X cut", (unsigned)cp);
    }
}

/* Each sequence of up to four bytes is valid exactly if it is an encoding. */
static void nothing_else_decodes(void **state)
{
    static const unsigned char second[] = { 0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0,
                                            0xbf, 0xc0, 0xff };

    (void)state;
    for (int first = 0; first < 256; first++)
        for (size_t a = 0; a < sizeof second; a++)
            for (size_t b = 0; b < sizeof second; b++)
                for (size_t c = 0; c < sizeof second; c++) {
                    const char s[4] = { (char)first, (char)second[a], (char)second[b],
                                        (char)second[c] };
                    char again[4];
                    int cp = -1, n = utf8_decode(s, 4, &cp);

                    assert_true(n == -1 || (n >= 1 && n <= 4));
                    if (n < 0)
                        continue;
                    assert_true(cp >= 0 && cp <= 0x10ffff && is_scalar(cp));
                    assert_int_equal(utf8_encode(cp, again), n);    /* not overlong */
                    assert_memory_equal(again, s, (size_t)n);
                }
}

static void check_finds_the_first_bad_byte(void **state)
{
    static const struct { const char *s; size_t n, bad; } cases[] = {
        { "", 0, 0 }, { "abc", 3, 3 }, { "a\0c", 3, 3 }, { "ab\xff", 3, 2 },
        { "\xc0\x80", 2, 0 }, { "x\xe2\x82", 3, 1 }, { "\xf4\x90\x80\x80", 4, 0 },
        { "\xe6\x88\x91\xed\xa0\x80", 6, 3 }, { "\xf0\x9f\x91\x80", 4, 4 },
        { "\x80", 1, 0 }, { "\xf8\x88\x80\x80\x80", 5, 0 },
    };
    int cp;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(utf8_check(cases[i].s, cases[i].n), cases[i].bad);
    assert_int_equal(utf8_decode("", 0, &cp), 0);
}

static void controls(void **state)
{
    static const int yes[] = { 0, 7, 0x1b, 0x1f, 0x7f, 0x80, 0x9b, 0x9f, 0x61c, 0x200e, 0x200f,
                               0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069 };
    static const int no[] = { ' ', '~', 0xa0, 0xe9, 0x61b, 0x200d, 0x2027, 0x202f, 0x2065,
                              0x206a, 0x6211, 0x1f440 };

    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(utf8_is_control(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(utf8_is_control(no[i]));
}

static void what_is_shown(void **state)
{
    static const struct { const char *s; size_t n; const char *piece; int len; } cases[] = {
        { "a", 1, "a", 1 }, { "\n", 1, "\\n", 1 }, { "\0", 1, "\\x00", 1 },
        { "\xe6\x88\x91x", 4, "\xe6\x88\x91", 3 }, { "\xe6\x88", 2, "\\xe6", 1 },
        { "\xf0\x9f\x91\x80", 4, "\xf0\x9f\x91\x80", 4 }, { "\xc2\x85", 2, "\\u0085", 2 },
        { "\xe2\x80\xae", 3, "\\u202e", 3 }, { "\xed\xa0\x80", 3, "\\xed", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char piece[8];

        assert_int_equal(utf8_show(cases[i].s, cases[i].n, piece), cases[i].len);
        assert_string_equal(piece, cases[i].piece);
    }
}

/* ---- columns ---- */

static void widths(void **state)
{
    static const struct { const char *s; size_t width; } cases[] = {
        { "", 0 }, { "abc", 3 }, { "e\xcc\x81", 1 }, { "\xe6\x88\x91x", 3 },
        { "\xe1\x84\x92", 2 },                                 /* U+1112, a first consonant */
        { "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2 },       /* with its vowel and its last */
        { "\xe1\x85\xa0\xe1\x87\xbf", 0 },                    /* U+1160, U+11FF */
        { "\xed\x9e\xb0\xed\x9f\xbb", 0 },                    /* U+D7B0, U+D7FB */
        { "\xed\x9e\xa3", 2 },                                 /* U+D7A3, a whole syllable */
        { "\xee\x80\x80" "a", 2 },                             /* U+E000 */
        { "ab\xff" "cd", 2 }, { "a\xe2\x82", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(utf8_width(cases[i].s), cases[i].width);
}

/* A letter with its marks; bytes that are none stand alone, and end one. */
static void clusters(void **state)
{
    static const struct { const char *s; size_t n, at; int width; } cases[] = {
        { "a", 1, 1, 1 }, { "ab", 2, 1, 1 }, { "\xff" "a", 2, 1, 1 }, { "a\xff", 2, 1, 1 },
        { "e\xcc\x81x", 4, 3, 1 }, { "e\xcc\x81", 3, 3, 1 }, { "e\xcc\x81", 2, 1, 1 },
        { "e\xcc\x81\xcc\xa7\xff", 6, 5, 1 }, { "\xe6\x88\x91\xe6\x88\x91", 6, 3, 2 },
        { "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab" "a", 10, 9, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int width = -1;

        assert_int_equal(utf8_cluster(cases[i].s, cases[i].n, &width), cases[i].at);
        assert_int_equal(width, cases[i].width);
    }
}

/* Two letters are a flag, the third begins the next: the state is kept between them. */
static void flags_are_pairs(void **state)
{
    static const char flags[] = "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87\xab\xf0\x9f\x87\xb7";
    int width;

    (void)state;
    assert_int_equal(utf8_cluster(flags, 16, &width), 8);
    assert_int_equal(2 * width, utf8_width(flags));
    assert_int_equal(utf8_cluster(flags + 8, 8, &width), 8);
    assert_int_equal(2 * width, utf8_width(flags));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point), cmocka_unit_test(nothing_else_decodes),
        cmocka_unit_test(check_finds_the_first_bad_byte), cmocka_unit_test(controls),
        cmocka_unit_test(what_is_shown), cmocka_unit_test(widths), cmocka_unit_test(clusters),
        cmocka_unit_test(flags_are_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
