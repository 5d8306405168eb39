/* SPDX-License-Identifier: MIT
 * A request -> a session: the model, its tokeniser and the threads. */
#include "session/session.h"

#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "model/adapter.h"
#include "model/builtin.h"
#include "model/folder.h"
#include "model/hub.h"
#include "model/precomputed.h"
#include "session/input.h"
#include "session/source/handed.h"
#include "session/source/layer.h"
#include "session/source/precomputed.h"
#include "text/gguf_tok.h"

/* The folder, or the GGUF file, that holds the tokeniser of -m PATH. */
static const char *tok_path(struct arena *a, const char *path)
{
    size_t count = strlen(path);

    return count > 5 && strcmp(path + count - 5, ".gguf") == 0 ? path :
                                                                 file_folder(a, path);
}

static void open_builtin_tok(struct session *session)
{
    struct builtin builtin;

    if (builtin_find(&builtin, session->path, &session->tok_err) == 0)
        session->tok = tok_open_memory(session->a, builtin.tokenizer, "built-in tokenizer.json",
                                       &session->tok_err);
}

static void open_tok(struct session *session)
{
    const char *path = session->path;

    if (session->model != NULL && session->model->family->bare) {
        err_set(&session->tok_err, ERR_USAGE, "%s is a bare layer and reads no text",
                session->model->name);
        err_is_absent(&session->tok_err);
    } else if (builtin_is(path))
        open_builtin_tok(session);
    else
        session->tok = tok_open(session->a, tok_path(session->a, path), &session->tok_err);
    session->target_tok = session->tok;
    if (session->tok != NULL && session->model != NULL && session->model->decoder != NULL &&
        !builtin_is(path))
        session->target_tok = tok_open_target(session->a, tok_path(session->a, path),
                                              &session->tok_err);
}

static void say_each(const struct model *model, const char *const *name, int n,
                     const struct warn *warn)
{
    for (int i = 0; i < n; i++)
        err_warn(warn, "%s: tensor %s is not used", model->name, name[i]);
}

/* Of a layer each unused tensor may mean something; those of a model around it do not. */
static void say_layer(const struct model *model, const struct warn *warn)
{
    enum { EACH = 4 };

    if (model->n_unused <= EACH)
        say_each(model, model->unused, model->n_unused, warn);
    else
        err_warn(warn, "%s: %d tensors are not used: %s, %s, %s, … (--verbose lists them)",
                 model->name, model->n_unused, model->unused[0], model->unused[1],
                 model->unused[2]);
}

/* Of the layers of a model, too. */
static void say_missed(const struct model *model, const struct warn *warn)
{
    const char *const *name = model->missed;
    int n = model->n_missed;

    if (n > 0)
        err_warn(warn, "%s: %d tensor%s of layers %s not used, so this may be no %s: %s%s%s%s%s%s",
                 model->name, n, str_plural(n), n == 1 ? "is" : "are", model->family->name, name[0],
                 n > 1 ? ", " : "", n > 1 ? name[1] : "", n > 2 ? ", " : "", n > 2 ? name[2] : "",
                 n > 3 ? ", … (--verbose lists them)" : "");
}

/* What the model's files leave open, and what of them is not used. */
static void say_opened(const struct model *model, const struct env *env)
{
    if (model->note != NULL)
        err_warn(env->warn, "%s: %s", model->name, model->note);
    if (env->verbose)
        say_each(model, model->unused, model->n_unused, env->warn);
    else if (model->family->bare)
        say_layer(model, env->warn);
    else
        say_missed(model, env->warn);
}

/* The path of what is asked for, as hub_find has it. */
static const char *find_path(const char *asked, const struct env *env, struct err *e)
{
    const char *note = NULL, *path = hub_find(env->arena, asked, &note, e);

    if (note != NULL)
        err_warn(env->warn, "%s", note);
    return path;
}

/* The base of an adapter, by itself in *path; *adapter: its folder, NULL: it is none. */
static int find_base(const struct env *env, const char **path, const char **adapter,
                     struct err *e)
{
    const char *note = NULL;

    *adapter = NULL;
    if (!adapter_is_alone(env->arena, *path))
        return 0;
    *adapter = *path;
    *path = adapter_base(env->arena, *adapter, &note, e);
    if (note != NULL)
        err_warn(env->warn, "%s", note);
    return *path != NULL ? 0 : -1;
}

/* What -m says -> the path of a folder or file, or what builtin_find takes; and the adapter
 * that it is, whose base that is then. */
static int find_model(const char *asked, const struct env *env, const char **path,
                      const char **adapter, struct err *e)
{
    struct builtin builtin;

    *path = asked;
    *adapter = NULL;
    if (builtin_is(asked))
        return builtin_find(&builtin, asked, e);
    *path = find_path(asked, env, e);
    if (*path == NULL || find_base(env, path, adapter, e) != 0)
        return -1;
    folder_claim(env->arena, *path);
    return 0;
}

/* The adapter that -m is, and those of --adapter. */
static int find_adapters(const struct asked *asked, const char *own, const struct env *env,
                         struct layer_asked *layer, struct err *e)
{
    int n = asked->adapters.n;
    const char **path = arena_alloc(env->arena, (size_t)n + 1, sizeof *path);

    layer->adapter = path;
    if (own != NULL)
        path[layer->n_adapters++] = own;
    for (int i = 0; i < n; i++) {
        const char *dir = find_path(asked->adapters.item[i], env, e);

        if (dir == NULL)
            return err_under(e, "adapter");
        path[layer->n_adapters++] = dir;
    }
    for (int i = 0; i < layer->n_adapters; i++)
        folder_claim(env->arena, path[i]);
    return 0;
}

