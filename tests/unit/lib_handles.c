/* SPDX-License-Identifier: MIT
 * The library's handles: opened, closed, missing; models as files and as bytes.
 * file_tags=threads */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mhaviz.h"

static void expect(enum mhaviz_status got, enum mhaviz_status expected,
                   const struct mhaviz_error *error, const char *text)
{
    assert_int_equal(error->status, got);
    if (got != expected || strstr(error->message, text) == NULL)
        fail_msg("status %d and \"%s\", expected %d and \"%s\"", (int)got, error->message,
                 (int)expected, text);
}

static struct mhaviz_model *open_model(const char *path)
{
    struct mhaviz_model *model = NULL;
    struct mhaviz_error error;

    expect(mhaviz_model_open(&model, path, 2, &error), MHAVIZ_OK, &error, "");
    assert_non_null(model);
    return model;
}

static struct mhaviz_text *open_text(struct mhaviz_model *model, const char *text)
{
    struct mhaviz_text *out = NULL;
    struct mhaviz_error error;

    expect(mhaviz_text_open(model, text, NULL, &out, &error), MHAVIZ_OK, &error, "");
    return out;
}

static int take_nothing(void *self, const struct mhaviz_rows *rows)
{
    (void)self, (void)rows;
    return 0;
}

/* Every argument that must not be NULL, and a handle that was closed. */
static void missing_arguments(void **state)
{
    struct mhaviz_model *model = open_model(NULL), *none = NULL;
    struct mhaviz_text *text = open_text(model, "the cat"), *out = NULL;
    struct mhaviz_stats *stats = NULL, *no_stats = NULL;
    const struct mhaviz_files no_files = { .struct_size = sizeof no_files };
    const struct mhaviz_selection selv = { .struct_size = sizeof selv, .metrics = "selv" },
                                  self = { .struct_size = sizeof self, .metrics = "self" };
    struct mhaviz_description description;
    const struct mhaviz_token *token;
    const struct mhaviz_head *head;
    const char *no_name = NULL;
    const double *value;
    struct mhaviz_error e;
    int n;

    (void)state;
#define USAGE(call, what) expect(call, MHAVIZ_USAGE, &e, what)
    USAGE(mhaviz_model_open(NULL, NULL, 0, &e), "model: is NULL");
    USAGE(mhaviz_model_open(&none, NULL, -1, &e), "n_threads: expected 0 to 1024");
    USAGE(mhaviz_model_open(&none, NULL, 1025, &e), "n_threads");
    USAGE(mhaviz_model_open_adapted(NULL, NULL, NULL, 0, 0, &e), "model: is NULL");
    USAGE(mhaviz_model_open_adapted(&none, NULL, NULL, -1, 0, &e), "n: expected 0 to 16");
    USAGE(mhaviz_model_open_adapted(&none, NULL, NULL, 17, 0, &e), "n: expected 0 to 16");
    USAGE(mhaviz_model_open_adapted(&none, NULL, NULL, 1, 0, &e), "adapters: is NULL");
    USAGE(mhaviz_model_open_adapted(&none, NULL, &no_name, 1, 0, &e), "adapters: is NULL");
    USAGE(mhaviz_model_open_files(NULL, &no_files, 0, &e), "model: is NULL");
    USAGE(mhaviz_model_open_files(&none, NULL, 0, &e), "files: is NULL");
    USAGE(mhaviz_model_open_files(&none, &no_files, 0, &e), "files->weights: is NULL");
    USAGE(mhaviz_model_describe(NULL, &description, &e), "model: is NULL");
    USAGE(mhaviz_model_describe(model, NULL, &e), "description: is NULL");
    USAGE(mhaviz_text_open(NULL, "a", NULL, &out, &e), "model: is NULL");
    USAGE(mhaviz_text_open(model, NULL, NULL, &out, &e), "text: is NULL");
    USAGE(mhaviz_text_open(model, "a", NULL, NULL, &e), "out: is NULL");
    USAGE(mhaviz_text_tokens(NULL, 0, &token, &n, &e), "text: is NULL");
    USAGE(mhaviz_text_tokens(text, 0, NULL, &n, &e), "tokens: is NULL");
    USAGE(mhaviz_text_tokens(text, 0, &token, NULL, &e), "n: is NULL");
    USAGE(mhaviz_text_tokens(text, 2, &token, &n, &e), "decoder: expected 0 or 1");
    USAGE(mhaviz_text_tokens(text, -1, &token, &n, &e), "decoder: expected 0 or 1");
    USAGE(mhaviz_run(NULL, text, NULL, take_nothing, NULL, &e), "model: is NULL");
    USAGE(mhaviz_run(model, NULL, NULL, take_nothing, NULL, &e), "text: is NULL");
    USAGE(mhaviz_run(model, text, NULL, NULL, NULL, &e), "take: is NULL");
    USAGE(mhaviz_stats_open(NULL, text, NULL, &stats, &e), "model: is NULL");
    USAGE(mhaviz_stats_open(model, NULL, NULL, &stats, &e), "text: is NULL");
    USAGE(mhaviz_stats_open(model, text, NULL, NULL, &e), "out: is NULL");
    USAGE(mhaviz_stats_heads(NULL, &head, &n, &e), "stats: is NULL");
    assert_int_equal(mhaviz_stats_open(model, text, NULL, &stats, &e), MHAVIZ_OK);
    USAGE(mhaviz_stats_heads(stats, NULL, &n, &e), "heads: is NULL");
    USAGE(mhaviz_stats_heads(stats, &head, NULL, &e), "n: is NULL");
    USAGE(mhaviz_stats_metric(NULL, "entropy", &value, &n, &e), "stats: is NULL");
    USAGE(mhaviz_stats_metric(stats, NULL, &value, &n, &e), "metric: is NULL");
    USAGE(mhaviz_stats_metric(stats, "entropy", NULL, &n, &e), "values: is NULL");
    USAGE(mhaviz_stats_metric(stats, "entropy", &value, NULL, &e), "n: is NULL");
    USAGE(mhaviz_stats_metric(stats, "enthropy", &value, &n, &e), "'enthropy' is not a metric");
    mhaviz_stats_close(&stats);
    USAGE(mhaviz_stats_open(model, text, &selv, &stats,
                            &e), "'selv' is not a metric; did you mean 'self'?");
    assert_int_equal(mhaviz_stats_open(model, text, &self, &stats, &e), MHAVIZ_OK);
    assert_int_equal(mhaviz_stats_metric(stats, "self", &value, &n, &e), MHAVIZ_OK);
    USAGE(mhaviz_stats_metric(stats, "entropy", &value, &n, &e), "not a metric that was computed");
    assert_null(none);
    assert_null(out);
    mhaviz_stats_close(&stats);
    assert_null(stats);
    USAGE(mhaviz_stats_heads(stats, &head, &n, &e), "a handle that was closed");
    mhaviz_text_close(&text);
    assert_null(text);
    USAGE(mhaviz_run(model, text, NULL, take_nothing, NULL, &e), "a handle that was closed");
    mhaviz_model_close(&model);
    assert_null(model);
    USAGE(mhaviz_text_open(model, "a", NULL, &out, &e), "a handle that was closed");
#undef USAGE
    mhaviz_model_close(&model);
    mhaviz_model_close(NULL);
    mhaviz_text_close(NULL);
    mhaviz_stats_close(&no_stats);
    assert_int_equal(mhaviz_model_open(&none, "/nowhere", 1, NULL), MHAVIZ_INPUT);
}

