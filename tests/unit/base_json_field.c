/* SPDX-License-Identifier: MIT
 * Fields of a JSON object: what is accepted, and the wording of what is not. */
#include "check.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/json_field.h"

static struct arena arena;

static json_t *object(const char *text)
{
    struct span bytes = { (const unsigned char *)text, strlen(text) };
    struct err e;
    json_t *o = json_read(&arena, bytes, JSON_ALLOW_NUL, &e);

    if (o == NULL)
        fail_msg("%s", e.msg);
    return o;
}

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

#define REFUSED(call, message)                         \
    do {                                               \
        struct err e;                                  \
        assert_int_equal(call, -1);                    \
        assert_int_equal(e.kind, ERR_INPUT);           \
        assert_string_equal(e.msg, message);           \
    } while (0)

static void numbers(void **state)
{
    const json_t *o = object("{\"i\":7,\"r\":0.5,\"s\":\"7\",\"big\":4294967303}");
    double r = 0;
    int i = 0;

    (void)state;
    assert_int_equal(json_field_int(o, "i", 7, 7, &i, NULL), 0);
    assert_int_equal(i, 7);
    assert_int_equal(json_field_real(o, "r", 0.5, 1, &r, NULL), 0);
    assert_true(r == 0.5);
    assert_int_equal(json_field_real(o, "i", 0, 7, &r, NULL), 0);
    assert_true(r == 7);
    REFUSED(json_field_int(o, "i", 8, 9, &i, &e),
            "i: found 7, expected a whole number from 8 to 9");
    REFUSED(json_field_int(o, "i", 0, 6, &i, &e),
            "i: found 7, expected a whole number from 0 to 6");
    REFUSED(json_field_int(o, "big", INT_MIN, INT_MAX, &i, &e), "big: found 4294967303, "
            "expected a whole number from -2147483648 to 2147483647");
    REFUSED(json_field_int(o, "r", 0, 9, &i, &e),
            "r: found 0.5, expected a whole number from 0 to 9");
    REFUSED(json_field_int(o, "s", 0, 9, &i, &e),
            "s: found \"7\", expected a whole number from 0 to 9");
    REFUSED(json_field_int(o, "none", 0, 9, &i, &e),
            "none: found nothing, expected a whole number from 0 to 9");
    REFUSED(json_field_real(o, "r", 1e-6, 0.4, &r, &e),
            "r: found 0.5, expected a number from 1e-06 to 0.4");
    REFUSED(json_field_real(o, "r", 0.6, 1, &r, &e),
            "r: found 0.5, expected a number from 0.6 to 1");
    REFUSED(json_field_real(o, "s", 0, 1, &r, &e),
            "s: found \"7\", expected a number from 0 to 1");
}

static void booleans(void **state)
{
    const json_t *o = object("{\"t\":true,\"f\":false,\"null\":null,\"one\":1}");
    bool b;

    (void)state;
    assert_int_equal(json_field_bool(o, "t", false, &b, NULL), 0);
    assert_true(b);
    assert_int_equal(json_field_bool(o, "f", true, &b, NULL), 0);
    assert_false(b);
    assert_int_equal(json_field_bool(o, "null", true, &b, NULL), 0);
    assert_true(b);
    assert_int_equal(json_field_bool(o, "none", false, &b, NULL), 0);
    assert_false(b);
    REFUSED(json_field_bool(o, "one", true, &b, &e),
            "one: found 1, expected true or false");
}

static void texts(void **state)
{
    const json_t *o = object("{\"s\":\"a\\u0000b\",\"c\":\"\u2581\",\"empty\":\"\","
                             "\"null\":null}");
    const char *s;
    size_t n;

    (void)state;
    assert_int_equal(json_field_text(o, "s", &s, &n, NULL), 0);
    assert_int_equal(n, 3);
    assert_memory_equal(s, "a\0b", 4);
    assert_int_equal(json_field_char(o, "c", &s, &n, NULL), 0);
    assert_int_equal(n, 3);
    assert_string_equal(s, "\u2581");
    REFUSED(json_field_char(o, "s", &s, &n, &e),
            "s: found \"a\\u0000b\", expected a string of one character");
    REFUSED(json_field_char(o, "empty", &s, &n, &e),
            "empty: found \"\", expected a string of one character");
    REFUSED(json_field_text(o, "null", &s, &n, &e), "null: found null, expected a string");
    REFUSED(json_field_text(object("[]"), "s", &s, &n, &e),
            "s: found nothing, expected a string");
}

static void lists(void **state)
{
    const json_t *o = object("{\"l\":[3,-1],\"empty\":[],\"null\":null,\"o\":{\"a\":1}}");
    const json_t *list;
    int *v, n;

    (void)state;
    assert_int_equal(json_field_list(o, "l", &list, NULL), 0);
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(json_field_list(o, "null", &list, NULL), 0);
    assert_null(list);
    list = o;
    assert_int_equal(json_field_list(o, "none", &list, NULL), 0);
    assert_null(list);
    REFUSED(json_field_list(o, "o", &list, &e), "o: found {\"a\":1}, expected a list");

    assert_int_equal(json_field_ints(&arena, o, "l", -1, 3, &v, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_true(v[0] == 3 && v[1] == -1);
    assert_int_equal(json_field_ints(&arena, o, "empty", 0, 3, &v, &n, NULL), 0);
    assert_int_equal(n, 0);
    assert_non_null(v);
    assert_int_equal(json_field_ints(&arena, o, "none", 0, 3, &v, &n, NULL), 0);
    assert_int_equal(n, 0);
    assert_null(v);
    REFUSED(json_field_ints(&arena, o, "l", 0, 3, &v, &n, &e),
            "l[1]: found -1, expected a whole number from 0 to 3");
    REFUSED(json_field_ints(&arena, o, "null", 0, 3, &v, &n, &e),
            "null: found null, expected a list of whole numbers");
}

/* A long value is cut after 60 bytes, between two characters. */
static void long_values_are_cut(void **state)
{
    json_t *list = object("[\"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffff"
                          "\u2581gggg\"]");

    (void)state;
    REFUSED(json_field_wrong("key", list, "less", &e), "key: found [\"aaaaaaaaaabbbbbbbbbb"
            "ccccccccccddddddddddeeeeeeeeeeffffff…, expected less");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(numbers), TEST(booleans), TEST(texts), TEST(lists), TEST(long_values_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
