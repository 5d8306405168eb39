/* SPDX-License-Identifier: MIT
 * --attention FILE -> a model without weights that returns the file's attention, and its text. */
#include "session/source/precomputed.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "model/precomputed.h"
#include "weights/npz.h"

/* ---- opening ---- */

struct model *precomputed_open(const struct asked *asked, const struct env *env,
                         const char **path, struct err *e)
{
    *path = asked->attention != NULL ? asked->attention : asked->qkv;
    if (asked->qkv != NULL)
        return qkv_open(asked, env->arena, e);
    return model_open_precomputed(env->arena, asked->attention, e);
}

int precomputed_options(const struct session *session, struct err *e)
{
    const struct asked *asked = session->asked;
    const struct model *model = session->model;
    const char *wrong = asked->mask != NULL ? "--mask" :
                        asked->memory_mask != NULL ? "--memory-mask" :
                        asked->dtype != PRECISION_F32 ? "--dtype" :
                        asked->fast != FAST_NONE ? "--fast" : NULL;

    if (model->precomputed == NULL || wrong == NULL)
        return 0;
    return err_set(e, ERR_USAGE, "%s: the attention of %s is precomputed, and there is nothing "
                   "left to compute", wrong, model->name);
}

/* ---- names ---- */

static int names_of_json(struct arena *a, const json_t *list, int n, struct tokens *out,
                         struct err *e)
{
    if (!json_is_array(list))
        return err_set(e, ERR_INPUT, "is not an array");
    if (json_array_size(list) != (size_t)n)
        return err_set(e, ERR_INPUT, "%zu name%s for %d row%s, expected the same number",
                       json_array_size(list), str_plural((int64_t)json_array_size(list)), n,
                       str_plural(n));
    for (int i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, (size_t)i);

        if (!json_is_string(value))
            return err_set(e, ERR_INPUT, "element %d is not a string", i);
        out->label_size[i] = json_string_length(value);
        out->piece[i] = out->label[i] = arena_strndup(a, json_string_value(value),
                                                      out->label_size[i]);
    }
    return 0;
}

/* The same of an array of strings. */
static int names_of_strings(struct arena *a, const struct tensor *strings,
                            struct tokens *out, struct err *e)
{
    if (strings->shape[0] != out->n)
        return err_set(e, ERR_INPUT, "%s: %lld name%s for %d row%s, expected the same number",
                       strings->name, (long long)strings->shape[0],
                       str_plural(strings->shape[0]), out->n, str_plural(out->n));
    for (int i = 0; i < out->n; i++) {
        char *name = npz_string(strings, i, a, &out->label_size[i], e);

        if (name == NULL)
            return -1;
        out->piece[i] = out->label[i] = name;
    }
    return 0;
}

/* The names that an array of the file, or its list NAME.json, holds; there may be none. */
static int names_of_file(const struct model *model, struct arena *a, const char *name,
                         struct tokens *out, struct err *e)
{
    const struct tensor *strings = npz_strings(model->weights, name);
    const char *member = arena_printf(a, "%s.json", name);
    struct span bytes = npz_bytes(model->weights, member);
    json_t *list;
    int status;

    if (strings != NULL && out->n > 0)
        return names_of_strings(a, strings, out, e) == 0 ? 0 : err_under(e, "%s", model->name);
    if (bytes.data == NULL || out->n == 0)
        return 0;
    list = json_read(a, bytes, JSON_ALLOW_NUL, e);
    status = list != NULL ? names_of_json(a, list, out->n, out, e) : -1;
    json_drop(a, list);
    return status == 0 ? 0 : err_under(e, "%s: %s", model->name, member);
}

static int ids_of_file(const struct model *model, struct arena *a, const char *name,
                       struct tokens *out, struct err *e)
{
    const struct tensor *tensor = weights_find(model->weights, name);
    float *id;

