/* SPDX-License-Identifier: MIT
 * A path, or bytes -> a model with its tokeniser and its threads. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/rules.h"
#include "lib/lib.h"
#include "nn/nn.h"
#include "task/common/shared.h"

enum { MAX_THREADS = 1024 };

const char *mhaviz_version(void)
{
    return MHA_VIZ_VERSION;
}

/* ---- which kernel ---- */

static void choose_kernel(void)
{
    const char *name = getenv("MHA_VIZ_KERNEL");

    if (name == NULL || nn_choose_kernel(name) != 0)
        nn_choose_kernel(NULL);
}

static void choose_kernel_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, choose_kernel);
}

/* ---- opening ---- */

/* The members of struct mhaviz_selection; a text is never cut. */
static const struct asked_names names = { "stack", "layers", "heads", "" };

struct opening {
    struct mhaviz_model *model;
    const char *path;
    const struct mhaviz_files *files;   /* NULL: path, or arrays */
    const struct mhaviz_arrays *arrays; /* NULL: none */
    bool attention;                     /* they are rows of attention */
    const char *const *adapters;        /* [n_adapters] */
    int n_adapters;
};

static struct span span_of(struct mhaviz_bytes bytes)
{
    return (struct span){ bytes.data, bytes.data != NULL ? bytes.size : 0 };
}

/* ---- arrays ---- */

/* Which say how weights are opened. */
static int check_option(const char *command, const struct opt *opt, struct err *e)
{
    static const char *const also[] = { "tower", "memory", "mask" };

    (void)command;
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        if (strcmp(also[i], opt->name) == 0)
            return 0;
    if (options_has(&layer_group, opt))
        return 0;
    return err_set(e, ERR_USAGE, "--%s: does not say how weights are opened", opt->name);
}

/* The options become part of what is asked; names stay those of the library. */
static int take_options(struct mhaviz_model *model, const struct mhaviz_arrays *arrays,
                        struct err *e)
{
    static const struct opt_group *const groups[] = { &model_group, &layer_group, &rows_group,
                                                      &mask_group, NULL };
    static const struct cmd opening = { .name = "arrays", .groups = groups,
                                        .args_size = sizeof(struct shared_args) };
    struct arena *a = &model->arena;
    struct shared_args *args = arena_alloc(a, 1, sizeof *args);
    struct opts opts;

    if (opts_begin(&opts, &opening, args, e) != 0 ||
        options_take(&opts, opening.name, options_copy(a, arrays->options), check_option,
                     e) != 0 || rules_check(&opening, args, e) != 0)
        return -1;
    args->asked.names = &names;
    model->asked = args->asked;
    return 0;
}

static int open_arrays(struct mhaviz_model *model, const struct opening *opening,
                       struct border *border, struct err *e)
{
    const struct mhaviz_arrays *arrays = opening->arrays;
    const struct session_arrays all = {
        arrays->name != NULL ? arrays->name : opening->attention ? "attention" : "model",
        arrays_handed(&border->call, arrays->array, arrays->n),
        arrays->n, opening->attention, span_of(arrays->config), span_of(arrays->tokenizer),
    };

    if (take_options(model, arrays, e) != 0)
        return -1;
    return session_open_arrays(&model->session, &model->asked, &all, &model->env, e);
}

/* Until there is a model to ask for them. */
static void keep_warning(void *self, const char *message)
{
    struct mhaviz_model *model = self;

    model->said = arena_grow(&model->arena, model->said, (size_t)model->n_said,
                             (uint64_t)model->n_said + 1, sizeof *model->said);
    model->said[model->n_said++] = arena_strdup(&model->arena, message);
}

static int open_session(void *self, struct border *border, struct err *e)
{
    struct opening *opening = self;
    struct mhaviz_model *model = opening->model;
    struct session_files files;

    border_arena(border, &model->arena);
    model->env.arena = &model->arena;
    model->env.warn = model->env.note = &model->warn;
    model->asked = (struct asked){ .names = &names, .mask_value = (double)NAN };
    if (opening->path != NULL)
        model->asked.model = arena_strdup(&model->arena, opening->path);
    for (int i = 0; i < opening->n_adapters; i++)
        model->asked.adapters.item[i] = arena_strdup(&model->arena, opening->adapters[i]);
    model->asked.adapters.n = opening->n_adapters;
    if (opening->arrays != NULL)
        return open_arrays(model, opening, border, e);
    if (opening->files == NULL)
        return session_open(&model->session, &model->asked, false, &model->env, e);
    files = (struct session_files){
        { span_of(opening->files->weights), span_of(opening->files->config) },
        span_of(opening->files->tokenizer),
    };
    return session_open_memory(&model->session, &model->asked, &files, &model->env, e);
}

static enum mhaviz_status lib_model_open(struct mhaviz_model **model, struct opening *opening,
                                         int n_threads, struct mhaviz_error *error)
{
    enum mhaviz_status status;

    if (n_threads < 0 || n_threads > MAX_THREADS)
        return border_say(error, MHAVIZ_USAGE, "n_threads: expected 0 to 1024");
    choose_kernel_once();
    opening->model = calloc(1, sizeof *opening->model);
    if (opening->model == NULL)
        return border_say(error, MHAVIZ_SYSTEM, "out of memory");
    opening->model->env.n_threads = n_threads > 0 ? n_threads : par_default_threads();
    opening->model->warn = (struct warn){ keep_warning, opening->model };
    status = border_run(open_session, opening, error);
    opening->model->warn = (struct warn){ NULL, NULL };
    if (status == MHAVIZ_OK)
        *model = opening->model;
    else
        mhaviz_model_close(&opening->model);
    return status;
}

