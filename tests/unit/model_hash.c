/* SPDX-License-Identifier: MIT
 * What tells two models with tensors of the same names apart: their numbers, and the files
 * beside them that texts are read by. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"
#include "unit/weights_files.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static uint64_t hash(const char *path)
{
    struct err e = { ERR_NONE, "" };
    struct model *m = model_open(&arena, path, &e);
    uint64_t data;

    if (m == NULL)
        fail_msg("%s", e.msg);
    if (model_hash_data(m, &arena, &data, &e) != 0)
        fail_msg("%s", e.msg);
    model_close(m);
    return data;
}

static char *copy_of(const char *folder)
{
    char *dir = new_dir(&arena);

    assert_int_equal(system(arena_printf(&arena, "cp %s/config.json %s/tokenizer.json "
                                         "%s/model.safetensors %s", folder, folder, folder, dir)),
                     0);
    return dir;
}

/* A file that counts and cannot be read is an error, not another hash. */
static void unreadable(void **state)
{
    char *dir = copy_of("tests/ref/bert"), *path = file_join(&arena, dir, "vocab.txt");
    struct err e = { ERR_NONE, "" };
    struct model *m = model_open(&arena, dir, &e);
    uint64_t data;

    (void)state;
    assert_non_null(m);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_int_equal(model_hash_data(m, &arena, &data, &e), -1);
    assert_non_null(strstr(e.msg, "vocab.txt: No such file"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(model_hash_data(m, &arena, &data, &e), 0);
    model_close(m);
    drop_dir(&arena, dir);
}

/* Those that say how texts are read count, by name and content; others do not. */
static void files(void **state)
{
    static const struct { const char *name; bool counts; } rows[] = {
        { "notes.md", false }, { "x", false }, { "model.safetensors.index.json", false },
        { "vocab.txt", true }, { "spm.model", true }, { "other.json", true },
    };
    char *dir = copy_of("tests/ref/bert");
    const uint64_t whole = hash(dir);

    (void)state;
    assert_true(whole == hash(dir));
    assert_int_equal(mkdir(file_join(&arena, dir, "vocab.txt"), 0700), 0);
    assert_true(whole == hash(dir));    /* a folder of such a name holds nothing */
    assert_int_equal(rmdir(file_join(&arena, dir, "vocab.txt")), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *path = file_join(&arena, dir, rows[i].name);
        uint64_t first, second;

        if (strstr(rows[i].name, "index") == NULL)
            write_text(path, "{}");
        else                            /* the weights are one file, and named so */
            write_text(path, "{\"weight_map\":{}}");
        first = hash(dir);
        if ((first != whole) != rows[i].counts)
            fail_msg("%s", rows[i].name);
        write_text(path, "{ }");
        second = hash(dir);
        if ((second != first) != rows[i].counts)
            fail_msg("%s: its content", rows[i].name);
        assert_int_equal(unlink(path), 0);
    }
    drop_dir(&arena, dir);
}

static void flip_last(const char *path)
{
    FILE *f = fopen(path, "r+b");
    int last;

    assert_int_equal(fseek(f, -1, SEEK_END), 0);
    last = fgetc(f);
    assert_int_equal(fseek(f, -1, SEEK_END), 0);
    fputc(last ^ 1, f);
    assert_int_equal(fclose(f), 0);
}

/* The last number of a tensor, of which more lies in between than is looked at. */
static void numbers(void **state)
{
    char *dir = copy_of("tests/ref/bert");
    const uint64_t whole = hash(dir);

    (void)state;
    flip_last(file_join(&arena, dir, "model.safetensors"));
    assert_true(hash(dir) != whole);
    drop_dir(&arena, dir);
}

static uint64_t adapted(const char *dir, const char *adapter)
{
    const struct layer_asked asked = { .adapter = &adapter, .n_adapters = 1 };
    struct err e = { ERR_NONE, "" };
    struct model *m = model_open_layer(&arena, dir, &asked, &e);
    uint64_t data = 0;

    if (m == NULL || model_hash_data(m, &arena, &data, &e) != 0)
        fail_msg("%s", e.msg);
    model_close(m);
    return data;
}

/* What tensors are made of counts. */
static void parts(void **state)
{
    static const char base[] = "tests/ref/adapters/gpt2";
    const char *dir = new_dir(&arena), *path = file_join(&arena, dir, "adapter_model.safetensors");
    uint64_t whole;

    (void)state;
    assert_int_equal(system(arena_printf(&arena, "cp %s/adapter/* %s", base, dir)), 0);
    whole = adapted(base, dir);
    assert_true(whole == adapted(base, dir) && whole != hash(base));
    flip_last(path);
    assert_true(adapted(base, dir) != whole);
    drop_dir(&arena, dir);
}

/* Without files of its own, or with one that holds all. */
static void alone(void **state)
{
    (void)state;
    assert_true(hash(NULL) == hash("builtin:decoder"));
    assert_true(hash("tests/ref/families/gguf_qwen2/model.gguf") != hash(NULL));
    assert_true(hash("tests/ref/seq2seq/t5") != hash("tests/ref/seq2seq/t5_plain"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = { TEST(files), TEST(unreadable), TEST(numbers), TEST(parts),
                                        TEST(alone) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