    if (tensor == NULL || out->n == 0)
        return 0;
    if (tensor->n_dims != 1 || tensor->shape[0] != out->n ||
        dtype_table[tensor->dtype].is_float)
        return err_set(e, ERR_INPUT, "%s: %s: shape %s of type %s, expected [%d] of whole "
                       "numbers", model->name, name, tensor_shape(a, tensor),
                       dtype_table[tensor->dtype].name, out->n);
    id = arena_alloc_raw(a, (size_t)out->n, sizeof *id);
    out->id = arena_alloc(a, (size_t)out->n, sizeof *out->id);
    tensor_read(id, tensor, 0, out->n);
    for (int i = 0; i < out->n; i++) {
        if (id[i] < 0 || id[i] >= 0x1p24f)
            return err_set(e, ERR_INPUT, "%s: %s[%d]: %g is not an id", model->name, name, i,
                           (double)id[i]);
        out->id[i] = (int)id[i];
    }
    return 0;
}

static bool has_names(const struct model *model, const char *name, const char *member)
{
    return npz_strings(model->weights, name) != NULL ||
           npz_bytes(model->weights, member).data != NULL;
}

/* Where the names of rows are. */
struct names {
    const char *option, *asked; /* given by this option; asked NULL: not given */
    const char *const *label;   /* [n_labels]; NULL: none are given */
    int n_labels;
    const char *array, *ids;    /* arrays of the file; array NULL: it has none */
};

static int names_of_labels(struct arena *a, const struct names *names, struct tokens *out,
                           struct err *e)
{
    if (names->n_labels != out->n)
        return err_set(e, ERR_USAGE, "%d label%s for %d row%s, expected the same number",
                       names->n_labels, str_plural(names->n_labels), out->n, str_plural(out->n));
    for (int i = 0; i < out->n; i++) {
        out->label_size[i] = strlen(names->label[i]);
        out->piece[i] = out->label[i] = arena_strdup(a, names->label[i]);
    }
    return 0;
}

/* The names of n rows: asked for; or of the file's tokens and ids, where it has them. */
static int session_precomputed_describe(const struct session *session, struct arena *a, int n,
                                        const struct names *names, struct tokens *out,
                                        struct err *e)
{
    const struct model *model = session->model;

    values_describe(a, model, NULL, n, out);
    if (names->asked != NULL ?
            layer_name_rows(a, names->option, names->asked, out, e) != 0 :
        names->label != NULL ? names_of_labels(a, names, out, e) != 0 :
        names->array != NULL && (names_of_file(model, a, names->array, out, e) != 0 ||
                                 ids_of_file(model, a, names->ids, out, e) != 0))
        return -1;
    tok_guess(a, out);
    return 0;
}

int precomputed_item(const struct session *session, struct arena *a, struct item *out,
                     struct err *e)
{
    static const struct asked_labels none = { .n_queries = 0 };
    const struct asked *asked = session->asked;
    const struct asked_labels *labels = asked->labels != NULL ? asked->labels : &none;
    const struct model *model = session->model;
    bool two = model->decoder != NULL;
    bool named = has_names(model, "decoder_tokens", "decoder_tokens.json") ||
                 weights_find(model->weights, "decoder_ids") != NULL;
    const struct names queries = { "--tokens", asked->tokens, labels->query, labels->n_queries,
                                   two && named ? "decoder_tokens" : "tokens",
                                   two && named ? "decoder_ids" : "ids" };
    const struct names keys = { "--key-tokens", asked->key_tokens, labels->key, labels->n_keys,
                                named ? "tokens" : NULL, "ids" };

    if ((asked->key_tokens != NULL || labels->key != NULL) &&
        (!two || model->precomputed->n_queries == 0))
        return err_set(e, ERR_USAGE, "%s: %s has no cross-attention",
                       asked->key_tokens != NULL ? "--key-tokens" : "labels of keys",
                       model->name);
    if (asked->tokens != NULL) {
        out->text = layer_names_text(a, asked->tokens);
        out->text_size = strlen(out->text);
    }
    if (!two)
        return session_precomputed_describe(session, a, model->precomputed->n_queries, &queries,
                                            &out->tokens, e);
    if (session_precomputed_describe(session, a, model->decoder->precomputed->n_queries, &queries,
                                     &out->target, e) != 0)
        return -1;
    return session_precomputed_describe(session, a, model->precomputed->n_queries, &keys,
                                        &out->tokens, e);
}
