/* SPDX-License-Identifier: MIT
 * Lists of layers in config.json -> the kind of each layer. */
#include <string.h>

#include "base/str.h"
#include "model/config/config_priv.h"
#include "model/quirks.h"

static const struct kind {
    const char *name;
    enum layer_kind kind;
    bool windows;               /* of families with windows alone */
    enum mixer mixer;           /* of those with this one */
} kinds[] = {
    { "full_attention", LAYER_FULL },
    { "sliding_attention", LAYER_WINDOW, .windows = true },
    { "global", LAYER_FULL, .windows = true }, { "local", LAYER_WINDOW, .windows = true },
    { "chunked_attention", LAYER_CHUNKS },
    { "conv", LAYER_MIXER, .mixer = MIXER_CONV },
    { "linear_attention", LAYER_MIXER, .mixer = MIXER_DELTA },
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static bool has_windows(const struct family *family)
{
    return family->window_rule == WINDOW_TYPES || family->window_rule == WINDOW_TYPES_BELOW;
}

/* Chunks of neighbours in the layers that layer_types says, not of the lists in chunks.c. */
static bool has_chunks(const struct family *family)
{
    return family->defaults.chunked.near.len > 0 && family->defaults.chunked.hashed.len == 0;
}

static bool knows(const struct family *family, const struct kind *k)
{
    return k->windows ? has_windows(family) : k->kind == LAYER_CHUNKS ? has_chunks(family) :
           k->kind == LAYER_FULL || family->mixer == k->mixer;
}

static int read_kind(const struct reader *reader, const struct family *family, const char *key,
                     const json_t *v, enum layer_kind *kind)
{
    const char *all = "";

    for (int i = 0; i < N_KINDS; i++) {
        if (!knows(family, &kinds[i]))
            continue;
        if (json_is_string(v) && strcmp(kinds[i].name, json_string_value(v)) == 0) {
            *kind = kinds[i].kind;
            return 0;
        }
        all = arena_printf(reader->a, "%s%s%s", all, all[0] != '\0' ? ", " : "", kinds[i].name);
    }
    return config_wrong(reader, key, v,
                        arena_printf(reader->a, "a layer type that is supported (%s)", all));
}

/* attention_types [[["global", "local"], 6]]: the list, six times. */
static int read_repeated(const struct reader *reader, const struct family *family,
                         const json_t *outer, enum layer_kind *kind)
{
    int count = 0;

    for (size_t i = 0; i < json_array_size(outer); i++) {
        const json_t *pair = json_array_get(outer, i), *list = json_array_get(pair, 0);
        json_int_t times = json_integer_value(json_array_get(pair, 1));

        for (json_int_t k = 0; k < times && json_array_size(list) > 0; k++)
            for (size_t j = 0; j < json_array_size(list); j++, count++) {
                if (count == reader->c->n_layers)
                    return err_set(reader->e, ERR_INPUT, "%s: attention_types: more than the "
                                   "%d layer%s", reader->file, count, str_plural(count));
                if (read_kind(reader, family, "attention_types", json_array_get(list, j),
                              &kind[count]) != 0)
                    return -1;
            }
    }
    return count == reader->c->n_layers ?
               0 :
               err_set(reader->e, ERR_INPUT, "%s: attention_types: %d layer%s, expected %d",
                       reader->file, count, str_plural(count), reader->c->n_layers);
}

static int read_kinds(const struct reader *reader, const struct family *family, const json_t *root)
{
    static const char *const names[] = { "layer_types", "attention_layers" };
    enum layer_kind *kind = arena_alloc(reader->a, (size_t)reader->c->n_layers, sizeof *kind);
    const json_t *repeated = config_value(root, "attention_types");

    for (int k = 0; k < 2; k++) {
        const json_t *list = config_value(root, names[k]);

        if (list == NULL)
            continue;
        if ((int)json_array_size(list) != reader->c->n_layers)
            return err_set(reader->e, ERR_INPUT, "%s: %s: has %zu layer%s, expected %d",
                           reader->file, names[k], json_array_size(list),
                           str_plural((int64_t)json_array_size(list)), reader->c->n_layers);
        for (int l = 0; l < reader->c->n_layers; l++)
            if (read_kind(reader, family, names[k], json_array_get(list, (size_t)l), &kind[l]) != 0)
                return -1;
        reader->c->layer_kind = kind;
        return 0;
    }
    if (repeated == NULL)
        return 0;
    reader->c->layer_kind = kind;
    return read_repeated(reader, family, repeated, kind);
}

/* full_attn_idxs [2, 5]: layers that attend, where layer_types does not say it. */
static int read_attending(const struct reader *reader, const json_t *list, enum layer_kind *kind)
{
    for (int l = 0; l < reader->c->n_layers; l++)
        kind[l] = LAYER_MIXER;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);

        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            json_integer_value(value) >= reader->c->n_layers)
            return config_wrong(reader, "full_attn_idxs", list, "layers of the model");
        kind[json_integer_value(value)] = LAYER_FULL;
    }
    return 0;
}