/* An error about a model of the cache may only say that it was not fetched whole. */
static void explain(const char *asked, const char *path, bool links_only,
                    const struct env *env, struct err *e)
{
    if (path != asked && e->kind == ERR_INPUT && !adapter_is_alone(env->arena, asked))
        hub_explain(env->arena, asked, path, links_only, e);
}

struct model *session_model(const struct asked *asked, const struct env *env,
                         const char **path, struct err *e)
{
    struct layer_asked layer = layer_of_asked(asked);
    const char *adapter;
    struct model *model;

    if (asked->attention != NULL || asked->qkv != NULL)
        return precomputed_open(asked, env, path, e);
    if (find_model(asked->model, env, path, &adapter, e) != 0 ||
        find_adapters(asked, adapter, env, &layer, e) != 0)
        return NULL;
    model = model_open_layer(env->arena, *path, &layer, e);
    if (model != NULL && asked->tower != TOWER_NONE && model->config.tower == TOWER_NONE) {
        err_set(e, ERR_USAGE, "--tower: %s does not have towers of texts and of pictures",
                model->name);
        model_close(model);
        return NULL;
    }
    if (model == NULL)
        explain(asked->model, *path, false, env, e);
    else
        say_opened(model, env);
    return model;
}

/* What opens last.  A session may lack a tokeniser, but not since the system refused one. */
static int finish_open(struct session *session, struct err *e)
{
    if (session->tok_err.kind == ERR_SYSTEM) {
        *e = session->tok_err;
        return -1;
    }
    session->par = par_new(session->env->n_threads, e);
    if (session->par == NULL)
        return -1;
    par_on_full(session->par, session->a);
    par_explain(session->par, session->env->verbose ? session->env->note : NULL);
    par_tell(session->par, session->env->progress);
    par_measure(session->par, session->env->meter);
    return 0;
}

static int session_open_model(struct session *session, bool tokens_only, struct err *e)
{
    const struct asked *asked = session->asked;

    if (tokens_only) {
        const char *adapter;

        if (find_model(asked->model, session->env, &session->path, &adapter, e) != 0)
            return -1;
        session->name = model_name(session->a, session->path);
    } else {
        session->model = session_model(asked, session->env, &session->path, e);
        if (session->model == NULL)
            return -1;
        session->name = session->model->name;
    }
    open_tok(session);
    if (session->tok == NULL)
        explain(asked->model, session->path, true, session->env, &session->tok_err);
    return 0;
}

int session_open(struct session *session, const struct asked *asked, bool tokens_only,
                 const struct env *env, struct err *e)
{
    int before = meter_enter(env->meter, METER_LOAD), status;

    if (asked->handed != NULL)
        return handed_open(session, asked, tokens_only, env, e);
    *session = (struct session){ .asked = asked, .env = env, .a = env->arena };
    status = session_open_model(session, tokens_only, e);
    meter_leave(env->meter, before);
    return status == 0 ? finish_open(session, e) : -1;
}

/* In memory: the tokeniser of a GGUF file lies in it. */
static void open_tok_memory(struct session *session, struct span tokenizer)
{
    const struct gguf *gguf = weights_gguf(session->model->weights);

    if (gguf != NULL)
        session->tok = gguf_tok_open(session->a, gguf, session->model->name, &session->tok_err);
    else if (tokenizer.data != NULL)
        session->tok = tok_open_memory(session->a, tokenizer, "tokenizer.json", &session->tok_err);
    else if (session->model->family->bare) {
        err_set(&session->tok_err, ERR_USAGE, "%s is a bare layer and reads no text",
                session->model->name);
        err_is_absent(&session->tok_err);
    } else {
        err_set(&session->tok_err, ERR_USAGE, "%s was opened without a tokeniser",
                session->model->name);
        err_is_absent(&session->tok_err);
    }
    session->target_tok = session->tok;
}

int session_open_memory(struct session *session, const struct asked *asked,
                        const struct session_files *files, const struct env *env,
                        struct err *e)
{
    *session = (struct session){ .asked = asked, .env = env, .a = env->arena, .path = "" };
    session->model = model_open_memory(session->a, &files->model, "model", e);
    if (session->model == NULL)
        return -1;
    session->name = session->model->name;
    say_opened(session->model, env);
    open_tok_memory(session, files->tokenizer);
    return finish_open(session, e);
}

int session_open_arrays(struct session *session, const struct asked *asked,
                        const struct session_arrays *arrays, const struct env *env,
                        struct err *e)
{
    struct layer_asked layer = layer_of_asked(asked);
    const char *name = arena_strdup(env->arena, arrays->name);
    struct weights *weights;

    *session = (struct session){ .asked = asked, .env = env, .a = env->arena, .path = "" };
    weights = weights_open_arrays(session->a, arrays->array, arrays->n, name, e);
    if (weights == NULL)
        return -1;
    session->model = arrays->attention ? model_of_precomputed(session->a, weights, name, e) :
                     model_open_weights(session->a, weights, arrays->config, &layer, name, e);
    if (session->model == NULL)
        return -1;
    if (arrays->attention)
        session->model->name = name;          /* as it is, and not as that of a file */
    session->name = session->model->name;
    if (!arrays->attention)
        say_opened(session->model, env);
    open_tok_memory(session, arrays->tokenizer);
    return finish_open(session, e);
}

void session_close(struct session *session)
{
    input_close_all(session->input);
    if (session->shares)
        return;
    par_free(session->par);
    if (session->target_tok != session->tok)
        tok_close(session->target_tok);
    tok_close(session->tok);
    model_close(session->model);
}
