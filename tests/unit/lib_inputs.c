/* SPDX-License-Identifier: MIT
 * Texts in the program's words, and arrays in memory in place of .npy files: ids, rows of bare
 * layers, pixels; the bytes are those of the program. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mhaviz.h"
#include "weights/npz.h"
#include "weights/weights.h"

enum { MOST = 64, ROWS = 7 };

static void expect(enum mhaviz_status got, enum mhaviz_status expected,
                   const struct mhaviz_error *error, const char *text)
{
    assert_int_equal(error->status, got);
    if (got != expected || strstr(error->message, text) == NULL)
        fail_msg("status %d and \"%s\", expected %d and \"%s\"", (int)got, error->message,
                 (int)expected, text);
}

/* ---- as the program ---- */

static void same_as_the_program(struct mhaviz_model *model, struct mhaviz_text *text,
                                const char *name, const char *const *options,
                                const char *arguments)
{
    const struct mhaviz_task task = { .struct_size = sizeof task, .name = name,
                                      .options = options };
    char command[2048], *data = malloc(1 << 22);
    struct mhaviz_error e;
    void *made;
    size_t n, size;
    FILE *f;

    expect(mhaviz_make(model, text, &task, &made, &size, &e), MHAVIZ_OK, &e, "");
    snprintf(command, sizeof command, "%s %s -o - %s </dev/null 2>/dev/null", getenv("MHA_VIZ"),
             name, arguments);
    f = popen(command, "r");
    assert_non_null(f);
    n = fread(data, 1, 1 << 22, f);
    assert_int_equal(pclose(f), 0);
    if (n != size || n < 100 || memcmp(data, made, n) != 0)
        fail_msg("%s: %zu bytes, expected %zu", command, size, n);
    free(data);
    free(made);
}

static const char *const json[] = { "--json", NULL }, *const svg[] = { "--format=svg", NULL };

static struct mhaviz_text *open_input(struct mhaviz_model *model, const char *const *options,
                                      const char *pair, const struct mhaviz_array *array, int n)
{
    const struct mhaviz_input input = { .struct_size = sizeof input, .pair = pair,
                                        .options = options, .array = array, .n = n };
    struct mhaviz_text *text = NULL;
    struct mhaviz_error e;

    expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_OK, &e, "");
    return text;
}

