/* SPDX-License-Identifier: MIT
 * Folders, parts and foreign files: what is opened, what is refused, and how. */
#include "check.h"

#include <sys/stat.h>

#include "unit/weights_files.h"
#include "weights/weights_priv.h"

static struct arena arena;
static const char *dir;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    dir = new_dir(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    drop_dir(&arena, dir);
    arena_finish(&arena);
    return 0;
}

static const char *in(const char *name)
{
    return file_join(&arena, dir, name);
}

/* A file with one-byte tensors of these names, in order. */
static void part(const char *file, const char *names)
{
    const char *header = "{";
    int n = 0;

    for (; names[n] != '\0'; n++)
        header = arena_printf(&arena, "%s%s\"%c\":{\"dtype\":\"U8\",\"shape\":[1],"
                              "\"data_offsets\":[%d,%d]}", header, n > 0 ? "," : "",
                              names[n], n, n + 1);
    header = arena_printf(&arena, "%s}", header);
    write_file(in(file), st_bytes(&arena, header, strlen(header), (size_t)n));
}

static void index_of(const char *json)
{
    write_text(in("model.safetensors.index.json"), json);
}

/* Names that begin with others, that end the list, that are missing. */
static void test_ranges(void **state)
{
    static const struct { const char *begin; int first, n; } want[] = {
        { "", 0, 5 }, { "a", 0, 2 }, { "b", 2, 1 }, { "bb", 3, 0 }, { "c", 3, 0 },
        { "d", 3, 1 }, { "z", 4, 1 }, { "zz", 5, 0 }, { "0", 0, 0 },
    };
    struct tensor t[] = { { .name = "z" }, { .name = "ab" }, { .name = "d" }, { .name = "b" },
                          { .name = "a" } };
    struct err e = { ERR_NONE, "" };
    struct weights *w;
    int first;

    (void)state;
    part("model.safetensors", "q");
    w = weights_open(&arena, dir, &e);
    assert_non_null(w);
    assert_int_equal(weights_replace(w, t, 5, &e), 0);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(weights_range(w, want[i].begin, &first), want[i].n);
        assert_int_equal(first, want[i].first);
    }
    weights_close(w);
}

