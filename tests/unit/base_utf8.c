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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point), cmocka_unit_test(nothing_else_decodes),
        cmocka_unit_test(check_finds_the_first_bad_byte), cmocka_unit_test(controls),
        cmocka_unit_test(what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
