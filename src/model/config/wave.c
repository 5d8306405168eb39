/* SPDX-License-Identifier: MIT
 * config.json -> convolutions of a waveform, and that of positions. */
#include <string.h>

#include "base/json_field.h"
#include "model/config/config_priv.h"
#include "model/quirks.h"

enum {
    MOST_CHANNELS = 1 << 16, MOST_WIDTH = 1 << 12,
    MOST_INPUTS = 1 << 24,      /* of one output */
    MOST_STEP = 1 << 20         /* samples from row to row of the last one */
};

#define F(f) offsetof(struct config, f)
static const struct key keys[] = {
    { KEY_ACT, F(front.conv_act), 0, 0, NAMES("feat_extract_activation") },
    { KEY_INT, F(front.conv_width), 1, MOST_WIDTH, NAMES("num_conv_pos_embeddings") },
    { KEY_INT, F(front.conv_groups), 1, 1 << 16, NAMES("num_conv_pos_embedding_groups") },
};
static const struct key norm = {
    KEY_BOOL, F(front.wave.norm), 0, 0, NAMES("feat_proj_layer_norm")
};
#undef F

/* Of one number per convolution; *n: how many there are. */
static int read_list(const struct reader *reader, const json_t *root, const char *key, int most,
                     int out[MOST_WAVES], int *n)
{
    const json_t *list = config_value(root, key);

    if (list == NULL)
        return 0;
    *n = (int)json_array_size(list);
    if (!json_is_array(list) || json_array_size(list) < 1 ||
        json_array_size(list) > MOST_WAVES)
        return config_wrong(reader, key, list, arena_printf(reader->a, "a list of 1 to %d numbers",
                                                            MOST_WAVES));
    for (int i = 0; i < *n; i++)
        if (json_value_int(json_array_get(list, (size_t)i), key, 1, most, &out[i], reader->e) != 0)
            return err_under(reader->e, "%s", reader->file);
    return 0;
}

static int read_lists(const struct reader *reader, const json_t *root)
{
    struct config *c = reader->c;
    int channels = c->front.wave.n, width = channels, step = channels;
    double inputs = 1, steps = 1, samples = 1;

    if (read_list(reader, root, "conv_dim", MOST_CHANNELS, c->front.wave.channels, &channels) !=
            0 ||
        read_list(reader, root, "conv_kernel", MOST_WIDTH, c->front.wave.width, &width) != 0 ||
        read_list(reader, root, "conv_stride", MOST_WIDTH, c->front.wave.step, &step) != 0)
        return -1;
    if (width != channels || step != channels)
        return err_set(reader->e, ERR_INPUT,
                       "%s: conv_dim, conv_kernel, conv_stride: have %d, %d and "
                       "%d numbers, expected one each for a convolution",
                       reader->file, channels, width, step);
    c->front.wave.n = channels;
    for (int i = 0; i < channels; i++) {
        inputs = (double)c->front.wave.width[i] * (i > 0 ? c->front.wave.channels[i - 1] : 1);
        steps *= c->front.wave.step[i];
        if (inputs > MOST_INPUTS || steps > MOST_STEP)
            return err_set(reader->e, ERR_INPUT,
                           "%s: conv_dim, conv_kernel, conv_stride: convolution "
                           "%d reads %.0f numbers, %.0f samples apart, expected at most %d and %d",
                           reader->file, i, inputs, steps, MOST_INPUTS, MOST_STEP);
    }
    for (int i = channels - 1; i >= 0; i--)
        samples = (samples - 1) * c->front.wave.step[i] + c->front.wave.width[i];
    if (samples > MOST_INPUTS)
        return err_set(reader->e, ERR_INPUT, "%s: conv_kernel, conv_stride: a row of the last "
                       "convolution reads %.0f samples, expected at most %d", reader->file, samples,
                       MOST_INPUTS);
    return 0;
}

static int read_norms(const struct reader *reader, const struct family *family, const json_t *root)
{
    const json_t *value = config_value(root, "feat_extract_norm");
    const char *text = value != NULL ? json_string_value(value) : "group";

    if (text == NULL || (strcmp(text, "group") != 0 && strcmp(text, "layer") != 0))
        return config_wrong(reader, "feat_extract_norm", value, "\"group\" or \"layer\"");
    reader->c->front.wave.norms = text[0] == 'l';
    reader->c->front.wave.norm = true;
    return quirks_of(family)->wave_norm_by_config ? config_key(reader, &norm, root, reader->c) : 0;
}

/* Keys that ask for layers which are not computed here. */
static int config_wave_refuse(const struct reader *reader, const json_t *root)
{
    static const struct { const char *key, *why; } all[] = {
        { "add_adapter", "convolutions after the last layer are not supported" },
        { "adapter_attn_dim", "adapters in the layers are not supported" },
        { "conv_pos_batch_norm", "a batch norm before positions is not supported" },
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const json_t *value = config_value(root, all[i].key);

        if (value != NULL && !json_is_false(value))
            return config_wrong(reader, all[i].key, value,
                                arena_printf(reader->a, "false or null: %s", all[i].why));
    }
    return 0;
}

int config_wave(const struct reader *reader, const struct family *family, const json_t *root)
{
    struct config *c = reader->c;

    if (config_wave_refuse(reader, root) != 0 || read_lists(reader, root) != 0 ||
        read_norms(reader, family, root) != 0)
        return -1;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (config_key(reader, &keys[i], root, c) != 0)
            return -1;
    if (c->d_model % c->front.conv_groups != 0)
        return err_set(reader->e, ERR_INPUT,
                       "%s: num_conv_pos_embedding_groups: found %d, expected a "
                       "divisor of the width %d",
                       reader->file, c->front.conv_groups, c->d_model);
    if ((double)(c->d_model / c->front.conv_groups) * c->front.conv_width > MOST_INPUTS)
        return err_set(reader->e, ERR_INPUT, "%s: num_conv_pos_embeddings: %d rows of %d columns, "
                       "expected at most %d numbers", reader->file, c->front.conv_width,
                       c->d_model / c->front.conv_groups, MOST_INPUTS);
    c->d_embed = c->front.wave.channels[c->front.wave.n - 1];
    c->head.d_in = c->d_model;
    return 0;
}
