/* SPDX-License-Identifier: MIT
 * Tasks through the library: the bytes that the program writes; what is refused; progress, and
 * runs that are stopped.
 * file_tags=threads */
#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mhaviz.h"

enum { MOST_WORDS = 12 };

static const char sentence[] = "the key is in the door", other[] = "the door is in the key";

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
    struct mhaviz_error e;

    expect(mhaviz_model_open(&model, path, 2, &e), MHAVIZ_OK, &e, "");
    return model;
}

static struct mhaviz_text *open_text(struct mhaviz_model *model, const char *text,
                                     const char *pair)
{
    struct mhaviz_text *out = NULL;
    struct mhaviz_error e;

    expect(mhaviz_text_open(model, text, pair, &out, &e), MHAVIZ_OK, &e, "");
    return out;
}

/* ---- as the program ---- */

/* What the program writes into a pipe. */
static char *of_program(const char *arguments, size_t *size)
{
    char *data = malloc(1 << 23), command[4096];
    FILE *f;

    snprintf(command, sizeof command, "%s %s </dev/null 2>/dev/null", getenv("MHA_VIZ"),
             arguments);
    f = popen(command, "r");
    assert_non_null(f);
    *size = fread(data, 1, 1 << 23, f);
    if (pclose(f) != 0)
        fail_msg("%s failed", command);
    return data;
}

static void same_bytes(const char *what, const char *arguments, const void *data, size_t size)
{
    size_t n;
    char *program = of_program(arguments, &n);
    bool same = n == size && n > 100 && memcmp(program, data, n) == 0;

    free(program);
    if (!same)
        fail_msg("%s: %zu bytes, of `mha-viz %s` %zu, or others", what, size, arguments, n);
}

struct made {
    const char *name, *model;       /* model NULL: the default one */
    const char *text, *pair;        /* text NULL: none */
    const char *word[MOST_WORDS];   /* without spaces */
};

