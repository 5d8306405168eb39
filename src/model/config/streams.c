/* SPDX-License-Identifier: MIT
 * config.json -> several residual streams, layers' own inputs, sparse gates (Gemma 3n). */
#include <math.h>

#include "base/str.h"
#include "model/config/config_priv.h"

#define F(f) offsetof(struct config, streams.f)
static const struct key keys[] = {
    { KEY_INT, F(n), 1, 64, NAMES("altup_num_inputs") },
    { KEY_INT, F(active), 0, 63, NAMES("altup_active_idx") },
    { KEY_BOOL, F(scaled), 0, 0, NAMES("altup_correct_scale") },
    { KEY_INT, F(d_skip), 1, 1 << 20, NAMES("laurel_rank") },
    { KEY_INT, F(d_input), 1, 1 << 16, NAMES("hidden_size_per_layer_input") },
    { KEY_INT, F(n_vocab), 1, 1 << 28, NAMES("vocab_size_per_layer_input") },
    { KEY_INT, F(n_shared), 0, 1 << 16, NAMES("num_kv_shared_layers") },
};
#undef F

int config_widths(const struct reader *reader, const json_t *list)
{
    const char *want = "a whole number from 1 to 16777216, or a list of the same one";
    json_int_t width = json_integer_value(json_array_get(list, 0));

    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_integer(json_array_get(list, i)) ||
            json_integer_value(json_array_get(list, i)) != width)
            return config_wrong(reader, "intermediate_size", list, want);
    if (width < 1 || width > 1 << 24)
        return config_wrong(reader, "intermediate_size", list, want);
    reader->c->d_ff = (int)width;
    return 0;
}

/* "activation_sparsity_pattern": [0.95, 0.0]; without it the first ten of more layers. */
static int read_sparsity(const struct reader *reader, const json_t *root)
{
    enum { SPARSE_LAYERS = 10 };
    const json_t *list = config_value(root, "activation_sparsity_pattern");
    int L = reader->c->n_layers;
    double *share = arena_alloc(reader->a, (size_t)L, sizeof *share);

    reader->c->streams.sparsity = share;
    if (list != NULL && (int)json_array_size(list) != L)
        return config_wrong(reader, "activation_sparsity_pattern", list,
                            arena_printf(reader->a, "a list of %d numbers, one per layer", L));
    for (int l = 0; l < L; l++) {
        const json_t *value = json_array_get(list, (size_t)l);

        share[l] = list != NULL ? json_number_value(value) :
                   L > SPARSE_LAYERS && l < SPARSE_LAYERS ? 0.95 : 0;
        if (list != NULL && (!json_is_number(value) || !(share[l] >= 0 && share[l] < 1)))
            return err_set(reader->e, ERR_INPUT, "%s: activation_sparsity_pattern[%d]: is not a "
                           "number from 0 to less than 1", reader->file, l);
    }
    return 0;
}

int config_streams(const struct reader *reader, const struct family *family, const json_t *root)
{
    struct config *c = reader->c;

    if (family->defaults.streams.n == 0)
        return 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (config_key(reader, &keys[i], root, c) != 0)
            return -1;
    if (c->streams.active >= c->streams.n)
        return err_set(reader->e, ERR_INPUT,
                       "%s: altup_active_idx: found %d, expected less than the "
                       "%d stream%s of altup_num_inputs",
                       reader->file, c->streams.active, c->streams.n, str_plural(c->streams.n));
    if (c->streams.n_shared >= c->n_layers)
        return err_set(reader->e, ERR_INPUT,
                       "%s: num_kv_shared_layers: found %d, expected less than "
                       "the %d layer%s",
                       reader->file, c->streams.n_shared, c->n_layers, str_plural(c->n_layers));
    if ((double)c->n_layers * c->streams.d_input > 1 << 24)
        return err_set(reader->e, ERR_INPUT, "%s: hidden_size_per_layer_input: %d in each of %d "
                       "layers, expected at most %d in all", reader->file, c->streams.d_input,
                       c->n_layers, 1 << 24);
    return read_sparsity(reader, root);
}
