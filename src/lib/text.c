/* SPDX-License-Identifier: MIT
 * A text, a picture or sound -> a handle with its tokens. */
#include <stdlib.h>
#include <string.h>

#include "base/claims.h"
#include "cli/rules.h"
#include "lib/lib.h"
#include "run/special/front.h"
#include "task/common/shared.h"

struct tokenising {
    const struct mhaviz_model *model;
    const char *text, *pair;    /* text NULL: one of the files */
    const char *image, *audio;
    const struct asked_labels *labels;  /* of rows; NULL: there is something to read */
    const char *const *options;         /* NULL: none */
    const struct mhaviz_array *array;   /* [n_arrays] that stand for files; checked */
    int n_arrays;
    void (*warn)(void *self, const char *message);      /* NULL: nobody is told */
    void *warn_self;
    struct mhaviz_text *out;
};

/* Copies what belongs to the tokeniser, so that the text may outlive the model. */
static struct mhaviz_token *lib_text_keep(struct arena *a, struct tokens *tokens)
{
    struct mhaviz_token *token = arena_alloc(a, (size_t)tokens->n, sizeof *token);

    for (int i = 0; i < tokens->n; i++) {
        tokens->piece[i] = arena_strdup(a, tokens->piece[i]);
        tokens->label[i] = arena_strndup(a, tokens->label[i], tokens->label_size[i]);
        token[i] = (struct mhaviz_token){
            .id = tokens->id != NULL ? tokens->id[i] : -1, .special = tokens->special[i],
            .piece = tokens->piece[i],
            .label = tokens->label[i], .label_size = tokens->label_size[i],
            .start = (size_t)tokens->bytes[i].start, .end = (size_t)tokens->bytes[i].end,
        };
    }
    return token;
}

/* Keys that come from elsewhere are the source of the rows that attend to them. */
static void keep_all(struct mhaviz_text *out)
{
    struct item *item = &out->item;
    bool elsewhere = item->keys.n > 0;
    struct tokens *source = elsewhere ? &item->keys : &item->tokens;
    struct tokens *target = elsewhere ? &item->tokens : &item->target;

    out->source = lib_text_keep(&out->arena, source);
    out->n_source = source->n;
    out->target = lib_text_keep(&out->arena, target);
    out->n_target = target->n;
}

/* Of layers and arrays there is no text, whatever else the program takes instead. */
static int check_reads(const struct tokenising *job, struct err *e)
{
    const struct model *m = job->model->session.model;
    int64_t dim[4];

    if (job->image != NULL && !front_sees(m))
        return err_set(e, ERR_USAGE, "%s reads no pictures", m->name);
    if (job->audio != NULL && !front_hears(m))
        return err_set(e, ERR_USAGE, "%s reads no sound", m->name);
    if (job->labels != NULL && m->precomputed == NULL)
        return err_set(e, ERR_USAGE, "%s is not precomputed attention, whose rows have labels",
                       m->name);
    if (job->text != NULL && job->options == NULL && (m->family->bare || front_dims(m, dim) > 0))
        return err_set(e, ERR_USAGE, "%s reads no text", m->name);
    return 0;
}

static char *lib_text_copy(struct arena *a, const char *text)
{
    return text != NULL ? arena_strdup(a, text) : NULL;
}

/* Those of a text alone. */
static int check_option(const char *command, const struct opt *opt, struct err *e)
{
    static const char *const names[] = { "file", "pairs", "jsonl" };

    (void)command;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], opt->name) == 0)
            return err_set(e, ERR_USAGE, "--%s: is of many texts, expected one", opt->name);
    return 0;
}

/* What is asked of the text; the rest is the model's. */
static int take_options(const struct tokenising *job, struct asked *asked, struct err *e)
{
    static const struct opt_group *const groups[] = { &text_group, &rows_group, &seed_group,
                                                      &split_group, NULL };
    static const struct cmd opening = { .name = "text", .groups = groups,
                                        .args_size = sizeof(struct shared_args) };
    struct mhaviz_text *out = job->out;
    struct arena *a = &out->arena;
    struct shared_args *args = arena_alloc(a, 1, sizeof *args);
    struct opts opts;

    out->words = options_copy(a, job->options);
    if (opts_begin(&opts, &opening, args, e) != 0 ||
        options_take(&opts, opening.name, out->words, check_option, e) != 0 ||
        rules_check(&opening, args, e) != 0)
        return -1;
    args->asked.names = asked->names;
    args->asked.mask = asked->mask;
    args->asked.mask_value = asked->mask_value;
    *asked = args->asked;
    out->image = asked->image;
    out->audio = asked->audio;
    out->input = asked->input;
    return opts_claim(&opening, args, a, e);
}