static void as_the_program(const struct made *x)
{
    const struct mhaviz_task task = { .struct_size = sizeof task, .name = x->name,
                                      .options = x->word };
    struct mhaviz_model *model = open_model(x->model);
    struct mhaviz_text *text = x->text != NULL ? open_text(model, x->text, x->pair) : NULL;
    char arguments[2048];
    struct mhaviz_error e;
    void *data = NULL;
    size_t size = 0;
    int n = snprintf(arguments, sizeof arguments, "%s --no-metadata -o - %s %s", x->name,
                     x->model != NULL ? "-m" : "", x->model != NULL ? x->model : "");

    for (int i = 0; x->word[i] != NULL; i++)
        n += snprintf(arguments + n, sizeof arguments - (size_t)n, " '%s'", x->word[i]);
    if (x->text != NULL)
        n += snprintf(arguments + n, sizeof arguments - (size_t)n, " -- '%s'", x->text);
    if (x->pair != NULL)
        snprintf(arguments + n, sizeof arguments - (size_t)n, " '%s'", x->pair);
    expect(mhaviz_make(model, text, &task, &data, &size, &e), MHAVIZ_OK, &e, "");
    same_bytes(x->name, arguments, data, size);
    free(data);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

#define BERT "tests/ref/bert"
#define BART "tests/ref/bart"
#define GPT2 "tests/ref/gpt2"
#define LLAMA "tests/ref/llama"
#define LLAMA_GGUF "tests/ref/gguf_llama"

static void pictures(void **state)
{
    static const struct made cases[] = {
        { "heatmap", NULL, sentence, NULL, { "--width", "174mm", "--letters", "--numbers" } },
        { "heatmap", BERT, sentence, "river",
          { "--average=heads", "--layer", "all", "--format", "svg", "--clip", "none" } },
        { "heatmap", BERT, sentence, NULL, { "--merge", "words", "--hide", "special",
                                                   "--dpi", "150", "--font-size", "9" } },
        { "links", NULL, sentence, NULL, { "--panels", "--arcs" } },
        { "links", BERT, sentence, "the river", { "--between", "A-B", "--format", "svg" } },
        { "links", BART, sentence, "river", { "--top-share", "90", "--format=pdf" } },
        { "model", NULL, sentence, NULL, { "--format", "svg" } },
        { "model", BERT, sentence, NULL, { "--metric", "entropy", "--format", "svg" } },
        { "curve", BERT, sentence, NULL, { "--metric=entropy", "--format=svg" } },
        { "trace", GPT2, sentence, NULL, { "--format", "svg" } },
        { "neuron", GPT2, sentence, NULL, { "--layer", "1", "--head", "0", "--format=svg" } },
    };

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        as_the_program(&cases[i]);
}

static void records(void **state)
{
    static const struct made cases[] = {
        { "stats", BERT, sentence, "river", { "--json", "--metric", "all" } },
        { "stats", NULL, sentence, NULL, { NULL } },
        { "stats", BERT, NULL, NULL, { "--tsv", "--file", "samples/english.txt",
                                              "--truncate", "--summary" } },
        { "types", NULL, NULL, NULL, { "--json" } },
        { "types", GPT2, sentence, NULL, { "--json" } },
        { "ablate", GPT2, sentence, NULL, { "--json" } },
        { "ablate", BART, sentence, "river", { "--tsv", "--with", "zero" } },
        { "diff", BERT, sentence, NULL, { "--json", "--dtype", "f32", "--dtype", "bf16" } },
        { "stability", NULL, sentence, NULL, { "--json", "--runs", "2" } },
        { "attribute", GPT2, sentence, NULL, { "--json" } },
        { "circuits", GPT2, NULL, NULL, { "--json" } },
        { "tokens", BERT, sentence, "river", { "--json" } },
        { "tokens", BERT, NULL, NULL, { "--json", "--ids", "2,5,6,3" } },
        { "export", BERT, sentence, NULL, { "--hidden" } },
    };

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        as_the_program(&cases[i]);
}

static void pages(void **state)
{
    static const struct made cases[] = {
        { "report", NULL, sentence, NULL, { NULL } },
        { "report", BERT, sentence, "river", { "--page-precision", "16", "--neuron=always" } },
        { "report", BART, sentence, "river", { NULL } },
    };

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        as_the_program(&cases[i]);
}

/* Two models, two texts. */
static void compared(void **state)
{
    static const char *const json[] = { "--json", NULL };
    struct mhaviz_task task = { .struct_size = sizeof task, .name = "diff", .options = json };
    struct mhaviz_model *llama = open_model(LLAMA), *second = NULL, *gpt2 = open_model(GPT2);
    struct mhaviz_text *one = open_text(llama, sentence, NULL);
    struct mhaviz_text *two = open_text(llama, other, NULL);
    struct mhaviz_text *foreign = open_text(gpt2, other, NULL);
    struct mhaviz_error e;
    void *data;
    size_t size;

    (void)state;
    if (getenv("MHA_VIZ") == NULL)
        skip();
    task.second_text = two;
    expect(mhaviz_make(llama, one, &task, &data, &size, &e), MHAVIZ_OK, &e, "");
    same_bytes("two texts", "diff --no-metadata --json -m " LLAMA " 'the key is in the door' "
               "'the door is in the key'", data, size);
    free(data);
    task.second_text = foreign;
    expect(mhaviz_make(llama, one, &task, &data, &size, &e), MHAVIZ_USAGE, &e, "another model");
    task.second_text = NULL;
    expect(mhaviz_make(llama, one, &task, &data, &size, &e), MHAVIZ_USAGE, &e,
           "nothing to compare");
    second = open_model(LLAMA_GGUF);
    task.second_model = second;
    task.second_text = NULL;
    expect(mhaviz_make(llama, one, &task, &data, &size, &e), MHAVIZ_OK, &e, "");
    same_bytes("two models", "diff --no-metadata --json -m " LLAMA " -m " LLAMA_GGUF
               " 'the key is in the door'", data, size);
    free(data);
    task.name = "report";
    task.options = NULL;
    expect(mhaviz_make(llama, one, &task, &data, &size, &e), MHAVIZ_OK, &e, "");
    same_bytes("a page of two", "report --no-metadata -o - -m " LLAMA " -m " LLAMA_GGUF
               " 'the key is in the door'", data, size);
    free(data);
    task.name = "heatmap";
    expect(mhaviz_make(llama, one, &task, &data, &size, &e), MHAVIZ_USAGE, &e,
           "heatmap takes one model");
    mhaviz_text_close(&one);
    mhaviz_text_close(&two);
    mhaviz_text_close(&foreign);
    mhaviz_model_close(&llama);
    mhaviz_model_close(&gpt2);
    mhaviz_model_close(&second);
}

/* Pictures and sound are not read again; attention that is there already. */
static void texts_that_are_none(void **state)
{
    static const char *const svg[] = { "--format", "svg", NULL };
    const struct mhaviz_task task = { .struct_size = sizeof task, .name = "heatmap",
                                      .options = svg };
    struct mhaviz_model *vit = open_model("tests/ref/media/vit"),
                        *whisper = open_model("tests/ref/media/whisper");
    struct mhaviz_text *seen = NULL, *heard = NULL;
    struct mhaviz_error e;
    char path[] = "/tmp/mhaviz-XXXXXX.png", command[128], arguments[256];
    void *data;
    size_t size;
    int fd = mkstemps(path, 4);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    snprintf(command, sizeof command, "cp tests/ref/media/rgb.png %s", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(mhaviz_text_open_image(vit, path, &seen, NULL), MHAVIZ_OK);
    unlink(path);
    expect(mhaviz_make(vit, seen, &task, &data, &size, &e), MHAVIZ_OK, &e, "");
    assert_int_equal(system(command), 0);
    snprintf(arguments, sizeof arguments, "heatmap --no-metadata -o - -m tests/ref/media/vit "
             "--format svg --image %s", path);
    if (getenv("MHA_VIZ") != NULL)
        same_bytes("a picture", arguments, data, size);
    unlink(path);
    free(data);
    assert_int_equal(mhaviz_text_open_audio(whisper, "tests/ref/media/voice.wav", NULL, &heard,
                                            NULL), MHAVIZ_OK);
    expect(mhaviz_make(whisper, heard, &task, &data, &size, &e), MHAVIZ_OK, &e, "");
    free(data);
    mhaviz_text_close(&seen);
    mhaviz_text_close(&heard);
    mhaviz_model_close(&vit);
    mhaviz_model_close(&whisper);
}

/* ---- what is refused ---- */

static void refused(void **state)
{
    static const struct {
        const char *name, *word[4], *says;
        enum mhaviz_status status;
    } cases[] = {
        { "draw", { NULL }, "'draw' is not a task: expected one of heatmap, links", MHAVIZ_USAGE },
        { "bench", { NULL }, "'bench' is not a task", MHAVIZ_USAGE },
        { "links", { "--lettres" }, "--lettres: unknown option; did you mean --letters?",
          MHAVIZ_USAGE },
        { "links", { "-l", "1" }, "'-l' is not an option, expected --NAME", MHAVIZ_USAGE },
        { "links", { "--layer" }, "--layer requires a value: LIST", MHAVIZ_USAGE },
        { "links", { "--letters=1" }, "--letters takes no value", MHAVIZ_USAGE },
        { "links", { "--columns", "65" }, "--columns: '65' is not in 1..64", MHAVIZ_USAGE },
        { "links", { "--model", "x" }, "--model: is of the program links", MHAVIZ_USAGE },
        { "links", { "--output", "x" }, "--output: is of the program", MHAVIZ_USAGE },
        { "links", { "--threads", "2" }, "--threads: is of the program", MHAVIZ_USAGE },
        { "links", { "--help" }, "--help: is of the program", MHAVIZ_USAGE },
        { "links", { "--attention=x" }, "--attention: is of the program", MHAVIZ_USAGE },
        { "links", { "--heads=3" }, "--heads: is of the program", MHAVIZ_USAGE },
        { "report", { "--live" }, "--live: is of the program", MHAVIZ_USAGE },
        { "stats", { "--resume", "x" }, "--resume: is of the program", MHAVIZ_USAGE },
        { "stats", { "--shard=0/2" }, "--shard: is of the program", MHAVIZ_USAGE },
        { "stats", { "--file", "x.txt" }, "--file: there is a text already", MHAVIZ_USAGE },
        { "stats", { "--ids=1,2" }, "there is a text already", MHAVIZ_USAGE },
        { "links", { "--layer", "9" }, "--layer: 9 is out of range", MHAVIZ_USAGE },
        { "circuits", { NULL }, "circuits takes no text", MHAVIZ_USAGE },
        { "links", { "--letters" }, "--letters requires --panels", MHAVIZ_USAGE },
        { "ablate", { "--greedy", "--sort=kl" },
          "--greedy, --sort: only one of them can be given: --greedy orders the heads",
          MHAVIZ_USAGE },
        { "types", { "--gold", "/nowhere" }, "and no other text can be given", MHAVIZ_USAGE },
        { "ablate", { "--with=mean", "--means", "/nowhere" }, "/nowhere", MHAVIZ_INPUT },
    };
    struct mhaviz_model *model = open_model(BERT);
    struct mhaviz_text *text = open_text(model, sentence, NULL), *pair = open_text(model, "a", "b");
    struct mhaviz_task task = { .struct_size = sizeof task };
    static const char *const standard[] = { "--file", "-", NULL };
    struct mhaviz_error e;
    void *data = &e;
    size_t size;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        task.name = cases[i].name;
        task.options = cases[i].word;
        expect(mhaviz_make(model, text, &task, &data, &size, &e), cases[i].status, &e,
               cases[i].says);
        assert_null(data);
    }
    task.name = "stats";
    task.options = standard;
    expect(mhaviz_make(model, NULL, &task, &data, &size, &e), MHAVIZ_USAGE, &e, "--file -");
    task.options = NULL;
    expect(mhaviz_make(NULL, text, &task, &data, &size, &e), MHAVIZ_USAGE, &e, "model: is NULL");
    expect(mhaviz_make(model, text, NULL, &data, &size, &e), MHAVIZ_USAGE, &e, "task: is NULL");
    expect(mhaviz_make(model, text, &task, NULL, &size, &e), MHAVIZ_USAGE, &e, "data: is NULL");
    expect(mhaviz_make(model, text, &task, &data, NULL, &e), MHAVIZ_USAGE, &e, "size: is NULL");
    task.second_text = pair;
    expect(mhaviz_make(model, text, &task, &data, &size, &e), MHAVIZ_USAGE, &e,
           "of which one is a pair");
    expect(mhaviz_make(model, NULL, &task, &data, &size, &e), MHAVIZ_USAGE, &e, "text: is NULL");
    task.name = NULL;
    expect(mhaviz_make(model, text, &task, &data, &size, &e), MHAVIZ_USAGE, &e,
           "task->name: is NULL");
    task.struct_size++;
    expect(mhaviz_make(model, text, &task, &data, &size, &e), MHAVIZ_USAGE, &e, "struct_size");
    mhaviz_text_close(&text);
    mhaviz_text_close(&pair);
    mhaviz_model_close(&model);
}

/* ---- how far it is ---- */

struct told {
    int calls, stop_at;         /* stop_at 0: never */
    double last;
    bool wrong;
};

static int tell(void *self, const struct mhaviz_progress *p)
{
    struct told *told = self;

    told->wrong |= p->unit == NULL || p->done < 0 || (p->total > 0 && p->done > p->total) ||
                   p->share < 0 || p->share > 1;
    told->last = p->share;
    return ++told->calls == told->stop_at;
}

static int n_warnings;

static void warn(void *self, const char *message)
{
    (void)self;
    n_warnings += strstr(message, " is cut to the 64 tokens that bert takes") != NULL;
}

static int open_files(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += lseek(fd, 0, SEEK_CUR) >= 0;
    return n;
}

/* Stopped at every place in turn; then the models work as before, and no file is left open. */
static void stopped(void **state)
{
    static const char *const options[][5] = {
        { "--json", "--file", "samples/english.txt", "--truncate" }, { "--json" },
    };
    static const char *const names[] = { "stats", "ablate" };
    struct mhaviz_model *model = open_model(GPT2);
    struct mhaviz_text *text = open_text(model, sentence, NULL);
    struct mhaviz_error e;
    int files = open_files();

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct told told = { .calls = 0 };
        struct mhaviz_task task = { .struct_size = sizeof task, .name = names[i],
                                    .options = options[i], .progress = tell, .warn = warn,
                                    .self = &told };
        void *first, *again;
        size_t n, m;
        int calls;

        expect(mhaviz_make(model, i == 0 ? NULL : text, &task, &first, &n, &e), MHAVIZ_OK, &e, "");
        assert_true(told.calls > 4 && !told.wrong);
        calls = told.calls < 40 ? told.calls : 40;
        for (int k = 1; k <= calls; k++) {
            told = (struct told){ .stop_at = k };
            mhaviz_make(model, i == 0 ? NULL : text, &task, &again, &m, &e);
            if (told.calls < k) {       /* fewer this time: it ended before */
                free(again);
                continue;
            }
            expect(e.status, MHAVIZ_STOPPED, &e, "stopped");
            assert_null(again);
            assert_int_equal(told.calls, k);
        }
        told = (struct told){ .calls = 0 };
        expect(mhaviz_make(model, i == 0 ? NULL : text, &task, &again, &m, &e), MHAVIZ_OK, &e, "");
        assert_true(n == m);
        assert_memory_equal(first, again, n);
        free(first);
        free(again);
    }
    assert_int_equal(open_files(), files);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

static void warned(void **state)
{
    static const char *const options[] = { "--truncate", "--file", "samples/english.txt", NULL };
    const struct mhaviz_task task = { .struct_size = sizeof task, .name = "stats",
                                      .options = options, .warn = warn };
    struct mhaviz_model *model = open_model(BERT);
    struct mhaviz_error e;
    void *data;
    size_t size;

    (void)state;
    n_warnings = 0;
    expect(mhaviz_make(model, NULL, &task, &data, &size, &e), MHAVIZ_OK, &e, "");
    free(data);
    assert_true(n_warnings > 0);
    mhaviz_model_close(&model);
}

/* ---- files ---- */

/* A copy of the model and a file of texts, in a folder of their own. */
static const char *copies(void)
{
    static char dir[64];
    char command[256];

    strcpy(dir, "/tmp/mha-viz-test-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(command, sizeof command, "cp -r " BERT " %s/m && cp samples/english.txt %s/t.txt", dir,
             dir);
    assert_int_equal(system(command), 0);
    return dir;
}

static char *in(const char *dir, const char *name)
{
    static char path[8][128];
    static int i;

    i = (i + 1) % 8;
    snprintf(path[i], sizeof path[i], "%s/%s", dir, name);
    return path[i];
}

static void what_is_read_is_not_written(void **state)
{
    const char *dir = copies();
    const char *const from_file[] = { "--file", in(dir, "t.txt"), NULL };
    const char *const means[] = { "--with", "mean", "--file", in(dir, "t.txt"), "--means-out",
                                  in(dir, "m/config.json"), NULL };
    const struct {
        const char *name;
        const char *const *options;
        const char *output;
    } tasks[] = {
        { "stats", from_file, in(dir, "t.txt") }, { "ablate", means, NULL },
        { "stats", NULL, in(dir, "m/config.json") },
        { "stats", NULL, in(dir, "m/../m/model.safetensors") },
    };
    struct mhaviz_model *model = open_model(in(dir, "m"));
    struct mhaviz_text *text = open_text(model, sentence, NULL);
    const struct mhaviz_look look = { .struct_size = sizeof look, .format = "png" };
    struct mhaviz_error e;
    char command[128];
    size_t size;
    void *data;

    (void)state;
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        const struct mhaviz_task task = { .struct_size = sizeof task, .name = tasks[i].name,
                                          .options = tasks[i].options,
                                          .output = tasks[i].output };

        expect(mhaviz_make(model, tasks[i].options == NULL ? text : NULL, &task, &data, &size, &e),
               MHAVIZ_USAGE, &e, "is the same file as ");
    }
    snprintf(command, sizeof command, "%s/m/config.json", dir);
    expect(mhaviz_heatmap(model, text, &look, command, &e), MHAVIZ_USAGE, &e,
           "is the same file as ");
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures), cmocka_unit_test(records), cmocka_unit_test(pages),
        cmocka_unit_test(compared), cmocka_unit_test(texts_that_are_none),
        cmocka_unit_test(refused), cmocka_unit_test(stopped), cmocka_unit_test(warned),
        cmocka_unit_test(what_is_read_is_not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
