/* SPDX-License-Identifier: MIT
 * config.json -> sparse attention: windows by layer, global tokens, blocks of keys. */
#include <string.h>

#include "base/str.h"
#include "model/config/config_priv.h"
#include "model/quirks.h"

static const char *const window_want = "an even number of 2 to 1073741824, or a list with "
                                       "one per layer";

static int read_window(const struct reader *reader, const json_t *all, const json_t *v,
                       int *window)
{
    json_int_t n = json_integer_value(v);

    if (!json_is_integer(v) || n < 2 || n > 1 << 30 || n % 2 != 0)
        return config_wrong(reader, "attention_window", all, window_want);
    *window = (int)n;
    return 0;
}

/* attention_window: one number, or one a layer. */
static int read_windows(const struct reader *reader, const json_t *root)
{
    const json_t *value = config_value(root, "attention_window");
    int *window, L = reader->c->n_layers;

    if (value == NULL)
        return 0;
    if (!json_is_array(value))
        return read_window(reader, value, value, &reader->c->window.n_keys);
    if ((int)json_array_size(value) != L)
        return err_set(reader->e, ERR_INPUT, "%s: attention_window: has %zu layer%s, expected %d",
                       reader->file, json_array_size(value),
                       str_plural((int64_t)json_array_size(value)), L);
    reader->c->window.by_layer = window = arena_alloc(reader->a, (size_t)L, sizeof *window);
    for (int l = 0; l < L; l++)
        if (read_window(reader, value, json_array_get(value, (size_t)l), &window[l]) != 0)
            return -1;
    return 0;
}

static const struct key sep = {
    KEY_INT, offsetof(struct config, sparse.sep_id), 0, 1 << 28, NAMES("sep_token_id")
};

/* What the reference library's class for a task makes global by itself. */
static int read_global_rule(const struct reader *reader, const struct family *family,
                            const json_t *root)
{
    const json_t *list = config_value(root, "architectures");
    const char *name = json_string_value(json_array_get(list, 0));
    const struct class_rule *rule = quirks_of(family)->global_rule;

    for (int i = 0; i < QUIRKS_RULES && name != NULL && rule[i].class_name != NULL; i++)
        if (strcmp(rule[i].class_name, name) == 0)
            reader->c->sparse.rule = rule[i].rule;
    return config_key(reader, &sep, root, reader->c);
}

static const struct key block_keys[] = {
    { KEY_INT, offsetof(struct config, sparse.block), 1, 1 << 20, NAMES("block_size") },
    { KEY_INT, offsetof(struct config, sparse.n_random), 1, 1 << 12, NAMES("num_random_blocks") },
};

static int read_blocks(const struct reader *reader, const json_t *root)
{
    const json_t *type = config_value(root, "attention_type");
    const char *text = type != NULL ? json_string_value(type) : "block_sparse";

    if (text == NULL ||
        (strcmp(text, "block_sparse") != 0 && strcmp(text, "original_full") != 0))
        return config_wrong(reader, "attention_type", type, "block_sparse or original_full");
    for (size_t i = 0; i < sizeof block_keys / sizeof block_keys[0]; i++)
        if (config_key(reader, &block_keys[i], root, reader->c) != 0)
            return -1;
    if (strcmp(text, "original_full") == 0)
        reader->c->sparse.block = 0;
    if (reader->c->sparse.block > 0 && reader->c->is_decoder)
        return err_set(reader->e, ERR_INPUT, "%s: is_decoder: true is not supported with "
                       "attention_type block_sparse, expected original_full", reader->file);
    return 0;
}

int config_sparse(const struct reader *reader, const struct family *family, const json_t *root)
{
    if (family_has(family, W_Q_GLOBAL) &&
        (read_windows(reader, root) != 0 || read_global_rule(reader, family, root) != 0))
        return -1;
    return family->defaults.sparse.block > 0 ? read_blocks(reader, root) : 0;
}
