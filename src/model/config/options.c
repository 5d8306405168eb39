/* SPDX-License-Identifier: MIT
 * Keys of config.json that only some families support: switches of their features. */
#include <math.h>
#include <string.h>

#include "model/config/config_priv.h"
#include "model/quirks.h"

#define F(f) offsetof(struct config, f)
static const struct key clip = { KEY_REAL, F(clip_qkv), 1e-6, 1e9, NAMES("clip_qkv") };
static const struct key scale = { KEY_REAL, F(score.factor), 1e-6, 1e6, NAMES("softmax_scale") };

/* Each only where the family's default is not 0. */
static const struct key multipliers[] = {
    { KEY_REAL, F(multiplier.tokens), 1e-6, 1e6, NAMES("embedding_multiplier", "scale_emb") },
    { KEY_REAL, F(multiplier.branch), 1e-6, 1e6, NAMES("residual_multiplier") },
    { KEY_REAL, F(multiplier.depth), 1e-6, 1e6, NAMES("scale_depth") },
    { KEY_REAL, F(score.factor), 1e-6, 1e6, NAMES("attention_multiplier") },
    { KEY_REAL, F(head.scale), 1e-6, 1e6, NAMES("logit_scale") },
    { KEY_REAL, F(head.divisor), 1e-6, 1e6, NAMES("logits_scaling") },
    { KEY_REAL, F(experts.limit), 1e-6, 1e6, NAMES("swiglu_limit") },
};
static const struct key temper[] = {
    { KEY_REAL, F(score.slope), 0, 1e6, NAMES("attn_scale") },
    { KEY_INT, F(score.every), 1, 1 << 30, NAMES("floor_scale") },
};
static const struct key dense = {
    KEY_INT, F(d_ff), 1, 1 << 24, NAMES("intermediate_size_mlp")
};
static const struct key base_width = {
    KEY_INT, F(head.base_width), 1, 1 << 20, NAMES("dim_model_base")
};
static const struct key ratio = { KEY_REAL, F(mlp_ratio), 1e-3, 1e3, NAMES("mlp_ratio") };
static const struct key swiglu = { KEY_BOOL, F(gated), 0, 0, NAMES("use_swiglu_ffn") };
static const struct key classifier = {
    KEY_ACT, F(head.classifier_act), 0, 0, NAMES("classifier_activation")
};
static const struct key pre = { KEY_BOOL, F(norm.first), 0, 0,
                                NAMES("pre_norm", "do_stable_layer_norm") };
#undef F

const struct key *config_option_key(const char *name)
{
    const struct key *found = config_find_in(multipliers, sizeof multipliers / sizeof *multipliers,
                                             name);

    if (found == NULL)
        found = config_find_in(temper, sizeof temper / sizeof *temper, name);
    return found != NULL ? found : config_find_in(&clip, 1, name);
}

static double real_at(const struct config *config, size_t field)
{
    double x;

    memcpy(&x, (const char *)config + field, sizeof x);
    return x;
}

/* A depth or a width that is null changes nothing; one that is absent has its default. */
static int read_multipliers(const struct reader *reader, const struct family *family,
                            const json_t *root)
{
    struct config *c = reader->c;

    for (size_t i = 0; i < sizeof multipliers / sizeof multipliers[0]; i++)
        if (real_at(&family->defaults, multipliers[i].field) > 0 &&
            config_key(reader, &multipliers[i], root, c) != 0)
            return -1;
    if (family->defaults.head.base_width > 0 && config_key(reader, &base_width, root, c) != 0)
        return -1;
    if (c->multiplier.depth > 0)
        c->multiplier.branch = json_is_null(json_object_get(root, "scale_depth")) ? 1 :
                               c->multiplier.depth / sqrt(c->n_layers);
    if (c->head.divisor > 0)
        c->head.scale = 1 / c->head.divisor;
    if (c->head.base_width > 0)
        c->head.scale = json_is_null(json_object_get(root, "dim_model_base")) ? 1 :
                        (double)c->head.base_width / c->d_model;
    return 0;
}

