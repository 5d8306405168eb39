/* SPDX-License-Identifier: MIT
 * config.json -> struct config, through one table of keys. */
#include "model/config.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/nearest.h"
#include "base/str.h"
#include "model/config/config_priv.h"
#include "model/quirks.h"

enum { MAX_LAYERS = 1 << 16 };

#define F(f) offsetof(struct config, f)
static const struct key keys[] = {
    { KEY_INT, F(n_layers), 1, MAX_LAYERS,
      NAMES("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers",
        "num_encoder_layers") },
    { KEY_INT, F(n_heads), 1, 1 << 16,
      NAMES("num_attention_heads", "n_head", "n_heads", "num_heads",
        "encoder_attention_heads", "attention_heads", "num_encoder_attention_heads") },
    { KEY_INT, F(decoder.n_layers), 1, 1 << 16, NAMES("decoder_layers", "num_decoder_layers") },
    { KEY_INT, F(decoder.n_heads), 1, 1 << 16, NAMES("decoder_attention_heads",
        "num_decoder_attention_heads") },
    { KEY_INT, F(decoder.d_ff), 1, 1 << 24, NAMES("decoder_ffn_dim") },
    { KEY_INT, F(decoder.start_id), 0, 1 << 28, NAMES("decoder_start_token_id") },
    { KEY_INT, F(n_kv_heads), 1, 1 << 16, NAMES("num_key_value_heads", "num_kv_heads") },
    { KEY_INT, F(d_model), 1, 1 << 20,
      NAMES("hidden_size", "d_model", "n_embd", "dim", "n_embed") },
    { KEY_INT, F(d_head), 1, 1 << 16, NAMES("head_dim", "d_kv", "d_head") },
    { KEY_INT, F(d_value), 1, 1 << 16, NAMES("v_head_dim") },
    { KEY_INT, F(latent.d_nope), 1, 1 << 16, NAMES("qk_nope_head_dim") },
    { KEY_INT, F(latent.d_rope), 2, 1 << 16, NAMES("qk_rope_head_dim") },
    { KEY_INT, F(latent.q_rank), 1, 1 << 20, NAMES("q_lora_rank") },
    { KEY_INT, F(latent.kv_rank), 1, 1 << 20, NAMES("kv_lora_rank") },
    { KEY_INT, F(d_ff), 1, 1 << 24,
      NAMES("intermediate_size", "n_inner", "ffn_dim", "hidden_dim", "ffn_hidden_size",
        "d_ff", "encoder_ffn_dim", "d_inner") },
    { KEY_INT, F(d_embed), 1, 1 << 20, NAMES("embedding_size", "word_embed_proj_dim",
        "input_embedding_size") },
    { KEY_INT, F(head.d_in), 1, 1 << 20, NAMES("output_embedding_size") },
    { KEY_INT, F(n_vocab), 1, 1 << 28, NAMES("vocab_size") },
    { KEY_INT, F(n_positions), 1, 1 << 30,
      NAMES("max_position_embeddings", "n_positions", "max_source_positions",
        "max_encoder_position_embeddings", "max_seq_len") },
    { KEY_INT, F(decoder.n_positions), 1, 1 << 30,
      NAMES("max_target_positions", "max_decoder_position_embeddings") },
    { KEY_INT, F(front.n_mel), 1, 1 << 20, NAMES("num_mel_bins") },
    { KEY_INT, F(front.n_channels), 1, 1 << 16, NAMES("num_channels") },
    { KEY_INT, F(head.n_labels), 1, 1 << 28, NAMES("num_labels") },
    { KEY_INT, F(head.d_dense), 1, 1 << 20, NAMES("classifier_proj_size") },
    { KEY_ACT, F(head.pooler_act), 0, 0, NAMES("pooler_hidden_act") },
    { KEY_ACT, F(head.summary_act), 0, 0, NAMES("summary_activation") },
    { KEY_INT, F(n_types), 0, 1 << 16, NAMES("type_vocab_size") },
    { KEY_INT, F(n_boxes), 1, 1 << 16, NAMES("max_2d_position_embeddings") },
    { KEY_INT, F(n_tasks), 1, 1 << 16, NAMES("task_type_vocab_size") },
    { KEY_INT, F(pad_id), 0, 1 << 28, NAMES("pad_token_id") },
    { KEY_INT, F(token_dropout.mask_id), 0, 1 << 28, NAMES("mask_token_id") },
    { KEY_BOOL, F(token_dropout.on), 0, 0, NAMES("token_dropout") },
    { KEY_REAL, F(norm.eps), 0, 1,
      NAMES("layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps", "norm_eps",
        "norm_epsilon") },
    { KEY_ACT, F(act), 0, 0,
      NAMES("hidden_activation", "hidden_act", "activation_function", "activation",
        "ff_activation") },
    { KEY_BOOL, F(is_decoder), 0, 0, NAMES("is_decoder") },
    { KEY_BOOL, F(both_ways), 0, 0, NAMES("use_bidirectional_attention") },
    { KEY_BOOL, F(norm.first), 0, 0, NAMES("do_layer_norm_before") },
    { KEY_BOOL, F(norm.affine), 0, 0, NAMES("layer_norm_elementwise_affine") },
    { KEY_BOOL, F(norm.qk), 0, 0, NAMES("qk_layernorm", "use_qk_norm") },
    { KEY_BOOL, F(norm.embedding), 0, 0, NAMES("emb_layer_norm_before") },
    { KEY_BOOL, F(has_bias[BY_ATTENTION_BIAS]), 0, 0, NAMES("attention_bias") },
    { KEY_BOOL, F(has_bias[BY_MLP_BIAS]), 0, 0, NAMES("mlp_bias") },
    { KEY_BOOL, F(has_bias[BY_NORM_BIAS]), 0, 0, NAMES("norm_bias") },
    { KEY_BOOL, F(has_bias[BY_CLASSIFIER_BIAS]), 0, 0, NAMES("classifier_bias") },
    { KEY_BOOL, F(has_bias[BY_DECODER_BIAS]), 0, 0, NAMES("decoder_bias") },
    { KEY_BOOL, F(has_bias[BY_QKV_BIAS]), 0, 0, NAMES("qkv_bias") },
    { KEY_BOOL, F(has_bias[BY_USE_BIAS]), 0, 0, NAMES("use_bias") },
    { KEY_BOOL, F(has_bias[BY_USE_QKV_BIAS]), 0, 0, NAMES("use_qkv_bias") },
    { KEY_BOOL, F(has_bias[BY_LM_HEAD_BIAS]), 0, 0, NAMES("lm_head_bias") },
    { KEY_BOOL, F(has_bias[BY_CONV_BIAS]), 0, 0, NAMES("conv_bias") },
    { KEY_BOOL, F(has_bias[BY_ENABLE_BIAS]), 0, 0, NAMES("enable_bias") },
    { KEY_BOOL, F(has_bias[BY_BIAS]), 0, 0, NAMES("bias") },
    { KEY_BOOL, F(norm.no_final), 0, 0, NAMES("_remove_final_layer_norm") },
    { KEY_BOOL, F(norm.parallel), 0, 0, NAMES("use_parallel_residual", "parallel_attn") },
    { KEY_BOOL, F(score.scaled), 0, 0, NAMES("scale_attn_weights") },
    { KEY_BOOL, F(score.by_layer), 0, 0, NAMES("scale_attn_by_inverse_layer_idx") },
    { KEY_REAL, F(score.query_scalar), 1e-6, 1e9, NAMES("query_pre_attn_scalar") },
    { KEY_REAL, F(score.cap), 1e-6, 1e9, NAMES("attn_logit_softcapping") },
    { KEY_REAL, F(head.cap), 1e-6, 1e9, NAMES("final_logit_softcapping") },
    { KEY_BOOL, F(norm.residual_from), 0, 0,
      NAMES("apply_residual_connection_post_layernorm") },
    { KEY_BOOL, F(scale_embedding), 0, 0, NAMES("scale_embedding", "rescale_embeddings") },
    { KEY_INT, F(decoder.n_vocab), 1, 1 << 28, NAMES("decoder_vocab_size") },
    { KEY_BOOL, F(decoder.shares_vocab), 0, 0, NAMES("share_encoder_decoder_embeddings") },
    { KEY_INT, F(bias.max_distance), 2, 1 << 24, NAMES("relative_attention_max_distance") },
    { KEY_BOOL, F(bias.alibi), 0, 0, NAMES("alibi") },
    { KEY_INT, F(bias.n_buckets), 2, 1 << 12, NAMES("relative_attention_num_buckets") },
    { KEY_INT, F(window.n_keys), 0, 1 << 30,
      NAMES("sliding_window", "window_size", "local_attention") },
    { KEY_BOOL, F(window.used), 0, 0, NAMES("use_sliding_window") },
    { KEY_INT, F(window.from), 0, 1 << 16, NAMES("max_window_layers") },
    { KEY_INT, F(rotary.n_columns), 1, 1 << 16, NAMES("rope.dimension_count") },  /* GGUF's */
    { KEY_BOOL, F(rotary.interleave), 0, 0, NAMES("rope_interleave") },
    { KEY_INT, F(groups.n), 1, 1 << 16, NAMES("num_hidden_groups") },
    { KEY_INT, F(groups.n_inner), 1, MAX_LAYERS, NAMES("inner_group_num") },
    { KEY_BOOL, F(falcon.multi_query), 0, 0, NAMES("multi_query") },
    { KEY_BOOL, F(falcon.new_decoder), 0, 0, NAMES("new_decoder_architecture") },
    { KEY_INT, F(falcon.n_norms), 1, 2, NAMES("num_ln_in_parallel_attn") },
    { KEY_INT, F(experts.n), 1, 1 << 16,
      NAMES("num_local_experts", "num_experts", "n_routed_experts") },
    { KEY_INT, F(experts.n_chosen), 1, 1 << 16, NAMES("num_experts_per_tok") },
    { KEY_INT, F(experts.d_ff), 1, 1 << 24, NAMES("moe_intermediate_size") },
    { KEY_BOOL, F(experts.renormalise), 0, 0, NAMES("norm_topk_prob") },
    { KEY_INT, F(experts.n_shared), 0, 1 << 16, NAMES("n_shared_experts") },
    { KEY_INT, F(experts.d_shared), 1, 1 << 24, NAMES("shared_expert_intermediate_size") },
    { KEY_REAL, F(experts.jitter), 0, 1, NAMES("router_jitter_noise") },
    { KEY_REAL, F(experts.factor), 1e-6, 1e6, NAMES("routed_scaling_factor") },
    { KEY_INT, F(experts.n_groups), 1, 1 << 16, NAMES("n_group") },
    { KEY_INT, F(experts.n_chosen_groups), 1, 1 << 16, NAMES("topk_group") },
    { KEY_INT, F(experts.first_layer), 0, 1 << 16, NAMES("first_k_dense_replace") },
    { KEY_INT, F(experts.step), 1, 1 << 16, NAMES("decoder_sparse_step",
        "interleave_moe_layer_step") },
};
#undef F

