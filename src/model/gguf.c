/* SPDX-License-Identifier: MIT
 * GGUF's keys -> the object that would be in config.json. */
#include "model/gguf.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/json.h"
#include "model/config/config_priv.h"
#include "model/gguf_priv.h"
#include "model/quirks.h"

/* ---- keys ---- */

struct source {
    const struct weights *w;
    const struct gguf *g;
    const struct gguf_arch *arch;
    struct arena *a;
    json_t *root;               /* config.json, as far as it has come */
    struct err *e;
};

/* What a key that is missing, or 0, says. */
enum presence {
    OPTIONAL, REQUIRED,
    OR_ZERO,                    /* 0 says that there is none */
    BY_LAYER                    /* OPTIONAL; of a hybrid, also layer by layer: 0 where a layer
                                   does not attend */
};

/* Type and range are those of the key of config.json. */
struct number_row {
    const char *key;            /* after the architecture's name */
    const char *name;           /* as config.json has it */
    enum presence presence;
};

static const struct number_row numbers[] = {
    { "block_count", "num_hidden_layers", REQUIRED },
    { "context_length", "max_position_embeddings", REQUIRED },
    { "embedding_length", "hidden_size", REQUIRED },
    { "feed_forward_length", "intermediate_size", REQUIRED },
    { "attention.head_count", "num_attention_heads", REQUIRED },
    { "attention.head_count_kv", "num_key_value_heads", BY_LAYER },
    { "attention.key_length", "head_dim", OPTIONAL },
    { "attention.layer_norm_epsilon", "layer_norm_eps", OPTIONAL },
    { "attention.layer_norm_rms_epsilon", "rms_norm_eps", OPTIONAL },
    { "attention.sliding_window", "sliding_window", OR_ZERO },
    { "attn_logit_softcapping", "attn_logit_softcapping", OR_ZERO },
    { "final_logit_softcapping", "final_logit_softcapping", OR_ZERO },
    { "rope.dimension_count", "rope.dimension_count", OPTIONAL },
    { "rope.freq_base", "rope_theta", OPTIONAL },
    { "rope.freq_base_swa", "rope_local_base_freq", OPTIONAL },
    { "use_parallel_residual", "use_parallel_residual", OPTIONAL },
    { "decoder_block_count", "num_decoder_layers", OPTIONAL },
    { "decoder_start_token_id", "decoder_start_token_id", OPTIONAL },
    { "attention.relative_buckets_count", "relative_attention_num_buckets", OPTIONAL },
    { "expert_count", "num_experts", OR_ZERO },
    { "expert_used_count", "num_experts_per_tok", OR_ZERO },
    { "expert_feed_forward_length", "moe_intermediate_size", OPTIONAL },
    { "expert_shared_feed_forward_length", "shared_expert_intermediate_size", OPTIONAL },
    { "expert_weights_norm", "norm_topk_prob", OPTIONAL },
    { "expert_weights_scale", "routed_scaling_factor", OR_ZERO },
    { "expert_shared_count", "n_shared_experts", OPTIONAL },
    { "expert_group_count", "n_group", OR_ZERO },
    { "expert_group_used_count", "topk_group", OR_ZERO },
    { "leading_dense_block_count", "first_k_dense_replace", OPTIONAL },
    { "attention.q_lora_rank", "q_lora_rank", OR_ZERO },
    { "attention.kv_lora_rank", "kv_lora_rank", OPTIONAL },
    { "interleave_moe_layer_step", "interleave_moe_layer_step", OPTIONAL },
    { "attention.temperature_length", "floor_scale", OPTIONAL },
    { "attention.temperature_scale", "attn_scale", OPTIONAL },
    { "shortconv.l_cache", "conv_L_cache", OPTIONAL },
    { "attention.clamp_kqv", "clip_qkv", OR_ZERO },
    { "embedding_scale", "embedding_multiplier", OPTIONAL },
    { "residual_scale", "residual_multiplier", OPTIONAL },
    { "logit_scale", "logit_scale", OPTIONAL },
    { "logit_scale", "logits_scaling", OPTIONAL },      /* Granite divides by it */
};

static const struct gguf_value *gguf_value_of(const struct source *source, const char *key)
{
    return gguf_find(source->g, arena_printf(source->a, "%s.%s", source->arch->name, key));
}

