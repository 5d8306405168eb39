/* SPDX-License-Identifier: MIT
 * A path, or nothing, -> config, weights and their binding. */
#include "model/model.h"

#include <string.h>

#include "base/str.h"
#include "model/adapter.h"
#include "model/builtin.h"
#include "model/family_slots.h"
#include "model/gguf.h"
#include "model/hub.h"
#include "model/model_priv.h"
#include "model/quirks.h"
#include "weights/npz.h"

/* name: of the weights, for messages; config_name: of the config. */
static int open_memory(struct model *model, struct arena *a, const struct model_files *files,
                       const char *name, const char *config_name, struct err *e)
{
    model->name = name;
    model->config_json = files->config;
    model->weights = weights_open_memory(a, files->weights, name, e);
    if (model->weights == NULL)
        return -1;
    if (weights_gguf(model->weights) != NULL)
        return gguf_config(&model->config, &model->family, a, model->weights, e);
    if (files->config.data == NULL)
        return err_set(e, ERR_INPUT, "%s: a safetensors model requires its config.json", name);
    return config_read(&model->config, &model->family, a, files->config, config_name, files->tower,
                       e);
}

static int open_builtin(struct model *model, struct arena *a, const char *path, struct err *e)
{
    struct model_files files;
    struct builtin builtin;

    if (builtin_find(&builtin, path, e) != 0)
        return -1;
    files = (struct model_files){ builtin.weights, builtin.config, TOWER_NONE };
    return open_memory(model, a, &files, "built-in model", "built-in config.json", e);
}

static bool is_npz(const char *path)
{
    return str_ends_with(path, ".npz");
}

/* The first option that only a bare layer has; NULL: none was given. */
static const char *first_asked(const struct layer_asked *asked)
{
    return asked->heads > 0 ? "--heads" : asked->norm_first ? "--norm-first" :
           asked->activation != NULL ? "--activation" :
           asked->relative != NULL ? "--relative" : asked->zero_key ? "--zero-attn" :
           asked->names != NULL ? "--tensor-names" : asked->prefix != NULL ? "--prefix" :
           asked->fused != LAYER_FUSED_AUTO ? "--fused" :
           asked->order != LAYER_ORDER_AUTO ? "--matrix-order" : asked->memory ? "--memory" : NULL;
}

/* Of an option for bare layers beside a model that is none; name NULL: the built-in one. */
static int model_refuse(const char *option, const char *name, struct err *e)
{
    const char *meant = strcmp(option, "--heads") == 0 ? "; did you mean -H, which chooses heads?" :
                                                         "";

    if (name == NULL)
        return err_set(e, ERR_USAGE, "%s requires -m LAYER%s", option, meant);
    return err_set(e, ERR_USAGE, "%s: %s is not a bare layer (mha-viz-layers(7))%s", option, name,
                   meant);
}

/*
 * What stands for a folder that is no model's: the only .safetensors file in it, or else the
 * only .npz; the folder where there is none, or it has a GGUF, parts or an index.
 */
static int only_layer(struct arena *a, const char **path, struct err *e)
{
    static const char *const endings[] = { ".safetensors", ".npz" };
    size_t n;
    const char **name = file_list(a, *path, &n), *found = NULL;
    int count = 0;

    for (size_t i = 0; i < n; i++)
        if (str_ends_with(name[i], ".gguf") || strstr(name[i], "-of-") != NULL ||
            str_ends_with(name[i], ".index.json"))
            return 0;
    for (int k = 0; k < 2 && found == NULL; k++)
        for (size_t i = 0; i < n; i++)
            if (str_ends_with(name[i], endings[k]) && count++ == 0)
                found = name[i];
    if (count > 1)
        return err_set(e, ERR_INPUT, "%s: has no config.json, and %d files that may be a bare "
                       "layer, such as %s: give the path of one", *path, count, found);
    if (found != NULL)
        *path = file_join(a, *path, found);
    return 0;
}

