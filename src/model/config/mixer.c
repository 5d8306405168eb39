/* SPDX-License-Identifier: MIT
 * config.json -> the mixers that some layers have instead of attention. */
#include "base/str.h"
#include "model/config/config_priv.h"

#define F(f) offsetof(struct config, f)
static const struct key conv[] = {
    { KEY_INT, F(mix.n_taps), 1, 1 << 12, NAMES("conv_L_cache") },
    { KEY_INT, F(d_ff), 1, 1 << 24, NAMES("block_ff_dim") },
    { KEY_INT, F(adjust.multiple), 1, 1 << 20, NAMES("block_multiple_of") },
    { KEY_REAL, F(adjust.factor), 1e-3, 1e3, NAMES("block_ffn_dim_multiplier") },
};
static const struct key delta[] = {
    { KEY_INT, F(mix.n_taps), 1, 1 << 12, NAMES("linear_conv_kernel_dim") },
    { KEY_INT, F(mix.n_key_heads), 1, 1 << 12, NAMES("linear_num_key_heads") },
    { KEY_INT, F(mix.n_heads), 1, 1 << 12, NAMES("linear_num_value_heads") },
    { KEY_INT, F(mix.d_key), 1, 1 << 12, NAMES("linear_key_head_dim") },
    { KEY_INT, F(mix.d_value), 1, 1 << 12, NAMES("linear_value_head_dim") },
};
#undef F

const struct key *config_mixer_key(const char *name)
{
    const struct key *found = config_find_in(conv, sizeof conv / sizeof conv[0], name);

    return found != NULL ? found : config_find_in(delta, sizeof delta / sizeof delta[0], name);
}

/* Two thirds, times the factor, each cut to a whole number, then up to a multiple; without a
 * factor the two thirds alone. */
static int adjust(const struct reader *reader, const json_t *root)
{
    struct config *c = reader->c;
    int multiple = c->adjust.multiple;
    double width;

    if (multiple == 0 || json_is_false(config_value(root, "block_auto_adjust_ff_dim")))
        return 0;
    width = (double)(int64_t)(2.0 * c->d_ff / 3);
    if (!json_is_null(json_object_get(root, "block_ffn_dim_multiplier"))) {
        width = (double)(int64_t)(c->adjust.factor * width);
        width = (double)(((int64_t)width + multiple - 1) / multiple * multiple);
    }
    if (width < 1 || width > 1 << 24)
        return err_set(reader->e, ERR_INPUT,
                       "%s: block_ffn_dim_multiplier: an mlp of %.0f columns, "
                       "expected 1 to %d",
                       reader->file, width, 1 << 24);
    c->d_ff = (int)width;
    return 0;
}

static int config_mixer_check_heads(const struct reader *reader)
{
    const struct config *c = reader->c;

    return c->mix.n_heads % c->mix.n_key_heads == 0 ?
               0 :
               err_set(reader->e, ERR_INPUT,
                       "%s: linear_num_key_heads: found %d, expected a divisor of the "
                       "%d head%s of linear_num_value_heads",
                       reader->file, c->mix.n_key_heads, c->mix.n_heads,
                       str_plural(c->mix.n_heads));
}

int config_mixer(const struct reader *reader, const struct family *family, const json_t *root)
{
    bool is_conv = family->mixer == MIXER_CONV;
    const struct key *keys = is_conv ? conv : delta;
    size_t n = is_conv ? sizeof conv / sizeof conv[0] : sizeof delta / sizeof delta[0];

    for (size_t i = 0; family->mixer != MIXER_NONE && i < n; i++)
        if (config_key(reader, &keys[i], root, reader->c) != 0)
            return -1;
    if (family->mixer == MIXER_DELTA)
        return config_mixer_check_heads(reader);
    return family->mixer == MIXER_CONV ? adjust(reader, root) : 0;
}