const struct key *config_find_key(const char *name)
{
    const struct key *found = config_find_in(keys, sizeof keys / sizeof keys[0], name);

    if (found == NULL)
        found = config_rope_key(name);
    if (found == NULL)
        found = config_option_key(name);
    if (found == NULL)
        found = config_mixer_key(name);
    assert(found != NULL);
    return found;
}

/* ---- the whole ---- */

/* Keys that ask for another network than the one that would be computed. */
static int config_refuse(const struct reader *reader, const struct family *family,
                         const json_t *root)
{
    const json_t *cross = config_value(root, "add_cross_attention");

    if (family->decoder != NULL && quirks_of(family->decoder)->headless != NULL &&
        json_is_false(cross))
        return err_set(reader->e, ERR_INPUT, "%s: add_cross_attention: false is not supported "
                       "for this family, expected true", reader->file);
    if (family->decoder == NULL && json_is_true(cross))
        return err_set(reader->e, ERR_INPUT, "%s: add_cross_attention: true is not supported "
                       "for this family, expected false", reader->file);
    return 0;
}

/* What the project's own models say of themselves. */
static void read_card(const struct reader *reader, const json_t *root)
{
    const json_t *card = json_object_get(root, "mha_viz");
    const char *name = json_string_value(json_object_get(card, "name"));
    const char *text = json_string_value(json_object_get(card, "default_text"));
    const char *pair = json_string_value(json_object_get(card, "default_pair"));
    const json_t *layer = json_object_get(card, "default_layer");

    reader->c->card.layer = -1;
    if (name != NULL)
        reader->c->card.name = arena_strdup(reader->a, name);
    if (text != NULL)
        reader->c->card.text = arena_strdup(reader->a, text);
    if (pair != NULL)
        reader->c->card.pair = arena_strdup(reader->a, pair);
    if (json_is_integer(layer) && json_integer_value(layer) >= 0 &&
        json_integer_value(layer) < reader->c->n_layers)
        reader->c->card.layer = (int)json_integer_value(layer);
}

