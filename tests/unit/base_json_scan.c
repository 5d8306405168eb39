/* SPDX-License-Identifier: MIT
 * JSON read piece by piece: what each piece takes, where it stops, and what it says. */
#include "check.h"

#include <string.h>

#include "base/json_scan.h"

/* Of a copy without a NUL behind it: sanitisers see a read past its end. */
static struct json_scan over(const char *text)
{
    static unsigned char room[256];
    size_t n = strlen(text);

    assert_true(n <= sizeof room);
    memcpy(room + sizeof room - n, text, n);
    return (struct json_scan){ room + sizeof room - n, room + sizeof room - n,
                               room + sizeof room };
}

static size_t left(const struct json_scan *s)
{
    return (size_t)(s->end - s->at);
}

static void strings(void **state)
{
    static const struct { const char *text, *want; } good[] = {
        { "\"\"", "" }, { " \t\r\n\"a\"", "a" }, { "\"\\u00E9\\u20ac\"", "é€" },
        { "\"\\uABCD\\uabcd\\uefEF\"", "\uabcd\uabcd\uefef" },
        { "\"\\ud83d\\ude00\\uDBFF\\uDFFF\"", "😀\U0010ffff" },
        { "\"\\uD800\\uDC00\\ud7ff\\ue000\"", "\U00010000\ud7ff\ue000" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct json_scan s = over(good[i].text), again = s;
        struct err e = { ERR_NONE, "" };
        char out[64];
        size_t n, n_again;

        assert_int_equal(json_scan_string(&s, out, &n, &e), 0);
        assert_string_equal(out, good[i].want);
        assert_int_equal(n, strlen(good[i].want));
        assert_int_equal(left(&s), 0);
        assert_int_equal(json_scan_string(&again, NULL, &n_again, &e), 0);
        assert_int_equal(n_again, n);
    }
}

static void strings_that_are_refused(void **state)
{
    static const struct { const char *text, *message; } bad[] = {
        { "", "expected a string" }, { "1", "expected a string" },
        { "\"", "expected the end of a string" }, { "\"a", "expected the end of a string" },
        { "\"\\", "an escape of JSON" }, { "\"\\x\"", "an escape of JSON" },
        { "\"\\u", "four hexadecimal digits" }, { "\"\\u00g0\"", "four hexadecimal digits" },
        { "\"\\u00:0\"", "four hexadecimal digits" }, { "\"\\u00@0\"", "hexadecimal" },
        { "\"\\u00/0\"", "four hexadecimal digits" }, { "\"\\u00", "hexadecimal" },
        { "\"\\ud800\"", "both halves" }, { "\"\\ud800\\", "both halves" },
        { "\"\\ud800xu0000\"", "both halves" }, { "\"\\ud800\\n0000\"", "both halves" },
        { "\"\\ud800\\udbff\"", "both halves" }, { "\"\\ud800\\ue000\"", "both halves" },
        { "\"\\udc00\\udc00\"", "both halves" }, { "\"\\ud800\\u00", "hexadecimal" },
        { "\"\n\"", "no control character" }, { "\"\xff\"", "expected UTF-8" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct json_scan s = over(bad[i].text);
        struct err e = { ERR_NONE, "" };
        char out[64];
        size_t n;

        assert_int_equal(json_scan_string(&s, out, &n, &e), -1);
        if (strstr(e.msg, bad[i].message) == NULL)
            fail_msg("%s: %s", bad[i].text, e.msg);
    }
}

static void counts(void **state)
{
    static const struct { const char *text, *message; int64_t want; size_t left; } cases[] = {
        { "0", NULL, 0, 0 }, { " 17,", NULL, 17, 1 }, { "5]", NULL, 5, 1 },
        { "9223372036854775807", NULL, INT64_MAX, 0 },
        { "9223372036854775808", "a number below 2^63", 0, 0 },
        { "92233720368547758070", "a number below 2^63", 0, 0 },
        { "", "a whole number in decimal digits", 0, 0 },
        { "01", "a whole number in decimal digits", 0, 0 },
        { "/", "a whole number in decimal digits", 0, 0 },
        { ":", "a whole number in decimal digits", 0, 0 },
        { "-1", "not negative", 0, 0 }, { "1.5", "a whole number", 0, 0 },
        { "1e3", "a whole number", 0, 0 }, { "1E3", "a whole number", 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct json_scan s = over(cases[i].text);
        struct err e = { ERR_NONE, "" };
        int64_t v;
        int rc = json_scan_count(&s, &v, &e);

        if (cases[i].message == NULL) {
            assert_int_equal(rc, 0);
            assert_true(v == cases[i].want);
            assert_int_equal(left(&s), cases[i].left);
        } else if (rc != -1 || strstr(e.msg, cases[i].message) == NULL) {
            fail_msg("%s: %d, %s", cases[i].text, rc, e.msg);
        }
    }
}

/* Readers without messages: what is left where they stop, -1 where they say no. */

static int quoted(struct json_scan *s)
{
    const char *text;
    size_t n;

    return json_scan_quoted(s, &text, &n) ? (int)(left(s) * 100 + n) : -1;
}

static int skip_value(struct json_scan *s)
{
    return json_scan_skip(s) ? (int)left(s) : -1;
}

static int enter_b(struct json_scan *s)
{
    return json_scan_enter(s, "b") ? (int)left(s) : -1;
}

static int id(struct json_scan *s)
{
    int64_t v;

    return json_scan_id(s, &v) ? (int)((int64_t)left(s) * 1000 + v % 1000) : -1;
}

static int peek(struct json_scan *s)
{
    return json_scan_peek(s) * 100 + (int)left(s);
}

static void plain_pieces(void **state)
{
    static const struct {
        int (*read)(struct json_scan *s);
        const char *text;
        int want;
    } cases[] = {
        { quoted, "\"ab\",", 102 }, { quoted, "\"a\\\"b\"", 4 }, { quoted, "\"\\\\\"", 2 },
        { quoted, "\"\"", 0 }, { quoted, "1", -1 }, { quoted, "\"a", -1 }, { quoted, "\"\n\"", -1 },
        { quoted, "\"\\", -1 }, { quoted, "", -1 },
        { skip_value, "1,", 1 }, { skip_value, "[1,{\"]\":[]}],2", 2 },
        { skip_value, "}", 1 }, { skip_value, "]", 1 },
        { skip_value, "{\"a\":1}]", 1 }, { skip_value, "\"x", -1 },
        { skip_value, "[1", -1 }, { skip_value, "", -1 },
        { enter_b, "{\"a\":[1,2],\"b\":3}", 2 }, { enter_b, "{\"b\":3}", 2 },
        { enter_b, "{\"a\":1,\"c\":2}", -1 }, { enter_b, "{}", -1 }, { enter_b, "[]", -1 },
        { enter_b, "{\"b\" 3}", -1 }, { enter_b, "{\"a\":1", -1 }, { enter_b, "{\"a\":1,}", -1 },
        { enter_b, "{\"bb\":1,\"b\":7}", 2 },
        { id, "0,", 1000 }, { id, "12]", 1012 }, { id, "123456789", 789 },
        { id, "1234567890", 1789 }, { id, "01", -1 }, { id, "-1", -1 }, { id, "", -1 },
        { id, "x", -1 }, { id, ":", -1 }, { id, "7", 7 },
        { peek, " \n[", '[' * 100 + 1 }, { peek, "  ", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct json_scan s = over(cases[i].text);
        int got = cases[i].read(&s);

        if (got != cases[i].want)
            fail_msg("%zu: %s: found %d, expected %d", i, cases[i].text, got, cases[i].want);
    }
}

static void reals(void **state)
{
    static const struct { const char *text; double want; } good[] = {
        { "0,", 0 }, { "-0.5]", -0.5 }, { "1e3 ", 1000 }, { "1E+3}", 1000 },
        { "25e-2\n", 0.25 }, { " 10.75,", 10.75 }, { "-7\t", -7 },
    };
    static const char *const bad[] = { "", "-", "+1,", ".5,", "5.,", "01,", "-01,", "1e,", "1e+,",
                                       "1", "0x1,", "1e999,", "-e1,", "nan,", "1.e3,", "1;" };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct json_scan s = over(good[i].text);
        double v;

        assert_true(json_scan_real(&s, &v));
        assert_true(v == good[i].want);
        assert_int_equal(left(&s), 1);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct json_scan s = over(bad[i]);
        double v;

        if (json_scan_real(&s, &v))
            fail_msg("%s: read as %g", bad[i], v);
    }
}

static void ends_and_expected(void **state)
{
    struct json_scan s = over(" : ");
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_false(json_scan_at_end(&s));
    assert_false(json_scan_take(&s, ','));
    assert_int_equal(json_scan_expect(&s, ',', &e), -1);
    assert_string_equal(e.msg, "at byte 1: found ':', expected ','");
    assert_int_equal(json_scan_expect(&s, ':', &e), 0);
    assert_true(json_scan_at_end(&s));
    assert_int_equal(json_scan_expect(&s, ':', &e), -1);
    assert_non_null(strstr(e.msg, "expected ':'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings), cmocka_unit_test(strings_that_are_refused),
        cmocka_unit_test(counts), cmocka_unit_test(plain_pieces),
        cmocka_unit_test(reals), cmocka_unit_test(ends_and_expected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