/* All elements of an array are the same: then it is one number, given layer by layer. */
static bool all_same(const struct gguf_value *value)
{
    for (int64_t i = 1; i < value->n; i++)
        if (gguf_is_int(value) ? gguf_int(value, i) != gguf_int(value, 0)
                               : gguf_real(value, i) != gguf_real(value, 0))
            return false;
    return value->n > 0;
}

static int gguf_wrong(const struct source *source, const struct gguf_value *value, const char *want)
{
    return err_set(source->e, ERR_INPUT, "%s: %s: is %s, expected %s", source->g->file, value->key,
                   gguf_kind(source->a, value), want);
}

static int read_value(const struct source *source, const struct key *row, bool or_zero,
                      const struct gguf_value *value, double *out)
{
    static const char *const kinds[] = {
        [KEY_INT] = "a whole number", [KEY_REAL] = "a number", [KEY_BOOL] = "a BOOL"
    };
    bool fits = row->type == KEY_REAL ? gguf_is_real(value) :
                gguf_is_int(value) && (value->type == GGUF_BOOL) == (row->type == KEY_BOOL);

    if (!fits)
        return gguf_wrong(source, value, kinds[row->type]);
    if (value->is_array && !all_same(value))
        return err_set(source->e, ERR_INPUT, "%s: %s: varies by layer, which is not supported",
                       source->g->file, value->key);
    *out = row->type == KEY_REAL ? gguf_real(value, 0) : (double)gguf_int(value, 0);
    if (row->type == KEY_BOOL || (or_zero && *out == 0) ||
        (*out >= row->min && *out <= row->max))
        return 0;
    return err_set(source->e, ERR_INPUT, "%s: %s: found %.12g, expected %s from %.12g to %.12g%s",
                   source->g->file, value->key, *out, kinds[row->type], row->min, row->max,
                   or_zero ? ", or 0" : "");
}

static json_t *json_of(const struct key *row, bool or_zero, double value)
{
    if (row->type == KEY_BOOL)
        return json_boolean(value != 0);
    if (or_zero && value == 0)
        return json_null();
    return row->type == KEY_REAL ? json_real(value) : json_integer((json_int_t)value);
}

static json_int_t gguf_number(const struct source *source, const char *name)
{
    return json_integer_value(json_object_get(source->root, name));
}

/* layer_types, by where a number that is else the same is 0; it stands for all. */
static int read_by_layer(const struct source *source, const struct number_row *r,
                         const struct gguf_value *value)
{
    const struct key *row = config_find_key(r->name);
    json_int_t L = gguf_number(source, "num_hidden_layers"), one = 0;
    json_t *list;

    if (!gguf_is_int(value) || value->type == GGUF_BOOL || value->n != L)
        return gguf_wrong(source, value, "a whole number for each layer");
    list = json_put(source->a, source->root, "layer_types", json_array());
    for (json_int_t l = 0; l < L; l++) {
        int64_t found = gguf_int(value, l);

        one = one == 0 ? found : one;
        if (found != 0 && (found != one || (double)found < row->min || (double)found > row->max))
            return err_set(source->e, ERR_INPUT,
                           "%s: %s: found %lld in layer %lld, expected one number "
                           "from %.12g to %.12g, or 0",
                           source->g->file, value->key, (long long)found, (long long)l, row->min,
                           row->max);
        json_add(source->a, list, json_string(found != 0 ? "full_attention" : "conv"));
    }
    if (one != 0)
        json_put(source->a, source->root, r->name, json_integer(one));
    return 0;
}

static int gguf_read_number(const struct source *source, const struct number_row *r)
{
    const struct gguf_value *gguf_value = gguf_value_of(source, r->key);
    const struct key *row = config_find_key(r->name);
    bool or_zero = r->presence == OR_ZERO;
    double value = 0;

    if (gguf_value == NULL && r->presence == REQUIRED)
        return err_set(source->e, ERR_INPUT, "%s: has no key %s.%s", source->g->file,
                       source->arch->name, r->key);
    if (gguf_value == NULL)
        return 0;
    if (r->presence == BY_LAYER && gguf_value->is_array && !all_same(gguf_value) &&
        family_find(source->arch->model_type)->mixer == MIXER_CONV)
        return read_by_layer(source, r, gguf_value);
    if (read_value(source, row, or_zero, gguf_value, &value) != 0)
        return -1;
    json_put(source->a, source->root, r->name, json_of(row, or_zero, value));
    return 0;
}