/* Elsewhere than in a table, only where the family may say so. */
static int read_positions(const struct reader *reader, const struct family *family,
                          const json_t *root)
{
    const json_t *value = config_value(root, "position_embedding_type");
    const char *text = value != NULL ? json_string_value(value) : "absolute";
    bool may_rotate = quirks_of(family)->may_rotate;

    reader->c->rotary.instead = text != NULL && may_rotate && strcmp(text, "rotary") == 0;
    return reader->c->rotary.instead || (text != NULL && strcmp(text, "absolute") == 0) ? 0 :
           config_wrong(reader, "position_embedding_type", value,
                        may_rotate ? "\"absolute\" or \"rotary\"" : "\"absolute\"");
}

static int read_dropout(const struct reader *reader, const struct family *family)
{
    bool known = family->defaults.token_dropout.mask_id != 0;

    reader->c->token_dropout.on = reader->c->token_dropout.on && known;
    return !reader->c->token_dropout.on || reader->c->token_dropout.mask_id >= 0 ?
               0 :
               err_set(reader->e, ERR_INPUT, "%s: token_dropout: true requires mask_token_id",
                       reader->file);
}

/* Two thirds of D mlp_ratio in multiples of 8, where the mlp is gated. */
static int read_ratio(const struct reader *reader, const struct family *family, const json_t *root)
{
    struct config *c = reader->c;

    if (!quirks_of(family)->swiglu_by_config)
        return 0;
    if (config_key(reader, &ratio, root, c) != 0 || config_key(reader, &swiglu, root, c) != 0)
        return -1;
    c->d_ff = (int)(c->d_model * c->mlp_ratio);
    if (c->gated) {
        c->act = ACT_SILU;
        c->d_ff = ((int)(c->d_ff * 2 / 3.0) + 7) / 8 * 8;
    }
    return c->d_ff >= 1 && c->d_ff <= 1 << 24 ? 0 :
           config_wrong(reader, "mlp_ratio", config_value(root, "mlp_ratio"),
                        "a number for an mlp of 1 to 16777216 columns");
}

/* attn_temperature_tuning: true, or, in old files, a number. */
static int read_temper(const struct reader *reader, const struct family *family, const json_t *root)
{
    const json_t *value = config_value(root, "attn_temperature_tuning");

    if (family->defaults.score.every == 0)
        return 0;
    if (value != NULL && !json_is_boolean(value) && !json_is_integer(value))
        return config_wrong(reader, "attn_temperature_tuning", value, "true or false");
    if (value != NULL)
        reader->c->score.tempered = json_is_true(value) || json_integer_value(value) != 0;
    return config_key(reader, &temper[0], root, reader->c) != 0 ? -1 :
           config_key(reader, &temper[1], root, reader->c);
}

/* Of intermediate_size, which has been read, and the other. */
static int read_dense(const struct reader *reader, const struct family *family, const json_t *root)
{
    if (!quirks_of(family)->dense_apart)
        return 0;
    if (config_value(root, "intermediate_size") != NULL)
        reader->c->experts.d_ff = reader->c->d_ff;
    reader->c->d_ff = family->defaults.d_ff;
    return config_key(reader, &dense, root, reader->c);
}

int config_options(const struct reader *reader, const struct family *family, const json_t *root)
{
    if (read_positions(reader, family, root) != 0 || read_dropout(reader, family) != 0)
        return -1;
    if (!json_is_true(config_value(root, "use_task_id")))
        reader->c->n_tasks = 0;
    if (read_multipliers(reader, family, root) != 0)
        return -1;
    if (read_ratio(reader, family, root) != 0 || read_temper(reader, family, root) != 0 ||
        read_dense(reader, family, root) != 0)
        return -1;
    if (!quirks_of(family)->pooler_by_config &&
        config_key(reader, &classifier, root, reader->c) != 0)
        return -1;
    if (family->pre_by_config && config_key(reader, &pre, root, reader->c) != 0)
        return -1;
    if (quirks_of(family)->attn_config && config_value(root, "attn_config") != NULL)
        root = config_value(root, "attn_config");
    if (!json_is_object(root))
        return config_wrong(reader, "attn_config", root, "an object");
    if (quirks_of(family)->attn_config && config_key(reader, &scale, root, reader->c) != 0)
        return -1;
    return family->clips ? config_key(reader, &clip, root, reader->c) : 0;
}