static void ids(void **state)
{
    static const char *const one[] = { "--ids", "2,5,6,3", "--type-ids=0,0,1,1", NULL };
    static const char *const two[] = { "--ids=2,5,6,3", "--decoder-ids", "2,7,8", NULL };
    struct mhaviz_model *bert = NULL, *bart = NULL;
    struct mhaviz_stats *stats = NULL;
    const struct mhaviz_token *token;
    const struct mhaviz_head *head;
    struct mhaviz_text *text;
    int n;

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    assert_int_equal(mhaviz_model_open(&bert, "tests/ref/bert", 1, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_model_open(&bart, "tests/ref/bart", 1, NULL), MHAVIZ_OK);
    text = open_input(bert, one, NULL, NULL, 0);
    assert_int_equal(mhaviz_text_tokens(text, 0, &token, &n, NULL), MHAVIZ_OK);
    assert_true(n == 4 && token[1].id == 5);
    same_as_the_program(bert, text, "stats", json,
                        "--no-metadata --json -m tests/ref/bert --ids 2,5,6,3 --type-ids 0,0,1,1");
    mhaviz_text_close(&text);
    text = open_input(bart, two, NULL, NULL, 0);
    assert_int_equal(mhaviz_stats_open(bart, text, NULL, &stats, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_stats_heads(stats, &head, &n, NULL), MHAVIZ_OK);
    assert_true(n > 0 && head[0].stack == MHAVIZ_CROSS);
    same_as_the_program(bart, text, "heatmap", svg, "--no-metadata --format svg "
                        "-m tests/ref/bart --ids 2,5,6,3 --decoder-ids 2,7,8");
    mhaviz_stats_close(&stats);
    mhaviz_text_close(&text);
    mhaviz_model_close(&bert);
    mhaviz_model_close(&bart);
}

/* ---- warnings ---- */

static int n_warnings;

static void warn(void *self, const char *message)
{
    *(int *)self += strstr(message, "is cut to the 64 tokens that bert takes") != NULL;
}

/* What is odd in a text is told when it is opened. */
static void warned(void **state)
{
    static const char *const options[] = { "--truncate", "--pretokenized", NULL };
    struct mhaviz_input input = { .struct_size = sizeof input, .options = options,
                                  .warn = warn, .self = &n_warnings };
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    char words[4 * 100 + 1] = "";
    struct mhaviz_error e;

    (void)state;
    for (int i = 0; i < 100; i++)
        memcpy(words + 4 * i, "the ", 5);
    input.text = words;
    assert_int_equal(mhaviz_model_open(&model, "tests/ref/bert", 1, NULL), MHAVIZ_OK);
    expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_OK, &e, "");
    assert_int_equal(n_warnings, 1);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

/* The words of a text are those of whatever is made of it. */
static void words(void **state)
{
    static const char *const options[] = { "--no-special", "--words", NULL };
    const struct mhaviz_input input = { .struct_size = sizeof input,
                                        .text = "the key is in", .options = options };
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_error e;

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    assert_int_equal(mhaviz_model_open(&model, "tests/ref/bert", 1, NULL), MHAVIZ_OK);
    expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_OK, &e, "");
    same_as_the_program(model, text, "links", svg, "--no-metadata --format svg -m tests/ref/bert "
                        "--no-special --words 'the key is in'");
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

/* ---- bare layers ---- */

struct bare {
    struct arena arena;
    struct mhaviz_array array[MOST];
    struct mhaviz_arrays arrays;
    char path[2][32];               /* of rows, in files too */
    struct mhaviz_array rows[2];
};

/* Numbers in an array of the caller's, and in a file of its name. */
static void write_rows(struct bare *x, int i, int n_dims, const int64_t *shape)
{
    int64_t n = 1;
    struct err e;
    float *data;
    FILE *f;
    int fd;

    strcpy(x->path[i], "/tmp/mhaviz-XXXXXX.npy");
    fd = mkstemps(x->path[i], 4);
    assert_true(fd >= 0);
    for (int k = 0; k < n_dims; k++)
        n *= shape[k];
    data = arena_alloc(&x->arena, (size_t)n, sizeof *data);
    for (int64_t k = 0; k < n; k++)
        data[k] = (float)((k * 37 + i * 11) % 101) / 50.0f - 1.0f;
    f = fdopen(fd, "wb");
    assert_non_null(f);
    assert_int_equal(npy_write(f, DTYPE_F32, n_dims, shape, data, &e), 0);
    assert_int_equal(fclose(f), 0);
    x->rows[i] = (struct mhaviz_array){ sizeof x->rows[i], x->path[i], "F32", data,
                                        (size_t)n * sizeof *data, n_dims, shape, NULL };
}

static void open_bare(struct bare *x, const char *path, const char *const *options)
{
    struct err e;
    const struct weights *w;

    arena_init(&x->arena, NULL, NULL);
    w = weights_open(&x->arena, path, &e);
    assert_non_null(w);
    assert_true(weights_count(w) <= MOST);
    for (int i = 0; i < weights_count(w); i++) {
        const struct tensor *t = weights_at(w, i);

        x->array[i] = (struct mhaviz_array){ sizeof x->array[i], t->name,
                                             dtype_table[t->dtype].name, t->data,
                                             (size_t)tensor_stored_bytes(t), t->n_dims, t->shape,
                                             NULL };
    }
    x->arrays = (struct mhaviz_arrays){ .struct_size = sizeof x->arrays,
                                        .name = strrchr(path, '/') + 1, .array = x->array,
                                        .n = weights_count(w), .options = options };
}

static void bare_layer(void **state)
{
    static const char *const options[] = { "--heads", "3", "--norm-first", "--activation=gelu",
                                           NULL };
    static const char path[] = "tests/ref/layers/torch_encoder_layer_first.safetensors";
    const char *read[] = { "--input", NULL, "--tokens", "a b c d e f g", NULL };
    struct bare x;
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text;
    struct mhaviz_error e;
    char arguments[512];
    int64_t shape[2] = { ROWS, 0 };

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    open_bare(&x, path, options);
    for (int i = 0; i < x.arrays.n; i++)
        if (strcmp(x.array[i].name, "self_attn.out_proj.weight") == 0)
            shape[1] = x.array[i].shape[0];
    write_rows(&x, 0, 2, shape);
    expect(mhaviz_model_open_arrays(&model, &x.arrays, 1, &e), MHAVIZ_OK, &e, "");
    read[1] = x.path[0];
    text = open_input(model, read, NULL, x.rows, 1);
    snprintf(arguments, sizeof arguments, "--no-metadata --format svg -m %s --heads 3 --norm-first "
             "--activation gelu --input %s --tokens 'a b c d e f g'", path, x.path[0]);
    same_as_the_program(model, text, "heatmap", svg, arguments);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
    unlink(x.path[0]);
    x.arrays.options = NULL;
    expect(mhaviz_model_open_arrays(&model, &x.arrays, 1, &e), MHAVIZ_USAGE, &e, "--heads");
    arena_finish(&x.arena);
}

/* Keys and values of another text. */
static void bare_memory(void **state)
{
    static const char *const options[] = { "--heads=3", "--memory", "m", NULL };
    static const char path[] = "tests/ref/layers/torch_memory.safetensors";
    const char *read[] = { "--input", NULL, "--memory", NULL, NULL };
    struct bare x;
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text;
    struct mhaviz_error e;
    char arguments[512];
    int64_t shape[2][2] = { { ROWS, 0 }, { ROWS - 2, 0 } };

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    open_bare(&x, path, options);
    for (int i = 0; i < x.arrays.n; i++)
        if (strcmp(x.array[i].name, "out_proj.weight") == 0)
            shape[0][1] = shape[1][1] = x.array[i].shape[0];
    write_rows(&x, 0, 2, shape[0]);
    write_rows(&x, 1, 2, shape[1]);
    expect(mhaviz_model_open_arrays(&model, &x.arrays, 1, &e), MHAVIZ_OK, &e, "");
    read[1] = x.path[0];
    read[3] = x.path[1];
    text = open_input(model, read, NULL, x.rows, 2);
    snprintf(arguments, sizeof arguments, "--no-metadata --json -m %s --heads 3 --input %s "
             "--memory %s", path, x.path[0], x.path[1]);
    same_as_the_program(model, text, "stats", json, arguments);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
    unlink(x.path[0]);
    unlink(x.path[1]);
    arena_finish(&x.arena);
}

static void pixels(void **state)
{
    const char *read[] = { "--input", NULL, NULL };
    struct bare x;
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    const struct mhaviz_input wrong = { .struct_size = sizeof wrong, .options = read,
                                        .array = x.rows, .n = 1 };
    struct mhaviz_error e;
    char arguments[256];
    int64_t shape[3] = { 3, 1, 1 };

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    arena_init(&x.arena, NULL, NULL);
    assert_int_equal(mhaviz_model_open(&model, "tests/ref/families/vit", 1, NULL), MHAVIZ_OK);
    write_rows(&x, 0, 3, shape);
    read[1] = x.path[0];
    expect(mhaviz_text_open_input(model, &wrong, &text, &e), MHAVIZ_INPUT, &e, x.path[0]);
    unlink(x.path[0]);
    assert_non_null(strstr(e.message, "shape [3,1,1], expected [2,8,12]"));
    shape[0] = 2;
    shape[1] = 8;
    shape[2] = 12;
    write_rows(&x, 0, 3, shape);
    read[1] = x.path[0];
    text = open_input(model, read, NULL, x.rows, 1);
    snprintf(arguments, sizeof arguments, "--no-metadata --format svg -m tests/ref/families/vit "
             "--input %s", x.path[0]);
    same_as_the_program(model, text, "heatmap", svg, arguments);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
    unlink(x.path[0]);
    arena_finish(&x.arena);
}

/* ---- what is refused ---- */

static void refused(void **state)
{
    static const struct { const char *text, *word[3], *says; } cases[] = {
        { NULL, { "--ids", "2,x" }, "--ids" },
        { NULL, { "--file", "x" }, "--file: is of many texts, expected one" },
        { NULL, { "--layer", "1" }, "--layer: unknown option" },
        { NULL, { "ids" }, "'ids' is not an option" },
        { "a", { "--threads", "99" }, "--threads: is of the program, not of the library" },
        { "a", { "--help" }, "--help: is of the program, not of the library" },
        { "a", { "--profile" }, "--profile: is of the program, not of the library" },
        { NULL, { "--ids" }, "--ids requires a value: LIST" },
        { "a", { "--ids", "2" }, "only one of them can be given" },
        { "a", { "--words", "--pretokenized" }, "--words, --pretokenized: only one of them" },
        { "a", { "--type-ids=0" }, "--type-ids requires --ids" },
        { NULL, { "--input", "x" }, "reads a text, not an array" },
        { NULL, { "--tokens", "a b" }, "requires a bare layer" },
        { NULL, { NULL }, "expected a TEXT" },
    };
    static const char *const options[] = { "--layer", "1", NULL }, *const heads[] = { "--heads",
                                                                                     "3", NULL };
    struct mhaviz_input input = { .struct_size = sizeof input };
    struct mhaviz_arrays arrays = { .struct_size = sizeof arrays, .options = options };
    const struct mhaviz_array unnamed = { .struct_size = sizeof unnamed };
    struct mhaviz_model *model = NULL, *none = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_error e;

    (void)state;
    assert_int_equal(mhaviz_model_open(&model, "tests/ref/bert", 1, NULL), MHAVIZ_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        input.text = cases[i].text;
        input.options = cases[i].word;
        expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_USAGE, &e, cases[i].says);
        assert_null(text);
    }
    input.options = NULL;
    input.pair = "b";
    expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_USAGE, &e, "text: is NULL");
    input.n = 1;
    expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_USAGE, &e, "array: is NULL");
    input.array = &unnamed;
    expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_USAGE, &e,
           "the name of an array: is NULL");
    input.n = -1;
    expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_USAGE, &e, "is below 0");
    input.struct_size++;
    expect(mhaviz_text_open_input(model, &input, &text, &e), MHAVIZ_USAGE, &e, "struct_size");
    expect(mhaviz_text_open_input(model, NULL, &text, &e), MHAVIZ_USAGE, &e, "input: is NULL");
    expect(mhaviz_text_open_input(model, &input, NULL, &e), MHAVIZ_USAGE, &e, "out: is NULL");
    expect(mhaviz_model_open_arrays(&none, &arrays, 1, &e), MHAVIZ_USAGE, &e,
           "--layer: unknown option");
    arrays.options = heads;
    arrays.config = (struct mhaviz_bytes){ "{}", 2 };
    expect(mhaviz_model_open_arrays(&none, &arrays, 1, &e), MHAVIZ_USAGE, &e,
           "--heads: model is not a bare layer");
    mhaviz_model_close(&model);
}

