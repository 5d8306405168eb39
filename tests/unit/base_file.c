/* SPDX-License-Identifier: MIT
 * Files mapped whole, and paths. */
#include "folder.h"

#include <sys/stat.h>

#include "base/file.h"

static void maps_a_file(void **state)
{
    struct span s;
    struct err e;

    (void)state;
    write_file(at("a"), "hello", 5);
    assert_int_equal(file_map(at("a"), &s, &e), 0);
    assert_int_equal(s.size, 5);
    assert_memory_equal(s.data, "hello", 5);
    file_unmap(s);
    write_file(at("empty"), "", 0);
    assert_int_equal(file_map(at("empty"), &s, &e), 0);
    assert_int_equal(s.size, 0);
    file_unmap(s);
}

static void refuses_what_is_no_file(void **state)
{
    struct span s;
    struct err e;

    (void)state;
    assert_int_equal(file_map(at("none"), &s, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.msg, "/none: No such file"));
    assert_int_equal(file_map(dir, &s, &e), -1);
    assert_non_null(strstr(e.msg, "expected a file"));
    assert_int_equal(mkfifo(at("fifo"), 0600), 0);
    assert_int_equal(file_map(at("fifo"), &s, &e), -1);     /* and does not wait */
    assert_int_equal(file_map("/dev/zero", &s, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_int_equal(file_map(at("a/b"), &s, &e), -1);
}

static void names(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_string_equal(file_join(&a, "x", "y"), "x/y");
    assert_string_equal(file_join(&a, "x/", "y"), "x/y");
    assert_string_equal(file_join(&a, "/", "y"), "/y");
    assert_true(file_is_dir(dir) && file_exists(dir));
    assert_false(file_exists(at("none")) || file_is_dir(at("none")));
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(maps_a_file), IN_FOLDER(refuses_what_is_no_file), IN_FOLDER(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