/* By -m's path, or by the list: the same model, and not the base. */
static void adapters_are_merged(void **state)
{
    static const char *const adapter[] = { "tests/ref/adapters/bert/adapter" };
    static const char *const nowhere[] = { "/nowhere/at/all" };
    struct mhaviz_model *alone = open_model(adapter[0]), *listed = NULL;
    struct mhaviz_description one = { .struct_size = sizeof one }, two = one;
    struct mhaviz_error e;

    (void)state;
    expect(mhaviz_model_open_adapted(&listed, "tests/ref/adapters/bert", adapter, 1, 1, &e),
           MHAVIZ_OK, &e, "");
    assert_int_equal(mhaviz_model_describe(alone, &one, &e), MHAVIZ_OK);
    assert_int_equal(mhaviz_model_describe(listed, &two, &e), MHAVIZ_OK);
    assert_string_equal(one.name, "bert+adapter");
    assert_string_equal(two.name, "bert+adapter");
    mhaviz_model_close(&alone);
    mhaviz_model_close(&listed);
    expect(mhaviz_model_open_adapted(&listed, NULL, nowhere, 1, 1, &e), MHAVIZ_INPUT, &e,
           "adapter: /nowhere/at/all: no such model");
    expect(mhaviz_model_open_adapted(&listed, NULL, adapter, 1, 1, &e), MHAVIZ_INPUT, &e,
           "modules_to_save does not name: is it an adapter for another model?");
}

