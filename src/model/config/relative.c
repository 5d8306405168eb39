/* SPDX-License-Identifier: MIT
 * config.json -> relative positions in scores, of DeBERTa and XLNet. */
#include <ctype.h>
#include <string.h>

#include "model/config/config_priv.h"

#define F(f) offsetof(struct config, f)
static const struct key disentangled[] = {
    { KEY_BOOL, F(relative.on), 0, 0, NAMES("relative_attention") },
    { KEY_INT, F(relative.max), -1, 1 << 24, NAMES("max_relative_positions") },
    { KEY_BOOL, F(relative.input), 0, 0, NAMES("position_biased_input") },
};

/* Of the second version alone; the first one passes them over. */
static const struct key second[] = {
    { KEY_INT, F(relative.n_buckets), -1, 1 << 16, NAMES("position_buckets") },
    { KEY_BOOL, F(relative.shared), 0, 0, NAMES("share_att_key") },
    { KEY_INT, F(front.conv_width), -1, 255, NAMES("conv_kernel_size") },
    { KEY_INT, F(front.conv_groups), 1, 1 << 16, NAMES("conv_groups") },
    { KEY_ACT, F(front.conv_act), 0, 0, NAMES("conv_act") },
};
#undef F

static int read_keys(const struct reader *reader, const struct key *keys, size_t n,
                     const json_t *root)
{
    for (size_t i = 0; i < n; i++)
        if (config_key(reader, &keys[i], root, reader->c) != 0)
            return -1;
    return 0;
}

/* ---- DeBERTa ---- */

static int read_type(const struct reader *reader, const json_t *whole, const char *name)
{
    if (name != NULL && strcmp(name, "c2p") == 0)
        reader->c->relative.c2p = true;
    else if (name != NULL && strcmp(name, "p2c") == 0)
        reader->c->relative.p2c = true;
    else if (name == NULL || strcmp(name, "none") != 0)
        return config_wrong(reader, "pos_att_type", whole, "c2p, p2c or none, in a list or with "
                            "| between them");
    return 0;
}

/* One name of "P2C | c2p", in lower case and without the blanks round it. */
static const char *plain_name(struct arena *a, const char *s, size_t n)
{
    char *name;

    while (n > 0 && isspace((unsigned char)*s))
        s++, n--;
    while (n > 0 && isspace((unsigned char)s[n - 1]))
        n--;
    name = arena_strndup(a, s, n);
    for (size_t i = 0; i < n; i++)
        name[i] = (char)tolower((unsigned char)name[i]);
    return name;
}

/* pos_att_type ["p2c", "c2p"] or "p2c|c2p"; *n: how many names. */
static int read_types(const struct reader *reader, const json_t *root, int *n)
{
    const json_t *value = config_value(root, "pos_att_type");
    const char *text = json_string_value(value);

    *n = 0;
    if (value != NULL && text == NULL && !json_is_array(value))
        return read_type(reader, value, NULL);
    for (size_t i = 0; i < json_array_size(value); i++, ++*n)
        if (read_type(reader, value, json_string_value(json_array_get(value, i))) != 0)
            return -1;
    for (; text != NULL; text = *text == '|' ? text + 1 : NULL, ++*n) {
        size_t size = strcspn(text, "|");

        if (read_type(reader, value, plain_name(reader->a, text, size)) != 0)
            return -1;
        text += size;
    }
    return 0;
}

static int check_buckets(const struct reader *reader)
{
    struct config *config = reader->c;
    int longest = config->relative.max > 0 ? config->relative.max : config->n_positions;
    bool buckets = config->relative.n_buckets > 0;

    config->relative.max = longest;
    config->relative.span = buckets ? config->relative.n_buckets : longest;
    if (buckets &&
        (config->relative.n_buckets < 2 || longest - 1 <= config->relative.n_buckets / 2))
        return err_set(reader->e, ERR_INPUT, "%s: position_buckets: found %d, expected 2 or "
                       "more, half of them below the longest distance, %d", reader->file,
                       config->relative.n_buckets, longest - 1);
    if (config->relative.span > 1 << 24)
        return err_set(reader->e, ERR_INPUT, "%s: distances up to %d, expected at most %d",
                       reader->file, config->relative.span, 1 << 24);
    return 0;
}

