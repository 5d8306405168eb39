/* SPDX-License-Identifier: MIT
 * Which files are read and written. */
#include "folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/claims.h"
#include "base/file.h"

/* The arena of one run, with nothing claimed. */
static struct arena begin(void)
{
    struct arena a;

    arena_init(&a, NULL, NULL);
    write_file(at("read"), "x", 1);
    write_file(at("other"), "x", 1);
    return a;
}

static void check_clash(struct arena *a, const char *one, const char *other)
{
    struct err e;

    assert_int_equal(claims_check(a, a, &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    assert_non_null(strstr(e.msg, one));
    assert_non_null(strstr(e.msg, other));
    arena_finish(a);
}

static void check_none(struct arena *a)
{
    struct err e;

    assert_int_equal(claims_check(a, a, &e), 0);
    arena_finish(a);
}

static void an_output_is_no_input_by_any_name(void **state)
{
    static const char *const names[] = { "read", "./read", "link", "hard", "links/read" };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct arena a = begin();

        if (i == 0) {
            assert_int_equal(symlink(at("read"), at("link")), 0);
            assert_int_equal(link(at("read"), at("hard")), 0);
            assert_int_equal(symlink(".", at("links")), 0);
        }
        claims_read(&a, "-f read", at("read"));
        claims_write(&a, "-o out", at(names[i]));
        check_clash(&a, "-o out: is the same file as -f read, which is read", "");
    }
}

static void what_is_held_is_read_though_it_was_dropped(void **state)
{
    struct arena a = begin();
    struct err e;

    (void)state;
    file_drop(&a, file_hold(&a, at("read"), &e));
    claims_write(&a, "-o out", at("read"));
    check_clash(&a, "-o out: is the same file as ", at("read"));
}

static void other_files_and_streams_are_free(void **state)
{
    static const char *const free_names[] = { "-", "/dev/null", "/dev/stdout", "/dev/fd/1" };
    struct arena a = begin();

    (void)state;
    claims_read(&a, "-f read", at("read"));
    claims_read(&a, "-f none", at("none"));
    claims_write(&a, "-o other", at("other"));
    claims_write(&a, "-o none", at("none"));
    claims_write(&a, "-o none", at("no/folder"));
    for (int i = 0; i < 4; i++) {
        claims_read(&a, "-f", free_names[i]);
        claims_write(&a, "-o", free_names[i]);
        claims_write(&a, "--heatmap", free_names[i]);
    }
    check_none(&a);
}

static void two_outputs_are_two_files_also_where_none_is_there(void **state)
{
    struct arena a = begin();

    (void)state;
    claims_write(&a, "-o x", at("x"));
    claims_write(&a, "--heatmap x", at("./x"));
    check_clash(&a, "is the same file as ", "which is written, too");
    a = begin();
    assert_int_equal(symlink(at("new"), at("to_new")), 0);
    claims_write(&a, "-o x", at("new"));
    claims_write(&a, "--heatmap x", at("to_new"));
    check_clash(&a, "-o x", "--heatmap x");
    a = begin();
    claims_write(&a, "-o x", at("x"));
    claims_write(&a, "--heatmap x", at("y"));
    check_none(&a);
}

static void numbered_files_of_a_folder_are_outputs(void **state)
{
    static const struct {
        const char *name;
        bool meets;
    } files[] = {
        { "f/000001.png", true }, { "f/000012-0003.png", true }, { "f/1234567.png", true },
        { "f/000001.svg", false }, { "f/001.png", false }, { "f/a000001.png", false },
        { "000001.png", false },
    };

    (void)state;
    mkdir(at("f"), 0700);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct arena a = begin();

        write_file(at(files[i].name), "x", 1);
        claims_read(&a, "--image", at(files[i].name));
        claims_write_in(&a, at("f/"), "png");
        if (files[i].meets)
            check_clash(&a, "a file in it may be --image", "another folder");
        else
            check_none(&a);
    }
}

static void reads_of_another_arena_count(void **state)
{
    struct arena model = begin(), call = begin();
    struct err e;

    (void)state;
    claims_read(&model, "config.json", at("read"));
    claims_write(&call, "path", at("read"));
    assert_int_equal(claims_check(&call, &call, &e), 0);
    assert_int_equal(claims_check(&call, &model, &e), -1);
    arena_finish(&call);
    arena_finish(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(an_output_is_no_input_by_any_name),
        IN_FOLDER(what_is_held_is_read_though_it_was_dropped),
        IN_FOLDER(other_files_and_streams_are_free),
        IN_FOLDER(two_outputs_are_two_files_also_where_none_is_there),
        IN_FOLDER(numbered_files_of_a_folder_are_outputs),
        IN_FOLDER(reads_of_another_arena_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