/* Weights first: a lone .bin is best answered by how to convert it. */
static int open_path(struct model *model, struct arena *a, const char *path,
                     const struct layer_asked *asked, struct err *e)
{
    const char *config, *option = first_asked(asked);
    const struct span *bytes;
    bool alone;                 /* nothing says what it is but itself */
    int status;

    if (!file_exists(path))
        return err_set(e, ERR_INPUT, "%s: no such model: expected a Hugging Face folder "
                       "(config.json, model.safetensors), a .safetensors file or a .gguf "
                       "file", path);
    if (file_is_dir(path) && !file_exists(file_join(a, path, "config.json")) &&
        only_layer(a, &path, e) != 0)
        return -1;
    model->name = hub_name(a, path);
    model->weights = (is_npz(path) ? npz_open : weights_open)(a, path, e);
    if (model->weights == NULL)
        return -1;
    model->dir = file_folder(a, path);
    config = file_join(a, model->dir, "config.json");
    alone = is_npz(path) ||
            (weights_gguf(model->weights) == NULL &&
             (!file_exists(config) || asked->names != NULL || asked->prefix != NULL));
    if (!file_is_dir(path) && (alone || layer_is(model->weights, a)))
        return layer_describe(&model->config, &model->family, a, model->weights, path, asked,
                              &model->note, e);
    if (option != NULL)
        return model_refuse(option, model->name, e);
    if (weights_gguf(model->weights) != NULL) {
        model->dir = weights_gguf(model->weights)->file;
        return gguf_config(&model->config, &model->family, a, model->weights, e);
    }
    bytes = file_hold(a, config, e);
    if (bytes == NULL)
        return -1;
    status = config_read(&model->config, &model->family, a, *bytes, config, asked->tower, e);
    file_drop(a, bytes);
    return status;
}

struct model *model_open(struct arena *a, const char *path, struct err *e)
{
    const struct layer_asked nothing = { 0 };

    return model_open_layer(a, path, &nothing, e);
}

/* A head that predicts tokens is the embedding where the file has none, unless the config says
 * otherwise. */
static const struct adapter_tied *tied_head(const struct model *model, struct arena *a)
{
    const struct family *last = model->family->decoder != NULL ? model->family->decoder :
                                model->family;
    struct adapter_tied *tied;

    if (model->config.head.untied || head_is_unknown(model->config.head.class_name) ||
        !family_has(last, W_HEAD) || !family_has(last, W_TOK))
        return NULL;
    tied = arena_alloc(a, 1, sizeof *tied);
    *tied = (struct adapter_tied){ family_names(last, W_HEAD), family_names(last, W_TOK) };
    return tied;
}

static int model_merge(struct model *model, struct arena *a, const char *dir, struct err *e)
{
    const char *name = hub_name(a, dir);

    model->name = arena_printf(a, "%s+%s", model->name, name);
    if (model->config.card.name != NULL)
        model->config.card.name = arena_printf(a, "%s+%s", model->config.card.name, name);
    return adapter_merge(model->weights, a, dir, tied_head(model, a), e);
}

/* One that lies in the model's own folder, and is not asked for. */
static bool has_own(const struct model *model, struct arena *a, const struct layer_asked *asked)
{
    const char *own = model->dir == NULL || weights_gguf(model->weights) != NULL ? NULL :
                      file_real(a, model->dir);

    if (own == NULL || model->family->bare || !adapter_is_in(a, model->dir))
        return false;
    for (int i = 0; i < asked->n_adapters; i++) {
        const char *other = file_real(a, asked->adapter[i]);

        if (other != NULL && strcmp(own, other) == 0)
            return false;
    }
    return true;
}

static void note(struct model *model, struct arena *a, const char *text)
{
    model->note = model->note == NULL ? text : arena_printf(a, "%s; %s", model->note, text);
}

/* What is not read of a file, or may be read in another way. */
static void note_config(struct model *model, struct arena *a)
{
    const struct config *c = &model->config;

    if (c->whole != NULL && family_find(c->whole) == NULL)
        note(model, a, arena_printf(a, "of this %s only the %s model is read, a %s", c->whole,
                                    c->tower == TOWER_TEXT ? "language" : "picture",
                                    model->family->name));
    if (c->language.assumed)
        note(model, a,
             arena_printf(a,
                          "config.json has no default_language: read with the adapters "
                          "of %s",
                          c->language.name));
}

static int adapt(struct model *model, struct arena *a, const struct layer_asked *asked,
                 struct err *e)
{
    if (asked->n_adapters > 0 && model->family->bare)
        return err_set(e, ERR_USAGE, "--adapter: %s is a bare layer, which has none", model->name);
    model->adapted = asked->n_adapters > 0;
    note_config(model, a);
    if (has_own(model, a, asked)) {
        model->adapted = true;
        note(model, a, "its folder holds an adapter (adapter_config.json), which is merged");
        if (adapter_merge(model->weights, a, model->dir, tied_head(model, a), e) != 0)
            return -1;
    }
    for (int i = 0; i < asked->n_adapters; i++)
        if (model_merge(model, a, asked->adapter[i], e) != 0)
            return -1;
    return 0;
}