struct said { int n; char last[640]; };

static void keep_said(void *self, const char *message)
{
    struct said *said = self;

    said->n++;
    snprintf(said->last, sizeof said->last, "%s", message);
}

/* What is odd in a model is told when it is asked for, each time; what is odd in a text, by the
 * model where the text has no one of its own. */
static void warned_of_models(void **state)
{
    static const int64_t three[] = { 6, 2 }, two[] = { 2, 2 }, one[] = { 5 };
    static const float x[12] = { 1, 2, 3 };
    static const char *const heads[] = { "--heads", "1", NULL };
    static const char *const cut[] = { "--truncate", NULL };
    const struct mhaviz_array array[] = {
        { sizeof *array, "in_proj_weight", "F32", x, sizeof x, 2, three, NULL },
        { sizeof *array, "out_proj.weight", "F32", x, sizeof x, 2, two, NULL },
        { sizeof *array, "other.thing", "F32", x, sizeof x, 1, one, NULL },
    };
    struct mhaviz_arrays arrays = { .struct_size = sizeof arrays, .name = "layer",
                                    .array = array, .n = 3, .options = heads };
    struct mhaviz_model *layer = NULL, *bert = NULL;
    char words[4 * 100 + 1] = "";
    struct mhaviz_input input = { .struct_size = sizeof input, .text = words, .options = cut };
    struct said said = { 0 }, again = { 0 };
    struct mhaviz_text *text = NULL;
    struct mhaviz_error e;

    (void)state;
    expect(mhaviz_model_warn(NULL, keep_said, &said, &e), MHAVIZ_USAGE, &e, "model: is NULL");
    expect(mhaviz_model_open_arrays(&layer, &arrays, 1, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_model_warn(layer, NULL, NULL, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_model_warn(layer, keep_said, &said, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_model_warn(layer, keep_said, &again, &e), MHAVIZ_OK, &e, "");
    assert_true(said.n == 1 && again.n == 1);
    assert_string_equal(said.last, "layer: tensor other.thing is not used");
    assert_string_equal(again.last, said.last);
    mhaviz_model_close(&layer);

    for (int i = 0; i < 100; i++)
        memcpy(words + 4 * i, "the ", 5);
    said = again = (struct said){ 0 };
    expect(mhaviz_model_open(&bert, "tests/ref/bert", 1, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_model_warn(bert, keep_said, &said, &e), MHAVIZ_OK, &e, "");
    assert_int_equal(said.n, 0);
    expect(mhaviz_text_open_input(bert, &input, &text, &e), MHAVIZ_OK, &e, "");
    assert_non_null(strstr(said.last, "is cut to the 64 tokens"));
    mhaviz_text_close(&text);
    input.warn = keep_said;
    input.self = &again;
    expect(mhaviz_text_open_input(bert, &input, &text, &e), MHAVIZ_OK, &e, "");
    assert_true(said.n == 1 && again.n == 1);
    mhaviz_text_close(&text);
    mhaviz_model_close(&bert);
}

/* A text in pieces may be longer than what a model takes, and has no one list of tokens. */
static void pieces(void **state)
{
    static const char *const split[] = { "--split", "20", NULL };
    struct mhaviz_model *bert = NULL;
    const struct mhaviz_token *token;
    struct mhaviz_stats *stats = NULL;
    char words[4 * 100 + 1] = "", command[600];
    struct mhaviz_input input = { .struct_size = sizeof input, .text = words, .options = split };
    struct mhaviz_text *text = NULL;
    struct mhaviz_error e;
    int n;

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    for (int i = 0; i < 100; i++)
        memcpy(words + 4 * i, "the ", 5);
    expect(mhaviz_model_open(&bert, "tests/ref/bert", 1, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_text_open_input(bert, &input, &text, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_text_tokens(text, 0, &token, &n, &e), MHAVIZ_USAGE, &e, "--split: a text in");
    expect(mhaviz_stats_open(bert, text, NULL, &stats, &e), MHAVIZ_USAGE, &e, "--split: a text in");
    snprintf(command, sizeof command, "--no-metadata --json -m tests/ref/bert --split 20 '%s'",
             words);
    same_as_the_program(bert, text, "stats", json, command);
    mhaviz_text_close(&text);
    mhaviz_model_close(&bert);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids), cmocka_unit_test(words), cmocka_unit_test(bare_layer),
        cmocka_unit_test(bare_memory), cmocka_unit_test(pixels), cmocka_unit_test(refused),
        cmocka_unit_test(warned), cmocka_unit_test(warned_of_models), cmocka_unit_test(pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
