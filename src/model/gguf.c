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

static const struct gguf_value *gguf_value_of(const struct source *s, const char *key)
{
    return gguf_find(s->g, arena_printf(s->a, "%s.%s", s->arch->name, key));
}

/* All elements of an array are the same: then it is one number, given layer by layer. */
static bool all_same(const struct gguf_value *v)
{
    for (int64_t i = 1; i < v->n; i++)
        if (gguf_is_int(v) ? gguf_int(v, i) != gguf_int(v, 0)
                           : gguf_real(v, i) != gguf_real(v, 0))
            return false;
    return v->n > 0;
}

static int gguf_wrong(const struct source *s, const struct gguf_value *v, const char *want)
{
    return err_set(s->e, ERR_INPUT, "%s: %s: is %s, expected %s", s->g->file, v->key,
                   gguf_kind(s->a, v), want);
}

static int read_value(const struct source *s, const struct key *row, bool or_zero,
                      const struct gguf_value *v, double *out)
{
    static const char *const kinds[] = {
        [KEY_INT] = "a whole number", [KEY_REAL] = "a number", [KEY_BOOL] = "a BOOL"
    };
    bool fits = row->type == KEY_REAL ? gguf_is_real(v) :
                gguf_is_int(v) && (v->type == GGUF_BOOL) == (row->type == KEY_BOOL);

    if (!fits)
        return gguf_wrong(s, v, kinds[row->type]);
    if (v->is_array && !all_same(v))
        return err_set(s->e, ERR_INPUT, "%s: %s: varies by layer, which is not supported",
                       s->g->file, v->key);
    *out = row->type == KEY_REAL ? gguf_real(v, 0) : (double)gguf_int(v, 0);
    if (row->type == KEY_BOOL || (or_zero && *out == 0) ||
        (*out >= row->min && *out <= row->max))
        return 0;
    return err_set(s->e, ERR_INPUT, "%s: %s: found %.12g, expected %s from %.12g to %.12g%s",
                   s->g->file, v->key, *out, kinds[row->type], row->min, row->max,
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

static json_int_t gguf_number(const struct source *s, const char *name)
{
    return json_integer_value(json_object_get(s->root, name));
}

/* layer_types, by where a number that is else the same is 0; it stands for all. */
static int read_by_layer(const struct source *s, const struct number_row *r,
                         const struct gguf_value *v)
{
    const struct key *row = config_find_key(r->name);
    json_int_t L = gguf_number(s, "num_hidden_layers"), one = 0;
    json_t *list;

    if (!gguf_is_int(v) || v->type == GGUF_BOOL || v->n != L)
        return gguf_wrong(s, v, "a whole number for each layer");
    list = json_put(s->a, s->root, "layer_types", json_array());
    for (json_int_t l = 0; l < L; l++) {
        int64_t found = gguf_int(v, l);

        one = one == 0 ? found : one;
        if (found != 0 && (found != one || (double)found < row->min || (double)found > row->max))
            return err_set(s->e, ERR_INPUT, "%s: %s: found %lld in layer %lld, expected one number "
                           "from %.12g to %.12g, or 0", s->g->file, v->key, (long long)found,
                           (long long)l, row->min, row->max);
        json_add(s->a, list, json_string(found != 0 ? "full_attention" : "conv"));
    }
    if (one != 0)
        json_put(s->a, s->root, r->name, json_integer(one));
    return 0;
}

static int gguf_read_number(const struct source *s, const struct number_row *r)
{
    const struct gguf_value *gguf_value = gguf_value_of(s, r->key);
    const struct key *row = config_find_key(r->name);
    bool or_zero = r->presence == OR_ZERO;
    double value = 0;

    if (gguf_value == NULL && r->presence == REQUIRED)
        return err_set(s->e, ERR_INPUT, "%s: has no key %s.%s", s->g->file,
                       s->arch->name, r->key);
    if (gguf_value == NULL)
        return 0;
    if (r->presence == BY_LAYER && gguf_value->is_array && !all_same(gguf_value) &&
        family_find(s->arch->model_type)->mixer == MIXER_CONV)
        return read_by_layer(s, r, gguf_value);
    if (read_value(s, row, or_zero, gguf_value, &value) != 0)
        return -1;
    json_put(s->a, s->root, r->name, json_of(row, or_zero, value));
    return 0;
}

static void set_int(const struct source *s, const char *name, json_int_t v)
{
    json_put(s->a, s->root, name, json_integer(v));
}

/* The rows of a table say how many there are of what it holds.  False: it is not there. */
static bool gguf_count_rows(const struct source *s, const char *tensor, const char *name)
{
    const struct tensor *t = weights_find(s->w, tensor);

    if (t != NULL)
        set_int(s, name, t->n_dims == 2 ? t->shape[0] : 0);
    return t != NULL;
}

/* ---- what GGUF leaves to be known ---- */

/* A head has columns that are not rotated, then some that are; values have a width of their
 * own.  A key that is not there says that queries have one projection. */
static int latent(const struct source *s)
{
    static const struct number_row value = { "attention.value_length", "v_head_dim", OPTIONAL };
    json_int_t all = gguf_number(s, "head_dim"), turned = gguf_number(s, "rope.dimension_count");

    if (all == 0 || turned == 0)
        return err_set(s->e, ERR_INPUT, "%s: has no key %s.%s", s->g->file, s->arch->name,
                       all == 0 ? "attention.key_length" : "rope.dimension_count");
    if (turned >= all)
        return err_set(s->e, ERR_INPUT, "%s: %s.rope.dimension_count: found %lld, expected less "
                       "than attention.key_length %lld", s->g->file, s->arch->name,
                       (long long)turned, (long long)all);
    set_int(s, "qk_rope_head_dim", turned);
    set_int(s, "qk_nope_head_dim", all - turned);
    if (json_object_get(s->root, "q_lora_rank") == NULL)
        json_put(s->a, s->root, "q_lora_rank", json_null());
    if (gguf_number(s, "n_group") > 0)
        json_put(s->a, s->root, "topk_method", json_string("group_limited_greedy"));
    return gguf_read_number(s, &value);
}

static int head_width(const struct source *s)
{
    const struct gguf_value *value = gguf_value_of(s, "attention.value_length");
    json_int_t D = gguf_number(s, "hidden_size"), H = gguf_number(s, "num_attention_heads");

    if (gguf_number(s, "head_dim") == 0) {
        if (D % H != 0)
            return err_set(s->e, ERR_INPUT, "%s: %s.embedding_length %lld is not a "
                           "multiple of the %lld heads, and there is no key_length",
                           s->g->file, s->arch->name, (long long)D, (long long)H);
        set_int(s, "head_dim", D / H);
    }
    if (value != NULL && (!gguf_is_int(value) || !all_same(value) ||
                          gguf_int(value, 0) != gguf_number(s, "head_dim")))
        return err_set(s->e, ERR_INPUT, "%s: %s: values of another width than keys are "
                       "not supported for %s", s->g->file, value->key, s->arch->name);
    return 0;
}

/*
 * The scale of scores.  Without a key Gemma's is the width of a head, but for the
 * models of 27 billion.
 */
static int query_scalar(const struct source *s, const struct family *f)
{
    static const struct key row = { KEY_REAL, 0, 0, 1e3 };
    const struct gguf_value *value = gguf_value_of(s, "attention.scale");
    json_int_t L = gguf_number(s, "num_hidden_layers");
    bool large = strcmp(s->arch->name, "gemma2") == 0 ? L == 46 : L == 62;
    double scale = 0, scalar = 0;

    if (value != NULL && read_value(s, &row, false, value, &scale) != 0)
        return -1;
    if (scale > 0 && f->defaults.score.factor > 0)
        json_put(s->a, s->root, "attention_multiplier", json_real(scale));
    else if (scale > 0)
        scalar = 1 / (scale * scale);
    else if (f->defaults.score.query_scalar > 0)
        scalar = large ? (double)gguf_number(s, "hidden_size") /
                         (double)gguf_number(s, "num_attention_heads")
                       : (double)gguf_number(s, "head_dim");
    if (scalar > 0)
        json_put(s->a, s->root, "query_pre_attn_scalar", json_real(scalar));
    return 0;
}

/* Every so many layers one sees all; or which layers are windowed, one by one. */
static int window_pattern(const struct source *s, const struct family *f)
{
    const struct gguf_value *value = gguf_value_of(s, "attention.sliding_window_pattern");
    json_int_t L = gguf_number(s, "num_hidden_layers");
    json_t *list;

    if (value == NULL)
        return 0;
    if (!gguf_is_int(value) || value->is_array != (value->type == GGUF_BOOL) ||
        (value->is_array ? value->n != L : gguf_int(value, 0) < 1))
        return gguf_wrong(s, value, "a number of layers, or a BOOL for each layer");
    list = json_put(s->a, s->root, "layer_types", json_array());
    for (json_int_t l = 0; l < L; l++) {
        json_int_t i = quirks_of(f)->full_first > 0 ? l : l + 1;
        bool windowed = value->is_array ? gguf_int(value, l) != 0 :
                                          i % gguf_int(value, 0) != 0;

        json_add(s->a, list, json_string(windowed ? "sliding_attention"
                                                         : "full_attention"));
    }
    return 0;
}

static int causal(const struct source *s, const struct family *f)
{
    const struct gguf_value *value = gguf_value_of(s, "attention.causal");

    if (value == NULL)
        return 0;
    if (value->type != GGUF_BOOL || value->is_array)
        return gguf_wrong(s, value, "a BOOL");
    if (f->causal && gguf_int(value, 0) == 0)
        return err_set(s->e, ERR_INPUT, "%s: %s: false is not supported for %s",
                       s->g->file, value->key, s->arch->name);
    json_put(s->a, s->root, "is_decoder", json_boolean(gguf_int(value, 0) != 0));
    return 0;
}

/* What T5's tensors say: whether its mlp is gated, and the head its own. */
static void t5(const struct source *s)
{
    bool gated = gguf_any_layer(s->a, s->w, "enc.blk.", ".ffn_gate.weight",
                                gguf_number(s, "num_hidden_layers"));

    json_put(s->a, s->root, "feed_forward_proj",
                        json_string(gated ? "gated-gelu" : "relu"));
    json_put(s->a, s->root, "tie_word_embeddings",
                        json_boolean(weights_find(s->w, "output.weight") == NULL));
}

/* Llama 4 with 128 experts does not norm queries and keys, for which there is no key. */
static void llama4(const struct source *s)
{
    json_put(s->a, s->root, "use_qk_norm", json_boolean(gguf_number(s, "num_experts") != 128));
}

/* Falcon's key/value heads are counted in all its shapes; its norms tell them apart. */
static void falcon(const struct source *s)
{
    bool two = gguf_any_layer(s->a, s->w, "blk.", ".attn_norm_2.weight",
                              gguf_number(s, "num_hidden_layers"));

    json_put(s->a, s->root, "new_decoder_architecture", json_true());
    set_int(s, "num_ln_in_parallel_attn", two ? 2 : 1);
}

/* Keys without which the family's defaults would be wrong. */
static int gguf_fill(const struct source *s, const struct family *f)
{
    if (gguf_number(s, "num_key_value_heads") == 0)
        set_int(s, "num_key_value_heads", gguf_number(s, "num_attention_heads"));
    if (json_object_get(s->root, "rope_theta") == NULL)
        json_put(s->a, s->root, "rope_theta", json_real(10000));
    if (json_object_get(s->root, "rope_local_base_freq") == NULL &&
        f->defaults.rotary.rope[1].theta == f->defaults.rotary.rope[0].theta)
        json_put(s->a, s->root, "rope_local_base_freq",
                 json_real(json_number_value(json_object_get(s->root, "rope_theta"))));
    if (gguf_number(s, "sliding_window") == 0)
        json_put(s->a, s->root, "sliding_window", json_null());
    if (quirks_of(f)->mlp_by_config)
        t5(s);
    if (f->defaults.falcon.multi_query)
        falcon(s);
    if (quirks_of(f)->qk_norm_last)
        llama4(s);
    if (json_object_get(s->root, "tie_word_embeddings") == NULL)
        json_put(s->a, s->root, "tie_word_embeddings", json_true());
    if (s->arch->renormalise && json_object_get(s->root, "norm_topk_prob") == NULL)
        json_put(s->a, s->root, "norm_topk_prob", json_true());
    if (s->arch->both_ways)
        json_put(s->a, s->root, "use_bidirectional_attention", json_true());
    return (f->qkv == QKV_LOW_RANK ? latent(s) : head_width(s)) != 0 || causal(s, f) != 0 ||
           query_scalar(s, f) != 0 || window_pattern(s, f) != 0 ? -1 : 0;
}

/* ---- rotary positions ---- */

/* Numbers of a tensor, one for each pair of columns. */
static int factors(const struct source *s, const char *tensor, json_t *to,
                   const char *name)
{
    enum { MOST = 1 << 15 };
    const struct tensor *t = weights_find(s->w, tensor);
    json_t *list;

    if (t == NULL || t->n_dims != 1 || t->n_elements > MOST ||
        !dtype_table[t->dtype].is_float)
        return err_set(s->e, ERR_INPUT, "%s: %s: %s, expected one row of floats", s->g->file,
                       tensor, t == NULL ? "is not there" : tensor_shape(s->a, t));
    list = json_put(s->a, to, name, json_array());
    for (int64_t i = 0; i < t->n_elements; i++) {
        float value;

        tensor_read(&value, t, i, 1);
        json_add(s->a, list, json_real(isfinite(value) ? (double)value : 0));
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
static void yarn_factor(const struct source *s, json_t *scaling)
{
    const json_t *value = json_object_get(scaling, "attention_factor");
    double factor = json_number_value(json_object_get(scaling, "factor"));

    if (value != NULL && factor > 0)
        json_put(s->a, scaling, "attention_factor", json_real(
            json_number_value(value) * (factor > 1 ? 0.1 * elementary_log(factor) + 1 : 1)));
}

/* What GGUF has of both of yarn's mscales, which are the same, is a tenth of them. */
static void yarn_mscale(const struct source *s, json_t *scaling)
{
    double tenth = json_number_value(json_object_get(scaling, "mscale_all_dim"));

    if (!(tenth > 0))
        return;
    json_put(s->a, scaling, "mscale_all_dim", json_real(10 * tenth));
    json_put(s->a, scaling, "mscale", json_real(10 * tenth));
}

static int scaling_type(const struct source *s, json_t *scaling, const char **type)
{
    const struct gguf_value *value = gguf_value_of(s, "rope.scaling.type");
    struct span text;
    struct gguf_strings all;

    *type = json_object_get(scaling, "factor") != NULL ? "linear" : "none";
    if (value == NULL)
        return 0;
    if (value->type != GGUF_STRING || value->is_array)
        return gguf_wrong(s, value, "a STRING");
    all = gguf_strings(value);
    gguf_next(&all, &text);
    *type = arena_strndup(s->a, (const char *)text.data, text.size);
    return 0;
}

/* rope_scaling of config.json, where there is any. */
static int rope(const struct source *s, const struct family *f)
{
    json_t *scaling = json_put(s->a, s->root, "rope_scaling", json_object());
    const struct source own = { s->w, s->g, s->arch, s->a, scaling, s->e };
    const char *type = "none";
    bool freqs = weights_find(s->w, "rope_freqs.weight") != NULL;
    bool two = weights_find(s->w, "rope_factors_long.weight") != NULL;

    for (size_t i = 0; i < sizeof scaling_numbers / sizeof scaling_numbers[0]; i++)
        if (gguf_read_number(&own, &scaling_numbers[i]) != 0)
            return -1;
    if (scaling_type(s, scaling, &type) != 0)
        return -1;
    if (freqs && strcmp(type, "none") != 0)
        return err_set(s->e, ERR_INPUT, "%s: rope_freqs.weight with a rope scaling of "
                       "type %s is not supported", s->g->file, type);
    if (freqs || two) {
        type = "longrope";
        if (freqs)
            json_put(s->a, scaling, "attention_factor", json_real(1));
        if (factors(s, freqs ? "rope_freqs.weight" : "rope_factors_short.weight", scaling,
                    "short_factor") != 0 ||
            factors(s, freqs ? "rope_freqs.weight" : "rope_factors_long.weight", scaling,
                    "long_factor") != 0)
            return -1;
    } else if (strcmp(type, "longrope") == 0) {
        return factors(s, "rope_factors_long.weight", scaling, "long_factor");
    }
    if (strcmp(type, "yarn") == 0)
        yarn_factor(s, scaling);
    yarn_mscale(s, scaling);
    if (f->defaults.rotary.rope[0].no_truncate)
        json_put(s->a, scaling, "truncate", json_false());
    json_put(s->a, scaling, "rope_type",
             json_shown(s->a, strcmp(type, "none") == 0 ? "default" : type));
    return 0;
}

/* ---- the whole ---- */

static int unsupported(const struct source *s, const char *found)
{
    char *all = arena_strdup(s->a, "");

    for (int i = 0; gguf_architecture(i) != NULL; i++)
        all = arena_printf(s->a, "%s%s%s", all, i > 0 ? ", " : "", gguf_architecture(i));
    return err_set(s->e, ERR_INPUT, "%s: general.architecture: found \"%s\", expected one "
                   "of %s", s->g->file, found, all);
}

static int find_arch(struct source *s)
{
    const struct gguf_value *value = gguf_find(s->g, "general.architecture");
    struct gguf_strings all;
    struct span text;
    char *name;

    if (value == NULL)
        return err_set(s->e, ERR_INPUT, "%s: has no general.architecture", s->g->file);
    if (value->type != GGUF_STRING || value->is_array)
        return gguf_wrong(s, value, "a STRING");
    all = gguf_strings(value);
    gguf_next(&all, &text);
    name = arena_strndup(s->a, (const char *)text.data, text.size < 64 ? text.size : 64);
    for (s->arch = gguf_archs; s->arch->name != NULL; s->arch++) {
        const char *when = s->arch->when;

        if (strcmp(s->arch->name, name) != 0 || family_find(s->arch->model_type) == NULL)
            continue;
        value = when != NULL ? gguf_value_of(s, when) : NULL;
        if (when == NULL || (value != NULL && gguf_is_int(value) && value->n > 0 &&
                             (s->arch->value == 0 ? gguf_int(value, 0) != 0 :
                                                    gguf_int(value, 0) == s->arch->value)))
            return 0;
    }
    return unsupported(s, name);
}

/* The ids of the tokenizer's keys, as config.json has them under name. */
static void set_ids(const struct source *s, const char *name, const char *const keys[2])
{
    json_t *list = json_put(s->a, s->root, name, json_array());

    for (int i = 0; i < 2 && keys[i] != NULL; i++) {
        const struct gguf_value *v = gguf_find(s->g, keys[i]);

        if (v != NULL && !v->is_array && gguf_is_int(v))
            json_add(s->a, list, json_integer(gguf_int(v, 0)));
    }
}

static int read_keys(const struct source *s, const struct family *f)
{
    static const char *const bos[2] = { "tokenizer.ggml.bos_token_id" };
    static const char *const eos[2] = { "tokenizer.ggml.eos_token_id",
                                        "tokenizer.ggml.eot_token_id" };

    set_ids(s, "bos_token_id", bos);
    set_ids(s, "eos_token_id", eos);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (gguf_read_number(s, &numbers[i]) != 0)
            return -1;
    if (gguf_fill(s, f) != 0)
        return -1;
    if (!gguf_count_rows(s, "token_embd.weight", "vocab_size"))
        return err_set(s->e, ERR_INPUT, "%s: has no tensor token_embd.weight%s", s->g->file,
                       weights_count(s->w) == 0 ? ": it holds only a vocabulary" : "");
    gguf_count_rows(s, "token_types.weight", "type_vocab_size");
    return f->positions == POS_ROPE ? rope(s, f) : 0;
}

int gguf_config(struct config *c, const struct family **family, struct arena *a,
                const struct weights *w, struct err *e)
{
    struct source source = { .w = w, .g = weights_gguf(w), .a = a, .e = e };
    struct reader reader = { c, a, source.g->file, e };
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
