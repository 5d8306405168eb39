/* SPDX-License-Identifier: MIT
 * --attention FILE -> a model without weights, and the one text that it is of. */
#include "cmd/ready.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "model/ready.h"
#include "report/report.h"
#include "weights/npz.h"

#define F(f) offsetof(struct shared_args, f)
const struct opt attention_opts[] = {
    { 0, "attention", "FILE", OPT_STRING, F(attention), NULL, 0, 0, NULL,
      "rows of attention that are ready-made, .npz or .npy, instead of a model and a text" },
    { 0 }
};

const struct opt qkv_opts[] = {
    { 0, "qkv", "Q,K,V", OPT_STRING, F(qkv), NULL, 0, 0, NULL,
      "three .npy of queries, keys and values, instead of a model and a text" },
    { 0, "score-scale", "X", OPT_REAL, F(score_scale), NULL, 1e-30, 1e30, NULL,
      "of the scores of --qkv; without it 1 / sqrt(width of a query)" },
    { 0 }
};
#undef F

/* ---- what goes with it ---- */

static int check_options(const struct shared_args *args, struct err *e)
{
    const char *name = args->attention != NULL ? "--attention" : "--qkv";
    const struct { bool wrong; const char *other; } rules[] = {
        { args->attention != NULL && args->qkv != NULL, "--qkv" },
        { args->model != NULL, "-m" },
        { args->heads > 0, "--heads" },
        { args->norm_first, "--norm-first" },
        { args->activation > 0, "--activation" },
        { args->relative > 0, "--relative" },
        { args->input != NULL, "--input" },
        { args->shape != NULL, "--shape" },
        { args->memory != NULL, "--memory" },
        { args->key != NULL, "--key" },
        { args->value != NULL, "--value" },
        { args->ids != NULL, "--ids" },
        { args->decoder_ids != NULL, "--decoder-ids" },
        { args->file != NULL, "-f" },
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return err_set(e, ERR_USAGE, "%s, %s: want one of them", name, rules[i].other);
    return 0;
}

struct model *ready_open(const struct shared_args *args, const struct env *env,
                         const char **path, struct err *e)
{
    *path = args->attention != NULL ? args->attention : args->qkv;
    if (check_options(args, e) != 0)
        return NULL;
    if (args->qkv != NULL)
        return qkv_open(args, env->arena, e);
    return model_open_ready(env->arena, args->attention, e);
}

/* ---- layers ---- */

/* "0-5,7", as -l takes it. */
static const char *layers_of(struct arena *a, const struct model *m, int L)
{
    const char *list = "";

    for (int l = 0; l < L; l++) {
        int first = l;

        if (!model_has_layer(m, l))
            continue;
        while (l + 1 < L && model_has_layer(m, l + 1))
            l++;
        list = arena_printf(a, "%s%s%d", list, list[0] != '\0' ? "," : "", first);
        if (l > first)
            list = arena_printf(a, "%s-%d", list, l);
    }
    return list;
}

int ready_wanted(const struct session *s, struct wanted *want, struct err *e)
{
    const struct shared_args *args = s->args;
    const struct model *m = s->model;
    bool *which, all = args->layer == NULL || strcmp(args->layer, "all") == 0;
    const char *wrong = args->mask != NULL ? "--mask" :
                        args->memory_mask != NULL ? "--memory-mask" :
                        args->dtype != PRECISION_F32 ? "--dtype" : NULL;

    if (m->ready == NULL)
        return 0;
    if (wrong != NULL)
        return err_set(e, ERR_USAGE, "%s: the rows of %s are ready-made, there is nothing "
                       "left to compute", wrong, m->name);
    which = arena_alloc(s->a, (size_t)s->n_layers, sizeof *which);
    for (int l = 0; l < s->n_layers; l++) {
        which[l] = model_has_layer(m, l) && (all || want->layer[l]);
        if (!all && want->layer[l] && !which[l])
            return err_set(e, ERR_USAGE, "--layer: %s holds layers %s, not %d",
                           m->name, layers_of(s->a, m, s->n_layers), l);
    }
    want->layer = which;
    return 0;
}

/* ---- names ---- */

static int names_of_json(struct arena *a, const json_t *list, int n, struct tokens *out,
                         struct err *e)
{
    if (!json_is_array(list))
        return err_set(e, ERR_INPUT, "is no array");
    if (json_array_size(list) != (size_t)n)
        return err_set(e, ERR_INPUT, "%zu names for %d rows, want as many",
                       json_array_size(list), n);
    for (int i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, (size_t)i);

        if (!json_is_string(v))
            return err_set(e, ERR_INPUT, "element %d is no string", i);
        out->label_size[i] = json_string_length(v);
        out->piece[i] = out->label[i] = arena_strndup(a, json_string_value(v),
                                                      out->label_size[i]);
    }
    return 0;
}