/* Whether it is an array that was given, not a file. */
static bool lib_text_is_given(const struct asked_arrays *given, const char *name)
{
    for (int i = 0; name != NULL && i < given->n; i++)
        if (strcmp(given->array[i].name, name) == 0)
            return true;
    return false;
}

/* Arrays that were given, as floats: the caller's need not stay. */
static void keep_arrays(struct mhaviz_text *out, const struct asked *asked)
{
    const struct item *item = &out->item;
    const struct { const char *name; const struct values *x; } read[] = {
        { asked->input, &item->values }, { asked->decoder_input, &item->target_values },
        { asked->memory, &item->memory }, { asked->key, &item->memory },
        { asked->value, &item->memory_values },
    };
    enum { N = sizeof read / sizeof *read };
    struct handed_array *array = arena_alloc(&out->arena, N, sizeof *array);
    int n = 0;

    for (int i = 0; i < N; i++) {
        const struct values *x = read[i].x;
        size_t size = sizeof *x->x;

        if (x->x == NULL || !lib_text_is_given(asked->arrays, read[i].name))
            continue;
        for (int k = 0; k < x->n_dims; k++)
            size *= (size_t)x->dim[k];
        array[n++] = (struct handed_array){ .name = read[i].name, .dtype = "F32", .data = x->x,
                                            .size_bytes = size, .n_dims = x->n_dims,
                                            .shape = x->dim };
    }
    out->arrays = (struct asked_arrays){ array, n };
}

static int tokenise(void *self, struct border *border, struct err *e)
{
    const struct tokenising *job = self;
    struct mhaviz_text *out = job->out;
    struct session session = job->model->session;
    struct warn warn = job->warn != NULL ? (struct warn){ job->warn, job->warn_self } :
                                           job->model->warn;
    struct env env = job->model->env;
    struct asked asked = job->model->asked;
    struct arena *a = &out->arena;
    struct input *in;
    struct item more;

    if (check_reads(job, e) != 0)
        return -1;
    const struct asked_arrays arrays = {
        arrays_handed(&border->call, job->array, job->n_arrays), job->n_arrays,
    };

    border_arena(border, a);
    if (job->options != NULL && take_options(job, &asked, e) != 0)
        return -1;
    if (job->image != NULL)
        asked.image = out->image = lib_text_copy(a, job->image);
    if (job->audio != NULL)
        asked.audio = out->audio = lib_text_copy(a, job->audio);
    if (asked.image != NULL)
        claims_read(a, asked.image, asked.image);
    if (asked.audio != NULL)
        claims_read(a, asked.audio, asked.audio);
    asked.labels = job->labels;
    asked.arrays = &arrays;
    if (job->text != NULL)
        out->operand[out->n_operands++] = lib_text_copy(a, job->text);
    if (job->pair != NULL)
        out->operand[out->n_operands++] = lib_text_copy(a, job->pair);
    out->model_hash = session.model->hash;
    out->in_pieces = asked.split != NULL;
    if (out->in_pieces)
        return asked_array(&asked) == NULL ? 0 :
               err_set(e, ERR_USAGE, "--split requires texts or ids, not arrays");
    env.warn = env.note = &warn;
    session.env = &env;
    session.asked = &asked;
    session.a = a;
    session.input = NULL;
    if (job->pair == NULL && asked.decoder_ids == NULL)
        session.stack = STACK_ENCODER;        /* no tokens for a decoder are asked for */
    in = input_open(&session, out->n_operands, out->operand, e);
    if (in == NULL || input_next(in, a, &out->item, e) < 0)
        return -1;
    if (asked.input != NULL && input_next(in, &border->call, &more, e) != 0)
        return err_set(e, ERR_USAGE, "--input: several inputs, expected one");
    out->whole = out->item.values.x != NULL || job->model->session.model->precomputed != NULL;
    keep_all(out);
    keep_arrays(out, &asked);
    return 0;
}

static enum mhaviz_status open_text(struct tokenising *job, const char *what, bool given,
                                    struct mhaviz_text **out, struct mhaviz_error *error)
{
    enum mhaviz_status status;