static void set_int(const struct source *source, const char *name, json_int_t v)
{
    json_put(source->a, source->root, name, json_integer(v));
}

/* The rows of a table say how many there are of what it holds.  False: it is not there. */
static bool gguf_count_rows(const struct source *source, const char *tensor, const char *name)
{
    const struct tensor *t = weights_find(source->w, tensor);

    if (t != NULL)
        set_int(source, name, t->n_dims == 2 ? t->shape[0] : 0);
    return t != NULL;
}

/* ---- what GGUF leaves to be known ---- */

/* A head has columns that are not rotated, then some that are; values have a width of their
 * own.  A key that is not there says that queries have one projection. */
static int latent(const struct source *source)
{
    static const struct number_row value = { "attention.value_length", "v_head_dim", OPTIONAL };
    json_int_t all = gguf_number(source, "head_dim"),
               turned = gguf_number(source, "rope.dimension_count");

    if (all == 0 || turned == 0)
        return err_set(source->e, ERR_INPUT, "%s: has no key %s.%s", source->g->file,
                       source->arch->name,
                       all == 0 ? "attention.key_length" : "rope.dimension_count");
    if (turned >= all)
        return err_set(source->e, ERR_INPUT,
                       "%s: %s.rope.dimension_count: found %lld, expected less "
                       "than attention.key_length %lld",
                       source->g->file, source->arch->name, (long long)turned, (long long)all);
    set_int(source, "qk_rope_head_dim", turned);
    set_int(source, "qk_nope_head_dim", all - turned);
    if (json_object_get(source->root, "q_lora_rank") == NULL)
        json_put(source->a, source->root, "q_lora_rank", json_null());
    if (gguf_number(source, "n_group") > 0)
        json_put(source->a, source->root, "topk_method", json_string("group_limited_greedy"));
    return gguf_read_number(source, &value);
}

static int head_width(const struct source *source)
{
    const struct gguf_value *value = gguf_value_of(source, "attention.value_length");
    json_int_t D = gguf_number(source, "hidden_size"),
               H = gguf_number(source, "num_attention_heads");

    if (gguf_number(source, "head_dim") == 0) {
        if (D % H != 0)
            return err_set(source->e, ERR_INPUT, "%s: %s.embedding_length %lld is not a "
                           "multiple of the %lld heads, and there is no key_length",
                           source->g->file, source->arch->name, (long long)D, (long long)H);
        set_int(source, "head_dim", D / H);
    }
    if (value != NULL && (!gguf_is_int(value) || !all_same(value) ||
                          gguf_int(value, 0) != gguf_number(source, "head_dim")))
        return err_set(source->e, ERR_INPUT, "%s: %s: values of another width than keys are "
                       "not supported for %s", source->g->file, value->key, source->arch->name);
    return 0;
}

/*
 * The scale of scores.  Without a key Gemma's is the width of a head, but for the
 * models of 27 billion.
 */
static int query_scalar(const struct source *source, const struct family *family)
{
    static const struct key row = { KEY_REAL, 0, 0, 1e3 };
    const struct gguf_value *value = gguf_value_of(source, "attention.scale");
    json_int_t L = gguf_number(source, "num_hidden_layers");
    bool large = strcmp(source->arch->name, "gemma2") == 0 ? L == 46 : L == 62;
    double scale = 0, scalar = 0;

    if (value != NULL && read_value(source, &row, false, value, &scale) != 0)
        return -1;
    if (scale > 0 && family->defaults.score.factor > 0)
        json_put(source->a, source->root, "attention_multiplier", json_real(scale));
    else if (scale > 0)
        scalar = 1 / (scale * scale);
    else if (family->defaults.score.query_scalar > 0)
        scalar = large ? (double)gguf_number(source, "hidden_size") /
                         (double)gguf_number(source, "num_attention_heads")
                       : (double)gguf_number(source, "head_dim");
    if (scalar > 0)
        json_put(source->a, source->root, "query_pre_attn_scalar", json_real(scalar));
    return 0;
}