/* feed_forward_proj "gated-gelu" or "relu"; T5's gated gelu is the tanh form. */
static int read_ffn(const struct reader *reader, const struct family *family, const json_t *root)
{
    const json_t *value = config_value(root, "feed_forward_proj"), *scale, *tied;
    const char *text = json_string_value(value);
    json_t *name;
    int status;

    if (!quirks_of(family)->mlp_by_config)
        return 0;
    scale = config_value(root, "scale_decoder_outputs");
    tied = config_value(root, "tie_word_embeddings");
    if (reader->c->head.scale == 0 &&
        (scale != NULL ? json_is_true(scale) : !json_is_false(tied)))
        reader->c->head.scale = 1 / sqrt(reader->c->d_model);
    if (value == NULL)
        return 0;
    if (text == NULL)
        return config_wrong(reader, "feed_forward_proj", value, "a string");
    reader->c->gated = strncmp(text, "gated-", 6) == 0;
    name = json_hold(reader->a, json_string(reader->c->gated ? text + 6 : text));
    status = config_act(reader, "feed_forward_proj", name, &reader->c->act);
    json_drop(reader->a, name);
    if (status == 0 && reader->c->gated && reader->c->act == ACT_GELU)
        reader->c->act = ACT_GELU_TANH;
    return status;
}

