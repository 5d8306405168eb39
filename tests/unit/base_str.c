/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

#include "base/str.h"

static void ends(void **state)
{
    (void)state;
    assert_true(str_ends_with("a.npz", ".npz") && str_ends_with("a", "") && str_ends_with("", ""));
    assert_false(str_ends_with("a.npy", ".npz") || str_ends_with("z", ".npz"));
}

static void plurals(void **state)
{
    (void)state;
    assert_string_equal(str_plural(1), "");
    assert_string_equal(str_plural(0), "s");
    assert_string_equal(str_plural_y(1), "y");
    assert_string_equal(str_plural_y(2), "ies");
}

/* n bytes of one letter, then the tail. */
static const char *shown(struct arena *a, int n, const char *tail)
{
    char *name = arena_alloc(a, (size_t)n + strlen(tail) + 1, 1);

    memset(name, 'x', (size_t)n);
    strcpy(name + n, tail);
    return str_shown(a, name);
}

/* Cut behind 160 bytes, or before the character that stands across that place. */
static void long_names_are_cut(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_int_equal(strlen(shown(&a, 160, "")), 160);
    assert_int_equal(strlen(shown(&a, 161, "")), 160 + strlen("…"));
    assert_int_equal(strlen(shown(&a, 159, "é")), 159 + strlen("…"));
    assert_int_equal(strlen(shown(&a, 158, "😀")), 158 + strlen("…"));
    assert_int_equal(strlen(shown(&a, 157, "😀")), 157 + strlen("…"));
    assert_int_equal(strlen(shown(&a, 160, "é")), 160 + strlen("…"));
    /* no UTF-8: at most three bytes are given up for a character */
    assert_int_equal(strlen(shown(&a, 150, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80")),
                     156 + strlen("…"));
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends), cmocka_unit_test(plurals), cmocka_unit_test(long_names_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
