/* SPDX-License-Identifier: MIT
 * Models, and attention, as arrays in memory: what the same arrays in a file give, to the last
 * bit; what cannot be an array. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/file.h"
#include "mhaviz.h"
#include "weights/npz.h"
#include "weights/weights.h"

enum { MOST = 400 };

struct room {
    struct arena arena;
    char dir[64];
};

static int setup(void **state)
{
    static struct room room;

    arena_init(&room.arena, NULL, NULL);
    strcpy(room.dir, "/tmp/mhaviz-XXXXXX");
    assert_non_null(mkdtemp(room.dir));
    *state = &room;
    return 0;
}

static int teardown(void **state)
{
    struct room *room = *state;

    arena_finish(&room->arena);
    rmdir(room->dir);
    return 0;
}

static void expect(enum mhaviz_status got, enum mhaviz_status expected,
                   const struct mhaviz_error *error, const char *text)
{
    assert_int_equal(error->status, got);
    if (got != expected || strstr(error->message, text) == NULL)
        fail_msg("status %d and \"%s\", expected %d and \"%s\"", (int)got, error->message,
                 (int)expected, text);
}

/* ---- arrays of a file ---- */

static struct mhaviz_bytes bytes_of(struct room *room, const char *dir, const char *name)
{
    struct err e;
    const struct span *span = file_hold(&room->arena, file_join(&room->arena, dir, name), &e);

    return span != NULL ? (struct mhaviz_bytes){ span->data, span->size } :
                          (struct mhaviz_bytes){ NULL, 0 };
}

static struct mhaviz_array array_of(const struct tensor *t)
{
    return (struct mhaviz_array){
        sizeof(struct mhaviz_array), t->name, dtype_table[t->dtype].name, t->data,
        (size_t)(t->n_elements * dtype_table[t->dtype].size_bytes), t->n_dims, t->shape, NULL,
    };
}

/* The arrays of a file in another order than by name. */
static struct mhaviz_arrays arrays_of(struct room *room, const char *name,
                                      const struct weights *w)
{
    struct mhaviz_array *array = arena_alloc(&room->arena, MOST, sizeof *array);
    int n = weights_count(w);

    assert_true(n > 0 && n <= MOST);
    for (int i = 0; i < n; i++)
        array[n - 1 - i] = array_of(weights_at(w, i));
    return (struct mhaviz_arrays){ .struct_size = sizeof(struct mhaviz_arrays), .name = name,
                                   .array = array, .n = n };
}

static struct mhaviz_arrays arrays_of_model(struct room *room, const char *dir)
{
    struct err e;
    const struct weights *w = weights_open(&room->arena, dir, &e);
    struct mhaviz_arrays arrays;

    assert_non_null(w);
    arrays = arrays_of(room, strrchr(dir, '/') + 1, w);
    arrays.config = bytes_of(room, dir, "config.json");
    arrays.tokenizer = bytes_of(room, dir, "tokenizer.json");
    return arrays;
}

/* ---- what two models say ---- */

static const char *every_metric(char names[4096])
{
    strcpy(names, "all");
    for (int i = 0; mhaviz_metric(i) != NULL; i++)
        strcat(strcat(names, ","), mhaviz_metric(i));
    return names;
}

static void same_stats(struct mhaviz_model *a, struct mhaviz_text *x, struct mhaviz_model *b,
                       struct mhaviz_text *y, const char *metrics)
{
    const struct mhaviz_selection all = { .struct_size = sizeof all, .metrics = metrics };
    struct mhaviz_stats *s = NULL, *t = NULL;
    const double *u, *v;
    int n, m, seen = 0;