/* A key that is null says "none" here, where elsewhere it says "the default". */
static bool is_null(const json_t *root, const char *key)
{
    return json_is_null(json_object_get(root, key));
}

static bool has_share(const struct family *family)
{
    return family->rotated == ROTATED_SHARE || family->rotated == ROTATED_PCT;
}

/* A share may be so small that nothing is rotated. */
static bool may_rotate(const struct family *family, const struct config *config)
{
    int n = config->rotary.n_columns;

    return (n >= 2 || has_share(family)) && n % 2 == 0 && n <= config->d_head;
}

static void fill_defaults(struct config *config, const struct family *family)
{
    const struct quirks *quirks = quirks_of(family);
    bool latent = family->qkv == QKV_LOW_RANK;

    if (latent)
        config->d_head = config->latent.d_nope + config->latent.d_rope;
    if (config->d_head == 0)
        config->d_head = config->d_model / config->n_heads;
    if (config->d_value == 0 && latent)
        config->d_value = config->d_model / config->n_heads;
    if (!latent)
        config->d_value = config->d_head;
    if (family->defaults.falcon.multi_query)
        config->norm.one = config->norm.parallel &&
                           (!config->falcon.new_decoder || config->falcon.n_norms == 1);
    if (family->defaults.falcon.multi_query && !config->falcon.new_decoder)
        config->n_kv_heads = config->falcon.multi_query ? 1 : config->n_heads;
    if (config->n_kv_heads == 0)
        config->n_kv_heads = config->n_heads;
    if (config->d_ff == 0)
        config->d_ff = 4 * config->d_model;
    if (config->d_embed == 0)
        config->d_embed = config->d_model;
    if (family->gelu_is_tanh && config->act == ACT_GELU)
        config->act = ACT_GELU_TANH;
    if (family->defaults.score.cap == 0)     /* Gemma 3 has the key, and does not use it */
        config->score.cap = 0;
    if (config->experts.d_ff == 0)
        config->experts.d_ff = config->d_ff;
    if (family->defaults.experts.d_shared == 0)
        config->experts.d_shared = 0;
    if (family->fixed_eps)
        config->norm.eps = family->defaults.norm.eps;
    if (quirks->fixed_act)
        config->act = family->defaults.act;
    if (quirks->never_renormalise || quirks->always_renormalise)
        config->experts.renormalise = quirks->always_renormalise;
    if (latent)
        config->rotary.n_columns = config->latent.d_rope;
    if (config->rotary.n_columns == 0)
        config->rotary.n_columns = has_share(family) ?
                                       (int)(config->d_head * config->rotary.share) :
                                       config->d_head;
    config->norm.residual_from = config->norm.residual_from && quirks->residual_by_config;
    if (quirks->parallel_by_config)
        config->norm.one = config->norm.parallel;
}