static const struct key attends_every = {
    KEY_INT, offsetof(struct config, mix.every), 1, 1 << 16, NAMES("full_attention_interval")
};

/* Which layers have the family's mixer instead of attention; at least one has not. */
static int read_mixers(const struct reader *reader, const struct family *family, const json_t *root)
{
    const json_t *list = config_value(root, "full_attn_idxs");
    int L = reader->c->n_layers, n = 0;
    enum layer_kind *kind;

    if (family->mixer == MIXER_NONE)
        return 0;
    kind = arena_alloc(reader->a, (size_t)L, sizeof *kind);
    if (family->defaults.mix.every > 0 && config_key(reader, &attends_every, root, reader->c) != 0)
        return -1;
    for (int l = 0; l < L && reader->c->layer_kind == NULL; l++)
        kind[l] = reader->c->mix.every > 0 && (l + 1) % reader->c->mix.every != 0 ? LAYER_MIXER :
                                                                                    LAYER_FULL;
    if (reader->c->layer_kind == NULL && list != NULL && family->defaults.mix.every == 0 &&
        read_attending(reader, list, kind) != 0)
        return -1;
    if (reader->c->layer_kind == NULL)
        reader->c->layer_kind = kind;
    for (int l = 0; l < L; l++)
        n += reader->c->layer_kind[l] != LAYER_MIXER;
    return n > 0 ? 0 :
                   err_set(reader->e, ERR_INPUT,
                           "%s: none of the %d layer%s attends: there are no "
                           "rows of attention to show",
                           reader->file, L, str_plural(L));
}

static const struct key chunk_size = {
    KEY_INT, offsetof(struct config, chunked.near.len), 1, 1 << 30, NAMES("attention_chunk_size")
};

/* Without layer_types, layers that are rotated attend in chunks; where those are null, no layer
 * does. */
static int read_chunks(const struct reader *reader, const struct family *family, const json_t *root)
{
    struct config *c = reader->c;
    enum layer_kind *kind;

    if (!has_chunks(family))
        return 0;
    if (config_key(reader, &chunk_size, root, c) != 0)
        return -1;
    kind = arena_alloc(reader->a, (size_t)c->n_layers, sizeof *kind);
    for (int l = 0; l < c->n_layers; l++)
        kind[l] = (c->layer_kind != NULL ? c->layer_kind[l] == LAYER_CHUNKS :
                                           config_rotates(c, l)) &&
                               !json_is_null(json_object_get(root, "attention_chunk_size")) ?
                      LAYER_CHUNKS : LAYER_FULL;
    c->layer_kind = kind;
    return 0;
}

/* mlp_only_layers: [0, 5]; or moe_layers, all the others.  Where a family has no other mlp than
 * experts, no key leaves them out. */
static int read_dense(const struct reader *reader, const struct family *family, const json_t *root)
{
    const json_t *list = config_value(root, "mlp_only_layers");
    const json_t *routed = quirks_of(family)->dense_apart ? config_value(root, "moe_layers") : NULL;
    bool *dense = arena_alloc(reader->a, (size_t)reader->c->n_layers, sizeof *dense);

    if (!family_has(family, W_UP)) {
        reader->c->experts.first_layer = 0;
        reader->c->experts.step = 1;
        return 0;
    }
    if (routed != NULL) {
        reader->c->experts.step = 1;
        memset(dense, 1, (size_t)reader->c->n_layers * sizeof *dense);
        list = routed;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        json_int_t l = json_integer_value(value);

        if (!json_is_integer(value) || l < 0 || l >= reader->c->n_layers)
            return config_wrong(reader, routed != NULL ? "moe_layers" : "mlp_only_layers", list,
                                "layers of the model");
        dense[l] = routed == NULL;
    }
    if (json_array_size(list) > 0 || routed != NULL)
        reader->c->experts.dense_layer = dense;
    return 0;
}

static const struct key pattern = {
    KEY_INT, offsetof(struct config, window.pattern), 1, 1 << 16,
    NAMES("sliding_window_pattern", "global_attn_every_n_layers")
};

/* The pattern counts where nothing says it layer by layer, and there is a window. */
int config_layers(const struct reader *reader, const struct family *family, const json_t *root)
{
    bool types = has_windows(family);

    if ((types || has_chunks(family) || family->mixer != MIXER_NONE) &&
        read_kinds(reader, family, root) != 0)
        return -1;
    if (read_mixers(reader, family, root) != 0 || read_chunks(reader, family, root) != 0)
        return -1;
    if (types && reader->c->layer_kind == NULL && reader->c->window.n_keys > 0 &&
        config_key(reader, &pattern, root, reader->c) != 0)
        return -1;
    return read_dense(reader, family, root);
}