static int check_conv(const struct reader *reader)
{
    const struct config *config = reader->c;

    if (config->front.conv_width > 0 && config->front.conv_width % 2 == 0)
        return err_set(reader->e, ERR_INPUT, "%s: conv_kernel_size: found %d, expected an odd "
                       "number",
                       reader->file, config->front.conv_width);
    if (config->d_model % config->front.conv_groups != 0)
        return err_set(reader->e, ERR_INPUT,
                       "%s: conv_groups: found %d, expected a divisor of "
                       "the width %d",
                       reader->file, config->front.conv_groups, config->d_model);
    return 0;
}

static int read_second(const struct reader *reader, const json_t *root)
{
    const json_t *value = config_value(root, "norm_rel_ebd");

    if (read_keys(reader, second, sizeof second / sizeof second[0], root) != 0)
        return -1;
    if (value != NULL && !json_is_string(value))
        return config_wrong(reader, "norm_rel_ebd", value, "\"layer_norm\" or \"none\"");
    reader->c->relative.normed = value != NULL &&
                                 strcasestr(json_string_value(value), "layer_norm") != NULL;
    return check_conv(reader);
}

static int read_disentangled(const struct reader *reader, const struct family *family,
                             const json_t *root)
{
    struct config *config = reader->c;
    bool first = family->defaults.relative.n_buckets == 0;
    int n_types;

    if (json_is_true(config_value(root, "talking_head")))
        return err_set(reader->e, ERR_INPUT, "%s: talking_head: true is not supported, expected "
                       "false", reader->file);
    if (read_keys(reader, disentangled, sizeof disentangled / sizeof disentangled[0], root) != 0 ||
        read_types(reader, root, &n_types) != 0 || (!first && read_second(reader, root) != 0))
        return -1;
    /* The first version counts every name, the second the two that it knows. */
    if (!first)
        n_types = config->relative.c2p + config->relative.p2c;
    config->score.query_scalar = config->d_head * (1.0 + n_types);
    config->relative.on = config->relative.on &&
                          (config->relative.c2p || config->relative.p2c);
    config->is_decoder = false;
    return check_buckets(reader);
}

/* ---- XLNet ---- */

static const struct key clamp = {
    KEY_INT, offsetof(struct config, relative.clamp), -1, 1 << 24, NAMES("clamp_len")
};

static int read_xl(const struct reader *reader, const json_t *root)
{
    const json_t *value = config_value(root, "attn_type");
    const char *type = value == NULL ? "bi" : json_string_value(value);

    if (type == NULL || (strcmp(type, "bi") != 0 && strcmp(type, "uni") != 0))
        return config_wrong(reader, "attn_type", value, "\"bi\" or \"uni\"");
    reader->c->is_decoder = strcmp(type, "uni") == 0;
    if (json_is_true(config_value(root, "bi_data")))
        return err_set(reader->e, ERR_INPUT, "%s: bi_data: true is not supported, expected false",
                       reader->file);
    if (reader->c->is_decoder && json_is_true(config_value(root, "same_length")))
        return err_set(reader->e, ERR_INPUT, "%s: same_length: true is not supported where "
                       "attn_type is \"uni\", expected false", reader->file);
    if (reader->c->d_model % 2 != 0)
        return err_set(reader->e, ERR_INPUT, "%s: d_model: found %d, expected an even number of "
                       "sines and cosines", reader->file, reader->c->d_model);
    return config_key(reader, &clamp, root, reader->c);
}

int config_relative(const struct reader *reader, const struct family *family, const json_t *root)
{
    if (family->bias == BIAS_DISENTANGLED)
        return read_disentangled(reader, family, root);
    return family->bias == BIAS_XL ? read_xl(reader, root) : 0;
}
