/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

static void sets_kind_and_message(void **state)
{
    struct err e;

    (void)state;
    assert_int_equal(err_set(&e, ERR_INPUT, "%s: %d", "file", 7), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_string_equal(e.msg, "file: 7");
}

static void context_goes_before(void **state)
{
    struct err e;

    (void)state;
    err_set(&e, ERR_SYSTEM, "what");
    assert_int_equal(err_under(&e, "line %d", 3), -1);
    err_under(&e, "file");
    assert_string_equal(e.msg, "file: line 3: what");
    assert_int_equal(e.kind, ERR_SYSTEM);
}

static void nothing_speaks_to_the_terminal(void **state)
{
    static const struct { const char *in, *out; } cases[] = {
        { "a\nb", "a\\nb" }, { "\x1b]0;title\a", "\\x1b]0;title\\x07" },
        { "tab\there", "tab\\there" }, { "\x7f", "\\x7f" },
        { "caf\xc3\xa9", "caf\xc3\xa9" },           /* fine as it is */
        { "caf\xc3", "caf\\xc3" },                  /* cut UTF-8 */
        { "\xff\xfe", "\\xff\\xfe" },
        { "\xc2\x9b", "\\u009b" },                  /* C1: CSI */
        { "\xe2\x80\xae" "desrever", "\\u202edesrever" },
        { "\xed\xa0\x80", "\\xed\\xa0\\x80" },      /* a surrogate */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e;

        err_set(&e, ERR_INPUT, "%s", cases[i].in);
        assert_string_equal(e.msg, cases[i].out);
    }
}

/* A message of any length: cut with an ellipsis, never inside a character. */
static void long_messages_are_cut(void **state)
{
    static char text[5000];

    (void)state;
    for (size_t n = 500; n < 1200; n++) {
        struct err e;
        size_t size;

        for (size_t i = 0; i < n; i++)
            memcpy(text + 3 * i, "\xe6\x88\x91", 3);
        text[3 * n] = '\0';
        err_set(&e, ERR_INPUT, "%s", text);
        err_under(&e, "%.*s", (int)(n % 40), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        size = strlen(e.msg);
        assert_true(size < sizeof e.msg);
        assert_int_equal(utf8_check(e.msg, size), size);
        assert_string_equal(e.msg + size - 3, "\xe2\x80\xa6");
    }
}

/* Text that is cut inside a character by the buffer that it is formatted in. */
static void a_cut_shows_no_half_character(void **state)
{
    static char text[2000];
    struct err e;

    (void)state;
    memset(text, 'x', 600);
    text[599] = '\0';
    err_set(&e, ERR_INPUT, "%s\xe6\x88\x91", text);
    assert_int_equal(utf8_check(e.msg, strlen(e.msg)), strlen(e.msg));
    assert_null(strstr(e.msg, "\\x"));
    memset(text, 'x', 1022);
    text[1022] = '\0';
    err_set(&e, ERR_INPUT, "%s\xe6\x88\x91", text);
    assert_null(strstr(e.msg, "\\x"));
}

static void keep(void *self, const char *msg)
{
    strcpy(self, msg);
}

static void warnings(void **state)
{
    char got[1024] = "";
    struct warn w = { keep, got }, silent = { NULL, NULL };

    (void)state;
    err_warn(NULL, "nobody");
    err_warn(&silent, "nobody");
    assert_string_equal(got, "");
    err_warn(&w, "%s\n%d", "a", 1);
    assert_string_equal(got, "a\\n1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_kind_and_message), cmocka_unit_test(context_goes_before),
        cmocka_unit_test(nothing_speaks_to_the_terminal),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(a_cut_shows_no_half_character), cmocka_unit_test(warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
