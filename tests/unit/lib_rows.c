/* SPDX-License-Identifier: MIT
 * Rows and statistics through the library: every head once and in order, a callback that
 * stops, the same numbers as the program prints.
 * file_tags=threads */
#include "check.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "mhaviz.h"

enum { MAX_HEADS = 64 };

/* What a callback saw. */
struct seen {
    int next_row[MHAVIZ_N_STACKS][MAX_HEADS];   /* of each head, [layer * 8 + head] */
    int n_rows[MHAVIZ_N_STACKS], n_keys[MHAVIZ_N_STACKS];
    int calls, stop_at;                         /* stop_at 0: never */
    bool wrong;
};

static int take(void *self, const struct mhaviz_rows *rows)
{
    struct seen *seen = self;
    int *next = &seen->next_row[rows->stack][rows->layer * 8 + rows->head];

    seen->wrong |= rows->first_row != *next || rows->n_rows < 1 ||
                   rows->first_row + rows->n_rows > rows->n_all_rows ||
                   rows->first_key < 0 || rows->n_keys > (int)rows->stride ||
                   rows->first_key + rows->n_keys > rows->n_all_keys;
    for (int i = 0; i < rows->n_rows; i++) {
        double sum = 0;

        for (int j = 0; j < rows->n_keys; j++)
            sum += (double)rows->weights[(size_t)i * rows->stride + (size_t)j];
        seen->wrong |= !(fabs(sum - 1) < 1e-5);
    }
    *next += rows->n_rows;
    seen->n_rows[rows->stack] = rows->n_all_rows;
    seen->n_keys[rows->stack] = rows->n_all_keys;
    return ++seen->calls == seen->stop_at;
}

static struct mhaviz_model *open_model(const char *path, int n_threads)
{
    struct mhaviz_model *model = NULL;

    assert_int_equal(mhaviz_model_open(&model, path, n_threads, NULL), MHAVIZ_OK);
    return model;
}

static struct mhaviz_text *open_text(struct mhaviz_model *model, const char *text,
                                     const char *pair)
{
    struct mhaviz_text *out = NULL;

    assert_int_equal(mhaviz_text_open(model, text, pair, &out, NULL), MHAVIZ_OK);
    return out;
}

/* Heads whose rows all came. */
static int whole_heads(const struct seen *seen, int stack)
{
    int n = 0;

    assert_false(seen->wrong);
    for (int i = 0; i < MAX_HEADS; i++)
        n += seen->n_rows[stack] > 0 && seen->next_row[stack][i] == seen->n_rows[stack];
    return n;
}

static void every_head_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) {
        struct mhaviz_model *model = open_model("tests/ref/gpt2", threads);
        struct mhaviz_text *text = open_text(model, "the cat saw the dog", NULL);
        const struct mhaviz_selection one = { sizeof one, "decoder", "last", "1", NULL };
        struct seen all = { .calls = 0 }, few = { .calls = 0 };
        struct mhaviz_description d = { .struct_size = sizeof d };

        assert_int_equal(mhaviz_model_describe(model, &d, NULL), MHAVIZ_OK);
        assert_int_equal(mhaviz_run(model, text, NULL, take, &all, NULL), MHAVIZ_OK);
        assert_int_equal(whole_heads(&all, MHAVIZ_DECODER),
                         d.n_layers[MHAVIZ_DECODER] * d.n_heads[MHAVIZ_DECODER]);
        assert_int_equal(mhaviz_run(model, text, &one, take, &few, NULL), MHAVIZ_OK);
        assert_int_equal(whole_heads(&few, MHAVIZ_DECODER), 1);
        mhaviz_text_close(&text);
        mhaviz_model_close(&model);
    }
}