static void inputs_that_cannot_be_used(void **state)
{
    struct mhaviz_model *bert = open_model("tests/ref/bert"), *none = NULL, *layer;
    struct mhaviz_text *text = NULL;
    char longest[4096];
    struct mhaviz_error e;

    (void)state;
    expect(mhaviz_model_open(&none, "/nowhere/at/all", 1, &e), MHAVIZ_INPUT, &e,
           "/nowhere/at/all");
    expect(mhaviz_text_open(bert, "a \xff b", NULL, &text, &e), MHAVIZ_INPUT, &e, "UTF-8");
    for (size_t i = 0; i + 2 < sizeof longest; i += 2)
        memcpy(longest + i, "a ", 3);
    expect(mhaviz_text_open(bert, longest, NULL, &text, &e), MHAVIZ_INPUT, &e, "tokens");
    assert_null(strstr(e.message, "--"));
    assert_null(text);
    mhaviz_model_close(&bert);
    layer = open_model("tests/ref/families/vit");
    expect(mhaviz_text_open(layer, "a", NULL, &text, &e), MHAVIZ_USAGE, &e, "reads no text");
    assert_null(strstr(e.message, "--"));
    mhaviz_model_close(&layer);
}

/* What is not a handle cannot have been closed. */
static void missing_is_not_closed(void **state)
{
    struct mhaviz_model *model = open_model(NULL);
    struct mhaviz_text *text = open_text(model, "the cat"), *none = NULL;
    struct mhaviz_error e;

    (void)state;
    mhaviz_run(model, text, NULL, NULL, NULL, &e);
    assert_string_equal(e.message, "take: is NULL");
    mhaviz_heatmap(model, text, NULL, NULL, &e);
    assert_string_equal(e.message, "path: is NULL");
    mhaviz_text_open(model, NULL, NULL, &none, &e);
    assert_string_equal(e.message, "text: is NULL");
    mhaviz_run(model, NULL, NULL, take_nothing, NULL, &e);
    assert_string_equal(e.message, "text: is NULL, or a handle that was closed");
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

/* Messages have the names of the library's members, not of the program's options. */
static void names_of_the_library(void **state)
{
    enum { SIZE = sizeof(struct mhaviz_selection) };
    static const struct { struct mhaviz_selection selection; const char *message; } cases[] = {
        { { SIZE, "foo", NULL, NULL, NULL }, "stack: 'foo': bert has only the stack encoder" },
        { { SIZE, NULL, "x", NULL, NULL },
          "layers: 'x' is not a list like 0,3-5, last, -1 or all" },
        { { SIZE, NULL, "2", NULL, NULL },
          "layers: 2 is out of range: the model has layers 0 to 1" },
        { { SIZE, NULL, NULL, "3", NULL },
          "heads: 3 is out of range: the model has heads 0 to 2" },
        { { SIZE, NULL, NULL, "L0", NULL }, "heads: 'L0' is not a list like L4H1,L4H3" },
        { { SIZE, NULL, NULL, "L9H0", NULL },
          "heads: 'L9H0': 9 is out of range: the model has layers 0 to 1" },
        { { SIZE, NULL, "0", "L0H0", NULL },
          "layers, heads: 'L0H0' names heads with their layers, so layers cannot be given" },
    };
    struct mhaviz_model *model = open_model("tests/ref/bert");
    struct mhaviz_text *text = open_text(model, "the cat");
    struct mhaviz_error e;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mhaviz_run(model, text, &cases[i].selection, take_nothing, NULL, &e);
        assert_int_equal(e.status, MHAVIZ_USAGE);
        assert_string_equal(e.message, cases[i].message);
    }
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

static void what_a_model_is(void **state)
{
    struct mhaviz_model *bert = open_model("tests/ref/bert"), *bart = open_model("tests/ref/bart");
    struct mhaviz_description d = { .struct_size = sizeof d };

    (void)state;
    assert_int_equal(mhaviz_model_describe(bert, &d, NULL), MHAVIZ_OK);
    assert_string_equal(d.name, "bert");
    assert_string_equal(d.family, "bert");
    assert_int_equal(d.n_layers[MHAVIZ_ENCODER], 2);
    assert_int_equal(d.n_heads[MHAVIZ_ENCODER], 3);
    assert_int_equal(d.n_layers[MHAVIZ_DECODER], 0);
    assert_int_equal(d.n_layers[MHAVIZ_CROSS], 0);
    assert_int_equal(d.max_tokens, 64);
    assert_int_equal(mhaviz_model_describe(bart, &d, NULL), MHAVIZ_OK);
    for (int i = 0; i < MHAVIZ_N_STACKS; i++)
        assert_true(d.n_layers[i] > 0 && d.n_heads[i] > 0);
    mhaviz_model_close(&bert);
    mhaviz_model_close(&bart);
}

static void tokens_of_a_text(void **state)
{
    static const char sentence[] = "the key is in the door";
    struct mhaviz_model *model = open_model("tests/ref/bert");
    struct mhaviz_text *text = open_text(model, sentence);
    const struct mhaviz_token *token;
    int n;

    (void)state;
    mhaviz_model_close(&model);         /* the text outlives it */
    assert_int_equal(mhaviz_text_tokens(text, 0, &token, &n, NULL), MHAVIZ_OK);
    assert_true(n >= 8);
    assert_string_equal(token[0].piece, "[CLS]");
    assert_true(token[0].special == 1 && token[n - 1].special == 1);
    for (int i = 1; i < n - 1; i++) {
        size_t size = token[i].end - token[i].start;

        assert_int_equal(token[i].label_size, size);
        assert_memory_equal(token[i].label, sentence + token[i].start, size);
    }
    assert_int_equal(mhaviz_text_tokens(text, 1, &token, &n, NULL), MHAVIZ_OK);
    assert_int_equal(n, 0);
    mhaviz_text_close(&text);
}

static void *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    void *data;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    data = malloc(*size);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static struct mhaviz_bytes bytes_of(const char *dir, const char *name)
{
    struct mhaviz_bytes b = { NULL, 0 };
    char path[256];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    b.data = read_file(path, &b.size);
    return b;
}

static void check_same(struct mhaviz_model *a, struct mhaviz_model *b)
{
    static const char sentence[] = "the key is in the door";
    char names[4096] = "all";
    const struct mhaviz_selection all = { .struct_size = sizeof all, .metrics = names };
    struct mhaviz_text *x = open_text(a, sentence), *y = open_text(b, sentence);
    struct mhaviz_stats *s = NULL, *t = NULL;
    const double *u, *v;
    int n, m;

    for (int i = 0; mhaviz_metric(i) != NULL; i++)
        strcat(strcat(names, ","), mhaviz_metric(i));
    assert_int_equal(mhaviz_stats_open(a, x, &all, &s, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_stats_open(b, y, &all, &t, NULL), MHAVIZ_OK);
    for (int i = 0; mhaviz_metric(i) != NULL; i++) {
        assert_int_equal(mhaviz_stats_metric(s, mhaviz_metric(i), &u, &n, NULL), MHAVIZ_OK);
        assert_int_equal(mhaviz_stats_metric(t, mhaviz_metric(i), &v, &m, NULL), MHAVIZ_OK);
        assert_true(n == m && n > 0);
        assert_memory_equal(u, v, (size_t)n * sizeof *u);
    }
    mhaviz_stats_close(&s);
    mhaviz_stats_close(&t);
    mhaviz_text_close(&x);
    mhaviz_text_close(&y);
}

static void models_in_memory(void **state)
{
    static const char *const dirs[] = { "tests/ref/bert", "tests/ref/llama" };

    (void)state;
    for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
        const struct mhaviz_files files = {
            sizeof files, bytes_of(dirs[i], "model.safetensors"), bytes_of(dirs[i], "config.json"),
            bytes_of(dirs[i], "tokenizer.json"),
        };
        struct mhaviz_model *from_path = open_model(dirs[i]), *model = NULL;

        assert_int_equal(mhaviz_model_open_files(&model, &files, 1, NULL), MHAVIZ_OK);
        check_same(from_path, model);
        mhaviz_model_close(&model);
        mhaviz_model_close(&from_path);
        free((void *)(uintptr_t)files.weights.data);
        free((void *)(uintptr_t)files.config.data);
        free((void *)(uintptr_t)files.tokenizer.data);
    }
}

static void gguf_in_memory(void **state)
{
    struct mhaviz_files files = { .struct_size = sizeof files,
                                  .weights = bytes_of("tests/ref/gguf_llama", "model.gguf") };
    struct mhaviz_model *from_path = open_model("tests/ref/gguf_llama"), *model = NULL;

    (void)state;
    assert_int_equal(mhaviz_model_open_files(&model, &files, 1, NULL), MHAVIZ_OK);
    check_same(from_path, model);
    mhaviz_model_close(&model);
    mhaviz_model_close(&from_path);
    free((void *)(uintptr_t)files.weights.data);
}

/* Weights alone, and a model without its tokeniser. */
static void files_that_are_missing(void **state)
{
    struct mhaviz_files files = { .struct_size = sizeof files,
                                  .weights = bytes_of("tests/ref/bert", "model.safetensors") };
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_error e;

    (void)state;
    expect(mhaviz_model_open_files(&model, &files, 1, &e), MHAVIZ_INPUT, &e, "config.json");
    assert_null(model);
    files.config = bytes_of("tests/ref/bert", "config.json");
    expect(mhaviz_model_open_files(&model, &files, 1, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_text_open(model, "a", NULL, &text, &e), MHAVIZ_USAGE, &e, "tokeniser");
    mhaviz_model_close(&model);
    free((void *)(uintptr_t)files.weights.data);
    free((void *)(uintptr_t)files.config.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_arguments), cmocka_unit_test(adapters_are_merged),
        cmocka_unit_test(inputs_that_cannot_be_used),
        cmocka_unit_test(missing_is_not_closed), cmocka_unit_test(names_of_the_library),
        cmocka_unit_test(what_a_model_is), cmocka_unit_test(tokens_of_a_text),
        cmocka_unit_test(models_in_memory), cmocka_unit_test(gguf_in_memory),
        cmocka_unit_test(files_that_are_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
