/* SPDX-License-Identifier: MIT
 * Names of the hub and the folders of its cache: where it is, what is a name, which snapshot
 * is meant, what one lacks, and what to call a model. */
#include "check.h"

#include <string.h>
#include <sys/stat.h>

#include "model/hub.h"
#include "unit/weights_files.h"

#define X4 "abcd012345"
#define COMMIT X4 X4 X4 X4

static struct arena arena;
static const char *dir;             /* HF_HUB_CACHE */

static const char *const variables[] = {
    "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"
};

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    dir = new_dir(&arena);
    for (int i = 0; i < 4; i++)
        unsetenv(variables[i]);
    setenv("HF_HUB_CACHE", dir, 1);
    return 0;
}

static int tear_down(void **state)
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

static void folder(const char *name)
{
    assert_int_equal(system(arena_printf(&arena, "mkdir -p '%s'", in(name))), 0);
}

static const char *find(const char *asked)
{
    struct err e = { ERR_NONE, "" };
    const char *note, *path = hub_find(&arena, asked, &note, &e);

    return path != NULL ? path : arena_strdup(&arena, e.msg);
}

static void says(const char *asked, const char *why)
{
    const char *got = find(asked);

    if (strstr(got, why) == NULL)
        fail_msg("%s: \"%s\", expected \"%s\"", asked, got, why);
}

/* ---- where the cache is ---- */

static void test_root(void **state)
{
    static const struct { const char *variable, *value, *root; } rows[] = {
        { "HF_HUB_CACHE", "/c", "/c/models--a" },
        { "HF_HUB_CACHE", "", "/h/.cache/huggingface/hub/" },
        { "HUGGINGFACE_HUB_CACHE", "/g", "/g/models--a" }, { "HF_HOME", "/f", "/f/hub/models--a" },
        { "XDG_CACHE_HOME", "/x", "/x/huggingface/hub/models--a" },
        { "HF_HUB_CACHE", "~", "/h/models--a" }, { "HF_HUB_CACHE", "~/c", "/h/c/models--a" },
        { "HF_HUB_CACHE", "~c", "~c/models--a" }, { "HF_HUB_CACHE", "a~/c", "a~/c/models--a" },
        { "HF_HUB_CACHE", "/$HERE/c", "/there/c/" },
        { "HF_HUB_CACHE", "${HERE}x$HERE", "therexthere/" },
        { "HF_HUB_CACHE", "/$HERE_x/c", "/$HERE_x/c/" },
        { "HF_HUB_CACHE", "/${HERE/c", "/${HERE/c/" },
        { "HF_HUB_CACHE", "/$/c", "/$/c/" }, { "HF_HUB_CACHE", "/${}c", "/${}c/" },
        { "HF_HUB_CACHE", "/$A_1", "/1/" },
    };

    (void)state;
    setenv("HOME", "/h", 1);
    setenv("HERE", "there", 1);
    setenv("A_1", "1", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsetenv("HF_HUB_CACHE");
        setenv(rows[i].variable, rows[i].value, 1);
        says("a", rows[i].root);
        unsetenv(rows[i].variable);
    }
    unsetenv("HOME");                   /* then the user's, as the system knows it */
    says("a", "/.cache/huggingface/hub/models--a");
    assert_null(strstr(find("a"), "no ~/"));
    setenv("HF_HUB_CACHE", dir, 1);
}

/* ---- names ---- */