static void encoder_decoders(void **state)
{
    struct mhaviz_model *model = open_model("tests/ref/bart", 2);
    struct mhaviz_text *both = open_text(model, "the key is in the door", "on the river");
    struct mhaviz_text *source = open_text(model, "the key is in the door", NULL);
    const struct mhaviz_selection cross = { .struct_size = sizeof cross, .stack = "cross" },
                                  nine = { .struct_size = sizeof nine, .layers = "9" };
    struct seen all = { .calls = 0 }, encoder = { .calls = 0 }, only = { .calls = 0 };
    const struct mhaviz_token *token;
    struct mhaviz_description d = { .struct_size = sizeof d };
    struct mhaviz_error e;
    int n, m;

    (void)state;
    assert_int_equal(mhaviz_model_describe(model, &d, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_tokens(both, 0, &token, &n, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_tokens(both, 1, &token, &m, NULL), MHAVIZ_OK);
    assert_true(n > 0 && m > 0);
    assert_int_equal(mhaviz_run(model, both, NULL, take, &all, NULL), MHAVIZ_OK);
    for (int i = 0; i < MHAVIZ_N_STACKS; i++) {
        assert_int_equal(whole_heads(&all, i), d.n_layers[i] * d.n_heads[i]);
        assert_int_equal(all.n_rows[i], i == MHAVIZ_ENCODER ? n : m);
        assert_int_equal(all.n_keys[i], i == MHAVIZ_DECODER ? m : n);
    }
    assert_int_equal(mhaviz_run(model, source, NULL, take, &encoder, NULL), MHAVIZ_OK);
    assert_true(whole_heads(&encoder, MHAVIZ_ENCODER) > 0);
    assert_int_equal(encoder.n_rows[MHAVIZ_CROSS], 0);
    assert_int_equal(mhaviz_run(model, both, &cross, take, &only, NULL), MHAVIZ_OK);
    assert_true(only.n_rows[MHAVIZ_CROSS] == m && only.n_rows[MHAVIZ_ENCODER] == 0);
    assert_int_equal(mhaviz_run(model, source, &cross, take, &only, &e), MHAVIZ_INPUT);
    assert_non_null(strstr(e.message, "no tokens for the decoder"));
    assert_int_equal(mhaviz_run(model, both, &nine, take, &only, &e), MHAVIZ_USAGE);
    assert_non_null(strstr(e.message, "9"));
    mhaviz_text_close(&both);
    mhaviz_text_close(&source);
    mhaviz_model_close(&model);
}

/* No call after the one that asked for it, and the model works on. */
static void stopping(void **state)
{
    struct mhaviz_model *model = open_model(NULL, 4);
    struct mhaviz_text *text = open_text(model, "the cat saw the dog", NULL);
    struct mhaviz_error e;

    (void)state;
    for (int at = 1; at < 12; at += 5) {
        struct seen few = { .stop_at = at }, all = { .calls = 0 };

        assert_int_equal(mhaviz_run(model, text, NULL, take, &few, &e), MHAVIZ_STOPPED);
        assert_int_equal(e.status, MHAVIZ_STOPPED);
        assert_true(e.message[0] != '\0');
        assert_int_equal(few.calls, at);
        assert_int_equal(mhaviz_run(model, text, NULL, take, &all, &e), MHAVIZ_OK);
        assert_true(whole_heads(&all, MHAVIZ_DECODER) > 1);
    }
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

struct watcher {
    int calls, stop_at;
    bool wrong;
};

static int watch(void *self, const struct mhaviz_progress *p)
{
    struct watcher *w = self;

    w->wrong |= p->unit == NULL || p->done < 0 || p->done > p->total || p->share < 0 ||
                p->share > 1;
    return ++w->calls == w->stop_at;
}

/* One of the functions that compute. */
static enum mhaviz_status compute(int which, struct mhaviz_model *model, struct mhaviz_text *text,
                                  struct mhaviz_error *e)
{
    const struct mhaviz_task task = { .struct_size = sizeof task, .name = "stats" };
    struct mhaviz_stats *stats = NULL;
    struct seen seen = { .calls = 0 };
    enum mhaviz_status status;
    void *data = NULL;
    size_t size;

    status = which == 0 ? mhaviz_run(model, text, NULL, take, &seen, e) :
             which == 1 ? mhaviz_stats_open(model, text, NULL, &stats, e) :
             which == 2 ? mhaviz_heatmap_bytes(model, text, NULL, &data, &size, e) :
                          mhaviz_make(model, text, &task, &data, &size, e);
    assert_int_equal(status == MHAVIZ_OK,
                     which == 0 ? seen.calls > 1 && !seen.wrong && e->message[0] == '\0' :
                     which == 1 ? stats != NULL : data != NULL);
    mhaviz_stats_close(&stats);
    free(data);
    return status;
}

/* Who watches a model stops each of them, at any place, and the model works on. */
static void watching(void **state)
{
    struct mhaviz_model *model = open_model(NULL, 2);
    struct mhaviz_text *text = open_text(model, "the cat saw the dog", NULL);
    struct mhaviz_error e;

    (void)state;
    assert_int_equal(mhaviz_model_watch(NULL, watch, NULL, &e), MHAVIZ_USAGE);
    for (int which = 0; which < 4; which++) {
        struct watcher all = { .calls = 0 }, w = { .calls = 0 };
        int calls;

        assert_int_equal(mhaviz_model_watch(model, watch, &all, &e), MHAVIZ_OK);
        assert_int_equal(compute(which, model, text, &e), MHAVIZ_OK);
        assert_true(all.calls > 4 && !all.wrong);
        for (int at = 1; at <= all.calls; at++) {
            w = (struct watcher){ .stop_at = at };
            assert_int_equal(mhaviz_model_watch(model, watch, &w, &e), MHAVIZ_OK);
            if (compute(which, model, text, &e) != MHAVIZ_STOPPED)
                assert_true(w.calls < at);      /* fewer this time */
            else
                assert_int_equal(w.calls, at);
        }
        calls = w.calls;
        assert_int_equal(mhaviz_model_watch(model, NULL, NULL, &e), MHAVIZ_OK);
        assert_int_equal(compute(which, model, text, &e), MHAVIZ_OK);
        assert_int_equal(w.calls, calls);
    }
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

struct after {
    int calls, stop_at;         /* after the last layer was computed */
};

static int watch_after(void *self, const struct mhaviz_progress *p)
{
    struct after *after = self;

    return p->done + 1 == p->total && strcmp(p->unit, "layer") == 0 &&
           ++after->calls == after->stop_at;
}

/* Metrics of all rows at once, and of all heads, are left within their computation. */
static void stopped_within_metrics(void **state)
{
    static const char *const metrics[] = { "js_cluster", "erank" };
    struct mhaviz_model *model = open_model(NULL, 1);
    struct mhaviz_text *text;
    char words[4 * 120 + 1] = "";
    struct mhaviz_error e;

    (void)state;
    for (int i = 0; i < 120; i++)
        memcpy(words + 4 * i, i % 2 == 0 ? "the " : "cat ", 5);
    text = open_text(model, words, NULL);
    for (int m = 0; m < 2; m++) {
        const struct mhaviz_selection selection = { .struct_size = sizeof selection,
                                                    .metrics = metrics[m] };
        struct after all = { 0 }, some = { .stop_at = 8 };
        struct mhaviz_stats *stats = NULL;

        assert_int_equal(mhaviz_model_watch(model, watch_after, &all, &e), MHAVIZ_OK);
        assert_int_equal(mhaviz_stats_open(model, text, &selection, &stats, &e), MHAVIZ_OK);
        mhaviz_stats_close(&stats);
        if (all.calls < 12)
            fail_msg("%s: %d calls", metrics[m], all.calls);
        assert_int_equal(mhaviz_model_watch(model, watch_after, &some, &e), MHAVIZ_OK);
        assert_int_equal(mhaviz_stats_open(model, text, &selection, &stats, &e), MHAVIZ_STOPPED);
        assert_int_equal(some.calls, 8);
        assert_null(stats);
    }
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

static void texts_of_another_model(void **state)
{
    struct mhaviz_model *bert = open_model("tests/ref/bert", 1);
    struct mhaviz_model *gpt2 = open_model("tests/ref/gpt2", 1);
    struct mhaviz_text *text = open_text(bert, "the cat", NULL);
    struct mhaviz_stats *stats = NULL;
    struct mhaviz_error e;

    (void)state;
    assert_int_equal(mhaviz_stats_open(gpt2, text, NULL, &stats, &e), MHAVIZ_USAGE);
    assert_non_null(strstr(e.message, "another model than gpt2"));
    assert_null(stats);
    mhaviz_text_close(&text);
    mhaviz_model_close(&bert);
    mhaviz_model_close(&gpt2);
}

/* ---- two models at once ---- */

struct alone {
    const char *path;
    double entropy[MAX_HEADS];
    int n;
};

static void *run_alone(void *self)
{
    struct alone *alone = self;
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_stats *stats = NULL;
    const double *value = NULL;

    for (int i = 0; i < 5; i++) {
        if (mhaviz_model_open(&model, alone->path, 2, NULL) == MHAVIZ_OK &&
            mhaviz_text_open(model, "the key is in the door", NULL, &text, NULL) == MHAVIZ_OK &&
            mhaviz_stats_open(model, text, NULL, &stats, NULL) == MHAVIZ_OK &&
            mhaviz_stats_metric(stats, "entropy", &value, &alone->n, NULL) == MHAVIZ_OK)
            memcpy(alone->entropy, value, (size_t)alone->n * sizeof *value);
        mhaviz_stats_close(&stats);
        mhaviz_text_close(&text);
        mhaviz_model_close(&model);
    }
    return NULL;
}

static void two_models_at_once(void **state)
{
    struct alone one = { .path = "tests/ref/bert" }, two = { .path = "tests/ref/gpt2" };
    struct alone first = one, second = two;
    pthread_t thread;

    (void)state;
    run_alone(&one);
    run_alone(&two);
    assert_int_equal(pthread_create(&thread, NULL, run_alone, &first), 0);
    run_alone(&second);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(one.n > 0 && one.n == first.n && two.n > 0 && two.n == second.n);
    assert_memory_equal(one.entropy, first.entropy, (size_t)one.n * sizeof one.entropy[0]);
    assert_memory_equal(two.entropy, second.entropy, (size_t)two.n * sizeof two.entropy[0]);
}

/* ---- the program's numbers ---- */

/* Names of all metrics that are numbers, and "all". */
static const char *every_metric(char names[4096])
{
    strcpy(names, "all");
    for (int i = 0; mhaviz_metric(i) != NULL; i++)
        strcat(strcat(names, ","), mhaviz_metric(i));
    return names;
}

static json_t *of_program(const char *arguments)
{
    char command[6000], names[4096];
    json_t *root;
    FILE *f;

    snprintf(command, sizeof command, "%s stats --json --metric %s %s </dev/null",
             getenv("MHA_VIZ"), every_metric(names), arguments);
    f = popen(command, "r");
    assert_non_null(f);
    root = json_loadf(f, 0, NULL);
    assert_int_equal(pclose(f), 0);
    assert_non_null(root);
    return root;
}

static void check_head(const struct mhaviz_stats *stats, const struct mhaviz_head *head,
                       int i, const json_t *expected)
{
    static const char *const stack[] = { "encoder", "decoder", "cross" };
    const double *value;
    int n;

    assert_string_equal(json_string_value(json_object_get(expected, "stack")),
                        stack[head->stack]);
    assert_int_equal(json_integer_value(json_object_get(expected, "layer")), head->layer);
    assert_int_equal(json_integer_value(json_object_get(expected, "head")), head->head);
    for (int k = 0; mhaviz_metric(k) != NULL; k++) {
        const json_t *number = json_object_get(expected, mhaviz_metric(k));

        assert_int_equal(mhaviz_stats_metric(stats, mhaviz_metric(k), &value, &n, NULL),
                         MHAVIZ_OK);
        assert_non_null(number);
        if (json_is_null(number))
            assert_true(isnan(value[i]));
        else if (json_number_value(number) != value[i])
            fail_msg("%s: %.17g, the program says %.17g", mhaviz_metric(k), value[i],
                     json_number_value(number));
    }
}

/* The library's statistics of a text, which is closed, and the program's. */
static void compare(struct mhaviz_model *model, struct mhaviz_text *text, const char *arguments,
                    const struct mhaviz_selection *selection)
{
    struct mhaviz_stats *stats = NULL;
    const struct mhaviz_head *head;
    json_t *root = of_program(arguments), *heads = json_object_get(root, "heads");
    int n;

    assert_int_equal(mhaviz_stats_open(model, text, selection, &stats, NULL), MHAVIZ_OK);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);         /* the statistics outlive both */
    assert_int_equal(mhaviz_stats_heads(stats, &head, &n, NULL), MHAVIZ_OK);
    assert_int_equal(n, json_array_size(heads));
    assert_true(n > 0);
    for (int i = 0; i < n; i++)
        check_head(stats, &head[i], i, json_array_get(heads, (size_t)i));
    mhaviz_stats_close(&stats);
    json_decref(root);
}

static void check_program(const char *model_path, const char *arguments, const char *first,
                          const char *second, const struct mhaviz_selection *selection)
{
    struct mhaviz_model *model = open_model(model_path, 3);

    compare(model, open_text(model, first, second), arguments, selection);
}

/* ---- pictures and sound ---- */

static const char VIT[] = "tests/ref/media/vit", WHISPER[] = "tests/ref/media/whisper";

static void pictures_as_the_program(void **state)
{
    char names[4096];
    const struct mhaviz_selection all = { .struct_size = sizeof all,
                                          .metrics = every_metric(names) };
    struct mhaviz_model *model = open_model(VIT, 2);
    struct mhaviz_text *text = NULL;

    (void)state;
    assert_int_equal(mhaviz_text_open_image(model, "tests/ref/media/rgb.png", &text, NULL),
                     MHAVIZ_OK);
    if (getenv("MHA_VIZ") == NULL)
        skip();
    compare(model, text, "-m tests/ref/media/vit --image tests/ref/media/rgb.png", &all);
}

static void sound_as_the_program(void **state)
{
    char names[4096];
    const struct mhaviz_selection all = { .struct_size = sizeof all,
                                          .metrics = every_metric(names) };
    struct mhaviz_model *model = open_model(WHISPER, 2);
    struct mhaviz_text *text = NULL;

    (void)state;
    assert_int_equal(mhaviz_text_open_audio(model, "tests/ref/media/voice.wav", NULL, &text,
                                            NULL), MHAVIZ_OK);
    if (getenv("MHA_VIZ") == NULL)
        skip();
    compare(model, text, "-m tests/ref/media/whisper -s encoder --audio tests/ref/media/voice.wav",
            &all);
}

/* What patches are called; that they are part of no vocabulary. */
static void patches(void **state)
{
    struct mhaviz_model *model = open_model(VIT, 1);
    struct mhaviz_text *text = NULL;
    const struct mhaviz_token *token;
    struct seen seen = { .calls = 0 };
    int n;

    (void)state;
    assert_int_equal(mhaviz_text_open_image(model, "tests/ref/media/rgb.png", &text, NULL),
                     MHAVIZ_OK);
    assert_int_equal(mhaviz_run(model, text, NULL, take, &seen, NULL), MHAVIZ_OK);
    assert_int_equal(whole_heads(&seen, MHAVIZ_ENCODER), 4);
    mhaviz_model_close(&model);
    assert_int_equal(mhaviz_text_tokens(text, 0, &token, &n, NULL), MHAVIZ_OK);
    assert_int_equal(n, 25);
    assert_string_equal(token[0].label, "[CLS]");
    assert_string_equal(token[8].piece, "1,1");
    assert_true(token[0].special && !token[8].special);
    assert_int_equal(token[8].id, -1);
    mhaviz_text_close(&text);
}

static void wrong_files(void **state)
{
    static const struct {
        const char *model, *image, *audio, *pair;
        enum mhaviz_status status;
        const char *says;
    } cases[] = {
        { VIT, "tests/ref/media/bad/cut.png", NULL, NULL, MHAVIZ_INPUT, "cut.png" },
        { VIT, "tests/ref/media/voice.wav", NULL, NULL, MHAVIZ_INPUT, "neither a PNG nor a JPEG" },
        { VIT, "tests/ref/media/none.png", NULL, NULL, MHAVIZ_INPUT, "none.png" },
        { VIT, NULL, "tests/ref/media/voice.wav", NULL, MHAVIZ_USAGE, "vit reads no sound" },
        { WHISPER, "tests/ref/media/rgb.png", NULL, NULL, MHAVIZ_USAGE,
          "whisper reads no pictures" },
        { "tests/ref/bert", "tests/ref/media/rgb.png", NULL, NULL, MHAVIZ_USAGE,
          "reads no pictures" },
        { WHISPER, NULL, "tests/ref/media/bad/lies.wav", NULL, MHAVIZ_INPUT, "lies.wav" },
        { VIT, NULL, NULL, NULL, MHAVIZ_USAGE, "path: is NULL" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mhaviz_model *model = open_model(cases[i].model, 1);
        struct mhaviz_text *text = NULL;
        struct mhaviz_error e;
        enum mhaviz_status status =
            cases[i].audio != NULL ?
                mhaviz_text_open_audio(model, cases[i].audio, cases[i].pair, &text, &e) :
                mhaviz_text_open_image(model, cases[i].image, &text, &e);

        if (status != cases[i].status || strstr(e.message, cases[i].says) == NULL)
            fail_msg("case %zu: status %d, \"%s\"", i, (int)status, e.message);
        assert_null(text);
        mhaviz_model_close(&model);
    }
    assert_int_equal(mhaviz_text_open_image(NULL, "x.png", NULL, NULL), MHAVIZ_USAGE);
}

static void same_as_the_program(void **state)
{
    static const char key[] = "the key is in the door";
    char names[4096];
    const struct mhaviz_selection all = { .struct_size = sizeof all,
                                          .metrics = every_metric(names) };
    const struct mhaviz_selection heads = { sizeof heads, NULL, "1", "0,2", names };

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    check_program(NULL, "'the cat saw the dog'", "the cat saw the dog", NULL, &all);
    check_program("tests/ref/bert", "-m tests/ref/bert 'the key is in the door' river", key,
                  "river", &all);
    check_program("tests/ref/llama", "-m tests/ref/llama -l 1 -H 0,2 'the key is in the door'",
                  key, NULL, &heads);
    check_program("tests/ref/bart", "-m tests/ref/bart 'the key is in the door' river", key,
                  "river", &all);
    check_program("tests/ref/bart", "-m tests/ref/bart -s encoder 'the key is in the door'",
                  key, NULL, &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_head_once), cmocka_unit_test(encoder_decoders),
        cmocka_unit_test(stopping), cmocka_unit_test(watching),
        cmocka_unit_test(stopped_within_metrics),
        cmocka_unit_test(texts_of_another_model),
        cmocka_unit_test(two_models_at_once), cmocka_unit_test(same_as_the_program),
        cmocka_unit_test(pictures_as_the_program), cmocka_unit_test(sound_as_the_program),
        cmocka_unit_test(patches), cmocka_unit_test(wrong_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
