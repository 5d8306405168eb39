/* SPDX-License-Identifier: MIT
 * Trees of JSON text: the same as jansson's own reader builds; what is refused, and where. */
#include "check.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static json_t *read_text(const char *text, size_t n, size_t flags, struct err *e)
{
    /* A copy of its own size, so that a sanitiser sees a read past its end. */
    unsigned char *copy = arena_alloc(&arena, n, 1);

    memcpy(copy, text, n);
    return json_read(&arena, (struct span){ copy, n }, flags, e);
}

static void same_trees(void **state)
{
    static const char *const texts[] = {
        "{}", "[]", " \t\r\n[ ] \n", "[[],{},[[]]]", "{\"a\":1,\"b\":[true,false,null]}",
        "[0,-0,1,-1,9223372036854775807,-9223372036854775808]",
        "[0.5,-0.25,1e3,1E+3,1.5e-7,-0.0,1e-400,3.0,123456789012345678901234567890.5]",
        "[\"\",\"a\",\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u00e9\\u20AC\",\"\\ud83d\\ude00\",\"é€😀\"]",
        "{\"a\":1,\"a\":[2]}", "{\"\":\"\",\"\\u0041\":{\"k\":\"v\"}}",
        "[\"\\u0000\",\"a\\u0000b\"]",
        "{\"a\" : {\"b\" : \"the value is longer than the key\"} , \"c\":\"d\"}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct err e = { ERR_NONE, "" };
        json_t *theirs = json_loads(texts[i], JSON_ALLOW_NUL, NULL);
        json_t *ours = read_text(texts[i], strlen(texts[i]), JSON_ALLOW_NUL, &e);

        if (ours == NULL || theirs == NULL || !json_equal(ours, theirs))
            fail_msg("%s: %s", texts[i], e.msg);
        json_decref(theirs);
        json_drop(&arena, ours);
    }
}

/* Numbers are read as JSON writes them, whatever the process writes. */
static void comma_locale(void **state)
{
    struct err e = { ERR_NONE, "" };
    json_t *list;

    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        skip();
    list = read_text("[0.5]", 5, 0, &e);
    setlocale(LC_NUMERIC, "C");
    assert_non_null(list);
    assert_true(json_real_value(json_array_get(list, 0)) == 0.5);
}

