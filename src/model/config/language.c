/* SPDX-License-Identifier: MIT
 * config.json -> adapters of languages (X-MOD): the language used, their width, their input. */
#include <string.h>

#include "model/config/config_priv.h"

#define F(f) offsetof(struct config, f)
static const struct key norms[] = {
    { KEY_BOOL, F(language.own_norm), 0, 0, NAMES("adapter_layer_norm") },
    { KEY_BOOL, F(language.mlp_norm), 0, 0, NAMES("adapter_reuse_layer_norm") },
    { KEY_BOOL, F(language.norm_first), 0, 0, NAMES("ln_before_adapter") },
};
static const struct key reduction = { KEY_INT, 0, 1, 1 << 20, NAMES("adapter_reduction_factor") };
#undef F

/* It is a part of the names of tensors. */
static bool is_name(const char *s)
{
    return s != NULL && s[0] != '\0' && strlen(s) < 64 && s[strcspn(s, ".|%")] == '\0';
}

/* "languages": ["en_XX", "de_DE"]; name is one of them, or becomes the first; the family's
 * where there is no list. */
static int config_language_choose(const struct reader *reader, const json_t *list,
                                  const char **name)
{
    bool found = false;

    if (list == NULL)
        return 0;
    if (json_array_size(list) == 0)
        return config_wrong(reader, "languages", list, "a list of names");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));

        if (!is_name(one))
            return config_wrong(reader, "languages", list, "a list of names");
        found = found || (*name != NULL && strcmp(one, *name) == 0);
    }
    if (*name == NULL)
        *name = json_string_value(json_array_get(list, 0));
    else if (!found)
        return err_set(reader->e, ERR_INPUT, "%s: default_language: found \"%s\", expected one of "
                       "languages", reader->file, *name);
    return 0;
}

static int read_name(const struct reader *reader, const json_t *root)
{
    const json_t *value = config_value(root, "default_language");
    const char *name = json_string_value(value);

    if (value != NULL && !is_name(name))
        return config_wrong(reader, "default_language", value, "one of languages");
    if (config_language_choose(reader, config_value(root, "languages"), &name) != 0)
        return -1;
    reader->c->language.assumed = value == NULL;
    if (name != NULL)
        reader->c->language.name = arena_strdup(reader->a, name);
    return 0;
}

/* D over a whole number. */
static int read_width(const struct reader *reader, const json_t *root)
{
    int factor = 2;                     /* XmodConfig's */

    if (config_key(reader, &reduction, root, &factor) != 0)
        return -1;
    reader->c->language.d = reader->c->d_model / factor;
    return reader->c->language.d > 0 ?
               0 :
               err_set(reader->e, ERR_INPUT,
                       "%s: adapter_reduction_factor: found %d, expected at most the "
                       "hidden_size %d",
                       reader->file, factor, reader->c->d_model);
}

int config_language(const struct reader *reader, const struct family *family, const json_t *root)
{
    if (family->defaults.language.name == NULL)
        return 0;
    for (size_t i = 0; i < sizeof norms / sizeof norms[0]; i++)
        if (config_key(reader, &norms[i], root, reader->c) != 0)
            return -1;
    return read_width(reader, root) != 0 ? -1 : read_name(reader, root);
}