    assert_int_equal(mhaviz_stats_open(a, x, &all, &s, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_stats_open(b, y, &all, &t, NULL), MHAVIZ_OK);
    for (int i = 0; mhaviz_metric(i) != NULL; i++) {
        if (mhaviz_stats_metric(s, mhaviz_metric(i), &u, &n, NULL) != MHAVIZ_OK)
            continue;
        assert_int_equal(mhaviz_stats_metric(t, mhaviz_metric(i), &v, &m, NULL), MHAVIZ_OK);
        assert_true(n == m && n > 0);
        assert_memory_equal(u, v, (size_t)n * sizeof *u);
        seen++;
    }
    assert_true(seen >= 4);
    mhaviz_stats_close(&s);
    mhaviz_stats_close(&t);
}

static char *read_file(const char *path, size_t *size)
{
    char *data = malloc(1 << 22);
    FILE *f = fopen(path, "rb");

    assert_non_null(f);
    *size = fread(data, 1, 1 << 22, f);
    fclose(f);
    return data;
}

static void run_program(const char *arguments)
{
    char command[2048];

    snprintf(command, sizeof command, "%s %s >/dev/null </dev/null", getenv("MHA_VIZ"),
             arguments);
    assert_int_equal(system(command), 0);
}

/* The picture is the program's with these arguments. */
static void same_picture(struct room *room, struct mhaviz_model *model, struct mhaviz_text *text,
                         const char *arguments)
{
    const struct mhaviz_look look = { .struct_size = sizeof look, .format = "svg" };
    char path[128], all[1024];
    size_t n, m;
    char *program;
    void *bytes;

    snprintf(path, sizeof path, "%s/a.svg", room->dir);
    snprintf(all, sizeof all, "heatmap --no-metadata --types none -o %s %s", path, arguments);
    run_program(all);
    program = read_file(path, &n);
    unlink(path);
    assert_int_equal(mhaviz_heatmap_bytes(model, text, &look, &bytes, &m, NULL), MHAVIZ_OK);
    assert_true(n == m && n > 1000);
    assert_memory_equal(program, bytes, n);
    free(program);
    free(bytes);
}

/* ---- models ---- */

static const char sentence[] = "the key is in the door";

static struct mhaviz_model *open_arrays(const struct mhaviz_arrays *arrays)
{
    struct mhaviz_model *model = NULL;
    struct mhaviz_error e;

