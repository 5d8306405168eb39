/* SPDX-License-Identifier: MIT
 * Work that nobody hears lack memory, and what ends it. */
#include "check.h"

#include <stdio.h>

#include "base/lack.h"

static char said[80];

static void remember(const char *why)
{
    snprintf(said, sizeof said, "%s", why);
}

static void a_thread_may_hear(void **state)
{
    (void)state;
    assert_false(lack_is_unheard());
    lack_begin();
    assert_true(lack_is_unheard());
    lack_hear(true);
    assert_false(lack_is_unheard());
    lack_hear(false);
    assert_true(lack_is_unheard());
}

/* The library has said nothing of an end: nothing happens, and the next has its turn. */
static void only_what_was_given_ends(void **state)
{
    (void)state;
    assert_false(lack_has_end());
    lack_stop("nobody listens");
    assert_string_equal(said, "");
    lack_ends(remember);
    assert_true(lack_has_end());
    lack_stop("out of memory: needed 7 more bytes");
    assert_string_equal(said, "out of memory: needed 7 more bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_may_hear),
        cmocka_unit_test(only_what_was_given_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
