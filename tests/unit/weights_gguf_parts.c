/* SPDX-License-Identifier: MIT
 * GGUF models in parts, files of a folder, keys without tensors. */
#include "check.h"

#include "unit/gguf_bytes.h"
#include "unit/weights_files.h"

static struct arena arena;
static struct bytes b;

static void refused(const char *want)
{
    struct err e = { ERR_NONE, "" };

    assert_null(weights_open_memory(&arena, (struct span){ b.v, b.n }, "f.gguf", &e));
    assert_int_equal(e.kind, ERR_INPUT);
    if (strncmp(e.msg, "f.gguf: ", 8) != 0 || strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

static void write_part(const char *path, uint32_t count, int no, uint32_t n_tensors)
{
    const char name[] = { (char)('a' + no), '\0' };

    put_head(&b, 3, 1, 3);
    put_key_u32(&b, "split.no", (uint32_t)no);
    put_key_u32(&b, "split.count", count);
    put_key_u32(&b, "split.tensors.count", n_tensors);
    put_tensor(&b, name, 4, 1, 0, 0);
    put_data(&b, 32, 16);
    write_file(path, (struct span){ b.v, b.n });
}

static void file_refused(const char *path, const char *want)
{
    struct err e = { ERR_NONE, "" };

    assert_null(weights_open(&arena, path, &e));
    if (strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

static void file_opens(const char *path, int n)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w = weights_open(&arena, path, &e);

    if (w == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(weights_count(w), n);
    assert_non_null(weights_gguf(w));
    weights_close(w);
}

static void test_parts(void **state)
{
    char *dir = new_dir(&arena);
    const char *one = file_join(&arena, dir, "m-00001-of-00002.gguf");
    const char *two = file_join(&arena, dir, "m-00002-of-00002.gguf");
    const char *lone = file_join(&arena, dir, "lone.gguf");

    (void)state;
    write_part(one, 2, 0, 2);
    file_refused(one, "m-00002-of-00002.gguf: No such file");
    write_part(two, 2, 1, 2);
    file_opens(one, 2);
    file_opens(two, 2);
    file_opens(dir, 2);                     /* a folder with one model */
    write_part(two, 2, 0, 2);
    file_refused(one, "a: is both in ");
    write_part(two, 2, 1, 2);
    write_part(one, 2, 0, 3);
    file_refused(one, "split.tensors.count: 3, but the parts have 2 tensors");
    write_part(lone, 2, 0, 2);
    file_refused(lone, "is one of 2 parts, whose names must end in -00001-of-00002");
    file_refused(dir, "holds 2 GGUF files; give the name of one of them (");
    write_part(one, 4000000, 0, 2);
    file_refused(one, "split.count: found 4000000, expected at most 99999");
    write_part(one, 3, 0, 2);
    file_refused(one, "is one of 3 parts");
    drop_dir(&arena, dir);
}

/* What stands in the keys of parts, and in their names */
static void test_parts_that_are_wrong(void **state)
{
    char *dir = new_dir(&arena);
    const char *one = file_join(&arena, dir, "m-00001-of-00002.gguf");
    const char *two = file_join(&arena, dir, "m-00002-of-00002.gguf");
    const char *none = file_join(&arena, dir, "m-00000-of-00002.gguf");

    (void)state;
    put_head(&b, 3, 0, 1);
    put_array(&b, "split.count", GGUF_U32, 1);
    put_u32(&b, 2);
    refused("split.count: is an array of 1 U32, expected a whole number");
    put_head(&b, 3, 0, 1);
    put_key_u32(&b, "split.count", 2);
    refused("is one of 2 parts, whose names must end in -00001-of-00002.gguf");
    put_head(&b, 3, 0, 1);
    put_key_string(&b, "split.count", "2");
    refused("split.count: is a STRING, expected a whole number");
    put_head(&b, 3, 0, 1);
    put_key(&b, "split.count", GGUF_I32);
    put_u32(&b, (uint32_t)-1);
    refused("split.count: found -1, expected at most 99999");
    write_part(none, 2, 0, 2);
    file_refused(none, "is one of 2 parts, whose names must end in -00001-of-00002");
    put_head(&b, 3, 0, 2);
    put_key_u32(&b, "split.count", 2);
    put_key_string(&b, "split.tensors.count", "two");
    write_file(one, (struct span){ b.v, b.n });
    write_part(two, 2, 1, 2);
    file_refused(one, "split.tensors.count: is a STRING, expected a whole number");
    write_part(one, 2, 0, 2);
    put_head(&b, 1, 0, 0);
    write_file(two, (struct span){ b.v, b.n });
    file_refused(one, "is GGUF version 1, expected 2 or 3");
    drop_dir(&arena, dir);
}

/* Where the number of tensors is not said it is not checked; names decide. */
static void test_names_of_parts(void **state)
{
    static const char *const names[] = {
        "m-00001-of-00002.gguX", "m-00001_of-00002.gguf", "-00001-of-00002.gguf",
    };
    char *dir = new_dir(&arena);

    (void)state;
    for (int i = 1; i <= 2; i++) {
        put_head(&b, 3, 1, 1);
        put_key_u32(&b, "split.count", 2);
        put_tensor(&b, i == 1 ? "a" : "b", 4, 1, 0, 0);
        put_data(&b, 32, 16);
        write_file(file_join(&arena, dir, arena_printf(&arena, "m-%05d-of-00002.gguf", i)),
                   (struct span){ b.v, b.n });
    }
    file_opens(file_join(&arena, dir, "m-00002-of-00002.gguf"), 2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = file_join(&arena, dir, names[i]);

        write_part(path, 2, 0, 2);
        if (i < 2)
            file_refused(path, "is one of 2 parts, whose names must end in -00001-of-00002");
        else
            file_refused(path, "/-00002-of-00002.gguf: No such file");
    }
    drop_dir(&arena, dir);
}

static void check_first_part(const char *path, const char *want)
{
    assert_string_equal(gguf_first_part(&arena, path), want);
}

/* The keys of a model in parts stand in its first. */
static void test_first_part(void **state)
{
    (void)state;
    check_first_part("d/m-00003-of-00004.gguf", "d/m-00001-of-00004.gguf");
    check_first_part("d/m-00001-of-00004.gguf", "d/m-00001-of-00004.gguf");
    check_first_part("d/m.gguf", "d/m.gguf");
    check_first_part("d/m-00003+of-00004.gguf", "d/m-00003+of-00004.gguf");
    check_first_part("m-00003-of-00004.ggu", "m-00003-of-00004.ggu");
}

/* Keys alone, without the tensors. */
static void test_keys_of_a_file(void **state)
{
    char *dir = new_dir(&arena);
    const char *path = file_join(&arena, dir, "k.gguf");
    const struct gguf *g;
    struct err e;

    (void)state;
    assert_null(gguf_open(&arena, path, &e));
    assert_non_null(strstr(e.msg, "/k.gguf: No such file"));
    write_text(path, "GGUX");
    assert_null(gguf_open(&arena, path, &e));
    assert_non_null(strstr(e.msg, "/k.gguf: is not a GGUF file, expected it to begin with"));
    write_part(path, 2, 1, 2);
    g = gguf_open(&arena, path, &e);
    assert_non_null(g);
    assert_int_equal(gguf_int(gguf_find(g, "split.no"), 0), 1);
    gguf_close(&arena, g);
    drop_dir(&arena, dir);
}

/* Only the first part of several counts as a model of its folder. */
static void test_files_of_a_folder(void **state)
{
    static const char *const name[] = {
        "a.gguf", "b-0000x-of-00002.gguf", "c-00002-of-0002.gguf", "d_00002-of-00002.gguf",
        "j-00002+of-00002.gguf",
        "-00001-of-00002.gguf", "e-00002-of-00002.gguf", "f.gguf", "g.gguf", "h.gguf", "i.gguf",
    };
    char *dir = new_dir(&arena);

    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        write_part(file_join(&arena, dir, name[i]), 1, 0, 1);
    file_refused(dir, "holds 10 GGUF files; give the name of one of them (-00001-of-00002.gguf, "
                 "a.gguf, b-0000x-of-00002.gguf");
    file_refused(dir, ", ..)");
    weights_close(NULL);
    gguf_close(&arena, NULL);
    drop_dir(&arena, dir);
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts), cmocka_unit_test(test_parts_that_are_wrong),
        cmocka_unit_test(test_files_of_a_folder), cmocka_unit_test(test_names_of_parts),
        cmocka_unit_test(test_first_part), cmocka_unit_test(test_keys_of_a_file),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