    expect(mhaviz_model_open_arrays(&model, arrays, 2, &e), MHAVIZ_OK, &e, "");
    return model;
}

static void check_model(struct room *room, const char *dir, const char *pair)
{
    const struct mhaviz_arrays arrays = arrays_of_model(room, dir);
    struct mhaviz_model *of_file = NULL, *of_arrays = open_arrays(&arrays);
    struct mhaviz_text *x = NULL, *y = NULL;
    char arguments[256], names[4096];

    assert_int_equal(mhaviz_model_open(&of_file, dir, 1, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_open(of_file, sentence, pair, &x, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_open(of_arrays, sentence, pair, &y, NULL), MHAVIZ_OK);
    same_stats(of_file, x, of_arrays, y, every_metric(names));
    snprintf(arguments, sizeof arguments, "-m %s '%s' %s", dir, sentence,
             pair != NULL ? pair : "");
    if (getenv("MHA_VIZ") != NULL)
        same_picture(room, of_arrays, y, arguments);
    mhaviz_text_close(&x);
    mhaviz_text_close(&y);
    mhaviz_model_close(&of_file);
    mhaviz_model_close(&of_arrays);
}

static void models(void **state)
{
    check_model(*state, "tests/ref/bert", NULL);
    check_model(*state, "tests/ref/gpt2", NULL);
    check_model(*state, "tests/ref/llama", NULL);
    check_model(*state, "tests/ref/bart", "river");
}

/* A matrix whose columns follow each other, and one with a gap between its rows. */
static void strides(void **state)
{
    struct room *room = *state;
    struct mhaviz_arrays arrays = arrays_of_model(room, "tests/ref/bert");
    struct mhaviz_array *array = arena_alloc(&room->arena, MOST, sizeof *array);
    struct mhaviz_model *plain = open_arrays(&arrays), *strided;
    struct mhaviz_text *x = NULL, *y = NULL;
    char names[4096];
    int n_turned = 0;

    memcpy(array, arrays.array, (size_t)arrays.n * sizeof *array);
    for (int i = 0; i < arrays.n; i++) {
        struct mhaviz_array *z = &array[i];
        int64_t rows = z->n_dims == 2 ? z->shape[0] : 0, cols = rows > 0 ? z->shape[1] : 0;
        int64_t step = i % 2 == 0 ? rows : 1, row = i % 2 == 0 ? 1 : cols + 3;
        size_t size = (size_t)(rows * cols + 3 * rows) * 4;
        int64_t *stride = arena_alloc(&room->arena, 2, sizeof *stride);
        const char *from = z->data;
        char *to;

        if (rows == 0)
            continue;
        to = arena_alloc(&room->arena, size, 1);
        for (int64_t k = 0; k < rows * cols; k++)
            memcpy(to + 4 * (k / cols * row + k % cols * step), from + 4 * k, 4);
        stride[0] = 4 * row;
        stride[1] = 4 * step;
        z->data = to;
        z->strides = stride;
        z->size = size;
        n_turned++;
    }
    assert_true(n_turned > 4);
    arrays.array = array;
    strided = open_arrays(&arrays);
    assert_int_equal(mhaviz_text_open(plain, sentence, NULL, &x, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_open(strided, sentence, NULL, &y, NULL), MHAVIZ_OK);
    same_stats(plain, x, strided, y, every_metric(names));
    mhaviz_text_close(&x);
    mhaviz_text_close(&y);
    mhaviz_model_close(&plain);
    mhaviz_model_close(&strided);
}

/* ---- what cannot be ---- */

static void refused_arrays(void **state)
{
    enum { SIZE = sizeof(struct mhaviz_array) };
    static const float data[6] = { 1, 0, 0, 1, 1, 0 };
    static const int64_t shape[9] = { 1, 2, 2, 1, 1, 1, 1, 1, 1 }, minus[3] = { 1, -2, 2 },
                         huge[3] = { INT64_MAX, INT64_MAX, 2 }, back[3] = { 16, -8, 4 },
                         far[3] = { 16, INT64_MAX, 4 }, wide[3] = { 16, 16, 4 };
    static const struct {
        struct mhaviz_array array;
        enum mhaviz_status status;
        const char *says;
    } cases[] = {
        { { SIZE, NULL, "F32", data, 16, 3, shape, NULL }, MHAVIZ_USAGE,
          "name of an array: is NULL" },
        { { SIZE, "attn.0", NULL, data, 16, 3, shape, NULL }, MHAVIZ_USAGE,
          "dtype of an array: is NULL" },
        { { SIZE, "attn.0", "F32", data, 16, 3, NULL, NULL }, MHAVIZ_USAGE,
          "shape of an array: is NULL" },
        { { SIZE, "attn.0", "F32", NULL, 16, 3, shape, NULL }, MHAVIZ_INPUT, "has no data" },
        { { SIZE, "attn.0", "f32", data, 16, 3, shape, NULL }, MHAVIZ_INPUT,
          "attention: attn.0: dtype \"f32\", expected one of F64 F32 F16 BF16" },
        { { SIZE, "attn.0", "Q8_0", data, 16, 3, shape, NULL }, MHAVIZ_INPUT, "dtype \"Q8_0\"" },
        { { SIZE, "attn.0", "F32", data, 15, 3, shape, NULL }, MHAVIZ_INPUT,
          "shape [1,2,2] of F32 takes 16 bytes, there are 15" },
        { { SIZE, "attn.0", "F32", data, 16, 9, shape, NULL }, MHAVIZ_INPUT,
          "9 dimensions, expected 0 to 8" },
        { { SIZE, "attn.0", "F32", data, 16, -1, shape, NULL }, MHAVIZ_INPUT, "-1 dimensions" },
        { { SIZE, "attn.0", "F32", data, 16, 3, minus, NULL }, MHAVIZ_INPUT,
          "shape [1,-2,2]: expected lengths of at least 0" },
        { { SIZE, "attn.0", "F32", data, 16, 3, huge, NULL }, MHAVIZ_INPUT,
          "takes over 2^63 bytes" },
        { { SIZE, "attn.0", "F32", data, 16, 3, shape, back }, MHAVIZ_INPUT,
          "a stride is below 0" },
        { { SIZE, "attn.0", "F32", data, 16, 3, shape, far }, MHAVIZ_INPUT, "past 2^63 bytes" },
        { { SIZE, "attn.0", "F32", data, 23, 3, shape, wide }, MHAVIZ_INPUT,
          "takes 24 bytes, there are 23" },
        { { SIZE, "attn.0", "I32", data, 16, 3, shape, NULL }, MHAVIZ_INPUT, "expected floats" },
        { { SIZE, "attn.0", "F32", data, 16, 2, shape, NULL }, MHAVIZ_INPUT,
          "expected [heads, queries, keys]" },
        { { SIZE, "attention.0", "F32", data, 16, 3, shape, NULL }, MHAVIZ_INPUT,
          "holds no array of attention" },
    };
    struct mhaviz_arrays arrays = { .struct_size = sizeof arrays, .n = 1 };
    struct mhaviz_array twice[2] = { { SIZE, "attn.0", "F32", data, 16, 3, shape, NULL },
                                     { SIZE, "attn.0", "F32", data, 16, 3, shape, NULL } };
    struct mhaviz_model *model = NULL;
    struct mhaviz_error e;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        arrays.array = &cases[i].array;
        expect(mhaviz_model_open_attention(&model, &arrays, 1, &e), cases[i].status, &e,
               cases[i].says);
        assert_null(model);
    }
    arrays.array = twice;
    expect(mhaviz_model_open_attention(&model, &arrays, 1, &e), MHAVIZ_OK, &e, "");
    mhaviz_model_close(&model);
    arrays.n = 2;
    expect(mhaviz_model_open_attention(&model, &arrays, 1, &e), MHAVIZ_INPUT, &e,
           "attention: attn.0: appears twice");
    expect(mhaviz_model_open_attention(&model, &arrays, -1, &e), MHAVIZ_USAGE, &e, "n_threads");
    expect(mhaviz_model_open_attention(NULL, &arrays, 1, &e), MHAVIZ_USAGE, &e, "model: is NULL");
    expect(mhaviz_model_open_attention(&model, NULL, 1, &e), MHAVIZ_USAGE, &e, "arrays: is NULL");
    twice[1].struct_size = 0;
    expect(mhaviz_model_open_attention(&model, &arrays, 1, &e), MHAVIZ_USAGE, &e,
           "array->struct_size: is 0, expected ");
    arrays.array = NULL;
    expect(mhaviz_model_open_attention(&model, &arrays, 1, &e), MHAVIZ_USAGE, &e,
           "array: is NULL");
    arrays.n = -1;
    expect(mhaviz_model_open_arrays(&model, &arrays, 1, &e), MHAVIZ_USAGE, &e, "is below 0");
    arrays.struct_size++;
    expect(mhaviz_model_open_arrays(&model, &arrays, 1, &e), MHAVIZ_USAGE, &e, "struct_size");
}

/* A tensor that is missing, one of another shape, no config, no tokeniser. */
static void refused_models(void **state)
{
    struct room *room = *state;
    struct mhaviz_arrays arrays = arrays_of_model(room, "tests/ref/bert"), few = arrays;
    struct mhaviz_array *array = arena_alloc(&room->arena, MOST, sizeof *array);
    const int64_t one = 1;
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_error e;

    few.n = 0;
    expect(mhaviz_model_open_arrays(&model, &few, 1, &e), MHAVIZ_INPUT, &e, "bert: ");
    memcpy(array, arrays.array, (size_t)arrays.n * sizeof *array);
    few = arrays;
    few.array = array;
    array[0].shape = &one;
    array[0].n_dims = 1;
    expect(mhaviz_model_open_arrays(&model, &few, 1, &e), MHAVIZ_INPUT, &e, array[0].name);
    few = arrays;
    few.config.data = NULL;
    expect(mhaviz_model_open_arrays(&model, &few, 1, &e), MHAVIZ_INPUT, &e,
           "bert: its tensor names match no known layer");
    few = arrays;
    few.config.data = "{";
    few.config.size = 1;
    expect(mhaviz_model_open_arrays(&model, &few, 1, &e), MHAVIZ_INPUT, &e, "config.json");
    few = arrays;
    few.tokenizer.data = NULL;
    few.name = NULL;
    model = open_arrays(&few);
    expect(mhaviz_text_open(model, "a", NULL, &text, &e), MHAVIZ_USAGE, &e,
           "model was opened without a tokeniser");
    expect(mhaviz_text_open_labels(model, NULL, 0, NULL, 0, &text, &e), MHAVIZ_USAGE, &e,
           "is not precomputed attention");
    mhaviz_model_close(&model);
}

/* ---- attention ---- */

/* The basic metrics are those that the program prints with these arguments. */
static void stats_as_the_program(struct mhaviz_model *model, struct mhaviz_text *text,
                                 const char *arguments)
{
    static const char *const names[] = { "entropy", "max_mean", "distance", "prev" };
    struct mhaviz_stats *stats = NULL;
    json_t *root, *heads;
    const double *value;
    char command[1024];
    FILE *f;
    int n;

    snprintf(command, sizeof command, "%s stats --json %s </dev/null", getenv("MHA_VIZ"),
             arguments);
    f = popen(command, "r");
    assert_non_null(f);
    root = json_loadf(f, 0, NULL);
    assert_int_equal(pclose(f), 0);
    heads = json_object_get(root, "heads");
    assert_int_equal(mhaviz_stats_open(model, text, NULL, &stats, NULL), MHAVIZ_OK);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(mhaviz_stats_metric(stats, names[k], &value, &n, NULL), MHAVIZ_OK);
        assert_true(n > 0 && (size_t)n == json_array_size(heads));
        for (int i = 0; i < n; i++) {
            const json_t *number = json_object_get(json_array_get(heads, (size_t)i), names[k]);

            assert_true(json_is_null(number) ? isnan(value[i]) :
                                               json_number_value(number) == value[i]);
        }
    }
    mhaviz_stats_close(&stats);
    json_decref(root);
}

/* What the program exports, given back as arrays. */
static void check_attention(struct room *room, const char *model, const char *texts)
{
    char path[128], arguments[512];
    struct mhaviz_model *attention = NULL, *of_file = NULL;
    struct mhaviz_text *text = NULL, *given = NULL, *numbers = NULL;
    const struct mhaviz_token *token, *second;
    const char *label[2][64];
    struct mhaviz_arrays arrays;
    struct weights *w;
    struct mhaviz_error e;
    struct err why;
    int n, m;

    snprintf(path, sizeof path, "%s/a.npz", room->dir);
    snprintf(arguments, sizeof arguments, "export -o %s %s %s", path, model, texts);
    run_program(arguments);
    w = npz_open(&room->arena, path, &why);
    assert_non_null(w);
    arrays = arrays_of(room, "a.npz", w);
    expect(mhaviz_model_open_attention(&attention, &arrays, 2, &e), MHAVIZ_OK, &e, "");
    assert_int_equal(mhaviz_model_open(&of_file, strlen(model) > 3 ? model + 3 : NULL, 1, NULL),
                     MHAVIZ_OK);
    assert_int_equal(mhaviz_text_open(of_file, sentence, strstr(texts, "river"), &text, NULL),
                     MHAVIZ_OK);
    assert_int_equal(mhaviz_text_tokens(text, strstr(texts, "river") != NULL, &token, &n, NULL),
                     MHAVIZ_OK);
    assert_int_equal(mhaviz_text_tokens(text, 0, &second, &m, NULL), MHAVIZ_OK);
    for (int i = 0; i < n; i++)
        label[0][i] = token[i].piece;
    for (int i = 0; i < m; i++)
        label[1][i] = second[i].piece;
    expect(mhaviz_text_open_labels(attention, label[0], n,
                                   strstr(texts, "river") != NULL ? label[1] : NULL, m, &given,
                                   &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_text_open_labels(attention, NULL, 0, NULL, 0, &numbers, &e), MHAVIZ_OK, &e, "");
    snprintf(arguments, sizeof arguments, "--attention %s", path);
    stats_as_the_program(attention, given, arguments);
    same_picture(room, attention, given, arguments);
    assert_int_equal(mhaviz_text_tokens(numbers, strstr(texts, "river") != NULL, &token, &m, NULL),
                     MHAVIZ_OK);
    assert_int_equal(m, n);
    assert_string_equal(token[1].label, "1");
    mhaviz_text_close(&numbers);
    expect(mhaviz_text_open_labels(attention, label[0], n - 1, NULL, 0, &numbers, &e),
           MHAVIZ_USAGE, &e, "expected the same number");
    label[0][1] = NULL;
    expect(mhaviz_text_open_labels(attention, label[0], n, NULL, 0, &numbers, &e), MHAVIZ_USAGE,
           &e, "labels: is NULL");
    expect(mhaviz_text_open(attention, "a", NULL, &numbers, &e), MHAVIZ_USAGE, &e,
           "reads no text");
    mhaviz_text_close(&text);
    mhaviz_text_close(&given);
    mhaviz_model_close(&of_file);
    mhaviz_model_close(&attention);
    unlink(path);
}

static void attention(void **state)
{
    if (getenv("MHA_VIZ") == NULL)
        skip();
    check_attention(*state, "-m tests/ref/bert", "'the key is in the door'");
    check_attention(*state, "-m tests/ref/gpt2", "'the key is in the door'");
    check_attention(*state, "-m tests/ref/bart", "'the key is in the door' river");
}

static int take_nothing(void *self, const struct mhaviz_rows *rows)
{
    (void)self, (void)rows;
    return 0;
}

/* What a command makes of it; options of a text or of a model are as those beside --attention. */
static void made_of_attention(struct mhaviz_model *model, struct mhaviz_text *text)
{
    static const char *const words[] = { "--words", NULL }, *const heads[] = { "--layer=0", NULL };
    struct mhaviz_task task = { .struct_size = sizeof task, .name = "stats", .options = heads };
    struct mhaviz_error e;
    void *data;
    size_t size;

    expect(mhaviz_make(model, text, &task, &data, &size, &e), MHAVIZ_OK, &e, "");
    free(data);
    task.options = words;
    expect(mhaviz_make(model, text, &task, &data, &size, &e), MHAVIZ_USAGE, &e,
           "--attention, --words: only one of them can be given");
    task.second_model = model;
    task.name = "report";
    task.options = NULL;
    expect(mhaviz_make(model, text, &task, &data, &size, &e), MHAVIZ_USAGE, &e,
           "--attention, --model: only one of them can be given");
}

/* All layers as one array, with strides; a row that is none; labels of keys that there are not. */
static void one_array(void **state)
{
    static float weight[2][3][2][4] = {
        { { { 1, 0, 9, 9 }, { 0.5f, 0.5f, 9, 9 } }, { { 1, 0, 9, 9 }, { 0.25f, 0.75f, 9, 9 } },
          { { 1, 0, 9, 9 }, { 0, 1, 9, 9 } } },
        { { { 1, 0, 9, 9 }, { 0.5f, 0.5f, 9, 9 } }, { { 1, 0, 9, 9 }, { 0.5f, 0.5f, 9, 9 } },
          { { 1, 0, 9, 9 }, { 1, 0, 9, 9 } } },
    };
    static const int64_t shape[4] = { 2, 3, 2, 2 }, strides[4] = { 96, 32, 16, 4 };
    static const char *const label[] = { "the", "" };
    const struct mhaviz_array array = { sizeof array, "", "F32", weight, sizeof weight - 8, 4,
                                        shape, strides };
    const struct mhaviz_arrays arrays = { .struct_size = sizeof arrays, .array = &array, .n = 1 };
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_stats *stats = NULL;
    const double *value;
    struct mhaviz_error e;
    int n;

    (void)state;
    expect(mhaviz_model_open_attention(&model, &arrays, 1, &e), MHAVIZ_OK, &e, "");
    weight[1][2][1][0] = 2;         /* was copied */
    expect(mhaviz_text_open_labels(model, label, 2, NULL, 0, &text, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_stats_open(model, text, NULL, &stats, &e), MHAVIZ_OK, &e, "");
    assert_int_equal(mhaviz_stats_metric(stats, "max_mean", &value, &n, NULL), MHAVIZ_OK);
    assert_int_equal(n, 6);
    assert_true(value[1] == 0.875 && value[2] == 1.0 && value[5] == 1.0);
    mhaviz_stats_close(&stats);
    made_of_attention(model, text);
    mhaviz_text_close(&text);
    expect(mhaviz_text_open_labels(model, label, 2, label, 2, &text, &e), MHAVIZ_USAGE, &e,
           "labels of keys: attention has no cross-attention");
    mhaviz_model_close(&model);
    expect(mhaviz_model_open_attention(&model, &arrays, 1, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_text_open_labels(model, NULL, 0, NULL, 0, &text, &e), MHAVIZ_OK, &e, "");
    expect(mhaviz_run(model, text, NULL, take_nothing, NULL, &e), MHAVIZ_INPUT, &e,
           "head 2, row 1: its weights sum to 2");
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(models, setup, teardown),
        cmocka_unit_test_setup_teardown(strides, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_models, setup, teardown),
        cmocka_unit_test_setup_teardown(attention, setup, teardown),
        cmocka_unit_test_setup_teardown(one_array, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
