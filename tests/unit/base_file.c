/* SPDX-License-Identifier: MIT
 * Files mapped whole, and paths. */
#include "folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/maps.h"

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
    assert_string_equal(file_folder(&a, dir), dir);
    assert_string_equal(file_folder(&a, at("none")), dir);
    assert_string_equal(file_folder(&a, "none-here.txt"), ".");
    assert_string_equal(file_folder(&a, "/none-here.txt"), "/");
    assert_string_equal(file_join(&a, "", "y"), "/y");
    assert_null(file_real(&a, at("none")));
    assert_string_equal(file_real(&a, dir), dir);
    assert_false(file_exists(at("none")) || file_is_dir(at("none")));
    write_file(at("file"), "", 0);
    assert_true(file_exists(at("file")) && !file_is_dir(at("file")));
    arena_finish(&a);
}

static void lists_a_folder(void **state)
{
    enum { N = 40 };
    const char **name;
    struct arena a;
    char file[16];
    size_t n;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_null(file_list(&a, at("none"), &n));
    assert_int_equal(n, 0);
    for (int i = 0; i < N; i++) {
        snprintf(file, sizeof file, "f%02d", N - 1 - i);
        write_file(at(file), "", 0);
    }
    name = file_list(&a, dir, &n);
    assert_int_equal(n, N);
    for (int i = 0; i < N; i++) {
        snprintf(file, sizeof file, "f%02d", i);
        assert_string_equal(name[i], file);
    }
    file_drop(&a, NULL);
    arena_finish(&a);
}

static void names_the_file_of_an_address(void **state)
{
    char name[512], cut[8];
    struct span s;
    struct err e;
    int local = 0;

    (void)state;
    write_file(at("mapped"), "hello", 5);
    assert_int_equal(file_map(at("mapped"), &s, &e), 0);
    assert_true(maps_name(s.data + 3, name, sizeof name));
    assert_string_equal(name, at("mapped"));
    assert_true(maps_name(s.data, cut, sizeof cut));
    assert_memory_equal(cut, name, 7);
    assert_int_equal(cut[7], '\0');
    assert_false(maps_name(&local, name, sizeof name));
    assert_false(maps_name(NULL, name, sizeof name));
    file_unmap(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(maps_a_file), IN_FOLDER(refuses_what_is_no_file), IN_FOLDER(names),
        IN_FOLDER(lists_a_folder),
        IN_FOLDER(names_the_file_of_an_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