/* Every so many layers one sees all; or which layers are windowed, one by one. */
static int window_pattern(const struct source *source, const struct family *family)
{
    const struct gguf_value *value = gguf_value_of(source, "attention.sliding_window_pattern");
    json_int_t L = gguf_number(source, "num_hidden_layers");
    json_t *list;

    if (value == NULL)
        return 0;
    if (!gguf_is_int(value) || value->is_array != (value->type == GGUF_BOOL) ||
        (value->is_array ? value->n != L : gguf_int(value, 0) < 1))
        return gguf_wrong(source, value, "a number of layers, or a BOOL for each layer");
    list = json_put(source->a, source->root, "layer_types", json_array());
    for (json_int_t l = 0; l < L; l++) {
        json_int_t i = quirks_of(family)->full_first > 0 ? l : l + 1;
        bool windowed = value->is_array ? gguf_int(value, l) != 0 :
                                          i % gguf_int(value, 0) != 0;

        json_add(source->a, list, json_string(windowed ? "sliding_attention"
                                                         : "full_attention"));
    }
    return 0;
}

static int causal(const struct source *source, const struct family *family)
{
    const struct gguf_value *value = gguf_value_of(source, "attention.causal");

    if (value == NULL)
        return 0;
    if (value->type != GGUF_BOOL || value->is_array)
        return gguf_wrong(source, value, "a BOOL");
    if (family->causal && gguf_int(value, 0) == 0)
        return err_set(source->e, ERR_INPUT, "%s: %s: false is not supported for %s",
                       source->g->file, value->key, source->arch->name);
    json_put(source->a, source->root, "is_decoder", json_boolean(gguf_int(value, 0) != 0));
    return 0;
}

/* What T5's tensors say: whether its mlp is gated, and the head its own. */
static void t5(const struct source *source)
{
    bool gated = gguf_any_layer(source->a, source->w, "enc.blk.", ".ffn_gate.weight",
                                gguf_number(source, "num_hidden_layers"));

    json_put(source->a, source->root, "feed_forward_proj",
                        json_string(gated ? "gated-gelu" : "relu"));
    json_put(source->a, source->root, "tie_word_embeddings",
                        json_boolean(weights_find(source->w, "output.weight") == NULL));
}

/* Llama 4 with 128 experts does not norm queries and keys, for which there is no key. */
static void llama4(const struct source *source)
{
    json_put(source->a, source->root, "use_qk_norm",
             json_boolean(gguf_number(source, "num_experts") != 128));
}

/* Falcon's key/value heads are counted in all its shapes; its norms tell them apart. */
static void falcon(const struct source *source)
{
    bool two = gguf_any_layer(source->a, source->w, "blk.", ".attn_norm_2.weight",
                              gguf_number(source, "num_hidden_layers"));

    json_put(source->a, source->root, "new_decoder_architecture", json_true());
    set_int(source, "num_ln_in_parallel_attn", two ? 2 : 1);
}

/* Keys without which the family's defaults would be wrong. */
static int gguf_fill(const struct source *source, const struct family *family)
{
    if (gguf_number(source, "num_key_value_heads") == 0)
        set_int(source, "num_key_value_heads", gguf_number(source, "num_attention_heads"));
    if (json_object_get(source->root, "rope_theta") == NULL)
        json_put(source->a, source->root, "rope_theta", json_real(10000));
    if (json_object_get(source->root, "rope_local_base_freq") == NULL &&
        family->defaults.rotary.rope[1].theta == family->defaults.rotary.rope[0].theta)
        json_put(source->a, source->root, "rope_local_base_freq",
                 json_real(json_number_value(json_object_get(source->root, "rope_theta"))));
    if (gguf_number(source, "sliding_window") == 0)
        json_put(source->a, source->root, "sliding_window", json_null());
    if (quirks_of(family)->mlp_by_config)
        t5(source);
    if (family->defaults.falcon.multi_query)
        falcon(source);
    if (quirks_of(family)->qk_norm_last)
        llama4(source);
    if (json_object_get(source->root, "tie_word_embeddings") == NULL)
        json_put(source->a, source->root, "tie_word_embeddings", json_true());
    if (source->arch->renormalise && json_object_get(source->root, "norm_topk_prob") == NULL)
        json_put(source->a, source->root, "norm_topk_prob", json_true());
    if (source->arch->both_ways)
        json_put(source->a, source->root, "use_bidirectional_attention", json_true());
    return (family->qkv == QKV_LOW_RANK ? latent(source) : head_width(source)) != 0 ||
           causal(source, family) != 0 ||
           query_scalar(source, family) != 0 || window_pattern(source, family) != 0 ? -1 : 0;
}

/* ---- rotary positions ---- */