/* A step of ALBERT runs all layers of its group: n_layers becomes their number. */
static int derive_groups(const struct reader *reader, const struct family *family)
{
    struct config *config = reader->c;

    if (family->defaults.groups.n == 0) {
        config->groups.n = config->groups.n_inner = 0;
        return 0;
    }
    if (config->groups.n > config->n_layers)
        return err_set(reader->e, ERR_INPUT, "%s: num_hidden_groups: found %d, expected at most "
                       "the %d layer%s", reader->file, config->groups.n, config->n_layers,
                       str_plural(config->n_layers));
    if (config->groups.n_inner > MAX_LAYERS / config->n_layers)
        return err_set(reader->e, ERR_INPUT,
                       "%s: inner_group_num: found %d, expected at most "
                       "%d for %d layer%s",
                       reader->file, config->groups.n_inner, MAX_LAYERS / config->n_layers,
                       config->n_layers, str_plural(config->n_layers));
    config->n_layers *= config->groups.n_inner;
    return 0;
}

/* Numbers that follow from others, and must fit them. */
static int derive(const struct reader *reader, const struct family *family)
{
    struct config *config = reader->c;

    if (family->qkv != QKV_LOW_RANK && config->d_head == 0 &&
        config->d_model % config->n_heads != 0)
        return err_set(reader->e, ERR_INPUT, "%s: hidden_size %d is not a multiple of the "
                       "%d heads, and there is no head_dim", reader->file, config->d_model,
                       config->n_heads);
    if (family->qkv == QKV_LOW_RANK && config->d_value == 0 &&
        config->d_model % config->n_heads != 0)
        return err_set(reader->e, ERR_INPUT, "%s: hidden_size %d is not a multiple of the "
                       "%d heads, and there is no v_head_dim", reader->file, config->d_model,
                       config->n_heads);
    fill_defaults(config, family);
    if (config->n_heads % config->n_kv_heads != 0)
        return err_set(reader->e, ERR_INPUT,
                       "%s: num_key_value_heads: found %d, expected a "
                       "divisor of the %d head%s",
                       reader->file, config->n_kv_heads, config->n_heads,
                       str_plural(config->n_heads));
    if (family->qkv == QKV_LOW_RANK && config->n_kv_heads != config->n_heads)
        return err_set(reader->e, ERR_INPUT, "%s: num_key_value_heads: found %d, expected the "
                       "%d head%s: each has keys of its own", reader->file, config->n_kv_heads,
                       config->n_heads, str_plural(config->n_heads));
    if (family->qkv == QKV_QUARTERS && (config->n_heads % 4 != 0 ||
                                        config->n_kv_heads != config->n_heads))
        return err_set(reader->e, ERR_INPUT, "%s: %d heads, %d of keys: expected as many, a "
                       "multiple of 4", reader->file, config->n_heads, config->n_kv_heads);
    if ((double)config->n_heads * config->d_head > 1 << 24)
        return err_set(reader->e, ERR_INPUT, "%s: %d head%s of width %d: expected at most %d "
                       "columns", reader->file, config->n_heads, str_plural(config->n_heads),
                       config->d_head, 1 << 24);
    if ((double)config->n_heads * config->d_value > 1 << 24)
        return err_set(reader->e, ERR_INPUT,
                       "%s: %d head%s with values of width %d: expected at "
                       "most %d columns",
                       reader->file, config->n_heads, str_plural(config->n_heads),
                       config->d_value, 1 << 24);
    if (family_rotates(family, config) && !may_rotate(family, config))
        return err_set(reader->e, ERR_INPUT, "%s: %d of the %d columns of a head are rotated, "
                       "expected an even number of 2 or more that fits",
                       reader->file, config->rotary.n_columns, config->d_head);
    if (config->n_types == 0 && family->defaults.n_types > 0)
        return err_set(reader->e, ERR_INPUT, "%s: type_vocab_size: found 0, expected 1 or more",
                       reader->file);
    if (derive_groups(reader, family) != 0)
        return -1;
    if (config->both_ways && !quirks_of(family)->may_see_both_ways)
        return err_set(reader->e, ERR_INPUT, "%s: use_bidirectional_attention: true is not "
                       "supported for %s, expected false", reader->file, family->name);
    if (family->defaults.bias.n_buckets > 0 &&
        (config->bias.n_buckets < 4 ||
         config->bias.max_distance <= config->bias.n_buckets / 2))
        return err_set(reader->e, ERR_INPUT, "%s: %d bucket%s up to distance %d, expected 4 or "
                       "more, and a distance over half their number", reader->file,
                       config->bias.n_buckets, str_plural(config->bias.n_buckets),
                       config->bias.max_distance);
    return 0;
}

