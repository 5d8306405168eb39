/* SPDX-License-Identifier: MIT
 * config.json -> struct config, through one table of keys. */
#include "model/config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/family.h"

struct reader {
    struct config *c;
    struct arena *a;
    const char *file;
    struct err *e;
};

/* ---- one row a number ---- */

enum key_type { KEY_INT, KEY_REAL, KEY_BOOL, KEY_ACT };

struct key {
    enum key_type type;
    size_t field;
    double min, max;
    const char *name[8];        /* the first that is there and not null wins */
};

#define F(f) offsetof(struct config, f)
static const struct key keys[] = {
    { KEY_INT, F(n_layers), 1, 1 << 16, { "num_hidden_layers", "n_layer" } },
    { KEY_INT, F(n_heads), 1, 1 << 16, { "num_attention_heads", "n_head" } },
    { KEY_INT, F(n_kv_heads), 1, 1 << 16, { "num_key_value_heads" } },
    { KEY_INT, F(d_model), 1, 1 << 20, { "hidden_size", "n_embd" } },
    { KEY_INT, F(d_head), 1, 1 << 16, { "head_dim" } },
    { KEY_INT, F(d_ff), 1, 1 << 24, { "intermediate_size", "n_inner" } },
    { KEY_INT, F(n_vocab), 1, 1 << 28, { "vocab_size" } },
    { KEY_INT, F(n_positions), 1, 1 << 30, { "max_position_embeddings", "n_positions" } },
    { KEY_INT, F(n_types), 1, 1 << 16, { "type_vocab_size" } },
    { KEY_REAL, F(norm_eps), 0, 1,
      { "layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps" } },
    { KEY_ACT, F(act), 0, 0, { "hidden_act", "activation_function" } },
    { KEY_BOOL, F(is_decoder), 0, 0, { "is_decoder" } },
    { KEY_BOOL, F(scale_scores), 0, 0, { "scale_attn_weights" } },
    { KEY_BOOL, F(scale_by_layer), 0, 0, { "scale_attn_by_inverse_layer_idx" } },
    { KEY_REAL, F(rope_theta), 1, 1e12, { "rope_theta" } },
};

/* The names that the reference library gives to one and the same function. */
static const struct { const char *name; enum act act; } acts[] = {
    { "gelu", ACT_GELU }, { "gelu_python", ACT_GELU },
    { "gelu_new", ACT_GELU_TANH }, { "gelu_pytorch_tanh", ACT_GELU_TANH },
    { "gelu_fast", ACT_GELU_TANH }, { "gelu_accurate", ACT_GELU_TANH },
    { "quick_gelu", ACT_QUICK_GELU }, { "silu", ACT_SILU }, { "swish", ACT_SILU },
    { "relu", ACT_RELU }, { "tanh", ACT_TANH },
};

/* The value of key, NULL where it is absent or null. */
static const json_t *value_of(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);

    return v == NULL || json_is_null(v) ? NULL : v;
}

static int wrong(const struct reader *r, const char *key, const json_t *found,
                 const char *want)
{
    char *text = json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT);

    err_set(r->e, ERR_INPUT, "%s: %s: found %.60s, want %s", r->file, key,
            text != NULL ? text : "?", want);
    free(text);
    return -1;
}

static int read_number(const struct reader *r, const struct key *k,
                       const char *name, const json_t *v, void *field)
{
    double d = json_number_value(v);
    bool ok = k->type == KEY_INT ? json_is_integer(v) : json_is_number(v);

    if (!ok || !(d >= k->min && d <= k->max)) {
        char want[64];

        snprintf(want, sizeof want, "%s of %.12g to %.12g",
                 k->type == KEY_INT ? "a whole number" : "a number", k->min, k->max);
        return wrong(r, name, v, want);
    }
    if (k->type == KEY_INT)
        *(int *)field = (int)d;
    else
        *(double *)field = d;
    return 0;
}

static int read_act(const struct reader *r, const char *name, const json_t *v,
                    enum act *act)
{
    const char *s = json_string_value(v);