/* Binds what was opened, where rc is 0. */
static struct model *model_finish(struct model *model, struct arena *a, int rc,
                                  const struct layer_asked *asked, struct err *e)
{
    if (rc != 0 || weights_dequantise(model->weights, &model->config.quantisation, e) != 0 ||
        adapt(model, a, asked, e) != 0 || weights_round(model->weights, asked->held, e) != 0 ||
        model_bind(model, a, e) != 0) {
        model_close(model);
        return NULL;
    }
    if (model->config.card.name != NULL)
        model->name = model->config.card.name;
    return model;
}

struct model *model_open_layer(struct arena *a, const char *path,
                               const struct layer_asked *asked, struct err *e)
{
    struct model *model = arena_alloc(a, 1, sizeof *model);
    int status;

    if (!builtin_is(path))
        status = open_path(model, a, path, asked, e);
    else if (first_asked(asked) != NULL)
        status = model_refuse(first_asked(asked), NULL, e);
    else
        status = open_builtin(model, a, path, e);
    return model_finish(model, a, status, asked, e);
}

struct model *model_open_memory(struct arena *a, const struct model_files *files,
                                const char *name, struct err *e)
{
    const struct layer_asked nothing = { 0 };
    struct model *model = arena_alloc(a, 1, sizeof *model);
    int status = open_memory(model, a, files, name, "config.json", e);

    return model_finish(model, a, status, &nothing, e);
}

struct model *model_open_weights(struct arena *a, struct weights *weights, struct span config,
                                 const struct layer_asked *asked, const char *name,
                                 struct err *e)
{
    struct model *model = arena_alloc(a, 1, sizeof *model);
    const char *option = first_asked(asked);
    int status;

    model->name = name;
    model->config_json = config;
    model->weights = weights;
    if (config.data == NULL)
        status = layer_describe(&model->config, &model->family, a, weights, name, asked,
                                &model->note, e);
    else if (option != NULL)
        status = model_refuse(option, name, e);
    else
        status = config_read(&model->config, &model->family, a, config, "config.json",
                             asked->tower, e);
    return model_finish(model, a, status, asked, e);
}

void model_close(struct model *model)
{
    if (model != NULL && model->weights != NULL)
        weights_close(model->weights);
}

bool model_has_cross(const struct model *model)
{
    return model->family->stack_id == STACK_CROSS ||
           model->layer[0].slot[W_CROSS_Q].weight != NULL;
}

bool model_has_stack(const struct model *model, enum stack_id stack)
{
    if (model->precomputed != NULL && stack == STACK_CROSS)
        return model->decoder != NULL && model->decoder->precomputed->cross != NULL;
    if (model->precomputed != NULL && stack != model->family->stack_id)
        return model->decoder != NULL && model->decoder->precomputed->self != NULL;
    if (model->precomputed != NULL)
        return model->precomputed->self != NULL;
    return model->decoder != NULL || stack == model->family->stack_id ||
           (stack == STACK_CROSS && model_has_cross(model));
}

/* The first of the tensors that no slot took. */
static const char *unused_tensors(const struct model *model, struct arena *a)
{
    enum { MOST = 4 };
    char *all = arena_strdup(a, "");

    for (int i = 0; i < model->n_unused && i < MOST; i++)
        all = arena_printf(a, "%s%s%s", all, i > 0 ? ", " : "", model->unused[i]);
    return model->n_unused == 0 ? "every tensor of the file is used elsewhere" :
           arena_printf(a, "tensors that are not used: %s%s", all,
                        model->n_unused > MOST ? ", ..." : "");
}

/* What the heads of this class are called, "score, classifier"; "": the class is not known. */
static const char *names_of_head(const char *class_name, struct arena *a)
{
    char *all = arena_strdup(a, "");

    for (const struct head_task *task = head_tasks; task->class_name != NULL; task++)
        if (str_ends_with(class_name, task->class_name) && strstr(all, task->out) == NULL)
            all = arena_printf(a, "%s%s%s", all, all[0] != '\0' ? ", " : "", task->out);
    return all;
}