    if (out == NULL)
        return border_missing(error, "out");
    *out = NULL;
    if (job->model == NULL || !given)
        return job->model == NULL ? border_closed(error, "model") : border_missing(error, what);
    job->out = calloc(1, sizeof *job->out);
    if (job->out == NULL)
        return border_say(error, MHAVIZ_SYSTEM, "out of memory");
    status = border_run(tokenise, job, error);
    if (status == MHAVIZ_OK)
        *out = job->out;
    else
        mhaviz_text_close(&job->out);
    return status;
}

enum mhaviz_status mhaviz_text_open(struct mhaviz_model *model, const char *text,
                                    const char *pair, struct mhaviz_text **out,
                                    struct mhaviz_error *error)
{
    struct tokenising job = { .model = model, .text = text, .pair = pair };

    return open_text(&job, "text", text != NULL, out, error);
}

enum mhaviz_status mhaviz_text_open_image(struct mhaviz_model *model, const char *path,
                                          struct mhaviz_text **out,
                                          struct mhaviz_error *error)
{
    struct tokenising job = { .model = model, .image = path };

    return open_text(&job, "path", path != NULL, out, error);
}

enum mhaviz_status mhaviz_text_open_audio(struct mhaviz_model *model, const char *path,
                                          const char *pair, struct mhaviz_text **out,
                                          struct mhaviz_error *error)
{
    struct tokenising job = { .model = model, .audio = path, .pair = pair };

    return open_text(&job, "path", path != NULL, out, error);
}

/* Each of n is a string; there may be none. */
static bool has_all(const char *const *label, int n)
{
    for (int i = 0; label != NULL && i < n; i++)
        if (label[i] == NULL)
            return false;
    return true;
}

enum mhaviz_status mhaviz_text_open_labels(struct mhaviz_model *model,
                                           const char *const *labels, int n_labels,
                                           const char *const *key_labels, int n_key_labels,
                                           struct mhaviz_text **out,
                                           struct mhaviz_error *error)
{
    const struct asked_labels all = { labels, key_labels, n_labels, n_key_labels };
    struct tokenising job = { .model = model, .labels = &all };
    bool given = has_all(labels, n_labels);

    return open_text(&job, given ? "key_labels" : "labels",
                     given && has_all(key_labels, n_key_labels), out, error);
}

enum mhaviz_status mhaviz_text_open_input(struct mhaviz_model *model,
                                          const struct mhaviz_input *input,
                                          struct mhaviz_text **out, struct mhaviz_error *error)
{
    static const char *const none[] = { NULL };
    struct mhaviz_input all;
    struct tokenising job = { .model = model };
    struct err e;

    if (out == NULL || input == NULL)
        return border_missing(error, out == NULL ? "out" : "input");
    *out = NULL;
    if (sized_take(&sized_input, &all, input, &e) != 0 ||
        arrays_check(all.array, all.n, &e) != 0)
        return border_say(error, MHAVIZ_USAGE, e.msg);
    job.text = all.text;
    job.pair = all.pair;
    job.options = all.options != NULL ? all.options : none;
    job.array = all.array;
    job.n_arrays = all.n;
    job.warn = all.warn;
    job.warn_self = all.self;
    return open_text(&job, "text", all.pair == NULL || all.text != NULL || all.options != NULL,
                     out, error);
}

void mhaviz_text_close(struct mhaviz_text **text)
{
    if (text == NULL || *text == NULL)
        return;
    arena_finish(&(*text)->arena);
    free(*text);
    *text = NULL;
}

enum mhaviz_status mhaviz_text_tokens(const struct mhaviz_text *text, int decoder,
                                      const struct mhaviz_token **tokens, int *n,
                                      struct mhaviz_error *error)
{
    if (text == NULL)
        return border_closed(error, "text");
    if (tokens == NULL || n == NULL)
        return border_missing(error, tokens == NULL ? "tokens" : "n");
    if (decoder != 0 && decoder != 1)
        return border_say(error, MHAVIZ_USAGE, "decoder: expected 0 or 1");
    if (text->in_pieces)
        return border_say(error, MHAVIZ_USAGE, LIB_IN_PIECES);
    *tokens = decoder ? text->target : text->source;
    *n = decoder ? text->n_target : text->n_source;
    return border_say(error, MHAVIZ_OK, "");
}
