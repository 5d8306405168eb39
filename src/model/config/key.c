/* SPDX-License-Identifier: MIT
 * One key of config.json -> the field that its row names. */
#include <string.h>

#include "base/json_field.h"
#include "model/config/config_priv.h"

/* The names that the reference library gives to one and the same function. */
static const struct { const char *name; enum act act; } acts[] = {
    { "gelu", ACT_GELU }, { "gelu_python", ACT_GELU },
    { "gelu_new", ACT_GELU_TANH }, { "gelu_pytorch_tanh", ACT_GELU_TANH },
    { "gelu_fast", ACT_GELU_TANH }, { "gelu_accurate", ACT_GELU_TANH },
    { "quick_gelu", ACT_QUICK_GELU }, { "silu", ACT_SILU }, { "swish", ACT_SILU },
    { "swiglu", ACT_SILU },             /* of what is gated: Nomic's name */
    { "relu", ACT_RELU }, { "tanh", ACT_TANH }, { "relu2", ACT_RELU2 },
};

const json_t *config_value(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return value == NULL || json_is_null(value) ? NULL : value;
}

int config_wrong(const struct reader *reader, const char *key, const json_t *found,
                 const char *expected)
{
    json_field_wrong(key, found, expected, reader->e);
    return err_under(reader->e, "%s", reader->file);
}

int config_act(const struct reader *reader, const char *name, const json_t *v, enum act *act)
{
    const char *text = json_string_value(v);

    for (size_t i = 0; text != NULL && i < sizeof acts / sizeof acts[0]; i++)
        if (strcmp(acts[i].name, text) == 0) {
            *act = acts[i].act;
            return 0;
        }
    return config_wrong(reader, name, v, "an activation that is supported (gelu, gelu_new, "
                             "gelu_pytorch_tanh, quick_gelu, silu, relu, relu2, tanh)");
}

/* The first of a row's names whose value is there and not null; NULL: none. */
static const char *key_name(const struct key *k, const json_t *object)
{
    for (int i = 0; k->name[i] != NULL; i++)
        if (config_value(object, k->name[i]) != NULL)
            return k->name[i];
    return NULL;
}

int config_key(const struct reader *reader, const struct key *k, const json_t *object,
               void *base)
{
    void *field = (char *)base + k->field;
    const char *name = key_name(k, object);
    int status;

    if (name == NULL)
        return 0;
    if (k->type == KEY_ACT)
        return config_act(reader, name, json_object_get(object, name), field);
    if (k->type == KEY_INT)
        status = json_field_int(object, name, (int)k->min, (int)k->max, field, reader->e);
    else if (k->type == KEY_REAL)
        status = json_field_real(object, name, k->min, k->max, field, reader->e);
    else
        status = json_field_bool(object, name, false, field, reader->e);
    return status != 0 ? err_under(reader->e, "%s", reader->file) : 0;
}

const struct key *config_find_in(const struct key *row, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; row[i].name[k] != NULL; k++)
            if (strcmp(row[i].name[k], name) == 0)
                return &row[i];
    return NULL;
}