static int no_such_head(const struct model *model, const char *class_name, struct err *e)
{
    const char *names;
    struct arena a;

    arena_init(&a, NULL, NULL);
    names = names_of_head(class_name, &a);
    if (names[0] != '\0')
        err_set(e, ERR_INPUT, "%s: has no head of %s, expected one of the tensors %s (%s)",
                model->name, class_name, names, unused_tensors(model, &a));
    else
        err_set(e, ERR_INPUT, "%s: the head of %s is not known (%s)", model->name, class_name,
                unused_tensors(model, &a));
    arena_finish(&a);
    return -1;
}

/* Weights of a head that nothing says how to use. */
static int no_class(const struct model *model, struct err *e)
{
    for (int i = 0; i < model->n_unused; i++)
        if (head_is_tensor(model->unused[i]))
            return err_set(e, ERR_INPUT, "%s: the head %s is not known: %s", model->name,
                           model->unused[i], weights_gguf(model->weights) != NULL ?
                           "expected safetensors, a GGUF file does not say what it is for" :
                           "expected its class under architectures in config.json, such as "
                           "\"BertForSequenceClassification\"");
    return err_set(e, ERR_INPUT, "%s has no output head in its weights", model->name);
}

int model_check_head(const struct model *model, const struct model *shown, struct err *e)
{
    const char *class_name = model->config.head.class_name;
    const char *headless = quirks_of(shown->family)->headless;

    if (shown->has_head)
        return 0;
    if (headless != NULL)
        return err_set(e, ERR_INPUT, "%s: %s", model->name, headless);
    if (head_is_unknown(class_name))
        return no_such_head(model, class_name, e);
    return shown->head_lacks == NULL ? no_class(model, e) :
           err_set(e, ERR_INPUT, "%s: its output head has no tensor %s", model->name,
                   shown->head_lacks);
}

int model_head_rows(const struct model *model, int T)
{
    return model->config.head.task != NULL && head_scope(&model->config) != HEAD_ALL ? 1 : T;
}

bool model_has_sinks(const struct model *model)
{
    const struct precomputed *r = model->precomputed;

    for (int l = 0; l < model->config.n_layers; l++)
        if (model->layer[l].slot[W_SINKS].vector != NULL ||
            (r != NULL && r->self != NULL && r->self[l].sinks != NULL))
            return true;
    return false;
}

int model_stream_width(const struct model *model)
{
    return (model->config.streams.n > 1 ? model->config.streams.n : 1) * model->config.d_model;
}

int model_end_width(const struct model *model)
{
    return family_slot_dim(model->family, &model->config, DIM_END);
}

int model_attention_width(const struct model *model)
{
    return family_slot_dim(model->family, &model->config, DIM_OUT);
}

int model_resume_layer(const struct model *model, int layer)
{
    for (int l = 0; l < layer; l++)
        if (model->layer[l].gives_keys)
            return l;
    return layer;
}

bool model_has_layer(const struct model *model, int l)
{
    const struct precomputed *r = model->precomputed;

    if (r == NULL)
        return l >= model->config.n_layers || model->layer[l].mixer == MIXER_NONE;
    if (l < model->config.n_layers && ((r->self != NULL && r->self[l].rows != NULL) ||
                                       (r->cross != NULL && r->cross[l].rows != NULL)))
        return true;
    return model->decoder != NULL && model_has_layer(model->decoder, l);
}

const struct layer_plan *model_attending(const struct model *model)
{
    int l = 0;

    while (model->layer[l].mixer != MIXER_NONE)
        l++;
    return &model->layer[l];
}

const char *model_name(struct arena *a, const char *path)
{
    struct err ignored = { ERR_NONE, "" };
    const char *name = NULL, *config;
    const struct span *bytes;
    struct builtin builtin;

    if (builtin_is(path) && builtin_find(&builtin, path, &ignored) == 0)
        return config_card_name(a, builtin.config);
    config = file_join(a, file_folder(a, path), "config.json");
    bytes = str_ends_with(path, ".gguf") ? NULL : file_hold(a, config, &ignored);
    arena_pass_over(a, &ignored);
    if (bytes != NULL)
        name = config_card_name(a, *bytes);
    file_drop(a, bytes);
    return name != NULL ? name : hub_name(a, path);
}
