/* SPDX-License-Identifier: MIT
 * A task of the program, with its options -> the bytes that the program would write. */
#include <stdlib.h>
#include <string.h>

#include "base/claims.h"
#include "base/unnamed.h"
#include "cli/rules.h"
#include "lib/lib.h"
#include "task/common/shared.h"
#include "task/tasks.h"

struct making {
    struct mhaviz_model *model;
    const struct mhaviz_text *text;     /* NULL: what the options say */
    struct mhaviz_task task;
    struct unnamed file;
    const struct cmd *cmd;
    struct opts opts;
    struct asked *asked;                /* of the args */
    struct handed handed;
    struct warn warn;
};

/* ---- what is told ---- */

static void lib_make_say(void *self, const char *msg)
{
    const struct making *job = self;

    job->task.warn(job->task.self, msg);
}

/* ---- options ---- */

int make_allows(const char *command, const struct opt *opt, struct err *e)
{
    static const struct opt_group *const groups[] = {
        &model_group, &layer_group, &attention_group, &qkv_group, &resume_group,
    };
    static const char *const names[] = { "output", "term", "shard", "live", "hidden-in",
                                         "hidden-out" };
    bool wrong = false;

    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        wrong |= options_has(groups[i], opt);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        wrong |= strcmp(names[i], opt->name) == 0;
    return !wrong ? 0 : err_set(e, ERR_USAGE, "--%s: is of the program %s, not of the library",
                                opt->name, command);
}

/* An option that a handle stands for. */
static int lib_make_give(struct making *job, const char *name, const char *value, const char *what,
                         struct err *e)
{
    const struct opt *option = options_find(&job->opts, name);

    if (value == NULL)
        return 0;
    if (option == NULL)
        return err_set(e, ERR_USAGE, "%s takes no %s", job->cmd->name, what);
    return opts_give(&job->opts, option, value);
}

/* ---- handles ---- */

/* As it was opened; of one model the program needs no name, and attention stands for it. */
static const char *lib_make_name_of(const struct making *job, struct arena *a,
                                    const struct mhaviz_model *model)
{
    const char *asked = model->asked.model;
    bool of_model = model->session.path != NULL && model->session.model->precomputed == NULL;

    if (asked == NULL && job->task.second_model == NULL && !of_model)
        return NULL;
    return arena_strdup(a, asked != NULL ? asked : model->session.path != NULL ?
                                                       model->session.name : "builtin:decoder");
}

static int give_models(struct making *job, struct arena *a, struct err *e)
{
    struct mhaviz_model *model[HANDED_MOST] = { job->model, job->task.second_model };
    const struct opt *option;

    for (int i = 0; i < HANDED_MOST && model[i] != NULL; i++) {
        job->handed.session[i] = &model[i]->session;
        job->handed.name[i] = lib_make_name_of(job, a, model[i]);
        option = options_find(&job->opts, "model");
        if (i > 0 && option != NULL && option->type != OPT_LIST)
            return err_set(e, ERR_USAGE, "%s takes one model", job->cmd->name);
        if (lib_make_give(job, "model", job->handed.name[i], "model", e) != 0)
            return -1;
    }
    return 0;
}

static int lib_make_check_text(const struct mhaviz_model *model, const struct mhaviz_text *text,
                               struct err *e)
{
    if (text->model_hash != model->session.model->hash)
        return err_set(e, ERR_USAGE, "the text was tokenised for another model than %s",
                       model->session.name);
    return 0;
}

/* Whether options say all of it: what was tokenised, or what a second model reads, too. */
static bool is_of_words(const struct making *job, const struct mhaviz_text *x)
{
    return x->words != NULL &&
           (!x->whole || (job->task.second_model != NULL && job->task.second_text == NULL));
}

static int give_text(struct making *job, const struct mhaviz_text *x, struct err *e)
{
    if (is_of_words(job, x)) {
        if (x->whole)
            job->asked->arrays = &x->arrays;
        return options_take(&job->opts, job->cmd->name, x->words, options_any, e);
    }
    return lib_make_give(job, "image", x->image, "picture", e) != 0 ||
           lib_make_give(job, "audio", x->audio, "sound", e) != 0 ||
           lib_make_give(job, "input", x->input, "array", e) != 0 ? -1 : 0;
}

/* operand: [*n] what the program would be given. */
static int give_texts(struct making *job, char *operand[2], int *n, struct err *e)
{
    const struct mhaviz_text *text[HANDED_MOST] = { job->text, job->task.second_text };
    struct mhaviz_model *second = job->task.second_model;

    for (int i = 0; i < HANDED_MOST && text[i] != NULL; i++) {
        const struct mhaviz_text *x = text[i];

        if (lib_make_check_text(i > 0 && second != NULL ? second : job->model, x, e) != 0)
            return -1;
        if (job->cmd->max_operands < 1)
            return err_set(e, ERR_USAGE, "%s takes no text", job->cmd->name);
        if (*n + x->n_operands > 2)
            return err_set(e, ERR_USAGE, "two texts are compared, of which one is a pair");
        for (int k = 0; k < x->n_operands; k++)
            operand[(*n)++] = x->operand[k];
        job->handed.file[i] = x->image != NULL ? x->image : x->audio != NULL ? x->audio : x->input;
        job->handed.item[i] = x->whole ? &x->item : NULL;
        if (i > 0 && !x->whole && !text[0]->whole &&
            !options_alike(&job->opts, text[0]->words, x->words))
            return err_set(e, ERR_USAGE, "two texts are compared that are read with other "
                           "options: expected the same ones for both");
        if (give_text(job, x, e) != 0)
            return -1;
    }
    return 0;
}