static void refused(const char *path, const char *want)
{
    struct err e = { 0 };
    struct weights *w = weights_open(&arena, path, &e);

    assert_null(w);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

static void opens(const char *path, const char *names)
{
    struct err e = { 0 };
    struct weights *w = weights_open(&arena, path, &e);

    if (w == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(weights_count(w), strlen(names));
    for (int i = 0; i < weights_count(w); i++) {
        assert_int_equal(weights_at(w, i)->name[0], names[i]);
        assert_true(file_exists(weights_at(w, i)->file));
    }
    weights_close(w);
}

/* ---- one file ---- */

static void test_one_file(void **state)
{
    (void)state;
    part("model.safetensors", "ba");
    part("other", "x");
    opens(dir, "ab");
    opens(in(""), "ab");                    /* "dir/" */
    opens(in("model.safetensors"), "ab");
    opens(in("other"), "x");                /* seen by its content */
    index_of("not even JSON");              /* the single file is preferred */
    opens(dir, "ab");
}

static void test_damaged(void **state)
{
    (void)state;
    refused(in("none"), "/none: No such file or directory");
    refused(dir, ": holds no weights, expected model.safetensors, model.safetensors.index");
    write_text(in("model.fp16.safetensors"), "");
    refused(dir, ": holds no model.safetensors, but model.fp16.safetensors: give its path");
    write_text(in("model-00002-of-00002.safetensors"), "");
    refused(dir, ": holds parts (model-00002-of-00002.safetensors), but no "
                 "model.safetensors.index.json");
    assert_int_equal(unlink(in("model-00002-of-00002.safetensors")), 0);
    assert_int_equal(unlink(in("model.fp16.safetensors")), 0);
    write_text(in("notes.txt"), "hello, this is no model");
    refused(in("notes.txt"), "notes.txt: is not a file of weights, expected .safetensors");
    write_text(in("model.safetensors"), "");
    refused(dir, "model.safetensors: 0 bytes, expected at least 8");
    write_text(in("model.safetensors"),
               "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 90\n");
    refused(dir, "is a Git LFS pointer, not the weights; run in that folder: git lfs pull");
    assert_int_equal(unlink(in("model.safetensors")), 0);
    assert_int_equal(symlink("nowhere", in("model.safetensors")), 0);
    refused(dir, "model.safetensors: No such file or directory");
    assert_int_equal(unlink(in("model.safetensors")), 0);
    assert_int_equal(mkdir(in("model.safetensors"), 0700), 0);
    refused(dir, "model.safetensors: is a folder, expected a file");
    assert_int_equal(rmdir(in("model.safetensors")), 0);
    assert_int_equal(mkfifo(in("model.safetensors"), 0600), 0);
    refused(dir, "model.safetensors: is a pipe, expected a file");
    refused("/dev/zero", "/dev/zero: is a device, expected a file");
}

/* ---- parts ---- */

static void test_parts(void **state)
{
    (void)state;
    part("m-1.safetensors", "ca");
    part("m-2.safetensors", "db");
    index_of("{\"metadata\":{\"total_size\":4},\"weight_map\":{\"a\":\"m-1.safetensors\","
             "\"b\":\"m-2.safetensors\",\"c\":\"m-1.safetensors\"}}");
    opens(dir, "abcd");
    opens(in("model.safetensors.index.json"), "abcd");
    assert_int_equal(mkdir(in("sub"), 0700), 0);
    part("sub/m..3", "z");
    index_of("{\"weight_map\":{\"z\":\"sub/m..3\",\"a\":\"m-1.safetensors\"}}");
    opens(dir, "acz");
}

static void test_many_parts(void **state)
{
    const char *map = "{\"weight_map\":{\"A\":\"A\"";

    (void)state;
    for (char c = 'A'; c <= 'Z'; c++) {
        char name[2] = { c, '\0' };

        part(name, name);
        map = arena_printf(&arena, "%s,\"%c\":\"%c\"", map, c, c);
    }
    /* the first one again would be a name twice */
    index_of(arena_printf(&arena, "%s}}", map));
    refused(dir, "index.json: not JSON: column 27: the key \"A\" appears twice");
    map = arena_printf(&arena, "{\"weight_map\":{%s}}", strchr(map, ',') + 1);
    index_of(map);
    opens(dir, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static void test_index_refused(void **state)
{
    static const struct { const char *json, *want; } cases[] = {
        { "", "index.json: not JSON: column 1: found the end, expected '{' or '['" },
        { "{\"weight_map\":", "index.json: not JSON: column 15: found the end, expected a value" },
        { "{}", "index.json: has no \"weight_map\" that is an object" },
        { "[]", "has no \"weight_map\"" },
        { "{\"weight_map\":[]}", "has no \"weight_map\" that is an object" },
        { "{\"weight_map\":{}}", "weight_map is empty" },
        { "{\"weight_map\":{\"a\":3}}", "weight_map: a: is not a string, expected the name" },
        { "{\"weight_map\":{\"a\\u0000b\":\"p\"}}",
          "index.json: not JSON: column 26: NUL in the key of an object" },
        { "{\"weight_map\":{\"a\":\"\"}}", "file \"\", expected a name inside the folder" },
        { "{\"weight_map\":{\"a\":\"/etc/passwd\"}}",
          "file \"/etc/passwd\", expected a name inside" },
        { "{\"weight_map\":{\"a\":\"..\"}}", "file \"..\", expected a name inside the folder" },
        { "{\"weight_map\":{\"a\":\"../p\"}}", "file \"../p\", expected a name inside the folder" },
        { "{\"weight_map\":{\"a\":\"q/../../p\"}}", "file \"q/../../p\", expected a name inside" },
        { "{\"weight_map\":{\"a\":\"out/p\"}}",
          "file \"out/p\", expected a name inside the folder" },
        { "{\"weight_map\":{\"a\":\"none\"}}", "/none: No such file or directory" },
        { "{\"weight_map\":{\"a\":\"fifo\"}}", "/fifo: is a pipe, expected a file" },
        { "{\"weight_map\":{\"a\":\"folder\"}}", "/folder: is a folder, expected a file" },
        { "{\"weight_map\":{\"a\":\"null\"}}", "/null: is a device, expected a file" },
        { "{\"weight_map\":{\"a\":\"text\"}}", "/text: 2 bytes, expected at least 8" },
        { "{\"weight_map\":{\"a\":\"p\",\"b\":\"p\",\"x\":\"p\"}}",
          "/p: has no x, which " },
        { "{\"weight_map\":{\"a\":\"p\",\"c\":\"q\"}}",
          "index.json: b: is both in " },
    };
    char *deep = arena_alloc(&arena, 100001, 1);

    (void)state;
    part("p", "ab");
    part("q", "bc");
    write_text(in("text"), "hi");
    assert_int_equal(mkfifo(in("fifo"), 0600), 0);
    assert_int_equal(mkdir(in("folder"), 0700), 0);
    assert_int_equal(symlink("/dev/null", in("null")), 0);
    assert_int_equal(symlink("/tmp", in("out")), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        index_of(cases[i].json);
        refused(dir, cases[i].want);
    }
    memset(deep, '[', 100000);
    index_of(arena_printf(&arena, "{\"weight_map\":%s", deep));
    refused(dir, "nested more than 2048 deep");
}

/* Any part stands for all, where the index is beside it; what only has a name like one
 * does not. */
static void test_part_alone(void **state)
{
    static const char *const others[] = {
        "model-of-1.safetensors", "-of-1.safetensors", "model-1-of-x.safetensors",
        "model.fp16.safetensors",
    };
    char before[4000];

    (void)state;
    part("m-1-of-2.safetensors", "ca");
    part("m-2-of-2.safetensors", "b");
    opens(in("m-1-of-2.safetensors"), "ac");        /* without an index */
    index_of("{\"weight_map\":{\"a\":\"m-1-of-2.safetensors\","
             "\"b\":\"m-2-of-2.safetensors\"}}");
    opens(in("m-1-of-2.safetensors"), "abc");
    opens(in("m-2-of-2.safetensors"), "abc");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(dir), 0);
    opens("m-2-of-2.safetensors", "abc");
    assert_int_equal(chdir(before), 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        part(others[i], "x");
        opens(in(others[i]), "x");
    }
    refused(in("m-3-of-3.safetensors"), "/m-3-of-3.safetensors: No such file");
    assert_int_equal(unlink(in("model.safetensors.index.json")), 0);
    assert_int_equal(unlink(in("-of-1.safetensors")), 0);
    assert_int_equal(unlink(in("m-1-of-2.safetensors")), 0);
    refused(dir, "holds parts (m-2-of-2.safetensors), but no model.safetensors.index.json");
    assert_int_equal(unlink(in("m-2-of-2.safetensors")), 0);
    assert_int_equal(rename(in("model-of-1.safetensors"), in("a-of-1.safetensors")), 0);
    refused(dir, "holds no model.safetensors, but a-of-1.safetensors");
    write_text(in("a-of-1.safetensors"), "\3\0\0\0\0\0\0\0[]{");
    write_text(in("odd"), "\2");
    refused(in("odd"), "/odd: is not a file of weights");
    write_file(in("odd"), (struct span){ (const unsigned char *)"\2\0\0\0\0\0\0\0[]", 10 });
    refused(in("odd"), "/odd: is not a file of weights");
}

/* Names in the index, inside and outside of its folder */
static void test_names_inside(void **state)
{
    static const struct { const char *part; bool inside; } cases[] = {
        { "./p", true }, { "..p", true }, { "sub/p", true }, { "sub/./p", true },
        { ".p", true }, { "sub/..p", true }, { "own/p", true }, { "like/p", false },
        { "sub/..", false }, { "up/p", false },
    };

    (void)state;
    assert_int_equal(mkdir(in("m"), 0700), 0);
    assert_int_equal(mkdir(in("m/sub"), 0700), 0);
    assert_int_equal(mkdir(in("m2"), 0700), 0);
    assert_int_equal(symlink("../m2", in("m/like")), 0);    /* begins with the folder's name */
    assert_int_equal(symlink("..", in("m/up")), 0);
    assert_int_equal(symlink(".", in("m/own")), 0);
    for (int i = 0; i < 8; i++)
        part(arena_printf(&arena, "%s", (const char *const[]){ "m/p", "m/..p", "m/sub/p",
                          "m/.p", "m/sub/..p", "m2/p", "p", "m/sub/p" }[i]), "a");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(in("m/model.safetensors.index.json"),
                   arena_printf(&arena, "{\"weight_map\":{\"a\":\"%s\"}}", cases[i].part));
        if (cases[i].inside)
            opens(in("m"), "a");
        else
            refused(in("m"), "expected a name inside the folder");
    }
    write_text(in("m/model.safetensors.index.json"), "{\"weight_map\":{\"a\":\"no/p\"}}");
    refused(in("m"), "/m/no/p: No such file or directory");
}

/* An index that leads nowhere, and one that no model could have */
static void test_index_unreadable(void **state)
{
    (void)state;
    assert_int_equal(symlink("nowhere", in("model.safetensors.index.json")), 0);
    refused(dir, "model.safetensors.index.json: No such file or directory");
    assert_int_equal(unlink(in("model.safetensors.index.json")), 0);
    index_of("{");
    assert_int_equal(truncate(in("model.safetensors.index.json"), (64 << 20) + 1), 0);
    refused(dir, "model.safetensors.index.json: 67108865 bytes, expected at most 67108864");
}

/* A list with a name twice does not take the place of the one that is there. */
static void test_replaced(void **state)
{
    struct tensor twice[] = { { .name = "b" }, { .name = "a" }, { .name = "b" } };
    struct err e = { ERR_NONE, "" };
    struct weights *w;

    (void)state;
    part("model.safetensors", "qr");
    w = weights_open(&arena, dir, &e);
    assert_int_equal(weights_replace(w, twice, 3, &e), -1);
    assert_string_equal(e.msg, "b: appears twice");
    assert_int_equal(weights_count(w), 2);
    assert_string_equal(weights_at(w, 1)->name, "r");
    weights_close(w);
}

/* A cache's files are links that lead out of the folder. */
static void test_links(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in("blobs"), 0700), 0);
    assert_int_equal(mkdir(in("snapshot"), 0700), 0);
    part("blobs/1", "a");
    assert_int_equal(symlink("../blobs/1", in("snapshot/m")), 0);
    write_text(in("snapshot/model.safetensors.index.json"), "{\"weight_map\":{\"a\":\"m\"}}");
    opens(in("snapshot"), "a");
}