/* There are too many for a message; a name that is nearly one of them is one mistyped. */
static int find_family(const struct reader *reader, const json_t *root,
                       const struct family **family)
{
    const json_t *type = config_value(root, "model_type");
    const char **names, *near;
    size_t n = 0;

    if (type == NULL)
        return err_set(reader->e, ERR_INPUT, "%s: has no model_type", reader->file);
    *family = json_is_string(type) ? family_find(json_string_value(type)) : NULL;
    if (*family != NULL)
        return 0;
    while (family_table[n] != NULL)
        n++;
    names = arena_alloc(reader->a, n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = family_table[i]->name;
    near = json_is_string(type) ? nearest_name(json_string_value(type), names) : NULL;
    return config_wrong(reader, "model_type", type,
                        arena_printf(reader->a, "one of the %zu of mha-viz info --families%s%s%s",
                                     n, near != NULL ? " (is \"" : "", near != NULL ? near : "",
                                     near != NULL ? "\" meant?)" : ""));
}

/* A family's, or NULL. */
static const struct family *family_of(const json_t *object)
{
    const char *name = json_string_value(config_value(object, "model_type"));

    return name != NULL ? family_find(name) : NULL;
}

/*
 * The object that the model's keys are in: root, or of a model of texts and pictures that of
 * a tower.  *tower: TOWER_NONE where it is root.  NULL: a pair of towers lacks it.
 */
static const json_t *find_part(const struct reader *reader, const json_t *root, enum tower *tower)
{
    static const char *const names[] = { "text_config", "text_config", "vision_config" };
    const char *key = names[*tower];
    const json_t *part = config_value(root, key);
    const struct family *whole = family_of(root);
    bool pair = whole != NULL && whole->tower[TOWER_TEXT] != NULL;
    bool known = *tower == TOWER_PICTURE ? json_is_object(part) : family_of(part) != NULL;

    if (*tower == TOWER_NONE)
        *tower = TOWER_TEXT;
    if (pair && json_is_object(part))
        return part;
    if (pair && part != NULL)
        config_wrong(reader, key, part, "an object");
    else if (pair)
        err_set(reader->e, ERR_INPUT, "%s: has no %s", reader->file, key);
    if (pair)
        return NULL;
    if (whole == NULL && known)
        return part;
    *tower = TOWER_NONE;
    return root;
}

/* Of a model in a model the whole has the last word: the head is its own. */
static void read_tied(const struct reader *reader, const json_t *root)
{
    const json_t *tied = config_value(root, "tie_word_embeddings");

    if (tied != NULL)
        reader->c->head.untied = json_is_false(tied);
}

/* The library saves a window that is switched off as 0 in one family. */
static int check_window(const struct reader *reader, const struct family *family,
                        const json_t *root)
{
    static const char *const names[] = { "sliding_window", "window_size", "local_attention" };

    for (int i = 0; i < 3 && family->window_rule != WINDOW_TYPES_BELOW; i++)
        if (json_is_integer(config_value(root, names[i])) && reader->c->window.n_keys == 0)
            return config_wrong(reader, names[i], config_value(root, names[i]),
                                "a whole number from 1 to 1073741824");
    return 0;
}

int config_object(const struct reader *reader, const struct family *family, const json_t *root)
{
    const json_t *widths = config_value(root, "intermediate_size");
    bool lists = quirks_of(family)->widths_by_layer && json_is_array(widths);

    *reader->c = family->defaults;
    reader->c->head.n_labels = 2;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if ((lists && keys[i].field == offsetof(struct config, d_ff) ?
                 config_widths(reader, widths) :
                 config_key(reader, &keys[i], root, reader->c)) != 0)
            return -1;
    read_tied(reader, root);
    if (is_null(root, "sliding_window"))
        reader->c->window.n_keys = 0;
    else if (check_window(reader, family, root) != 0)
        return -1;
    if (is_null(root, "q_lora_rank"))
        reader->c->latent.q_rank = 0;
    if (is_null(root, "attn_logit_softcapping"))
        reader->c->score.cap = 0;
    if (is_null(root, "final_logit_softcapping"))
        reader->c->head.cap = 0;
    if (config_options(reader, family, root) != 0 || config_front(reader, family, root) != 0 ||
        config_chunks(reader, family, root) != 0 || config_mixer(reader, family, root) != 0 ||
        read_ffn(reader, family, root) != 0 || config_shape(reader, family, root) != 0 ||
        config_rope_share(reader, family, root) != 0 ||
        derive(reader, family) != 0 || config_rope(reader, family, root) != 0 ||
        config_layers(reader, family, root) != 0 || config_experts(reader, family, root) != 0 ||
        config_relative(reader, family, root) != 0 || config_sparse(reader, family, root) != 0 ||
        config_language(reader, family, root) != 0 || config_streams(reader, family, root) != 0)
        return -1;
    config_head(reader, root);
    read_card(reader, root);
    return 0;
}

/* What part of root says of its model; a pair's towers are of its families whatever they say. */
static int config_read_part(const struct reader *reader, const struct family **family,
                            const json_t *root, const json_t *part, enum tower tower)
{
    const struct family *whole = family_of(root);

    if (whole != NULL && tower != TOWER_NONE)
        *family = whole->tower[tower];
    else if (find_family(reader, part, family) != 0)
        return -1;
    return config_refuse(reader, *family, root) != 0 ||
           config_refuse(reader, *family, part) != 0 ? -1 :
           config_object(reader, *family, part);
}

static const char *name_of_whole(const struct reader *reader, const json_t *root)
{
    const char *name = json_string_value(config_value(root, "model_type"));

    return arena_strdup(reader->a, name != NULL ? name : "model");
}

static int config_read_all(const struct reader *reader, const struct family **family,
                           const json_t *root, enum tower tower)
{
    struct quantisation quantisation = { .method = QUANT_NONE };
    const json_t *part;

    if (!json_is_object(root))
        return err_set(reader->e, ERR_INPUT, "%s: is not a JSON object", reader->file);
    part = find_part(reader, root, &tower);
    if (part == NULL || config_read_part(reader, family, root, part, tower) != 0 ||
        config_quantisation(reader, part, &quantisation) != 0 ||
        config_quantisation(reader, root, &quantisation) != 0)
        return -1;
    reader->c->tower = tower;
    if (tower != TOWER_NONE)
        reader->c->whole = name_of_whole(reader, root);
    reader->c->quantisation = quantisation;
    read_tied(reader, root);
    config_head_of_whole(reader, root);
    return 0;
}

int config_read(struct config *config, const struct family **family, struct arena *a,
                struct span bytes, const char *name, enum tower tower, struct err *e)
{
    struct reader reader = { config, a, name, e };
    json_t *root = json_read(a, bytes, 0, e);
    int status;

    if (root == NULL)
        return err_under(e, "%s", name);
    status = config_read_all(&reader, family, root, tower);
    json_drop(a, root);
    return status;
}

const char *config_card_name(struct arena *a, struct span bytes)
{
    struct err ignored = { ERR_NONE, "" };
    json_t *root = json_read(a, bytes, 0, &ignored);
    const char *name;

    name = json_string_value(json_object_get(json_object_get(root, "mha_viz"), "name"));
    if (name != NULL)
        name = arena_strdup(a, name);
    json_drop(a, root);
    return name;
}