/* What the options must not say beside a text, or of the process. */
static int check_asked(const struct making *job, struct err *e)
{
    const struct asked *asked = job->asked;
    bool own = job->text != NULL && job->text->words != NULL;
    const char *wrong = asked->file != NULL ? "--file" :
                        asked->ids != NULL && !own ? "--ids" :
                        asked->input != NULL && job->text != NULL && job->text->input == NULL ?
                        "--input" : NULL;

    if (asked->file != NULL && strcmp(asked->file, "-") == 0)
        return err_set(e, ERR_USAGE, "--file -: standard input is the caller's");
    if (job->text != NULL && wrong != NULL)
        return err_set(e, ERR_USAGE, "%s: there is a text already", wrong);
    return 0;
}

/* ---- the task ---- */

static int find_task(struct making *job, struct arena *a, struct err *e)
{
    const char *all = "";

    job->cmd = task_find(job->task.name);
    if (job->cmd != NULL)
        return 0;
    for (int i = 0; task_table[i] != NULL; i++)
        all = arena_printf(a, "%s%s%s", all, i > 0 ? ", " : "", task_table[i]->name);
    return err_set(e, ERR_USAGE, "'%s' is not a task: expected one of %s", job->task.name, all);
}

static int take_all(struct making *job, struct arena *a, struct shared_args **args, char **operand,
                    int *n, struct err *e)
{
    if (find_task(job, a, e) != 0)
        return -1;
    *args = arena_alloc(a, 1, job->cmd->args_size);
    job->asked = &(*args)->asked;
    if (opts_begin(&job->opts, job->cmd, *args, e) != 0 || give_models(job, a, e) != 0 ||
        give_texts(job, operand, n, e) != 0)
        return -1;
    if (options_take(&job->opts, job->cmd->name, job->task.options, make_allows, e) != 0)
        return -1;
    (*args)->common.output.path = job->file.path;
    job->asked->handed = &job->handed;
    if (job->model->session.model->precomputed != NULL)
        job->asked->attention = job->model->session.name;
    return check_asked(job, e) != 0 ? -1 : rules_check(job->cmd, *args, e);
}

/* No file that is written is one that is read: by an option, or by a handle before. */
static int claim(const struct making *job, const void *args, struct arena *a, struct err *e)
{
    const struct mhaviz_task *task = &job->task;

    if (task->output != NULL)
        claims_write(a, task->output, task->output);
    return opts_claim(job->cmd, args, a, e) != 0 || call_claim(a, job->model, job->text, e) != 0 ||
           call_claim(a, task->second_model, task->second_text, e) != 0 ? -1 : 0;
}

static int lib_make(void *self, struct border *border, struct err *e)
{
    struct making *job = self;
    struct env env = { .arena = &border->call, .n_threads = job->model->env.n_threads,
                       .warn = &job->warn, .note = &job->warn, .progress = &border->progress };
    struct shared_args *args;
    char *operand[2];
    int n = 0, status;

    border_watch(border, job->model, job->task.second_model);
    if (job->task.progress != NULL) {
        border->watch = job->task.progress;
        border->watch_self = job->task.self;
    }
    if (take_all(job, &border->call, &args, operand, &n, e) != 0 ||
        claim(job, args, &border->call, e) != 0)
        return -1;
    status = job->cmd->run(args, n, operand, &env, e);
    /* A comparison found a difference: that is its result. */
    return status != 0 && e->kind == ERR_NEGATIVE ? 0 : status;
}

static enum mhaviz_status lib_make_run(struct making *job, char **data, size_t *size,
                                       struct mhaviz_error *error)
{
    enum mhaviz_status status;
    struct err e;

    job->warn = job->task.warn != NULL ? (struct warn){ lib_make_say, job } : job->model->warn;
    if (unnamed_open(&job->file, &e) != 0)
        return border_say(error, MHAVIZ_SYSTEM, e.msg);
    status = border_run(lib_make, job, error);
    if (status == MHAVIZ_OK && unnamed_take(&job->file, data, size, &e) != 0)
        status = border_say(error, MHAVIZ_SYSTEM, e.msg);
    unnamed_close(&job->file);
    return status;
}

enum mhaviz_status mhaviz_make(struct mhaviz_model *model, const struct mhaviz_text *text,
                               const struct mhaviz_task *task, void **data, size_t *size,
                               struct mhaviz_error *error)
{
    struct making job = { .model = model, .text = text };
    enum mhaviz_status status;
    char *bytes = NULL;
    struct err e;

    if (data == NULL || size == NULL)
        return border_missing(error, data == NULL ? "data" : "size");
    *data = NULL;
    if (model == NULL)
        return border_closed(error, "model");
    if (task == NULL)
        return border_missing(error, "task");
    if (sized_take(&sized_task, &job.task, task, &e) != 0)
        return border_say(error, MHAVIZ_USAGE, e.msg);
    if (job.task.name == NULL)
        return border_missing(error, "task->name");
    if (job.task.second_text != NULL && text == NULL)
        return border_missing(error, "text");
    status = lib_make_run(&job, &bytes, size, error);
    *data = bytes;
    return status;
}