enum mhaviz_status mhaviz_model_open(struct mhaviz_model **model, const char *path,
                                     int n_threads, struct mhaviz_error *error)
{
    struct opening opening = { .path = path };

    if (model == NULL)
        return border_missing(error, "model");
    *model = NULL;
    return lib_model_open(model, &opening, n_threads, error);
}

enum mhaviz_status mhaviz_model_open_adapted(struct mhaviz_model **model, const char *path,
                                             const char *const *adapters, int n, int n_threads,
                                             struct mhaviz_error *error)
{
    struct opening opening = { .path = path, .adapters = adapters, .n_adapters = n };

    if (model == NULL)
        return border_missing(error, "model");
    *model = NULL;
    if (n < 0 || n > OPT_MOST)
        return border_say(error, MHAVIZ_USAGE, "n: expected 0 to 16 adapters");
    for (int i = 0; i < n; i++)
        if (adapters == NULL || adapters[i] == NULL)
            return border_missing(error, "adapters");
    return lib_model_open(model, &opening, n_threads, error);
}

enum mhaviz_status mhaviz_model_open_files(struct mhaviz_model **model,
                                           const struct mhaviz_files *files, int n_threads,
                                           struct mhaviz_error *error)
{
    struct mhaviz_files all;
    struct opening opening = { .files = &all };
    struct err e;

    if (model == NULL)
        return border_missing(error, "model");
    *model = NULL;
    if (files == NULL)
        return border_missing(error, "files");
    if (sized_take(&sized_files, &all, files, &e) != 0)
        return border_say(error, MHAVIZ_USAGE, e.msg);
    if (all.weights.data == NULL)
        return border_missing(error, "files->weights");
    return lib_model_open(model, &opening, n_threads, error);
}

static enum mhaviz_status open_handed(struct mhaviz_model **model,
                                      const struct mhaviz_arrays *arrays, bool attention,
                                      int n_threads, struct mhaviz_error *error)
{
    struct mhaviz_arrays all;
    struct opening opening = { .arrays = &all, .attention = attention };
    struct err e;

    if (model == NULL)
        return border_missing(error, "model");
    *model = NULL;
    if (arrays == NULL)
        return border_missing(error, "arrays");
    if (sized_take(&sized_arrays, &all, arrays, &e) != 0 ||
        arrays_check(all.array, all.n, &e) != 0)
        return border_say(error, MHAVIZ_USAGE, e.msg);
    return lib_model_open(model, &opening, n_threads, error);
}

enum mhaviz_status mhaviz_model_open_arrays(struct mhaviz_model **model,
                                            const struct mhaviz_arrays *arrays, int n_threads,
                                            struct mhaviz_error *error)
{
    return open_handed(model, arrays, false, n_threads, error);
}

enum mhaviz_status mhaviz_model_open_attention(struct mhaviz_model **model,
                                               const struct mhaviz_arrays *arrays, int n_threads,
                                               struct mhaviz_error *error)
{
    return open_handed(model, arrays, true, n_threads, error);
}

void mhaviz_model_close(struct mhaviz_model **model)
{
    if (model == NULL || *model == NULL)
        return;
    session_close(&(*model)->session);
    arena_finish(&(*model)->arena);
    free(*model);
    *model = NULL;
}

enum mhaviz_status mhaviz_model_watch(struct mhaviz_model *model,
                                      int (*progress)(void *self,
                                                      const struct mhaviz_progress *progress),
                                      void *self, struct mhaviz_error *error)
{
    if (model == NULL)
        return border_closed(error, "model");
    model->watch = progress;
    model->watch_self = self;
    return border_say(error, MHAVIZ_OK, "");
}

enum mhaviz_status mhaviz_model_warn(struct mhaviz_model *model,
                                     void (*warn)(void *self, const char *message), void *self,
                                     struct mhaviz_error *error)
{
    if (model == NULL)
        return border_closed(error, "model");
    model->warn = (struct warn){ warn, self };
    for (int i = 0; i < model->n_said; i++)
        err_warn(&model->warn, "%s", model->said[i]);
    return border_say(error, MHAVIZ_OK, "");
}

/* ---- what it is ---- */

enum mhaviz_status mhaviz_model_describe(const struct mhaviz_model *model,
                                         struct mhaviz_description *description,
                                         struct mhaviz_error *error)
{
    struct mhaviz_description found;
    const struct model *m;
    struct err e;
    size_t size;

    if (model == NULL || description == NULL)
        return model == NULL ? border_closed(error, "model") :
                               border_missing(error, "description");
    size = sized_size(&sized_description, description, &e);
    if (size == 0)
        return border_say(error, MHAVIZ_USAGE, e.msg);
    m = model->session.model;
    found = (struct mhaviz_description){
        .struct_size = size, .name = m->name, .family = m->family->name,
        .max_tokens = m->max_tokens,
    };
    for (int i = 0; i < MHAVIZ_N_STACKS; i++) {
        enum stack_id stack = (enum stack_id)i;
        const struct model *of = m->decoder != NULL && stack != STACK_ENCODER ? m->decoder : m;

        if (!model_has_stack(m, stack))
            continue;
        found.n_layers[i] = of->config.n_layers;
        found.n_heads[i] = of->config.n_heads;
    }
    memcpy(description, &found, size);
    return border_say(error, MHAVIZ_OK, "");
}