static void refused(void **state)
{
    static const struct { const char *text, *why; } cases[] = {
        { "", "not JSON: column 1: found the end, expected '{' or '['" },
        { "3", "not JSON: column 1: found '3', expected '{' or '['" },
        { "\"a\"", "column 1: found '\"', expected '{' or '['" },
        { "[", "column 2: found the end, expected a value" },
        { "[1", "column 2: found '1', expected a number of JSON that a double holds" },
        { "[1,]", "column 4: found ']', expected a value" },
        { "[1 2]", "column 4: found '2', expected ',' or ']'" },
        { "[1]x", "column 4: found 'x', expected the end" },
        { "[nul]", "column 2: found 'n', expected a value" },
        { "[nullx]", "column 6: found 'x', expected ',' or ']'" },
        { "[01]", "column 2: found '0', expected a number" },
        { "[.5]", "column 2: found '.', expected a value" },
        { "[1.]", "column 2: found '1', expected a number" },
        { "[-]", "column 2: found '-', expected a number" },
        { "[0x10]", "column 2: found '0', expected a number" },
        { "[1e999]", "column 2: found '1', expected a number of JSON that a double holds" },
        { "[9223372036854775808]", "expected a whole number within 64 bits" },
        { "[-9223372036854775809]", "expected a whole number within 64 bits" },
        { "[92233720368547758070]", "expected a whole number within 64 bits" },
        { "{\"a\"}", "column 5: found '}', expected ':'" },
        { "{\"a\":1,}", "column 8: found '}', expected a string" },
        { "{\"a\":1 \"b\"}", "column 8: found '\"', expected ',' or '}'" },
        { "{\"é\":x}", "not JSON: column 6: found 'x', expected a value" },
        { "{\"a\":1,\n\"b\":x}", "not JSON: line 2, column 5: found 'x', expected a value" },
        { "[\"\n\"]", "line 1, column 3: found byte 0x0a, expected no control character" },
        { "[\"\xff\"]", "column 3: found byte 0xff, expected UTF-8" },
        { "[\"\\x\"]", "column 4: found 'x', expected an escape" },
        { "[\"\\ud800\"]", "expected both halves of a surrogate pair" },
        { "[\"\\u12\"]", "found '\"', expected four hexadecimal digits" },
        { "[\"a", "column 4: found the end, expected the end of a string" },
        { "[\"\\u0000\"]", "column 10: NUL in a string" },
        { "{\"a\\u0000b\":1}", "NUL in the key of an object" },
        { "{\"a\":1,\"a\":2}", "the key \"a\" appears twice" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e = { ERR_NONE, "" };

        assert_null(read_text(cases[i].text, strlen(cases[i].text), JSON_REJECT_DUPLICATES,
                              &e));
        if (e.kind != ERR_INPUT || strstr(e.msg, cases[i].why) == NULL)
            fail_msg("%s: \"%s\", expected \"%s\"", cases[i].text, e.msg, cases[i].why);
    }
}

/* A NUL ends no number, no word and no key. */
static void a_nul_outside_of_strings(void **state)
{
    static const char *const why[] = { "column 3: found byte 0x00, expected ',' or ']'",
                                       "column 6: found byte 0x00, expected ',' or ']'" };
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_null(read_text("[1\0]", 4, 0, &e));
    assert_non_null(strstr(e.msg, why[0]));
    assert_null(read_text("[1.5e\0]", 7, 0, &e));
    assert_non_null(strstr(e.msg, "column 2: found '1', expected a number"));
    assert_null(read_text("[true\0]", 7, 0, &e));
    assert_non_null(strstr(e.msg, why[1]));
}

/* Twelve million values are refused before they are read: their tree would take 550 MiB. */
static void a_tree_that_is_too_large(void **state)
{
    enum { N = 12 << 20 };
    struct err e = { ERR_NONE, "" };
    char *text = malloc(N);

    (void)state;
    assert_non_null(text);
    memset(text, ',', N);
    text[0] = '[';
    assert_null(json_read(&arena, (struct span){ (unsigned char *)text, N }, 0, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.msg, "MiB of memory, expected at most 512"));
    free(text);
}

static void depth(void **state)
{
    char deep[2 * 2049 + 1];
    struct err e = { ERR_NONE, "" };

    (void)state;
    memset(deep, '[', 2049);
    memset(deep + 2049, ']', 2049);
    assert_non_null(read_text(deep + 1, 2 * 2048, 0, &e));
    assert_null(read_text(deep, 2 * 2049, 0, &e));
    assert_string_equal(e.msg, "not JSON: column 2049: nested more than 2048 deep");
}

/* Every cut of a text is refused, and leaves nothing behind. */
static void cut(void **state)
{
    static const char text[] = "{\"a\":[1,2.5e3,true,null,\"\\u00e9\\n\"],\"b\":{\"c\":[{}]}}";
    size_t size = sizeof text - 1;
    struct err e = { ERR_NONE, "" };

    (void)state;
    for (size_t i = 0; i < size; i++)
        assert_null(read_text(text, i, 0, &e));
    assert_non_null(read_text(text, size, 0, &e));
}

/* As in reports: a character for each byte that is none. */
static void bytes_that_are_not_utf_8(void **state)
{
    static const struct { const char *bytes, *shown; } cases[] = {
        { "", "" }, { "caf\xc3\xa9", "caf\xc3\xa9" }, { "\xff", "\xef\xbf\xbd" },
        { "a\xffz", "a\xef\xbf\xbdz" }, { "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
        { "cut \xe6\x88", "cut \xef\xbf\xbd\xef\xbf\xbd" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const json_t *made = json_hold(&arena, json_shown(&arena, cases[i].bytes));

        assert_string_equal(json_string_value(made), cases[i].shown);
    }
    assert_true(json_is_null(json_hold(&arena, json_shown(&arena, NULL))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_trees, setup, teardown),
        cmocka_unit_test_setup_teardown(comma_locale, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_nul_outside_of_strings, setup, teardown),
        cmocka_unit_test_setup_teardown(depth, setup, teardown),
        cmocka_unit_test_setup_teardown(a_tree_that_is_too_large, setup, teardown),
        cmocka_unit_test_setup_teardown(cut, setup, teardown),
        cmocka_unit_test_setup_teardown(bytes_that_are_not_utf_8, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
