/* SPDX-License-Identifier: MIT
 * Numbers are grouped right at the edges. */
#include "check.h"

#include "report/report.h"

static void test_thousands(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_string_equal(report_thousands(&a, 0), "0");
    assert_string_equal(report_thousands(&a, 999), "999");
    assert_string_equal(report_thousands(&a, -999), "-999");
    assert_string_equal(report_thousands(&a, 1000), "1,000");
    assert_string_equal(report_thousands(&a, -123456), "-123,456");
    assert_string_equal(report_thousands(&a, 1048576), "1,048,576");
    assert_string_equal(report_thousands(&a, INT64_MIN),
                        "-9,223,372,036,854,775,808");
    arena_finish(&a);
}

static void test_bytes(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_string_equal(report_bytes(&a, 0), "0 B");
    assert_string_equal(report_bytes(&a, 1023), "1023 B");
    assert_string_equal(report_bytes(&a, 1024), "1.0 KiB");
    assert_string_equal(report_bytes(&a, 1048575), "1.0 MiB");
    assert_string_equal(report_bytes(&a, (uint64_t)576 << 20), "576.0 MiB");
    assert_string_equal(report_bytes(&a, UINT64_MAX), "16.0 EiB");
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousands),
        cmocka_unit_test(test_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