/* Numbers of a tensor, one for each pair of columns. */
static int factors(const struct source *source, const char *tensor, json_t *to,
                   const char *name)
{
    enum { MOST = 1 << 15 };
    const struct tensor *t = weights_find(source->w, tensor);
    json_t *list;

    if (t == NULL || t->n_dims != 1 || t->n_elements > MOST ||
        !dtype_table[t->dtype].is_float)
        return err_set(source->e, ERR_INPUT, "%s: %s: %s, expected one row of floats",
                       source->g->file, tensor,
                       t == NULL ? "is not there" : tensor_shape(source->a, t));
    list = json_put(source->a, to, name, json_array());
    for (int64_t i = 0; i < t->n_elements; i++) {
        float value;

        tensor_read(&value, t, i, 1);
        json_add(source->a, list, json_real(isfinite(value) ? (double)value : 0));
    }
    return 0;
}

static const struct number_row scaling_numbers[] = {
    { "rope.scaling.factor", "factor", OPTIONAL },
    { "rope.scaling.original_context_length", "original_max_position_embeddings", OPTIONAL },
    { "rope.scaling.yarn_beta_fast", "beta_fast", OPTIONAL },
    { "rope.scaling.yarn_beta_slow", "beta_slow", OPTIONAL },
    { "rope.scaling.attn_factor", "attention_factor", OPTIONAL },
    { "rope.scaling.yarn_log_multiplier", "mscale_all_dim", OPTIONAL },
};

/* GGUF's factor stands in front of yarn's own, Hugging Face's in its place. */
static void yarn_factor(const struct source *source, json_t *scaling)
{
    const json_t *value = json_object_get(scaling, "attention_factor");
    double factor = json_number_value(json_object_get(scaling, "factor"));

    if (value != NULL && factor > 0)
        json_put(source->a, scaling, "attention_factor", json_real(
            json_number_value(value) * (factor > 1 ? 0.1 * elementary_log(factor) + 1 : 1)));
}

/* What GGUF has of both of yarn's mscales, which are the same, is a tenth of them. */
static void yarn_mscale(const struct source *source, json_t *scaling)
{
    double tenth = json_number_value(json_object_get(scaling, "mscale_all_dim"));

    if (!(tenth > 0))
        return;
    json_put(source->a, scaling, "mscale_all_dim", json_real(10 * tenth));
    json_put(source->a, scaling, "mscale", json_real(10 * tenth));
}

static int scaling_type(const struct source *source, json_t *scaling, const char **type)
{
    const struct gguf_value *value = gguf_value_of(source, "rope.scaling.type");
    struct span text;
    struct gguf_strings all;

    *type = json_object_get(scaling, "factor") != NULL ? "linear" : "none";
    if (value == NULL)
        return 0;
    if (value->type != GGUF_STRING || value->is_array)
        return gguf_wrong(source, value, "a STRING");
    all = gguf_strings(value);
    gguf_next(&all, &text);
    *type = arena_strndup(source->a, (const char *)text.data, text.size);
    return 0;
}

/* rope_scaling of config.json, where there is any. */
static int rope(const struct source *source, const struct family *family)
{
    json_t *scaling = json_put(source->a, source->root, "rope_scaling", json_object());
    const struct source own = { source->w, source->g, source->arch, source->a, scaling, source->e };
    const char *type = "none";
    bool freqs = weights_find(source->w, "rope_freqs.weight") != NULL;
    bool two = weights_find(source->w, "rope_factors_long.weight") != NULL;

    for (size_t i = 0; i < sizeof scaling_numbers / sizeof scaling_numbers[0]; i++)
        if (gguf_read_number(&own, &scaling_numbers[i]) != 0)
            return -1;
    if (scaling_type(source, scaling, &type) != 0)
        return -1;
    if (freqs && strcmp(type, "none") != 0)
        return err_set(source->e, ERR_INPUT, "%s: rope_freqs.weight with a rope scaling of "
                       "type %s is not supported", source->g->file, type);
    if (freqs || two) {
        type = "longrope";
        if (freqs)
            json_put(source->a, scaling, "attention_factor", json_real(1));
        if (factors(source, freqs ? "rope_freqs.weight" : "rope_factors_short.weight", scaling,
                    "short_factor") != 0 ||
            factors(source, freqs ? "rope_freqs.weight" : "rope_factors_long.weight", scaling,
                    "long_factor") != 0)
            return -1;
    } else if (strcmp(type, "longrope") == 0) {
        return factors(source, "rope_factors_long.weight", scaling, "long_factor");
    }
    if (strcmp(type, "yarn") == 0)
        yarn_factor(source, scaling);
    yarn_mscale(source, scaling);
    if (family->defaults.rotary.rope[0].no_truncate)
        json_put(source->a, scaling, "truncate", json_false());
    json_put(source->a, scaling, "rope_type",
             json_shown(source->a, strcmp(type, "none") == 0 ? "default" : type));
    return 0;
}

