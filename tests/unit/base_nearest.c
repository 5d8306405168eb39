/* SPDX-License-Identifier: MIT
 * How far names are from each other, and which is meant. */
#include "check.h"

#include <string.h>

#include "base/nearest.h"

static void test_distance(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("", ""), 0);
    assert_int_equal(nearest_distance("stats", "stats"), 0);
    assert_int_equal(nearest_distance("", "abc"), 3);
    assert_int_equal(nearest_distance("stast", "stats"), 1);
    assert_int_equal(nearest_distance("heatmp", "heatmap"), 1);
    assert_int_equal(nearest_distance("hetmpa", "heatmap"), 2);
    assert_int_equal(nearest_distance("ca", "abc"), 3);
    assert_int_equal(nearest_distance("kitten", "sitting"), 3);
    assert_int_equal(nearest_distance("abcd", "wxyz"), 4);
    assert_int_equal(nearest_distance("layer.0.attention.self.query.bias",
                                      "layer.0.attention.self.query_Bias"), 2);
}

static void test_nearest(void **state)
{
    static const char *const names[] = { "heatmap", "stats", "info", "help", NULL };

    (void)state;
    assert_string_equal(nearest_name("heatmpa", names), "heatmap");
    assert_string_equal(nearest_name("stat", names), "stats");
    assert_string_equal(nearest_name("i", names), "info");
    assert_string_equal(nearest_name("hepl", names), "help");
    assert_null(nearest_name("h", names));
    assert_null(nearest_name("xyz", names));
    assert_null(nearest_name("", names));
}

static void test_long_names(void **state)
{
    char name[300];

    (void)state;
    memset(name, 'a', sizeof name);
    name[255] = '\0';
    assert_int_equal(nearest_distance("a", name), 254);
    name[255] = 'a';
    name[256] = '\0';
    assert_int_equal(nearest_distance("a", name), NEAREST_FAR);
    assert_int_equal(nearest_distance(name, name), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_distance),
                                        cmocka_unit_test(test_nearest),
                                        cmocka_unit_test(test_long_names) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
