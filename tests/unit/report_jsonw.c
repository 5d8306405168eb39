/* SPDX-License-Identifier: MIT
 * JSON that another reader (jansson) takes as what was meant. */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

struct sheet {
    struct jsonw j;
    char *text;
    size_t n;
};

static void sheet_open(struct sheet *s)
{
    jsonw_init(&s->j, open_memstream(&s->text, &s->n));
}

/* The text must be freed by the caller. */
static char *sheet_close(struct sheet *s)
{
    fclose(s->j.file);
    return s->text;
}

static void test_structure(void **state)
{
    struct sheet s;
    struct jsonw *j = &s.j;

    (void)state;
    sheet_open(&s);
    jsonw_object(j);
    jsonw_key(j, "a");
    jsonw_array(j);
    jsonw_int(j, -1);
    jsonw_array(j);
    jsonw_end(j, ']');
    jsonw_object(j);
    jsonw_end(j, '}');
    jsonw_bool(j, true);
    jsonw_null(j);
    jsonw_end(j, ']');
    jsonw_key(j, "b");
    jsonw_bool(j, false);
    jsonw_key(j, "c");
    jsonw_string(j, "d");
    jsonw_end(j, '}');
    jsonw_newline(j);
    jsonw_int(j, INT64_MIN);
    jsonw_newline(j);
    assert_string_equal(sheet_close(&s),
                        "{\"a\":[-1,[],{},true,null],\"b\":false,\"c\":\"d\"}\n"
                        "-9223372036854775808\n");
    free(s.text);
}

static char *string_of(const char *bytes, size_t n)
{
    struct sheet s;

    sheet_open(&s);
    jsonw_string_n(&s.j, bytes, n);
    return sheet_close(&s);
}

static void check_string(const char *bytes, size_t n, const char *want)
{
    char *got = string_of(bytes, n);

    assert_string_equal(got, want);
    free(got);
}

static void test_members(void **state)
{
    struct sheet s;
    struct jsonw *j = &s.j;

    (void)state;
    sheet_open(&s);
    jsonw_object(j);
    jsonw_member_string(j, "a", "b");
    jsonw_member_string(j, "none", NULL);
    jsonw_member_int(j, "n", -7);
    jsonw_key(j, "yes");
    jsonw_bool(j, true);
    jsonw_member_double(j, "x", 0.5);
    jsonw_member_double(j, "nan", (double)NAN);
    jsonw_end(j, '}');
    assert_string_equal(sheet_close(&s), "{\"a\":\"b\",\"none\":null,\"n\":-7,"
                                         "\"yes\":true,\"x\":0.5,\"nan\":null}");
    free(s.text);
}

static void test_escapes(void **state)
{
    (void)state;
    check_string("", 0, "\"\"");
    check_string("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
    check_string("\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"");
    check_string("\0x\x1b[2J\x7f", 7, "\"\\u0000x\\u001b[2J\\u007f\"");
    /* U+009B starts a terminal sequence, U+202E turns the line, U+2028 breaks it. */
    check_string("\xc2\x9b\xe2\x80\xae\xe2\x80\xa8", 8, "\"\\u009b\\u202e\\u2028\"");
    check_string("\xe6\x88\x91 \xf0\x9f\x98\x80", 8,
                 "\"\xe6\x88\x91 \xf0\x9f\x98\x80\"");
}

static void test_not_utf8(void **state)
{
    (void)state;
    check_string("a\xff" "b", 3, "\"a\xef\xbf\xbd" "b\"");
    check_string("\xe6\x88", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    /* A surrogate and an overlong slash. */
    check_string("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    check_string("\xc0\xaf", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* Whatever the bytes, a strict reader takes the string. */
static void test_any_bytes(void **state)
{
    unsigned seed = 1;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        char bytes[24], *text;
        json_t *back;

        for (size_t k = 0; k < sizeof bytes; k++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[k] = (char)(seed >> 24);
        }
        text = string_of(bytes, sizeof bytes);
        back = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        assert_non_null(back);
        json_decref(back);
        free(text);
    }
}

static void test_numbers(void **state)
{
    struct sheet s;

    (void)state;
    sheet_open(&s);
    jsonw_array(&s.j);
    jsonw_double(&s.j, 0.1);
    jsonw_double(&s.j, NAN);
    jsonw_double(&s.j, -INFINITY);
    jsonw_double(&s.j, 1e300);
    jsonw_float(&s.j, 0.1f);
    jsonw_float(&s.j, INFINITY);
    jsonw_double(&s.j, -0.0);
    jsonw_end(&s.j, ']');
    assert_string_equal(sheet_close(&s), "[0.1,null,null,1e+300,0.1,null,-0]");
    free(s.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_not_utf8),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