/* ---- foreign files ---- */

static void test_foreign_folder(void **state)
{
    (void)state;
    write_text(in("config.json"), "{}");
    write_text(in("optimizer.pt"), "x");
    write_text(in("tf_model.h5"), "x");
    refused(dir, ": only PyTorch weights (optimizer.pt), expected model.safetensors");
    assert_int_equal(unlink(in("optimizer.pt")), 0);
    refused(dir, ": only Keras weights (tf_model.h5), expected model.safetensors; convert "
                 "them with transformers 4 and TensorFlow: python3 -c \"import sys;");
    write_text(in("pytorch_model-00002-of-00002.bin"), "x");
    write_text(in("training_args.bin"), "x");
    refused(dir, arena_printf(&arena, "'pt'})\" %s/model.safetensors %s/pytorch_model-*.bin",
                              dir, dir));
    write_text(in("pytorch_model.bin"), "x");
    refused(in("/"), arena_printf(&arena, "%s: only PyTorch weights (pytorch_model.bin), "
                                  "expected model.safetensors; convert them with: python3 "
                                  "-c \"", dir));
    refused(dir, arena_printf(&arena, "'pt'})\" %s/model.safetensors %s/pytorch_model.bin",
                              dir, dir));
}

static void test_foreign_file(void **state)
{
    static const char zip[300] = "PK\x03\x04................................archive/data.pkl";

    (void)state;
    write_text(in(".pt"), "x");
    refused(in(".pt"), "/.pt.safetensors ");
    write_text(in("a.ckpt"), "anything");
    refused(in("a.ckpt"), "only PyTorch weights (a.ckpt)");
    write_text(in("it's"), "\x80\x02}q");
    refused(in("it's"), "/'it'\\''s.safetensors' ");
    refused(in("it's"), "/'it'\\''s'");
    refused(in("a.ckpt"), "/a.safetensors ");
    refused(in("a.ckpt"), "os.path.exists(o)and sys.exit(o+' exists')");
    write_file(in("z"), (struct span){ (const unsigned char *)zip, sizeof zip });
    refused(in("z"), "only PyTorch weights (z)");
    write_file(in("z"), (struct span){ (const unsigned char *)zip, 60 });
    refused(in("z"), "only PyTorch weights (z)");
    write_file(in("z"), (struct span){ (const unsigned char *)zip, 20 });
    refused(in("z"), "/z: is not a file of weights");
    write_text(in("k"), "\x89HDF\r\n");
    refused(in("k"), "only Keras weights (k)");
    write_text(in("model.safetensors"), "\x80\x02}q");
    refused(dir, "only PyTorch weights (model.safetensors)");
    part("really.bin", "a");                /* the content decides */
    opens(in("really.bin"), "a");
}