    for (size_t i = 0; s != NULL && i < sizeof acts / sizeof acts[0]; i++)
        if (strcmp(acts[i].name, s) == 0) {
            *act = acts[i].act;
            return 0;
        }
    return wrong(r, name, v, "an activation that is supported (gelu, gelu_new, "
                             "gelu_pytorch_tanh, quick_gelu, silu, relu, tanh)");
}

static int read_key(const struct reader *r, const struct key *k, const json_t *root)
{
    void *field = (char *)r->c + k->field;
    const json_t *v = NULL;
    const char *name = NULL;

    for (int i = 0; v == NULL && k->name[i] != NULL; i++)
        v = value_of(root, name = k->name[i]);
    if (v == NULL)
        return 0;
    if (k->type == KEY_ACT)
        return read_act(r, name, v, field);
    if (k->type != KEY_BOOL)
        return read_number(r, k, name, v, field);
    if (!json_is_boolean(v))
        return wrong(r, name, v, "true or false");
    *(bool *)field = json_is_true(v);
    return 0;
}

/* ---- rotary positions ---- */

static const struct key rope_keys[] = {
    { KEY_REAL, F(rope_theta), 1, 1e12, { "rope_theta" } },
    { KEY_REAL, F(rope_factor), 1e-3, 1e6, { "factor" } },
    { KEY_REAL, F(rope_low), 1e-3, 1e6, { "low_freq_factor" } },
    { KEY_REAL, F(rope_high), 1e-3, 1e6, { "high_freq_factor" } },
    { KEY_INT, F(rope_original), 1, 1 << 30, { "original_max_position_embeddings" } },
};
#undef F

/* Styles: rope_theta and rope_scaling (transformers 4), rope_parameters (5). */
static int read_rope(const struct reader *r, const json_t *root)
{
    static const char *const types[] = { "default", "linear", "llama3" };
    const char *key = value_of(root, "rope_parameters") != NULL ? "rope_parameters"
                                                               : "rope_scaling";
    const json_t *rope = value_of(root, key), *type;

    if (rope == NULL)
        return 0;
    if (!json_is_object(rope))
        return wrong(r, key, rope, "an object");
    type = value_of(rope, "rope_type");
    if (type == NULL)
        type = value_of(rope, "type");
    for (size_t i = 0; i < sizeof rope_keys / sizeof rope_keys[0]; i++)
        if (read_key(r, &rope_keys[i], rope) != 0)
            return -1;
    if (type == NULL)
        return 0;
    for (int i = 0; i < 3; i++)
        if (json_is_string(type) && strcmp(json_string_value(type), types[i]) == 0) {
            r->c->rope_scaling = (enum rope_scaling)i;
            return 0;
        }
    return wrong(r, "rope_type", type, "one that is supported (default, linear, llama3)");
}

/* ---- the whole ---- */

/* Keys that ask for another network than the one that would be computed. */
static int refuse(const struct reader *r, const json_t *root)
{
    const json_t *v = value_of(root, "quantization_config");
    const char *method;

    if (v != NULL) {
        method = json_string_value(json_object_get(v, "quant_method"));
        return err_set(r->e, ERR_INPUT, "%s: quantization_config: weights quantised "
                       "by %s are not supported, want F32, F16, BF16 or F64",
                       r->file, method != NULL ? method : "an unnamed method");
    }
    if (json_is_true(value_of(root, "add_cross_attention")))
        return err_set(r->e, ERR_INPUT, "%s: add_cross_attention: true is not "
                       "supported for this family, want false", r->file);
    v = value_of(root, "position_embedding_type");
    if (v != NULL && (!json_is_string(v) ||
                      strcmp(json_string_value(v), "absolute") != 0))
        return wrong(r, "position_embedding_type", v, "\"absolute\"");
    return 0;
}

