/* SPDX-License-Identifier: MIT
 * How ablate says how long it will take. */
#include "check.h"

#include "task/ablate/ablate.h"

static void words(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_string_equal(ablate_time_text(&a, 10.4), "about 10 seconds");
    assert_string_equal(ablate_time_text(&a, 99), "about 99 seconds");
    assert_string_equal(ablate_time_text(&a, 150), "about 2 minutes");
    assert_string_equal(ablate_time_text(&a, 3600 * 1.7), "about 1.7 hours");
    assert_string_equal(ablate_time_text(&a, 86400 * 53), "about 53 days");
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(words) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