static void test_names(void **state)
{
    static const char *const good[] = {
        "a", "a/b", "A-b_1.2/c.d-e_f", "a@main", "a/b@pr/1", "a@v1.0-x_y", "a-/b",
    };
    static const char *const bad[] = {
        "a/", "/a", "a/b/c", "a b", "a/b c", "a..b", "a--b", ".a", "-a", "a/.b", "a/-b",
        "a.", "a-", "a/b.", "a/b-", "a\xc3\xa9", "a@", "a@/x", "a@x/", "a@.x", "a@x..y", "a@x//y",
        "a@x/.y", "a@x y", "@a", "a/b@c@d",
        ("a123456789a123456789a123456789a123456789a123456789a123456789a123456789a123456789"
         "a123456789a123456"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        says(good[i], "no such model: no such file or folder, and the cache has no");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        says(bad[i], "no such model: expected a Hugging Face folder");
    says("", "the model has an empty name");
    assert_string_equal(find(dir), dir);
}

/* ---- snapshots ---- */

static void test_snapshots(void **state)
{
    (void)state;
    folder("models--a--b/refs");
    says("a/b", "has no revision main; to download it: hf download a/b");
    says("a/b@x", "has no revision x; to download it: hf download a/b --revision x");
    folder("models--a--b/snapshots/not-a-commit");
    folder("models--a--b/snapshots/" COMMIT);
    assert_string_equal(find("a/b"), in("models--a--b/snapshots/" COMMIT));
    assert_string_equal(find("a/b@abcd012"), in("models--a--b/snapshots/" COMMIT));
    says("a/b@abcd01", "has no revision abcd01");         /* too few digits */
    says("a/b@abcd01z", "has no revision abcd01z");
    says("a/b@abcd013", "has no revision abcd013");
    for (int i = 0; i < 5; i++) {
        folder(arena_printf(&arena, "models--a--b/snapshots/%d%s", i, &COMMIT[1]));
        says("a/b", arena_printf(&arena, "has no refs/main and %d snapshots; expected a/b@REVISION",
                                 i + 2));
        assert_int_equal(strstr(find("a/b"), "\xe2\x80\xa6") != NULL, i >= 3);
    }
    for (const char *const *ref = (const char *const[]){ "\n", "x\n", COMMIT "0\n", "", NULL };
         *ref != NULL; ref++) {
        write_text(in("models--a--b/refs/main"), *ref);
        says("a/b", "has no refs/main and 6 snapshots");
    }
    write_text(in("models--a--b/refs/main"), COMMIT " \n");
    assert_string_equal(find("a/b"), in("models--a--b/snapshots/" COMMIT));
    write_text(in("models--a--b/refs/main"), "f" X4 X4 X4 "012345678");
    says("a/b", "a/b: the cache has no");
}

/* ---- what a snapshot lacks ---- */

static const char *lacks(const char *at, bool links_only)
{
    struct err e = { ERR_NONE, "" };

    hub_explain(&arena, "a/b", in(at), links_only, &e);
    return arena_strdup(&arena, e.msg);
}

static void lacks_this(const char *what)
{
    assert_non_null(strstr(lacks("s", false),
                           arena_printf(&arena, "the cache lacks %s in ", what)));
}

static void test_lacks(void **state)
{
    struct err e = { ERR_NONE, "" };

    (void)state;
    folder("s");
    lacks_this("config.json");
    write_text(in("s/config.json"), "{}");
    lacks_this("model.safetensors");
    write_text(in("s/a.bin"), "");
    assert_string_equal(lacks("s", false), "");
    write_text(in("s/model.safetensors.index.json"), "no json");
    assert_string_equal(lacks("s", false), "");
    write_text(in("s/model.safetensors.index.json"), "{\"weight_map\":{\"a\":\"c\",\"b\":\"b\","
               "\"c\":5,\"d\":\"../x\",\"e\":\"a.bin\",\"f\":\"d\"}}");
    lacks_this("b");
    write_text(in("s/b"), "");
    lacks_this("c");
    assert_int_equal(symlink("nowhere", in("s/link")), 0);
    lacks_this("link");
    assert_non_null(strstr(lacks("s", true), "lacks link"));
    assert_int_equal(unlink(in("s/link")), 0);
    assert_string_equal(lacks("s", true), "");
    assert_int_equal(unlink(in("s/config.json")), 0);
    lacks_this("config.json");
    write_text(in("s/x.gguf"), "");             /* which needs no config.json */
    lacks_this("c");
    hub_explain(&arena, "no name/", in("s"), false, &e);
    assert_string_equal(e.msg, "");             /* it is no model of the hub */
}

/* ---- what to call a model ---- */

static void test_called(void **state)
{
    static const struct { const char *path, *name; } rows[] = {
        { "/m/gpt2", "gpt2" }, { "/m/gpt2/", "gpt2" }, { "/m/gpt2/model.safetensors", "gpt2" },
        { "/m/gpt2/Model.gguf", "gpt2" }, { "/m/gpt2/model-00001-of-00002.gguf", "gpt2" },
        { "/m/gpt2/models", "models" }, { "/m/x.gguf", "x.gguf" }, { "/m/gpt2/./.", "gpt2" },
        { "/m/" COMMIT, "m" }, { "/m/snapshots/" COMMIT, "m" }, { "/m/snapshotS", "snapshotS" },
        { "/", "/" }, { "/model", "/model" }, { "/m/models--a--b", "a/b" },
        { "/m/models--a", "a" }, { "/m/models--.a", "models--.a" }, { "/m/ab/.", "ab" },
        { "/nowhere/../model", "/nowhere/../model" }, { "models--c--d/snapshots/x", "c/d" },
        { "modelsXc--d/snapshots/x", "x" }, { "/models--c/snapshots/", "c" },
        { "/models--c--d/snapshots/1/x.gguf", "c/d" }, { "/m/a-/x..", "x.." },
        { "m/..x", "..x" }, { "/m/.x", ".x" }, { "m/x.", "x." },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = hub_name(&arena, rows[i].path);

        if (strcmp(name, rows[i].name) != 0)
            fail_msg("%s: \"%s\", expected \"%s\"", rows[i].path, name, rows[i].name);
    }
    folder("models--a--b/refs");
    folder("models--a--b/snapshots/" COMMIT);
    folder("models--a--b/snapshots/v1");
    write_text(in("models--a--b/refs/main"), COMMIT);
    assert_string_equal(hub_name(&arena, in("models--a--b/snapshots/" COMMIT)), "a/b");
    assert_string_equal(hub_name(&arena, in("models--a--b/snapshots/v1")), "a/b@v1");
    write_text(in("models--a--b/refs/main"), "f" X4 X4 X4 "012345678");
    assert_string_equal(hub_name(&arena, in("models--a--b/snapshots/" COMMIT)), "a/b@abcd012");
    /* Links lead there, too. */
    assert_int_equal(symlink(in("models--a--b/snapshots/" COMMIT), in("link")), 0);
    assert_string_equal(hub_name(&arena, in("link")), "a/b@abcd012");
    folder("named/sub");
    assert_int_equal(symlink(in("named"), in("model")), 0);
    assert_int_equal(chdir(in("named")), 0);
    assert_string_equal(hub_name(&arena, "."), "named");
    assert_string_equal(hub_name(&arena, "sub/.."), "named");
    assert_int_equal(chdir("/"), 0);
}

static void test_all(void **state)
{
    const char *const *names;

    (void)state;
    folder("models--b");
    folder("models--a--c");
    folder("models--.x");
    folder("datasets--a");
    names = hub_names(&arena);
    assert_string_equal(names[0], "a/c");
    assert_string_equal(names[1], "b");
    assert_null(names[2]);
    setenv("HF_HUB_CACHE", "/nowhere", 1);
    assert_null(hub_names(&arena)[0]);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_root), TEST(test_names), TEST(test_snapshots), TEST(test_lacks),
        TEST(test_called), TEST(test_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