/* What the project's own models say of themselves. */
static void read_card(const struct reader *r, const json_t *root)
{
    const json_t *card = json_object_get(root, "mha_viz");
    const char *name = json_string_value(json_object_get(card, "name"));
    const char *text = json_string_value(json_object_get(card, "default_text"));
    const json_t *layer = json_object_get(card, "default_layer");

    r->c->default_layer = -1;
    if (name != NULL)
        r->c->model_name = arena_strdup(r->a, name);
    if (text != NULL)
        r->c->default_text = arena_strdup(r->a, text);
    if (json_is_integer(layer) && json_integer_value(layer) >= 0 &&
        json_integer_value(layer) < r->c->n_layers)
        r->c->default_layer = (int)json_integer_value(layer);
}

/* Numbers that follow from others, and must fit them. */
static int derive(const struct reader *r, const struct family *f)
{
    struct config *c = r->c;

    if (c->d_head == 0 && c->d_model % c->n_heads != 0)
        return err_set(r->e, ERR_INPUT, "%s: hidden_size %d is not a multiple of the "
                       "%d heads, and there is no head_dim", r->file, c->d_model,
                       c->n_heads);
    if (c->d_head == 0)
        c->d_head = c->d_model / c->n_heads;
    if (c->n_kv_heads == 0)
        c->n_kv_heads = c->n_heads;
    if (c->d_ff == 0)
        c->d_ff = 4 * c->d_model;
    if (c->n_heads % c->n_kv_heads != 0)
        return err_set(r->e, ERR_INPUT, "%s: num_key_value_heads: found %d, want a "
                       "divisor of the %d heads", r->file, c->n_kv_heads, c->n_heads);
    if ((double)c->n_heads * c->d_head > 1 << 24)
        return err_set(r->e, ERR_INPUT, "%s: %d heads of width %d: want %d columns at "
                       "the most", r->file, c->n_heads, c->d_head, 1 << 24);
    if (f->positions == POS_ROPE && c->d_head % 2 != 0)
        return err_set(r->e, ERR_INPUT, "%s: head width %d: rotary positions want an "
                       "even one", r->file, c->d_head);
    if (c->rope_scaling != ROPE_DEFAULT && c->rope_factor == 0)
        return err_set(r->e, ERR_INPUT, "%s: the rope scaling has no factor", r->file);
    if (c->rope_scaling == ROPE_LLAMA3 &&
        (c->rope_original == 0 || !(c->rope_low > 0 && c->rope_high > c->rope_low)))
        return err_set(r->e, ERR_INPUT, "%s: rope type llama3 wants low_freq_factor "
                       "below high_freq_factor, and original_max_position_embeddings",
                       r->file);
    return 0;
}

static int find_family(const struct reader *r, const json_t *root,
                       const struct family **family)
{
    const json_t *type = value_of(root, "model_type");
    char all[256] = "";

    if (type == NULL)
        return err_set(r->e, ERR_INPUT, "%s: has no model_type", r->file);
    *family = json_is_string(type) ? family_find(json_string_value(type)) : NULL;
    if (*family != NULL)
        return 0;
    for (int i = 0; family_table[i] != NULL; i++) {
        size_t n = strlen(all);

        snprintf(all + n, sizeof all - n, "%s%s", i > 0 ? ", " : "one of ",
                 family_table[i]->name);
    }
    return wrong(r, "model_type", type, all);
}

static int read_all(struct reader *r, const struct family **family, const json_t *root)
{
    if (!json_is_object(root))
        return err_set(r->e, ERR_INPUT, "%s: is no JSON object", r->file);
    if (find_family(r, root, family) != 0 || refuse(r, root) != 0)
        return -1;
    *r->c = (*family)->defaults;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (read_key(r, &keys[i], root) != 0)
            return -1;
    if (read_rope(r, root) != 0 || derive(r, *family) != 0)
        return -1;
    read_card(r, root);
    return 0;
}

int config_read(struct config *c, const struct family **family, struct arena *a,
                struct span bytes, const char *name, struct err *e)
{
    struct reader r = { c, a, name, e };
    json_error_t why;
    json_t *root = json_loadb((const char *)bytes.data, bytes.size, 0, &why);
    int rc;

    if (root == NULL)
        return err_set(e, ERR_INPUT, "%s: line %d: %s", name, why.line, why.text);
    rc = read_all(&r, family, root);
    json_decref(root);
    return rc;
}