/* The names that a member of the file lists; there may be none. */
static int names_of_file(const struct model *m, struct arena *a, const char *member,
                         struct tokens *out, struct err *e)
{
    struct span bytes = npz_bytes(m->weights, member);
    json_error_t why;
    json_t *list;
    int rc;

    if (bytes.data == NULL || out->n == 0)
        return 0;
    if (json_check_size(bytes, e) != 0)
        return err_under(e, "%s: %s", m->name, member);
    list = json_loadb((const char *)bytes.data, bytes.size, JSON_ALLOW_NUL, &why);
    if (list == NULL)
        return err_set(e, ERR_INPUT, "%s: %s: %s", m->name, member, why.text);
    rc = names_of_json(a, list, out->n, out, e);
    json_decref(list);
    return rc == 0 ? 0 : err_under(e, "%s: %s", m->name, member);
}

static int ids_of_file(const struct model *m, struct arena *a, const char *name,
                       struct tokens *out, struct err *e)
{
    const struct tensor *t = weights_find(m->weights, name);
    float *id;

    if (t == NULL || out->n == 0)
        return 0;
    if (t->n_dims != 1 || t->shape[0] != out->n || dtype_table[t->dtype].is_float)
        return err_set(e, ERR_INPUT, "%s: %s: shape %s of type %s, want [%d] of whole "
                       "numbers", m->name, name, tensor_shape(a, t),
                       dtype_table[t->dtype].name, out->n);
    id = arena_alloc_raw(a, (size_t)out->n, sizeof *id);
    out->id = arena_alloc(a, (size_t)out->n, sizeof *out->id);
    tensor_read(id, t, 0, out->n);
    for (int i = 0; i < out->n; i++) {
        if (id[i] < 0 || id[i] >= 0x1p24f)
            return err_set(e, ERR_INPUT, "%s: %s[%d]: %g is no id", m->name, name, i,
                           (double)id[i]);
        out->id[i] = (int)id[i];
    }
    return 0;
}

/* The names of n rows: asked for; or of the file's member and ids, where it has them. */
static int describe(const struct session *s, struct arena *a, int n, const char *option,
                    const char *asked, const char *member, const char *ids,
                    struct tokens *out, struct err *e)
{
    const struct model *m = s->model;

    values_describe(a, m, n, out);
    if (asked != NULL ? layer_name_rows(a, option, asked, out, e) != 0 :
        member != NULL && (names_of_file(m, a, member, out, e) != 0 ||
                           ids_of_file(m, a, ids, out, e) != 0))
        return -1;
    tok_guess(a, out);
    return 0;
}

int ready_item(const struct session *s, struct arena *a, struct item *out, struct err *e)
{
    const struct shared_args *args = s->args;
    const struct model *m = s->model;
    bool two = m->decoder != NULL;
    bool named = npz_bytes(m->weights, "decoder_tokens.json").data != NULL;

    if (args->key_tokens != NULL && (!two || m->ready->n_queries == 0))
        return err_set(e, ERR_USAGE, "--key-tokens: %s has no cross-attention", m->name);
    if (args->tokens != NULL) {
        out->text = args->tokens;
        out->text_size = strlen(args->tokens);
    }
    if (!two)
        return describe(s, a, m->ready->n_queries, "--tokens", args->tokens, "tokens.json",
                        "ids", &out->tokens, e);
    if (describe(s, a, m->decoder->ready->n_queries, "--tokens", args->tokens,
                 named ? "decoder_tokens.json" : "tokens.json", named ? "decoder_ids" : "ids",
                 &out->target, e) != 0)
        return -1;
    return describe(s, a, m->ready->n_queries, "--key-tokens", args->key_tokens,
                    named ? "tokens.json" : NULL, "ids", &out->tokens, e);
}

