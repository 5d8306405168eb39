/* SPDX-License-Identifier: MIT
 * config.json -> layers of other shapes than one attention and one mlp of the stream's width:
 * bottlenecks, several mlps, heads next to a convolution, biases of buckets computed from rows. */
#include <string.h>

#include "base/str.h"
#include "model/config/config_priv.h"
#include "model/quirks.h"

struct switches {
    bool bottlenecks;
};

#define F(f) offsetof(struct config, f)
static const struct key narrow[] = {
    { KEY_INT, F(bottleneck.d), 1, 1 << 20, NAMES("intra_bottleneck_size") },
    { KEY_BOOL, F(bottleneck.all), 0, 0, NAMES("use_bottleneck_attention") },
    { KEY_BOOL, F(bottleneck.shared), 0, 0, NAMES("key_query_shared_bottleneck") },
    { KEY_BOOL, F(trigrams), 0, 0, NAMES("trigram_input") },
    { KEY_INT, F(n_mlps), 1, 1 << 10, NAMES("num_feedforward_networks") },
};
static const struct key use = { KEY_BOOL, offsetof(struct switches, bottlenecks), 0, 0,
                                NAMES("use_bottleneck") };
static const struct key taps[] = {
    { KEY_INT, F(n_taps), 1, 1 << 16, NAMES("conv_kernel_size") },
    { KEY_INT, F(mlp_groups), 1, 1 << 16, NAMES("num_groups") },
};
static const struct key buckets[] = {
    { KEY_INT, F(bias.n_buckets), 2, 1 << 12, NAMES("num_buckets") },
    { KEY_INT, F(bias.max_distance), 2, 1 << 24, NAMES("relative_max_distance") },
};
static const struct key ratio = { KEY_INT, 0, 1, 1 << 16, NAMES("head_ratio") };
#undef F

/* "normalization_type": "no_norm" or "layer_norm" */
static int read_norm(const struct reader *reader, const json_t *root)
{
    const json_t *value = config_value(root, "normalization_type");
    const char *text = value != NULL ? json_string_value(value) : "no_norm";

    reader->c->norm.by_row = text != NULL && strcmp(text, "layer_norm") == 0;
    return reader->c->norm.by_row || (text != NULL && strcmp(text, "no_norm") == 0) ? 0 :
           config_wrong(reader, "normalization_type", value, "\"no_norm\" or \"layer_norm\"");
}

/* The width of heads is that of the stream within the layer. */
static int read_narrow(const struct reader *reader, const json_t *root)
{
    struct switches on = { .bottlenecks = true };
    struct config *c = reader->c;
    int width;

    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++)
        if (config_key(reader, &narrow[i], root, c) != 0)
            return -1;
    if (config_key(reader, &use, root, &on) != 0 || read_norm(reader, root) != 0)
        return -1;
    if (!on.bottlenecks)
        memset(&c->bottleneck, 0, sizeof c->bottleneck);
    width = c->bottleneck.d > 0 ? c->bottleneck.d : c->d_model;
    c->bottleneck.shared = c->bottleneck.shared && !c->bottleneck.all;
    if (!c->bottleneck.all && !c->bottleneck.shared && width != c->d_model)
        return err_set(reader->e, ERR_INPUT, "%s: key_query_shared_bottleneck: false requires an "
                       "intra_bottleneck_size of %d, the hidden_size, found %d", reader->file,
                       c->d_model, width);
    if (width % c->n_heads != 0)
        return err_set(reader->e, ERR_INPUT, "%s: %s %d is not a multiple of the %d heads",
                       reader->file, c->bottleneck.d > 0 ? "intra_bottleneck_size" : "hidden_size",
                       width, c->n_heads);
    if (c->d_embed > c->d_model)
        return err_set(reader->e, ERR_INPUT, "%s: embedding_size: found %d, expected at most the "
                       "hidden_size %d", reader->file, c->d_embed, c->d_model);
    c->d_head = width / c->n_heads;
    return 0;
}

/* Heads are fewer by head_ratio, and as wide as half of what the stream has for each. */
static int read_taps(const struct reader *reader, const json_t *root)
{
    struct config *c = reader->c;
    int by = 2, asked = c->n_heads;             /* ConvBertConfig's */

    for (size_t i = 0; i < sizeof taps / sizeof taps[0]; i++)
        if (config_key(reader, &taps[i], root, c) != 0)
            return -1;
    if (config_key(reader, &ratio, root, &by) != 0)
        return -1;
    c->n_heads = asked / by > 0 ? asked / by : 1;
    if (c->d_model % (2 * c->n_heads) != 0)
        return err_set(reader->e, ERR_INPUT,
                       "%s: hidden_size %d is not a multiple of %d, twice the "
                       "%d head%s of num_attention_heads %d and head_ratio %d",
                       reader->file, c->d_model, 2 * c->n_heads, c->n_heads, str_plural(c->n_heads),
                       asked, by);
    if (c->n_taps % 2 == 0)
        return err_set(reader->e, ERR_INPUT,
                       "%s: conv_kernel_size: found %d, expected an odd number", reader->file,
                       c->n_taps);
    if ((double)c->n_taps * c->n_heads > 1 << 24)
        return err_set(reader->e, ERR_INPUT,
                       "%s: conv_kernel_size: found %d, expected at most %d for "
                       "%d head%s",
                       reader->file, c->n_taps, (1 << 24) / c->n_heads, c->n_heads,
                       str_plural(c->n_heads));
    if (c->d_model % c->mlp_groups != 0 || c->d_ff % c->mlp_groups != 0)
        return err_set(reader->e, ERR_INPUT, "%s: num_groups: found %d, expected a divisor of "
                       "hidden_size %d and intermediate_size %d", reader->file, c->mlp_groups,
                       c->d_model, c->d_ff);
    c->d_head = c->d_model / c->n_heads / 2;
    return 0;
}

static int read_buckets(const struct reader *reader, const json_t *root)
{
    for (size_t i = 0; i < sizeof buckets / sizeof buckets[0]; i++)
        if (config_key(reader, &buckets[i], root, reader->c) != 0)
            return -1;
    if ((double)reader->c->bias.n_buckets * reader->c->n_heads > 1 << 24)
        return err_set(reader->e, ERR_INPUT,
                       "%s: num_buckets: found %d, expected at most %d for the "
                       "%d head%s",
                       reader->file, reader->c->bias.n_buckets, (1 << 24) / reader->c->n_heads,
                       reader->c->n_heads, str_plural(reader->c->n_heads));
    return 0;
}

int config_shape(const struct reader *reader, const struct family *family, const json_t *root)
{
    if (quirks_of(family)->never_masked)
        reader->c->is_decoder = false;
    if (family->defaults.bottleneck.d > 0)
        return read_narrow(reader, root);
    if (family->decoder != NULL && family->decoder->bias == BIAS_BUCKETS_OF_ROW)
        return read_buckets(reader, root);
    return quirks_of(family)->side_conv ? read_taps(reader, root) : 0;
}