/* Names without a folder, and the root: the command can be pasted as it is. */
static void test_foreign_here(void **state)
{
    static const struct span pickle = { (const unsigned char *)"\x80\x02}q", 4 };
    char before[4000];
    struct err e;

    (void)state;
    write_text(in("a.ckpt"), "x");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(dir), 0);
    refused("a.ckpt", ".: only PyTorch weights (a.ckpt), expected model.safetensors");
    refused("a.ckpt", "'pt'})\" a.safetensors a.ckpt");
    assert_int_equal(rename("a.ckpt", "tf_model.h5"), 0);
    refused(".", "safe_serialization=True)\" .");
    part("model.safetensors", "ab");
    opens("model.safetensors", "ab");
    opens(".", "ab");
    assert_int_equal(chdir(before), 0);
    assert_true(foreign_file(&arena, "/a.bin", pickle, &e));
    assert_memory_equal(e.msg, "/: only PyTorch weights (a.bin)", 31);
    assert_non_null(strstr(e.msg, "'pt'})\" /a.safetensors /a.bin"));
}

/* The whole command fits the message, however deep the folder lies. */
static void test_foreign_long(void **state)
{
    const char *deep = in("a_folder_with_a_name_that_is_rather_long_as_they_sometimes_are");

    (void)state;
    assert_int_equal(mkdir(deep, 0700), 0);
    deep = file_join(&arena, deep, "and_within_it_another_folder_with_a_long_name");
    assert_int_equal(mkdir(deep, 0700), 0);
    write_text(file_join(&arena, deep, "pytorch_model.bin"), "x");
    refused(deep, "convert them in that folder with: python3 -c \"import os,sys");
    refused(deep, "'pt'})\" model.safetensors pytorch_model.bin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_file, begin, end),
        cmocka_unit_test_setup_teardown(test_ranges, begin, end),
        cmocka_unit_test_setup_teardown(test_damaged, begin, end),
        cmocka_unit_test_setup_teardown(test_parts, begin, end),
        cmocka_unit_test_setup_teardown(test_many_parts, begin, end),
        cmocka_unit_test_setup_teardown(test_index_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_links, begin, end),
        cmocka_unit_test_setup_teardown(test_foreign_folder, begin, end),
        cmocka_unit_test_setup_teardown(test_foreign_file, begin, end),
        cmocka_unit_test_setup_teardown(test_foreign_here, begin, end),
        cmocka_unit_test_setup_teardown(test_foreign_long, begin, end),
        cmocka_unit_test_setup_teardown(test_part_alone, begin, end),
        cmocka_unit_test_setup_teardown(test_names_inside, begin, end),
        cmocka_unit_test_setup_teardown(test_index_unreadable, begin, end),
        cmocka_unit_test_setup_teardown(test_replaced, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