/* ---- the card ---- */

static const struct ready_layer *stack_of(const struct model *m, enum stack_id stack)
{
    if (!model_has_stack(m, stack))
        return NULL;
    return stack == STACK_CROSS ? m->decoder->ready->cross :
           stack == m->family->stack_id ? m->ready->self : m->decoder->ready->self;
}

/* The model that a stack is of, and the first of its layers that is there. */
static const struct model *owner(const struct model *m, enum stack_id stack, int *first)
{
    const struct ready_layer *layer = stack_of(m, stack);

    if (layer == NULL)
        return NULL;
    for (*first = 0; layer[*first].rows == NULL;)
        ++*first;
    return stack == m->family->stack_id ? m : m->decoder;
}

void ready_card(FILE *f, struct arena *a, const struct model *m)
{
    fprintf(f, "file        %s\n", report_clean(a, m->name, strlen(m->name)));
    for (int i = 0; i < N_STACK; i++) {
        int first;
        const struct model *o = owner(m, (enum stack_id)i, &first);
        const struct tensor *t;

        if (o == NULL)
            continue;
        t = stack_of(m, (enum stack_id)i)[first].rows;
        fprintf(f, "%-11s layers %s, %d heads, %" PRId64 " queries, %" PRId64 " keys, %s%s\n",
                stack_names[i], layers_of(a, m, o->config.n_layers), o->config.n_heads,
                t->shape[1], t->shape[2], dtype_table[t->dtype].name,
                i != STACK_CROSS && o->layer[first].hi == 0 ? ", causal" : "");
    }
    fprintf(f, "hash        %016" PRIx64 "\n", m->hash);
}

static void json_stack(struct jsonw *j, const struct model *m, enum stack_id stack)
{
    int first;
    const struct model *o = owner(m, stack, &first);
    const struct ready_layer *layer = stack_of(m, stack);

    if (o == NULL)
        return;
    jsonw_key(j, stack_names[stack]);
    jsonw_object(j);
    jsonw_key(j, "layers");
    jsonw_array(j);
    for (int l = 0; l < o->config.n_layers; l++)
        if (layer[l].rows != NULL)
            jsonw_int(j, l);
    jsonw_end(j, ']');
    jsonw_key(j, "heads");
    jsonw_int(j, o->config.n_heads);
    jsonw_key(j, "queries");
    jsonw_int(j, layer[first].rows->shape[1]);
    jsonw_key(j, "keys");
    jsonw_int(j, layer[first].rows->shape[2]);
    jsonw_key(j, "dtype");
    jsonw_string(j, dtype_table[layer[first].rows->dtype].name);
    jsonw_key(j, "causal");
    jsonw_bool(j, stack != STACK_CROSS && o->layer[first].hi == 0);
    jsonw_end(j, '}');
}

void ready_json(FILE *f, const struct model *m)
{
    char hash[17];
    struct jsonw j;

    snprintf(hash, sizeof hash, "%016" PRIx64, m->hash);
    jsonw_init(&j, f);
    jsonw_object(&j);
    jsonw_key(&j, "schema");
    jsonw_string(&j, "mha-viz/info/1");
    jsonw_key(&j, "model");
    jsonw_string(&j, m->name);
    jsonw_key(&j, "family");
    jsonw_string(&j, m->family->name);
    jsonw_key(&j, "stacks");
    jsonw_object(&j);
    for (int i = 0; i < N_STACK; i++)
        json_stack(&j, m, (enum stack_id)i);
    jsonw_end(&j, '}');
    jsonw_key(&j, "hash");
    jsonw_string(&j, hash);
    jsonw_end(&j, '}');
    jsonw_newline(&j);
}