/* ---- the whole ---- */

static int unsupported(const struct source *source, const char *found)
{
    char *all = arena_strdup(source->a, "");

    for (int i = 0; gguf_architecture(i) != NULL; i++)
        all = arena_printf(source->a, "%s%s%s", all, i > 0 ? ", " : "", gguf_architecture(i));
    return err_set(source->e, ERR_INPUT, "%s: general.architecture: found \"%s\", expected one "
                   "of %s", source->g->file, found, all);
}

static int find_arch(struct source *source)
{
    const struct gguf_value *value = gguf_find(source->g, "general.architecture");
    struct gguf_strings all;
    struct span text;
    char *name;

    if (value == NULL)
        return err_set(source->e, ERR_INPUT, "%s: has no general.architecture", source->g->file);
    if (value->type != GGUF_STRING || value->is_array)
        return gguf_wrong(source, value, "a STRING");
    all = gguf_strings(value);
    gguf_next(&all, &text);
    name = arena_strndup(source->a, (const char *)text.data, text.size < 64 ? text.size : 64);
    for (source->arch = gguf_archs; source->arch->name != NULL; source->arch++) {
        const char *when = source->arch->when;

        if (strcmp(source->arch->name, name) != 0 || family_find(source->arch->model_type) == NULL)
            continue;
        value = when != NULL ? gguf_value_of(source, when) : NULL;
        if (when == NULL ||
            (value != NULL && gguf_is_int(value) && value->n > 0 &&
             (source->arch->value == 0 ? gguf_int(value, 0) != 0 :
                                         gguf_int(value, 0) == source->arch->value)))
            return 0;
    }
    return unsupported(source, name);
}

/* The ids of the tokenizer's keys, as config.json has them under name. */
static void set_ids(const struct source *source, const char *name, const char *const keys[2])
{
    json_t *list = json_put(source->a, source->root, name, json_array());

    for (int i = 0; i < 2 && keys[i] != NULL; i++) {
        const struct gguf_value *v = gguf_find(source->g, keys[i]);

        if (v != NULL && !v->is_array && gguf_is_int(v))
            json_add(source->a, list, json_integer(gguf_int(v, 0)));
    }
}

static int read_keys(const struct source *source, const struct family *family)
{
    static const char *const bos[2] = { "tokenizer.ggml.bos_token_id" };
    static const char *const eos[2] = { "tokenizer.ggml.eos_token_id",
                                        "tokenizer.ggml.eot_token_id" };

    set_ids(source, "bos_token_id", bos);
    set_ids(source, "eos_token_id", eos);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (gguf_read_number(source, &numbers[i]) != 0)
            return -1;
    if (gguf_fill(source, family) != 0)
        return -1;
    if (!gguf_count_rows(source, "token_embd.weight", "vocab_size"))
        return err_set(source->e, ERR_INPUT, "%s: has no tensor token_embd.weight%s",
                       source->g->file,
                       weights_count(source->w) == 0 ? ": it holds only a vocabulary" : "");
    gguf_count_rows(source, "token_types.weight", "type_vocab_size");
    return family->positions == POS_ROPE ? rope(source, family) : 0;
}

int gguf_config(struct config *config, const struct family **family, struct arena *a,
                const struct weights *weights, struct err *e)
{
    struct source source = { .w = weights, .g = weights_gguf(weights), .a = a, .e = e };
    struct reader reader = { config, a, source.g->file, e };
    const struct family *f;
    int status;

    if (find_arch(&source) != 0)
        return -1;
    f = family_find(source.arch->model_type);
    *family = gguf_family(a, f, source.arch);
    source.root = json_hold(a, json_object());
    status = read_keys(&source, f);
    if (status == 0)
        status = config_object(&reader, *family, source.root);
    json_drop(a, source.root);
    return status;
}
