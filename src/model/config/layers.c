/* SPDX-License-Identifier: MIT
 * Lists in config.json that say what kind each layer is. */
#include <string.h>

#include "base/str.h"
#include "model/config/config_priv.h"

static const struct { const char *name; enum layer_kind kind; } kinds[] = {
    { "full_attention", LAYER_FULL }, { "global", LAYER_FULL },
    { "sliding_attention", LAYER_WINDOW }, { "local", LAYER_WINDOW },
};

static int read_kind(const struct reader *r, const char *key, const json_t *v,
                     enum layer_kind *kind)
{
    for (size_t i = 0; json_is_string(v) && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, json_string_value(v)) == 0) {
            *kind = kinds[i].kind;
            return 0;
        }
    return config_wrong(r, key, v, "a layer type that is supported (full_attention, "
                                   "sliding_attention, global, local)");
}

/* attention_types [[["global", "local"], 6]]: the list, six times. */
static int read_repeated(const struct reader *r, const json_t *outer,
                         enum layer_kind *kind)
{
    int count = 0;

    for (size_t i = 0; i < json_array_size(outer); i++) {
        const json_t *pair = json_array_get(outer, i), *list = json_array_get(pair, 0);
        json_int_t times = json_integer_value(json_array_get(pair, 1));

        for (json_int_t k = 0; k < times && json_array_size(list) > 0; k++)
            for (size_t j = 0; j < json_array_size(list); j++, count++) {
                if (count == r->c->n_layers)
                    return err_set(r->e, ERR_INPUT, "%s: attention_types: more than the "
                                   "%d layer%s", r->file, count, str_plural(count));
                if (read_kind(r, "attention_types", json_array_get(list, j),
                              &kind[count]) != 0)
                    return -1;
            }
    }
    return count == r->c->n_layers ?
               0 :
               err_set(r->e, ERR_INPUT, "%s: attention_types: %d layer%s, expected %d",
                       r->file, count, str_plural(count), r->c->n_layers);
}

static int read_kinds(const struct reader *r, const json_t *root)
{
    static const char *const names[] = { "layer_types", "attention_layers" };
    enum layer_kind *kind = arena_alloc(r->a, (size_t)r->c->n_layers, sizeof *kind);
    const json_t *repeated = config_value(root, "attention_types");

    for (int k = 0; k < 2; k++) {
        const json_t *list = config_value(root, names[k]);

        if (list == NULL)
            continue;
        if ((int)json_array_size(list) != r->c->n_layers)
            return err_set(r->e, ERR_INPUT, "%s: %s: has %zu layer%s, expected %d", r->file,
                           names[k], json_array_size(list),
                           str_plural((int64_t)json_array_size(list)), r->c->n_layers);
        for (int l = 0; l < r->c->n_layers; l++)
            if (read_kind(r, names[k], json_array_get(list, (size_t)l), &kind[l]) != 0)
                return -1;
        r->c->layer_kind = kind;
        return 0;
    }
    if (repeated == NULL)
        return 0;
    r->c->layer_kind = kind;
    return read_repeated(r, repeated, kind);
}

/* mlp_only_layers: [0, 5].  Where a family has no other mlp than experts, no key leaves them out. */
static int read_dense(const struct reader *r, const struct family *f, const json_t *root)
{
    const json_t *list = config_value(root, "mlp_only_layers");
    bool *dense = arena_alloc(r->a, (size_t)r->c->n_layers, sizeof *dense);

    if (f->stack.name[W_UP] == NULL) {
        r->c->experts.first_layer = 0;
        r->c->experts.step = 1;
        return 0;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        json_int_t l = json_integer_value(value);

        if (!json_is_integer(value) || l < 0 || l >= r->c->n_layers)
            return config_wrong(r, "mlp_only_layers", list, "layers of the model");
        dense[l] = true;
    }
    if (json_array_size(list) > 0)
        r->c->experts.dense_layer = dense;
    return 0;
}

static const struct key pattern = {
    KEY_INT, offsetof(struct config, window.pattern), 1, 1 << 16,
    NAMES("sliding_window_pattern", "global_attn_every_n_layers")
};

/* The pattern counts where nothing says it layer by layer, and there is a window. */
int config_layers(const struct reader *r, const struct family *f, const json_t *root)
{
    bool types = f->window_rule == WINDOW_TYPES || f->window_rule == WINDOW_TYPES_BELOW;

    if (types && read_kinds(r, root) != 0)
        return -1;
    if (types && r->c->layer_kind == NULL && r->c->window.n_keys > 0 &&
        config_key(r, &pattern, root, r->c) != 0)
        return -1;
    return read_dense(r, f, root);
}
