/* SPDX-License-Identifier: MIT
 * Lists as people type them: what is one, what is not, and what is out of range. */
#include "check.h"

#include <limits.h>
#include <string.h>

#include "base/list.h"

enum { N = 6 };

static const struct list_of plain = { "--x", "0,3-5 or all", "the box", "ball", N, false };
static const struct list_of signs = { "--x", "0,-1 or all", "the box", "ball", N, true };

/* Members as digits: "0,3-5" -> "0345"; NULL: an error. */
static const char *members(const struct list_of *of, const char *list)
{
    static char text[N + 1];
    bool out[N] = { false };
    struct err e = { ERR_NONE, "" };
    char *to = text;

    if (list_members(of, list, out, &e) != 0)
        return NULL;
    for (int i = 0; i < N; i++)
        if (out[i])
            *to++ = (char)('0' + i);
    *to = '\0';
    return text;
}

static const char *refused(const struct list_of *of, const char *list)
{
    static struct err e;
    bool out[N] = { false };

    e = (struct err){ ERR_NONE, "" };
    assert_int_equal(list_members(of, list, out, &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    return e.msg;
}

static void numbers(void **state)
{
    const char *s = "12x", *none = "x", *minus = "-1", *huge = "99999999999999999999,";

    (void)state;
    assert_int_equal(list_number(&s), 12);
    assert_string_equal(s, "x");
    assert_int_equal(list_number(&none), -1);
    assert_string_equal(none, "x");
    assert_int_equal(list_number(&minus), -1);
    assert_true(list_number(&huge) == LLONG_MAX);
    assert_string_equal(huge, ",");
}

static void ranges(void **state)
{
    const char *s = "0,3-5,07", *reversed = "5-3", *open = "3-", *twice = "1-2-3";
    long long first, last;

    (void)state;
    assert_int_equal(list_next(&s, &first, &last), 1);
    assert_true(first == 0 && last == 0);
    assert_int_equal(list_next(&s, &first, &last), 1);
    assert_true(first == 3 && last == 5);
    assert_int_equal(list_next(&s, &first, &last), 0);
    assert_true(first == 7 && last == 7);
    assert_int_equal(list_next(&reversed, &first, &last), -1);
    assert_int_equal(list_next(&open, &first, &last), -1);
    assert_int_equal(list_next(&twice, &first, &last), -1);
}

static void lists(void **state)
{
    (void)state;
    assert_string_equal(members(&plain, "0,3-5"), "0345");
    assert_string_equal(members(&plain, "5,5,1-2,2"), "125");
    assert_string_equal(members(&plain, "all"), "012345");
    assert_string_equal(members(&signs, "0,3-5"), "0345");
    assert_string_equal(members(&signs, "last"), "5");
    assert_string_equal(members(&signs, "-1,0,-6"), "05");
    assert_string_equal(members(&signs, "last,-2,1-2"), "1245");
}

static void not_lists(void **state)
{
    static const char *const bad[] = {
        "", ",", "0,", ",0", "0,,1", "x", "1-", "2-1", "1-2-3", " 1", "1 ", "+1", "all,0",
        "0,all", "1.0", "-", "-0", "--1", "-1-2", "-2--1", "0--1", "last-5", "0-last",
        "lastly", "-x",
    };
    static const char *const signed_ones[] = { "-1", "last", "0,-1" };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(members(&plain, bad[i]));
        assert_non_null(strstr(refused(&signs, bad[i]), "is not a list like 0,-1 or all"));
    }
    for (size_t i = 0; i < sizeof signed_ones / sizeof *signed_ones; i++)
        assert_non_null(strstr(refused(&plain, signed_ones[i]), "is not a list like 0,3-5"));
}

static void out_of_range(void **state)
{
    (void)state;
    assert_string_equal(refused(&plain, "99999999999999999999"), "--x: '99999999999999999999' "
                        "is out of range: the box has balls 0 to 5");
    assert_string_equal(refused(&signs, "-99999999999999999999"), "--x: "
                        "'-99999999999999999999' is out of range: the box has balls 0 to 5");
    assert_string_equal(refused(&plain, "2-6"),
                        "--x: 6 is out of range: the box has balls 0 to 5");
    assert_string_equal(refused(&plain, "7-8"),
                        "--x: 7 is out of range: the box has balls 0 to 5");
    assert_string_equal(refused(&signs, "0,-7"),
                        "--x: -7 is out of range: from the end, the box has balls -1 to -6");
}

/* Of the box only balls 1, 3 and 4 are red. */
static void some_of_them(void **state)
{
    static const bool red[N] = { [1] = true, [3] = true, [4] = true };
    static const struct list_of reds = { "--x", "0,-1 or all", "the box", "ball", N, true, red,
                                         "the box has red balls 1,3-4" };

    (void)state;
    assert_string_equal(members(&reds, "all"), "134");
    assert_string_equal(members(&reds, "last"), "4");
    assert_string_equal(members(&reds, "-1,-3"), "14");
    assert_string_equal(members(&reds, "0-3"), "13");
    assert_string_equal(members(&reds, "0-5,1"), "134");
    assert_string_equal(refused(&reds, "2"), "--x: the box has red balls 1,3-4, not 2");
    assert_string_equal(refused(&reds, "1,5-5"), "--x: the box has red balls 1,3-4, not 5");
    assert_string_equal(refused(&reds, "-4"),
                        "--x: -4 is out of range: from the end, the box has balls -1 to -3");
    assert_string_equal(refused(&reds, "6"), "--x: 6 is out of range: the box has balls 0 to 5");
}

/* A range of what is not there is no selection. */
static void none_of_them(void **state)
{
    static const bool red[N] = { [5] = true };
    static const struct list_of reds = { "--x", "0,-1 or all", "the box", "ball", N, true, red,
                                         "the box has red balls 5" };

    (void)state;
    assert_string_equal(refused(&reds, "0-4"), "--x: the box has red balls 5, none of 0 to 4");
    assert_string_equal(members(&reds, "0-5"), "5");
}

static void grammar_alone(void **state)
{
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_int_equal(list_members(&plain, "0,3-500", NULL, &e), 0);
    assert_int_equal(list_members(&plain, "all", NULL, &e), 0);
    assert_int_equal(list_members(&plain, "0,3-500,x", NULL, &e), -1);
}

static void ids(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct arena a;
    int *id, n;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_int_equal(list_parse_ids(&a, "--ids", "101,7,2147483647", &id, &n, &e), 0);
    assert_int_equal(n, 3);
    assert_true(id[0] == 101 && id[1] == 7 && id[2] == INT_MAX);
    assert_int_equal(list_parse_ids(&a, "--ids", "1,2147483648", &id, &n, &e), -1);
    assert_int_equal(list_parse_ids(&a, "--ids", "1-3", &id, &n, &e), -1);
    assert_int_equal(list_parse_ids(&a, "--ids", "", &id, &n, &e), -1);
    assert_string_equal(e.msg, "--ids: '' is not a list of ids like 101,7592,102");
    arena_finish(&a);
}

/* Members in the order of their ranks: "5,3-4,-1" -> "534". */
static const char *ordered(const struct list_of *of, const char *list)
{
    static char text[N + 1];
    int rank[N], n = 0;

    list_ranks(of, list, rank);
    for (int r = 0; r < N; r++)
        for (int i = 0; i < N; i++)
            if (rank[i] == r)
                text[n++] = (char)('0' + i);
    text[n] = '\0';
    return text;
}

static void ranks(void **state)
{
    static const bool has[N] = { true, false, true, true, false, false };
    struct list_of some = signs;

    (void)state;
    assert_string_equal(ordered(&signs, "5,3,1"), "531");
    assert_string_equal(ordered(&signs, "5,3-4,-1,0"), "5340");
    assert_string_equal(ordered(&signs, "last,2,2,-2"), "524");
    assert_string_equal(ordered(&plain, "all"), "012345");
    some.has = has;
    assert_string_equal(ordered(&some, "-1,0"), "30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(ranges),
        cmocka_unit_test(lists),
        cmocka_unit_test(not_lists),
        cmocka_unit_test(out_of_range),
        cmocka_unit_test(some_of_them),
        cmocka_unit_test(none_of_them),
        cmocka_unit_test(grammar_alone),
        cmocka_unit_test(ids),
        cmocka_unit_test(ranks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
