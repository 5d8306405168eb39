/* SPDX-License-Identifier: MIT
 * Every key of config.json: its aliases, its default, and every value that is wrong. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"

/* The three fields of the tests' own: families with everything at its default. */
#define BERT "{\"model_type\":\"bert\""
#define GPT2 "{\"model_type\":\"gpt2\""
#define LLAMA "{\"model_type\":\"llama\""
#define DEEP2 "{\"model_type\":\"deepseek_v2\",\"num_experts_per_tok\":6"
#define DEEP3 "{\"model_type\":\"deepseek_v3\""

static struct arena arena;

static int read_text(const char *json, size_t n, struct config *c, const struct family **f,
                     struct err *e)
{
    const struct span bytes = { (const unsigned char *)json, n };

    return config_read(c, f, &arena, bytes, "config.json", TOWER_NONE, e);
}

static struct config good(const char *json)
{
    const struct family *f;
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_text(json, strlen(json), &c, &f, &e) != 0)
        fail_msg("%s: %s", json, e.msg);
    return c;
}

static void bad(const char *json, const char *why)
{
    const struct family *f;
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_text(json, strlen(json), &c, &f, &e) != -1)
        fail_msg("%s: was taken", json);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_ptr_equal(strstr(e.msg, "config.json: "), e.msg);
    if (strstr(e.msg, why) == NULL)
        fail_msg("%s: '%s', expected '%s'", json, e.msg, why);
}

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* ---- defaults: transformers' configuration_bert.py, _gpt2.py, _llama.py ---- */

static void defaults_of_bert(void **state)
{
    struct config c = good(BERT "}");

    (void)state;
    assert_int_equal(c.n_layers, 12);
    assert_int_equal(c.n_heads, 12);
    assert_int_equal(c.n_kv_heads, 12);
    assert_int_equal(c.d_model, 768);
    assert_int_equal(c.d_head, 64);
    assert_int_equal(c.d_ff, 3072);
    assert_int_equal(c.n_vocab, 30522);
    assert_int_equal(c.n_positions, 512);
    assert_int_equal(c.n_types, 2);
    assert_true(c.norm.eps == 1e-12);
    assert_int_equal(c.act, ACT_GELU);
    assert_true(c.score.scaled && !c.score.by_layer && !c.is_decoder);
    assert_int_equal(c.card.layer, -1);
    assert_null(c.card.name);
    assert_null(c.card.text);
}

static void defaults_of_gpt2(void **state)
{
    struct config c = good(GPT2 "}");

    (void)state;
    assert_int_equal(c.n_layers, 12);
    assert_int_equal(c.d_model, 768);
    assert_int_equal(c.d_ff, 3072);
    assert_int_equal(c.n_vocab, 50257);
    assert_int_equal(c.n_positions, 1024);
    assert_true(c.norm.eps == 1e-5);
    assert_int_equal(c.act, ACT_GELU_TANH);
    assert_true(c.score.scaled && !c.score.by_layer);
}

static void defaults_of_llama(void **state)
{
    struct config c = good(LLAMA "}");

    (void)state;
    assert_int_equal(c.n_layers, 32);
    assert_int_equal(c.n_heads, 32);
    assert_int_equal(c.n_kv_heads, 32);
    assert_int_equal(c.d_model, 4096);
    assert_int_equal(c.d_head, 128);
    assert_int_equal(c.d_ff, 11008);
    assert_int_equal(c.n_vocab, 32000);
    assert_int_equal(c.n_positions, 2048);
    assert_true(c.norm.eps == 1e-6);
    assert_true(c.rotary.rope[0].theta == 10000);
    assert_int_equal(c.act, ACT_SILU);
    assert_int_equal(c.rotary.rope[0].scaling, ROPE_DEFAULT);
}

/* ---- each number ---- */

struct number {
    const char *key;
    size_t field;
    bool is_int;
    double value;               /* one that may stand alone beside the defaults */
    double min, max;
};

#define I(key, field, value, max) { key, offsetof(struct config, field), true, value, 1, max }
#define R(key, field, value, min, max) \
    { key, offsetof(struct config, field), false, value, min, max }
static const struct number numbers[] = {
    I("num_hidden_layers", n_layers, 3, 1 << 16), I("n_layer", n_layers, 5, 1 << 16),
    I("num_attention_heads", n_heads, 6, 1 << 16), I("n_head", n_heads, 4, 1 << 16),
    I("num_key_value_heads", n_kv_heads, 3, 1 << 16),
    I("hidden_size", d_model, 96, 1 << 20), I("n_embd", d_model, 120, 1 << 20),
    I("head_dim", d_head, 80, 1 << 16), I("intermediate_size", d_ff, 17, 1 << 24),
    I("n_inner", d_ff, 33, 1 << 24), I("vocab_size", n_vocab, 999, 1 << 28),
    I("max_position_embeddings", n_positions, 7, 1 << 30),
    I("n_positions", n_positions, 8, 1 << 30), I("type_vocab_size", n_types, 1, 1 << 16),
    R("layer_norm_eps", norm.eps, 0.25, 0, 1), R("layer_norm_epsilon", norm.eps, 0.5, 0, 1),
    R("rms_norm_eps", norm.eps, 1, 0, 1),
    I("q_lora_rank", latent.q_rank, 9, 1 << 20), I("kv_lora_rank", latent.kv_rank, 7, 1 << 20),
    I("qk_nope_head_dim", latent.d_nope, 5, 1 << 16),
    R("routed_scaling_factor", experts.factor, 2.5, 1e-6, 1e6),
};
enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

static double value_of(const struct config *c, const struct number *n)
{
    const char *field = (const char *)c + n->field;

    return n->is_int ? *(const int *)(const void *)field
                     : *(const double *)(const void *)field;
}

static const char *with(const struct number *n, const char *value)
{
    return arena_printf(&arena, BERT ",\"%s\":%s}", n->key, value);
}

static void every_number_is_read(void **state)
{
    (void)state;
    for (int i = 0; i < N_NUMBERS; i++) {
        const struct number *n = &numbers[i];
        struct config c = good(with(n, arena_printf(&arena, "%.17g", n->value))), d;

        assert_true(value_of(&c, n) == n->value);
        /* null is as good as absent */
        c = good(with(n, "null"));
        d = good(BERT "}");
        assert_memory_equal(&c, &d, sizeof c);
    }
}

static void wrong_values_are_named(void **state)
{
    static const char *const types[] = { "\"12\"", "true", "[]", "{}", "\"\"", "[12]" };

    (void)state;
    for (int i = 0; i < N_NUMBERS; i++) {
        const struct number *n = &numbers[i];
        const char *key = arena_printf(&arena, "config.json: %s: found ", n->key);

        for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
            bad(with(n, types[k]), key);
        bad(with(n, "-1"), key);
        bad(with(n, arena_printf(&arena, "%.17g", n->max + 1)), key);
        bad(with(n, "1e300"), key);
        bad(with(n, "9223372036854775807"), key);
        if (!n->is_int)
            continue;
        bad(with(n, "0"), key);
        bad(with(n, "2.5"), key);
        bad(with(n, "2.0"), key);
        bad(with(n, "4294967298"), key);    /* 2 in 32 bits */
    }
}

static void the_first_alias_wins(void **state)
{
    struct config c = good(GPT2 ",\"n_layer\":3,\"num_hidden_layers\":5}");

    (void)state;
    assert_int_equal(c.n_layers, 5);
    c = good(GPT2 ",\"n_layer\":3,\"num_hidden_layers\":null}");
    assert_int_equal(c.n_layers, 3);
}

static void flags(void **state)
{
    struct config c = good(GPT2 ",\"scale_attn_weights\":false,"
                           "\"scale_attn_by_inverse_layer_idx\":true,\"is_decoder\":true}");

    (void)state;
    assert_true(!c.score.scaled && c.score.by_layer && c.is_decoder);
    bad(GPT2 ",\"scale_attn_weights\":1}", "scale_attn_weights: found 1, expected true or "
    "false");
    bad(BERT ",\"is_decoder\":\"no\"}", "is_decoder: found \"no\"");
}

static void activations(void **state)
{
    static const struct { const char *name; enum act act; } names[] = {
        { "gelu", ACT_GELU }, { "gelu_new", ACT_GELU_TANH }, { "relu", ACT_RELU },
        { "gelu_pytorch_tanh", ACT_GELU_TANH }, { "quick_gelu", ACT_QUICK_GELU },
        { "silu", ACT_SILU }, { "swish", ACT_SILU }, { "tanh", ACT_TANH },
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct config c = good(arena_printf(&arena, BERT ",\"hidden_act\":\"%s\"}",
                                            names[i].name));

        assert_int_equal(c.act, names[i].act);
        c = good(arena_printf(&arena, GPT2 ",\"activation_function\":\"%s\"}",
                              names[i].name));
        assert_int_equal(c.act, names[i].act);
    }
    bad(BERT ",\"hidden_act\":\"mish\"}", "hidden_act: found \"mish\", expected an activation");
    bad(BERT ",\"hidden_act\":3}", "hidden_act: found 3");
}

/* ---- latent attention, experts in groups ---- */

static void defaults_of_deepseek(void **state)
{
    struct config c = good(DEEP2 "}");

    (void)state;
    assert_int_equal(c.d_head, 192);
    assert_int_equal(c.d_value, 128);
    assert_int_equal(c.rotary.n_columns, 64);
    assert_int_equal(c.n_kv_heads, 32);
    assert_int_equal(c.latent.q_rank, 1536);
    assert_int_equal(c.latent.kv_rank, 512);
    assert_int_equal(c.experts.n, 64);
    assert_int_equal(c.experts.n_shared, 2);
    assert_int_equal(c.experts.d_ff, 1407);
    assert_int_equal(c.experts.n_groups, 0);
    assert_int_equal(c.experts.first_layer, 0);
    assert_true(!c.experts.renormalise && c.experts.factor == 0 && !c.rotary.interleave);
    c = good(DEEP3 "}");
    assert_int_equal(c.d_head, 192);
    assert_int_equal(c.experts.n, 256);
    assert_int_equal(c.experts.n_chosen, 8);
    assert_int_equal(c.experts.n_groups, 8);
    assert_int_equal(c.experts.n_chosen_groups, 4);
    assert_int_equal(c.experts.first_layer, 3);
    assert_true(c.experts.renormalise && c.experts.factor == 2.5 && c.rotary.interleave);
}

static void latent_widths(void **state)
{
    struct config c = good(DEEP3 ",\"qk_nope_head_dim\":12,\"qk_rope_head_dim\":8,"
                           "\"v_head_dim\":10,\"head_dim\":8,\"q_lora_rank\":null,"
                           "\"rope_interleave\":false}");

    (void)state;
    assert_int_equal(c.d_head, 20);
    assert_int_equal(c.d_value, 10);
    assert_int_equal(c.rotary.n_columns, 8);
    assert_int_equal(c.latent.q_rank, 0);
    assert_false(c.rotary.interleave);
    c = good(LLAMA ",\"v_head_dim\":10}");    /* another family's key */
    assert_int_equal(c.d_value, 128);
    bad(DEEP3 ",\"qk_rope_head_dim\":7}", "7 of the 135 columns of a head are rotated");
    bad(DEEP3 ",\"qk_rope_head_dim\":0}", "qk_rope_head_dim: found 0");
    bad(DEEP3 ",\"qk_rope_head_dim\":65537}", "qk_rope_head_dim: found 65537");
    bad(DEEP3 ",\"qk_nope_head_dim\":0}", "qk_nope_head_dim: found 0");
    bad(DEEP3 ",\"kv_lora_rank\":0}", "kv_lora_rank: found 0");
    bad(DEEP3 ",\"q_lora_rank\":0}", "q_lora_rank: found 0");
    bad(DEEP3 ",\"v_head_dim\":-1}", "v_head_dim: found -1");
    bad(DEEP3 ",\"v_head_dim\":65536,\"num_attention_heads\":512,"
        "\"num_key_value_heads\":512}", "512 heads with values of width 65536");
    bad(DEEP3 ",\"num_key_value_heads\":64}", "num_key_value_heads: found 64, expected the "
    "128");
}

static void experts(void **state)
{
    struct config c = good(DEEP2 ",\"topk_method\":\"group_limited_greedy\","
                           "\"n_group\":4,\"topk_group\":2,\"norm_topk_prob\":true,"
                           "\"n_routed_experts\":12}");

    (void)state;
    assert_int_equal(c.experts.n, 12);
    assert_int_equal(c.experts.n_groups, 4);
    assert_int_equal(c.experts.n_chosen_groups, 2);
    assert_false(c.experts.renormalise);        /* the reference has no use for the key here */
    c = good(DEEP2 ",\"topk_method\":\"greedy\",\"n_group\":7,\"topk_group\":9}");
    assert_int_equal(c.experts.n_groups, 0);
    c = good(DEEP3 ",\"topk_method\":\"noaux_tc\",\"n_shared_experts\":0}");
    assert_int_equal(c.experts.n_shared, 0);
    c = good(BERT ",\"num_experts\":8}");     /* another family's key */
    assert_int_equal(c.experts.n, 0);
    bad("{\"model_type\":\"deepseek_v2\"}", "has no num_experts_per_tok");
    bad(DEEP2 ",\"n_routed_experts\":5}", "num_experts_per_tok: found 6, expected at most "
    "the 5");
    bad(DEEP2 ",\"topk_method\":\"noaux_tc\"}", "topk_method: found \"noaux_tc\"");
    bad(DEEP2 ",\"topk_method\":3}", "topk_method: found 3");
    bad(DEEP2 ",\"topk_method\":\"group_limited_greedy\"}", "requires n_group and topk_group");
    bad(DEEP3 ",\"n_group\":7}", "n_group: found 7, expected a divisor of the 256");
    bad(DEEP3 ",\"n_group\":0}", "n_group: found 0");
    bad(DEEP3 ",\"topk_group\":9}", "topk_group: found 9, expected at most the 8");
    bad(DEEP3 ",\"topk_group\":0}", "topk_group: found 0");
    bad(DEEP3 ",\"n_group\":256}", "256 groups of one expert");
    bad(DEEP3 ",\"n_group\":128,\"topk_group\":3}", "found 8, expected at most the 6 experts");
    bad(DEEP3 ",\"routed_scaling_factor\":0}", "routed_scaling_factor: found 0");
    bad(DEEP3 ",\"first_k_dense_replace\":-1}", "first_k_dense_replace: found -1");
    bad(DEEP3 ",\"n_shared_experts\":65536}", "65536 shared experts of width 2048");
}

/* ---- what follows from what ---- */

static void derived_numbers(void **state)
{
    struct config c = good(GPT2 ",\"n_embd\":60,\"n_head\":5,\"n_inner\":null}");

    (void)state;
    assert_int_equal(c.d_head, 12);
    assert_int_equal(c.d_ff, 240);
    assert_int_equal(c.n_kv_heads, 5);
    c = good(LLAMA ",\"hidden_size\":32,\"num_attention_heads\":4,\"head_dim\":12}");
    assert_int_equal(c.d_head, 12);
    bad(GPT2 ",\"n_embd\":61,\"n_head\":5}",
        "hidden_size 61 is not a multiple of the 5 heads");
    bad(LLAMA ",\"num_attention_heads\":8,\"num_key_value_heads\":3}",
        "num_key_value_heads: found 3, expected a divisor of the 8 heads");
    bad(LLAMA ",\"num_attention_heads\":4,\"num_key_value_heads\":8}",
        "num_key_value_heads: found 8");
    bad(LLAMA ",\"head_dim\":13}", "13 of the 13 columns of a head are rotated");
    bad(BERT ",\"num_attention_heads\":65536,\"head_dim\":65536}",
        "65536 heads of width 65536");
}

/* ---- rotary positions ---- */

static void rope_of_version_4(void **state)
{
    struct config c = good(LLAMA ",\"rope_theta\":500,\"rope_scaling\":null}");

    (void)state;
    assert_true(c.rotary.rope[0].theta == 500 && c.rotary.rope[0].scaling == ROPE_DEFAULT);
    c = good(LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"factor\":2.5}}");
    assert_true(c.rotary.rope[0].scaling == ROPE_LINEAR && c.rotary.rope[0].factor == 2.5);
    c = good(LLAMA ",\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":2}}");
    assert_int_equal(c.rotary.rope[0].scaling, ROPE_LINEAR);
    c = good(LLAMA ",\"rope_theta\":5e5,\"rope_scaling\":{\"rope_type\":\"llama3\","
             "\"factor\":8,\"low_freq_factor\":1,\"high_freq_factor\":4,"
             "\"original_max_position_embeddings\":8192}}");
    assert_int_equal(c.rotary.rope[0].scaling, ROPE_LLAMA3);
    assert_true(c.rotary.rope[0].factor == 8 && c.rotary.rope[0].low == 1 &&
                c.rotary.rope[0].high == 4);
    assert_int_equal(c.rotary.rope[0].original, 8192);
    assert_true(c.rotary.rope[0].theta == 5e5);
}

static void rope_of_version_5(void **state)
{
    struct config c = good(LLAMA ",\"rope_parameters\":{\"rope_type\":\"default\","
                           "\"rope_theta\":1e6}}");

    (void)state;
    assert_true(c.rotary.rope[0].scaling == ROPE_DEFAULT && c.rotary.rope[0].theta == 1e6);
    c = good(LLAMA ",\"rope_parameters\":{\"rope_type\":\"linear\",\"rope_theta\":1e6,"
             "\"factor\":4}}");
    assert_true(c.rotary.rope[0].scaling == ROPE_LINEAR && c.rotary.rope[0].factor == 4 &&
                c.rotary.rope[0].theta == 1e6);
    /* version 5 counts where both are there */
    c = good(LLAMA ",\"rope_theta\":7,\"rope_parameters\":{\"rope_theta\":9},"
             "\"rope_scaling\":{\"type\":\"linear\",\"factor\":2}}");
    assert_true(c.rotary.rope[0].scaling == ROPE_DEFAULT && c.rotary.rope[0].theta == 9);
}

static void rope_that_is_wrong(void **state)
{
    (void)state;
    bad(LLAMA ",\"rope_scaling\":{\"type\":\"yarrn\",\"factor\":2}}",
        "rope_type: found \"yarrn\", expected one that is supported");
    bad(LLAMA ",\"rope_scaling\":{\"type\":3}}", "rope_type: found 3");
    bad(LLAMA ",\"rope_scaling\":[]}", "rope_parameters: found [], expected an object");
    bad(LLAMA ",\"rope_parameters\":7}", "rope_parameters: found 7");
    bad(LLAMA ",\"rope_scaling\":{\"type\":\"linear\"}}", "no factor");
    bad(LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"factor\":0}}", "factor: found 0");
    bad(LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"factor\":-2}}", "factor: found -2");
    bad(LLAMA ",\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8}}", "llama3 requires");
    bad(LLAMA ",\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,"
        "\"low_freq_factor\":4,\"high_freq_factor\":4,"
        "\"original_max_position_embeddings\":32}}", "llama3 requires");
    bad(LLAMA ",\"rope_theta\":0}", "rope_theta: found 0");
}

/* Frequencies as transformers' modeling_rope_utils.py computes them. */
static void frequencies(void **state)
{
    struct config c = good(LLAMA ",\"head_dim\":8,\"rope_theta\":10000}");
    float f[4];

    (void)state;
    model_inv_freq(f, &c.rotary.rope[0], 8, false);
    for (int i = 0; i < 4; i++)
        check_close((double)f[i], pow(10000, -i / 4.0), 1e-7 * (double)f[i]);
    c = good(LLAMA ",\"head_dim\":8,\"rope_scaling\":{\"type\":\"linear\",\"factor\":4}}");
    model_inv_freq(f, &c.rotary.rope[0], 8, false);
    assert_true(f[0] == 0.25f && fabsf(f[2] - 0.0025f) < 1e-9f);
    /* wavelengths 6.28, 62.8, 628, 6283 against 32/4 = 8 and 32/1 = 32 */
    c = good(LLAMA ",\"head_dim\":8,\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,"
             "\"low_freq_factor\":1,\"high_freq_factor\":4,"
             "\"original_max_position_embeddings\":32}}");
    model_inv_freq(f, &c.rotary.rope[0], 8, false);
    assert_true(f[0] == 1.0f);
    assert_true(fabsf(f[1] - 0.1f / 8) < 1e-9f && fabsf(f[3] - 0.001f / 8) < 1e-10f);
    /* one in between: wavelength 2 pi / 0.5623 = 11.17 */
    c = good(LLAMA ",\"head_dim\":16,\"rope_theta\":100,\"rope_scaling\":{"
             "\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":1,"
             "\"high_freq_factor\":4,\"original_max_position_embeddings\":32}}");
    {
        float g[8];
        double freq = pow(100, -1 / 8.0), wave = 6.283185307179586 / freq;
        double blend = (32 / wave - 1) / 3;

        model_inv_freq(g, &c.rotary.rope[0], 16, false);
        assert_true(blend > 0 && blend < 1);
        check_close((double)g[1], (1 - blend) * freq / 8 + blend * freq, 1e-7);
    }
}

/* ---- the whole ---- */

static void families_and_what_is_no_config(void **state)
{
    const struct family *f;
    struct config c;
    struct err e;

    (void)state;
    assert_int_equal(read_text(GPT2 "}", strlen(GPT2 "}"), &c, &f, &e), 0);
    assert_string_equal(f->name, "gpt2");
    bad("", "not JSON: column");
    bad("{", "not JSON: column");
    bad("[]", "is not a JSON object");
    bad("3", "");
    bad("{}", "has no model_type");
    bad("{\"model_type\":null}", "has no model_type");
    bad("{\"model_type\":\"resnet\"}",
        "model_type: found \"resnet\", expected one of the ");
    bad("{\"model_type\":\"lama\"}", "of mha-viz info --families (is \"llama\" meant?)");
    bad("{\"model_type\":7}", "model_type: found 7");
    bad("{\"model_type\":\"be\\u0007rt\"}", "model_type: found");
}

static void keys_that_are_refused(void **state)
{
    (void)state;
    bad(LLAMA ",\"quantization_config\":{\"quant_method\":\"gptq\"}}",
        "quantization_config.bits: found nothing");
    bad(LLAMA ",\"quantization_config\":{}}", "quantization_config.quant_method: found nothing");
    bad(GPT2 ",\"add_cross_attention\":true}", "add_cross_attention");
    good(GPT2 ",\"add_cross_attention\":false,\"quantization_config\":null}");
    bad(BERT ",\"position_embedding_type\":\"relative_key\"}",
        "position_embedding_type: found \"relative_key\", expected \"absolute\"");
    good(BERT ",\"position_embedding_type\":\"absolute\"}");
    bad("{\"model_type\":\"gemma2\",\"use_bidirectional_attention\":true}",
        "use_bidirectional_attention: true is not supported for gemma2");
    assert_true(good("{\"model_type\":\"gemma3_text\","
                     "\"use_bidirectional_attention\":true}").both_ways);
}

static void windows_by_layer(void **state)
{
#define LONG "{\"model_type\":\"longformer\",\"num_hidden_layers\":2"
    struct config c = good(LONG "}");

    (void)state;
    assert_int_equal(c.window.n_keys, 512);
    assert_null(c.window.by_layer);
    assert_int_equal(c.sparse.sep_id, 2);
    assert_int_equal(good(LONG ",\"attention_window\":6}").window.n_keys, 6);
    c = good(LONG ",\"attention_window\":[4,2]}");
    assert_int_equal(c.window.by_layer[0], 4);
    assert_int_equal(c.window.by_layer[1], 2);
    bad(LONG ",\"attention_window\":7}", "attention_window: found 7, expected an even number");
    bad(LONG ",\"attention_window\":[4,3]}", "attention_window: found [4,3], expected an even");
    bad(LONG ",\"attention_window\":[4,0]}", "attention_window: found [4,0]");
    bad(LONG ",\"attention_window\":[4,-2]}", "attention_window: found [4,-2]");
    bad(LONG ",\"attention_window\":[4,\"4\"]}", "attention_window: found [4,\"4\"]");
    bad(LONG ",\"attention_window\":0}", "attention_window: found 0");
    bad(LONG ",\"attention_window\":4.0}", "attention_window: found 4.0");
    bad(LONG ",\"attention_window\":2147483648}", "attention_window: found 2147483648");
    bad(LONG ",\"attention_window\":[4]}", "attention_window: has 1 layer, expected 2");
    bad(LONG ",\"attention_window\":[4,4,4]}", "attention_window: has 3 layers, expected 2");
    good(BERT ",\"attention_window\":7}");      /* no key of this family's */
}

/* As LongformerForQuestionAnswering and the like do without a global_attention_mask. */
static void what_a_class_makes_global(void **state)
{
    static const struct { const char *name; enum global_rule rule; } classes[] = {
        { "LongformerModel", GLOBAL_NONE }, { "LongformerForMaskedLM", GLOBAL_NONE },
        { "LongformerForTokenClassification", GLOBAL_NONE },
        { "LongformerForSequenceClassification", GLOBAL_FIRST },
        { "LongformerForQuestionAnswering", GLOBAL_QUESTION },
        { "LongformerForMultipleChoice", GLOBAL_ANSWER },
    };
    char json[256];

    (void)state;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        struct config c;

        snprintf(json, sizeof json, LONG ",\"sep_token_id\":9,\"architectures\":[\"%s\"]}",
                 classes[i].name);
        c = good(json);
        assert_int_equal(c.sparse.rule, classes[i].rule);
        assert_int_equal(c.sparse.sep_id, 9);
    }
    assert_int_equal(good(LONG ",\"architectures\":7}").sparse.rule, GLOBAL_NONE);
    assert_int_equal(good(LONG ",\"architectures\":[]}").sparse.rule, GLOBAL_NONE);
    bad(LONG ",\"sep_token_id\":-1}", "sep_token_id: found -1");
}

static void blocks_of_keys(void **state)
{
#define BIRD "{\"model_type\":\"big_bird\""
    struct config c = good(BIRD "}");

    (void)state;
    assert_int_equal(c.sparse.block, 64);
    assert_int_equal(c.sparse.n_random, 3);
    c = good(BIRD ",\"block_size\":16,\"num_random_blocks\":2}");
    assert_int_equal(c.sparse.block, 16);
    assert_int_equal(c.sparse.n_random, 2);
    assert_int_equal(good(BIRD ",\"attention_type\":\"block_sparse\"}").sparse.block, 64);
    assert_int_equal(good(BIRD ",\"attention_type\":\"original_full\"}").sparse.block, 0);
    assert_true(good(BIRD ",\"rescale_embeddings\":true}").scale_embedding);
    bad(BIRD ",\"attention_type\":\"full\"}",
        "attention_type: found \"full\", expected block_sparse or original_full");
    bad(BIRD ",\"attention_type\":1}", "attention_type: found 1");
    bad(BIRD ",\"block_size\":0}", "block_size: found 0, expected a whole number from 1 to");
    bad(BIRD ",\"num_random_blocks\":0}", "num_random_blocks: found 0, expected a whole "
    "number");
    bad(BIRD ",\"num_random_blocks\":-1}", "num_random_blocks: found -1");
    bad(BIRD ",\"is_decoder\":true}", "is_decoder: true is not supported with attention_type "
        "block_sparse");
    good(BIRD ",\"is_decoder\":true,\"attention_type\":\"original_full\"}");
    assert_int_equal(good(BERT ",\"block_size\":4}").sparse.block, 0);
}

/* A share of a head that gives an odd number is refused wherever it stands. */
static void shares_of_rotary_columns(void **state)
{
    static const char six[] = "{\"model_type\":\"phi\",\"hidden_size\":24,"
                              "\"num_attention_heads\":4";
    char json[256];

    (void)state;
    snprintf(json, sizeof json, "%s,\"partial_rotary_factor\":0.34}", six);
    assert_int_equal(good(json).rotary.n_columns, 2);
    snprintf(json, sizeof json, "%s,\"rope_parameters\":{\"partial_rotary_factor\":0.7}}",
             six);
    assert_int_equal(good(json).rotary.n_columns, 4);
    snprintf(json, sizeof json, "%s,\"rope_scaling\":{\"partial_rotary_factor\":0.5}}",
             six);
    bad(json, "3 of the 6 columns of a head");
    snprintf(json, sizeof json, "%s,\"rope_parameters\":{\"partial_rotary_factor\":2}}",
             six);
    bad(json, "partial_rotary_factor: found 2");
    snprintf(json, sizeof json, "%s,\"rope_parameters\":{\"partial_rotary_factor\":0.1}}",
             six);
    assert_int_equal(good(json).rotary.n_columns, 0);
    snprintf(json, sizeof json, "%s,\"partial_rotary_factor\":0}", six);
    assert_int_equal(good(json).rotary.n_columns, 0);
    snprintf(json, sizeof json, "%s,\"partial_rotary_factor\":-1}", six);
    bad(json, "partial_rotary_factor: found -1");
    bad("{\"model_type\":\"gptj\",\"rotary_dim\":null}", "rotary_dim: found null");
}

/* Each family has its own key, or none, as in the reference library. */
static void keys_of_rotary_columns(void **state)
{
#define FOUR "\"hidden_size\":64,\"num_attention_heads\":4"
#define KEYS ",\"partial_rotary_factor\":0.5,\"rotary_pct\":0.25,\"rotary_dim\":6"
    static const struct { const char *json; int n_columns; } row[] = {
        { "{\"model_type\":\"phi\"," FOUR KEYS "}", 8 },
        { "{\"model_type\":\"phi\"," FOUR "}", 8 },
        { "{\"model_type\":\"phi3\"," FOUR KEYS "}", 8 },
        { "{\"model_type\":\"phi3\"," FOUR "}", 16 },
        { "{\"model_type\":\"gpt_neox\"," FOUR KEYS "}", 4 },
        { "{\"model_type\":\"gpt_neox\"," FOUR KEYS
          ",\"rope_parameters\":{\"partial_rotary_factor\":0.75}}", 12 },
        { "{\"model_type\":\"gptj\"," FOUR KEYS "}", 6 },
        { "{\"model_type\":\"llama\"," FOUR KEYS "}", 16 },
        { "{\"model_type\":\"olmo2\"," FOUR KEYS
          ",\"rope_parameters\":{\"partial_rotary_factor\":0}}", 16 },
        { "{\"model_type\":\"falcon\"," FOUR KEYS "}", 16 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        assert_int_equal(good(row[i].json).rotary.n_columns, row[i].n_columns);
    bad("{\"model_type\":\"llama\"," FOUR ",\"rope_scaling\":{\"type\":\"linear\","
        "\"factor\":2,\"partial_rotary_factor\":0.5}}",
        "partial_rotary_factor: found 0.5, expected 1: llama rotates all columns");
#undef KEYS
#undef FOUR
}

/* Falcon's configurations have BLOOM's key, and its network does not look at it. */
static void sums_of_normed_inputs(void **state)
{
    (void)state;
    assert_true(good("{\"model_type\":\"bloom\","
                     "\"apply_residual_connection_post_layernorm\":true}").norm.residual_from);
    assert_false(good("{\"model_type\":\"falcon\",\"hidden_size\":64,\"n_head\":4,"
                      "\"apply_residual_connection_post_layernorm\":true}").norm.residual_from);
}

/* The language model of a model of pictures and text. */
static void nested_configs(void **state)
{
    struct config c = good("{\"model_type\":\"gemma3\",\"hidden_size\":7,\"text_config\":"
                           "{\"model_type\":\"gemma3_text\",\"hidden_size\":48}}");

    (void)state;
    assert_int_equal(c.d_model, 48);
    assert_int_equal(c.n_heads, 8);
    c = good(LLAMA ",\"hidden_size\":64,\"text_config\":{\"model_type\":\"llama\","
             "\"hidden_size\":32}}");         /* the outer one is a family already */
    assert_int_equal(c.d_model, 64);
    bad("{\"model_type\":\"gemma3\"}", "model_type: found \"gemma3\"");
    bad("{\"model_type\":\"gemma3\",\"quantization_config\":{},\"text_config\":"
        "{\"model_type\":\"gemma3_text\"}}", "quantization_config");
    bad("{\"model_type\":\"gemma3\",\"text_config\":[]}", "model_type: found \"gemma3\"");
}

static int read_tower(const char *json, enum tower tower, struct config *c,
                      const struct family **f, struct err *e)
{
    const struct span bytes = { (const unsigned char *)json, strlen(json) };

    *e = (struct err){ ERR_NONE, "" };
    return config_read(c, f, &arena, bytes, "config.json", tower, e);
}

static void bad_tower(const char *json, enum tower tower, const char *why)
{
    const struct family *f;
    struct config c;
    struct err e;

    assert_int_equal(read_tower(json, tower, &c, &f, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_string_equal(e.msg, why);
}

#define TOWERS(text, vision) "{\"model_type\":\"clip\",\"hidden_size\":7,\"text_config\":" text \
                             ",\"vision_config\":" vision "}"

/* Each tower has keys of its own, and the defaults of its class whatever it says it is. */
static void towers(void **state)
{
    const char *both = TOWERS("{\"hidden_size\":16,\"model_type\":\"bert\"}",
                              "{\"image_size\":8,\"patch_size\":4}");
    const struct family *f;
    struct config c;
    struct err e;

    (void)state;
    assert_int_equal(read_tower(both, TOWER_NONE, &c, &f, &e), 0);
    assert_string_equal(f->name, "clip_text_model");
    assert_int_equal(c.tower, TOWER_TEXT);
    assert_string_equal(c.whole, "clip");
    assert_int_equal(c.d_model, 16);
    assert_int_equal(c.n_positions, 77);
    assert_int_equal(read_tower(both, TOWER_PICTURE, &c, &f, &e), 0);
    assert_string_equal(f->name, "clip_vision_model");
    assert_int_equal(c.tower, TOWER_PICTURE);
    assert_int_equal(c.d_model, 768);
    assert_int_equal(c.n_positions, 5);
    assert_int_equal(read_tower("{\"model_type\":\"siglip\",\"vision_config\":{}}",
                                TOWER_PICTURE, &c, &f, &e), 0);
    assert_int_equal(c.n_positions, 14 * 14);
    assert_int_equal(read_tower("{\"model_type\":\"vit\",\"vision_config\":{}}",
                                TOWER_PICTURE, &c, &f, &e), 0);
    assert_int_equal(c.tower, TOWER_NONE);
    assert_int_equal(read_tower("{\"text_config\":{\"model_type\":\"llama\"}}", TOWER_NONE, &c,
                                &f, &e), 0);
    assert_string_equal(c.whole, "model");
}

static void towers_refused(void **state)
{
    (void)state;
    bad_tower(TOWERS("[]", "{}"), TOWER_TEXT,
              "config.json: text_config: found [], expected an object");
    bad_tower(TOWERS("{}", "\"x\""), TOWER_PICTURE,
              "config.json: vision_config: found \"x\", expected an object");
    bad_tower(TOWERS("{}", "null"), TOWER_PICTURE, "config.json: has no vision_config");
    bad_tower("{\"model_type\":\"siglip\"}", TOWER_NONE, "config.json: has no text_config");
    bad_tower(TOWERS("{}", "{\"image_size\":8,\"patch_size\":9}"), TOWER_PICTURE,
              "config.json: patch_size: 9 x 9 does not fit in the image of 8 x 8");
    bad_tower(TOWERS("{}", "{\"image_size\":0}"), TOWER_PICTURE,
              "config.json: image_size: found 0, expected a whole number from 1, or two");
    bad_tower(TOWERS("{\"hidden_size\":0}", "{}"), TOWER_TEXT, "config.json: hidden_size: found 0, "
              "expected a whole number from 1 to 1048576");
    bad_tower(TOWERS("{\"num_attention_heads\":7}", "{}"), TOWER_TEXT, "config.json: hidden_size "
              "512 is not a multiple of the 7 heads, and there is no head_dim");
    bad("{\"model_type\":\"llava\",\"vision_config\":{}}", "model_type: found \"llava\"");
    bad_tower("{\"model_type\":\"llava\",\"vision_config\":{}}", TOWER_PICTURE,
              "config.json: has no model_type");
}

#define VIT "{\"model_type\":\"vit\""
#define WHISPER "{\"model_type\":\"whisper\""

static void pictures(void **state)
{
    struct config c = good(VIT "}");

    (void)state;
    assert_int_equal(c.n_positions, 197);       /* 14 x 14 patches, and one row before */
    assert_int_equal(c.head.n_labels, 2);
    assert_true(c.norm.eps == 1e-12);
    c = good(VIT ",\"image_size\":[10,7],\"patch_size\":[3,2],\"num_channels\":1,"
             "\"num_labels\":9}");
    assert_true(c.front.image[0] == 10 && c.front.image[1] == 7);
    assert_true(c.front.patch[0] == 3 && c.front.patch[1] == 2);
    assert_int_equal(c.n_positions, 1 + 3 * 3);     /* the rest is not read */
    assert_int_equal(c.head.n_labels, 9);
    c = good(VIT ",\"id2label\":{\"0\":\"cat\",\"1\":\"dog\",\"2\":\"cow\"}}");
    assert_int_equal(c.head.n_labels, 3);
    bad(VIT ",\"image_size\":8}", "patch_size: 16 x 16 does not fit in the image of 8 x 8");
    bad(VIT ",\"image_size\":[224,15]}", "does not fit in the image of 224 x 15");
    bad(VIT ",\"patch_size\":0}", "patch_size: found 0, expected a whole number from 1, or "
    "two");
    bad(VIT ",\"patch_size\":[4]}", "patch_size: found [4]");
    bad(VIT ",\"image_size\":[4,4,4]}", "image_size: found [4,4,4]");
    bad(VIT ",\"image_size\":\"4\"}", "image_size: found \"4\"");
    bad(VIT ",\"image_size\":65537}", "image_size: found 65537");
    bad(VIT ",\"image_size\":65536,\"patch_size\":1}", "4294967296 patches");
    bad(VIT ",\"image_size\":9000,\"patch_size\":4096}", "patches of 3 x 4096 x 4096");
}

static void sound(void **state)
{
    struct config c = good(WHISPER "}");

    (void)state;
    assert_true(c.n_positions == 1500 && c.decoder.n_positions == 448 && c.front.n_mel == 80);
    assert_int_equal(c.decoder.start_id, 50257);
    c = good(WHISPER ",\"max_source_positions\":7,\"max_target_positions\":5,"
             "\"num_mel_bins\":128,\"scale_embedding\":true}");
    assert_true(c.n_positions == 7 && c.decoder.n_positions == 5 && c.front.n_mel == 128);
    assert_false(c.scale_embedding);        /* as in the library, which has the key */
    bad(WHISPER ",\"num_mel_bins\":0}", "num_mel_bins: found 0");
    bad(WHISPER ",\"max_source_positions\":1073741824}",
        "max_source_positions: found 1073741824");
}

static void what_a_model_says_of_itself(void **state)
{
    struct config c = good(BERT ",\"mha_viz\":{\"name\":\"tiny\",\"default_text\":\"a b\","
                           "\"default_pair\":\"c\",\"default_layer\":11}}");

    (void)state;
    assert_string_equal(c.card.name, "tiny");
    assert_string_equal(c.card.text, "a b");
    assert_string_equal(c.card.pair, "c");
    assert_int_equal(c.card.layer, 11);
    assert_int_equal(good(BERT ",\"mha_viz\":{\"default_layer\":12}}").card.layer, -1);
    assert_int_equal(good(BERT ",\"mha_viz\":{\"default_layer\":-1}}").card.layer, -1);
    assert_int_equal(good(BERT ",\"mha_viz\":{\"default_layer\":\"3\"}}").card.layer, -1);
    assert_null(good(BERT ",\"mha_viz\":7}").card.name);
}

/* No prefix of a config may do more than fail. */
static void cut_at_every_byte(void **state)
{
    static const char whole[] = LLAMA ",\"hidden_size\":32,\"num_attention_heads\":4,"
        "\"rope_scaling\":{\"type\":\"linear\",\"factor\":2.0},\"mha_viz\":{\"name\":\"x\"}}";
    const struct family *f;
    struct config c;
    struct err e;

    (void)state;
    for (size_t n = 0; n < sizeof whole - 1; n++)
        assert_int_equal(read_text(whole, n, &c, &f, &e), -1);
    good(whole);
}

static void nested_deep(void **state)
{
    enum { DEEP = 10000 };
    char *s = arena_alloc(&arena, 20 + 2 * DEEP, 1);

    (void)state;
    strcpy(s, "{\"model_type\":");
    memset(s + strlen(s), '[', DEEP);
    bad(s, "config.json: ");
}

/* A step of ALBERT is all layers of its group; other families have no such keys. */
static void groups(void **state)
{
#define ALBERT "{\"model_type\":\"albert\",\"num_hidden_layers\":6"
    struct config c = good(ALBERT "}");

    (void)state;
    assert_int_equal(c.n_layers, 6);
    assert_int_equal(c.groups.n_inner, 1);
    c = good(ALBERT ",\"inner_group_num\":3,\"num_hidden_groups\":6}");
    assert_int_equal(c.n_layers, 18);
    assert_int_equal(c.groups.n, 6);
    c = good(BERT ",\"inner_group_num\":3,\"num_hidden_groups\":65536}");
    assert_int_equal(c.n_layers, 12);
    assert_int_equal(c.groups.n, 0);
    bad(ALBERT ",\"num_hidden_groups\":7}", "num_hidden_groups: found 7, expected at most "
    "the 6");
    bad(ALBERT ",\"inner_group_num\":10923}", "inner_group_num: found 10923, expected at "
    "most 10922");
}

#define ESM "{\"model_type\":\"esm\",\"mask_token_id\":32"

/* What some families have and a key switches, and others do not. */
static void options(void **state)
{
    (void)state;
    assert_true(good(ESM ",\"position_embedding_type\":\"rotary\"}").rotary.instead);
    assert_false(good(ESM "}").rotary.instead);
    bad(ESM ",\"position_embedding_type\":\"relative_key\"}",
        "found \"relative_key\", expected \"absolute\" or \"rotary\"");
    bad(BERT ",\"position_embedding_type\":\"rotary\"}", "expected \"absolute\"");
    assert_true(good(ESM ",\"token_dropout\":true}").token_dropout.on);
    assert_false(good(BERT ",\"token_dropout\":true}").token_dropout.on);
    bad("{\"model_type\":\"esm\",\"token_dropout\":true}",
        "token_dropout: true requires mask_token_id");
    assert_int_equal(good("{\"model_type\":\"ernie\"}").n_tasks, 0);
    assert_int_equal(good("{\"model_type\":\"ernie\",\"use_task_id\":true}").n_tasks, 3);
    assert_true(good("{\"model_type\":\"olmoe\",\"clip_qkv\":8}").clip_qkv == 8);
    assert_true(good(LLAMA ",\"clip_qkv\":8}").clip_qkv == 0);
    bad("{\"model_type\":\"olmoe\",\"clip_qkv\":0}", "clip_qkv: found 0");
    assert_true(good("{\"model_type\":\"stablelm\",\"use_parallel_residual\":true}").norm.one);
    assert_false(good("{\"model_type\":\"stablelm\"}").norm.one);
    assert_int_equal(good("{\"model_type\":\"led\"}").n_positions, 16384);
}

#define FAMILY(name, more) "{\"model_type\":\"" name "\"" more "}"

/* Numbers that only some families have; elsewhere the library does not know the keys. */
static void multipliers(void **state)
{
    struct config c = good(FAMILY("granite", ",\"embedding_multiplier\":12,"
        "\"residual_multiplier\":0.22,\"attention_multiplier\":0.0078125,\"logits_scaling\":8"));

    (void)state;
    assert_true(c.multiplier.tokens == 12 && c.multiplier.branch == 0.22);
    assert_true(c.score.factor == 0.0078125 && c.head.scale == 0.125);
    c = good(LLAMA ",\"embedding_multiplier\":12,\"residual_multiplier\":0.22,"
             "\"attention_multiplier\":0.1,\"logits_scaling\":8,\"logit_scale\":2}");
    assert_true(c.multiplier.tokens == 0 && c.multiplier.branch == 0 && c.score.factor == 0);
    assert_true(c.head.scale == 0);
    assert_true(good(FAMILY("cohere", "")).head.scale == 0.0625);
    assert_true(good(FAMILY("cohere2", ",\"logit_scale\":1")).head.scale == 1);
    bad(FAMILY("cohere", ",\"logit_scale\":0"), "logit_scale: found 0");
    bad(FAMILY("granite", ",\"attention_multiplier\":\"x\""), "attention_multiplier: found \"x\"");
    c = good(FAMILY("minicpm3", ",\"num_hidden_layers\":49,\"hidden_size\":512,"
                    "\"num_attention_heads\":8,\"num_key_value_heads\":8"));
    assert_true(fabs(c.multiplier.branch - 0.2) < 1e-12 && c.head.scale == 0.5);
    assert_int_equal(c.d_value, 64);
    c = good(FAMILY("minicpm3", ",\"scale_depth\":null,\"dim_model_base\":null"));
    assert_true(c.multiplier.branch == 1 && c.head.scale == 1);
}

/* Adapters of xmod. */
static void languages(void **state)
{
    struct config c = good(FAMILY("xmod", ""));

    (void)state;
    assert_string_equal(c.language.name, "en_XX");
    assert_true(c.language.assumed && c.language.d == 384 && !c.norm.first);
    assert_true(c.language.mlp_norm && c.language.norm_first && !c.language.own_norm);
    c = good(FAMILY("xmod", ",\"languages\":[\"a\",\"b\"]"));
    assert_true(strcmp(c.language.name, "a") == 0 && c.language.assumed);
    c = good(FAMILY("xmod", ",\"languages\":[\"a\",\"b\"],\"default_language\":\"b\","
                    "\"adapter_reduction_factor\":768,\"pre_norm\":true"));
    assert_true(strcmp(c.language.name, "b") == 0 && !c.language.assumed);
    assert_true(c.language.d == 1 && c.norm.first);
    assert_null(good(FAMILY("roberta", ",\"languages\":[\"a\"]")).language.name);
    assert_false(good(FAMILY("roberta", ",\"pre_norm\":true")).norm.first);
    bad(FAMILY("xmod", ",\"languages\":[]"), "languages: found [], expected a list of names");
    bad(FAMILY("xmod", ",\"languages\":\"a\""), "expected a list of names");
    bad(FAMILY("xmod", ",\"languages\":[1]"), "expected a list of names");
    bad(FAMILY("xmod", ",\"languages\":[\"a.b\"]"), "expected a list of names");
    bad(FAMILY("xmod", ",\"languages\":[\"\"]"), "expected a list of names");
    bad(FAMILY("xmod", ",\"languages\":[\"%d\"]"), "expected a list of names");
    bad(FAMILY("xmod", ",\"languages\":[\"a\"],\"default_language\":\"b\""),
        "default_language: found \"b\", expected one of languages");
    bad(FAMILY("xmod", ",\"default_language\":\"a|b\""), "expected one of languages");
    bad(FAMILY("xmod", ",\"default_language\":7"), "found 7, expected one of languages");
    bad(FAMILY("xmod", ",\"adapter_reduction_factor\":0"), "adapter_reduction_factor: found 0");
    bad(FAMILY("xmod", ",\"adapter_reduction_factor\":-2"), "adapter_reduction_factor: found -2");
    bad(FAMILY("xmod", ",\"adapter_reduction_factor\":\"x\""), "found \"x\"");
    bad(FAMILY("xmod", ",\"adapter_reduction_factor\":769"),
        "found 769, expected at most the hidden_size 768");
    bad(FAMILY("xmod", ",\"ln_before_adapter\":2"), "ln_before_adapter: found 2");
    bad(FAMILY("xmod", ",\"pre_norm\":\"no\""), "pre_norm: found \"no\"");
}

/*
 * The mlp of dinov2: F is D times a number, two thirds of that in multiples of 8 where it is gated.
 */
static void widths_by_ratio(void **state)
{
    struct config c = good(FAMILY("dinov2", ""));

    (void)state;
    assert_true(c.d_ff == 3072 && !c.gated && c.act == ACT_GELU);
    c = good(FAMILY("dinov2", ",\"mlp_ratio\":2,\"use_swiglu_ffn\":true,\"intermediate_size\":5"));
    assert_true(c.d_ff == 1024 && c.gated && c.act == ACT_SILU);
    c = good(FAMILY("dinov2", ",\"hidden_size\":12,\"mlp_ratio\":2.7,\"use_swiglu_ffn\":true"));
    assert_int_equal(c.d_ff, 24);
    assert_int_equal(good(FAMILY("vit", ",\"mlp_ratio\":2")).d_ff, 3072);
    bad(FAMILY("dinov2", ",\"mlp_ratio\":0"), "mlp_ratio: found 0");
    bad(FAMILY("dinov2", ",\"mlp_ratio\":-4"), "mlp_ratio: found -4");
    bad(FAMILY("dinov2", ",\"mlp_ratio\":\"x\""), "mlp_ratio: found \"x\"");
    bad(FAMILY("dinov2", ",\"hidden_size\":1048576,\"num_attention_heads\":16,\"mlp_ratio\":1000"),
        "mlp_ratio: found 1000, expected a number for an mlp of 1 to 16777216 columns");
    bad(FAMILY("dinov2", ",\"mlp_ratio\":0.001"), "expected a number for an mlp of 1 to");
    bad(FAMILY("dinov2", ",\"use_swiglu_ffn\":1"), "use_swiglu_ffn: found 1");
}

/* What beit adds by distance, and what it scales its parts by. */
static void grids(void **state)
{
    struct config c = good(FAMILY("beit", ""));

    (void)state;
    assert_true(!c.grid.shared && !c.grid.by_layer && !c.front.positions && c.norm.no_final);
    assert_true(c.part_scale == 0.1 && c.n_positions == 197 && c.n_vocab == 0);
    assert_int_equal(good(FAMILY("beit", ",\"vocab_size\":8192")).n_vocab, 0);
    c = good(FAMILY("beit", ",\"use_shared_relative_position_bias\":true,"
        "\"use_absolute_position_embeddings\":true,\"use_mean_pooling\":false,"
        "\"layer_scale_init_value\":0,\"image_size\":65536"));
    assert_true(c.grid.shared && c.front.positions && !c.norm.no_final && c.part_scale == 0);
    c = good(FAMILY("beit", ",\"layer_scale_init_value\":-1,\"image_size\":[32,64]"));
    assert_true(c.part_scale == -1 && c.n_positions == 9);
    assert_false(good(FAMILY("vit", ",\"use_mean_pooling\":true")).norm.no_final);
#define BY_LAYER ",\"use_relative_position_bias\":true"
    assert_true(good(FAMILY("beit", BY_LAYER)).grid.by_layer);
    bad(FAMILY("beit", BY_LAYER ",\"image_size\":[32,64]"), "2 x 4 patches: biases by their "
        "distance require a square of 4096 x 4096 at most");
    bad(FAMILY("beit", BY_LAYER ",\"image_size\":65536,\"patch_size\":8"), "8192 x 8192 patches");
    bad(FAMILY("beit", ",\"image_size\":0"), "image_size: found 0");
    bad(FAMILY("beit", ",\"patch_size\":-16"), "patch_size: found -16");
    bad(FAMILY("beit", ",\"use_relative_position_bias\":1"), "use_relative_position_bias: found 1");
    bad(FAMILY("beit", ",\"use_shared_relative_position_bias\":\"x\""),
        "use_shared_relative_position_bias: found \"x\"");
    bad(FAMILY("beit", ",\"layer_scale_init_value\":\"x\""), "layer_scale_init_value: found \"x\"");
    bad(FAMILY("beit", ",\"layer_scale_init_value\":1e9"), "layer_scale_init_value: found");
    bad(FAMILY("beit", ",\"num_attention_heads\":7"), "is not a multiple of the 7 heads");
}

/* Bottlenecks of mobilebert. */
static void bottlenecks(void **state)
{
    struct config c = good(FAMILY("mobilebert", ""));

    (void)state;
    assert_true(c.bottleneck.d == 128 && c.bottleneck.shared && !c.bottleneck.all);
    assert_true(c.d_head == 32 && c.d_embed == 128 && c.n_mlps == 4 && c.trigrams);
    assert_true(!c.norm.by_row && c.act == ACT_RELU);
    c = good(FAMILY("mobilebert", ",\"use_bottleneck_attention\":true,\"is_decoder\":true,"
                    "\"normalization_type\":\"layer_norm\",\"classifier_activation\":false"));
    assert_true(c.bottleneck.all && !c.bottleneck.shared && c.norm.by_row && !c.is_decoder);
    c = good(FAMILY("mobilebert", ",\"use_bottleneck\":false,\"num_feedforward_networks\":1"));
    assert_true(c.bottleneck.d == 0 && !c.bottleneck.shared && c.d_head == 128 && c.n_mlps == 1);
    c = good(FAMILY("mobilebert", ",\"key_query_shared_bottleneck\":false,"
                    "\"intra_bottleneck_size\":512"));
    assert_true(c.bottleneck.d == 512 && !c.bottleneck.shared && !c.bottleneck.all);
    assert_true(good(FAMILY("bert", ",\"intra_bottleneck_size\":64")).bottleneck.d == 0);
    bad(FAMILY("mobilebert", ",\"key_query_shared_bottleneck\":false"),
        "key_query_shared_bottleneck: "
        "false requires an intra_bottleneck_size of 512, the hidden_size, found 128");
    bad(FAMILY("mobilebert", ",\"intra_bottleneck_size\":130"),
        "intra_bottleneck_size 130 is not a multiple of the 4 heads");
    bad(FAMILY("mobilebert", ",\"use_bottleneck\":false,\"hidden_size\":514"),
        "hidden_size 514 is not a multiple of the 4 heads");
    bad(FAMILY("mobilebert", ",\"embedding_size\":513"),
        "embedding_size: found 513, expected at most");
    bad(FAMILY("mobilebert", ",\"normalization_type\":\"rms\""),
        "normalization_type: found \"rms\"");
    bad(FAMILY("mobilebert", ",\"normalization_type\":1"),
        "expected \"no_norm\" or \"layer_norm\"");
    bad(FAMILY("mobilebert", ",\"num_feedforward_networks\":0"),
        "num_feedforward_networks: found 0");
    bad(FAMILY("mobilebert", ",\"intra_bottleneck_size\":0"), "intra_bottleneck_size: found 0");
    bad(FAMILY("mobilebert", ",\"use_bottleneck\":1"), "use_bottleneck: found 1");
    bad(FAMILY("mobilebert", ",\"trigram_input\":\"x\""), "trigram_input: found \"x\"");
}

/* The convolution of convbert. */
static void convolutions(void **state)
{
    struct config c = good(FAMILY("convbert", ""));

    (void)state;
    assert_true(c.n_heads == 6 && c.n_kv_heads == 6 && c.d_head == 64 && c.n_taps == 9);
    c = good(FAMILY("convbert", ",\"num_attention_heads\":3,\"head_ratio\":4,\"is_decoder\":true"));
    assert_true(c.n_heads == 1 && c.d_head == 384 && !c.is_decoder);
    assert_true(good(FAMILY("bert", ",\"head_ratio\":3")).n_heads == 12);
    bad(FAMILY("convbert", ",\"hidden_size\":774"),
        "hidden_size 774 is not a multiple of 12, twice "
        "the 6 heads of num_attention_heads 12 and head_ratio 2");
    bad(FAMILY("convbert", ",\"conv_kernel_size\":4"),
        "conv_kernel_size: found 4, expected an odd");
    bad(FAMILY("convbert", ",\"conv_kernel_size\":0"), "conv_kernel_size: found 0");
    bad(FAMILY("convbert", ",\"conv_kernel_size\":65537"), "conv_kernel_size: found 65537");
    bad(FAMILY("convbert", ",\"conv_kernel_size\":65535,\"hidden_size\":4096,"
               "\"num_attention_heads\":1024"),
        "conv_kernel_size: found 65535, expected at most 32768");
    bad(FAMILY("convbert", ",\"num_groups\":5"), "num_groups: found 5, expected a divisor of "
        "hidden_size 768 and intermediate_size 3072");
    bad(FAMILY("convbert", ",\"num_groups\":0"), "num_groups: found 0");
    bad(FAMILY("convbert", ",\"head_ratio\":0"), "head_ratio: found 0");
    bad(FAMILY("convbert", ",\"head_ratio\":null,\"head_dim\":7,\"num_groups\":-1"), "num_groups");
}

/* Buckets of prophetnet. */
static void buckets_of_rows(void **state)
{
    struct config c = good(FAMILY("prophetnet", ",\"num_encoder_layers\":3"
        ",\"num_decoder_layers\":2,"
                                  "\"num_encoder_attention_heads\":4,\"add_cross_attention\":true,"
                                  "\"num_decoder_attention_heads\":8,\"num_buckets\":16,"
                                  "\"relative_max_distance\":20"));

    (void)state;
    assert_true(c.n_layers == 3 && c.n_heads == 4 && c.decoder.n_layers == 2);
    assert_true(c.decoder.n_heads == 8 && c.bias.n_buckets == 16 && c.bias.max_distance == 20);
    assert_true(good(FAMILY("t5", ",\"num_buckets\":[1]")).bias.n_buckets == 32);
    bad(FAMILY("prophetnet", ",\"add_cross_attention\":false"), "add_cross_attention: false is not "
        "supported for this family, expected true");
    bad(FAMILY("bert", ",\"add_cross_attention\":true"),
        "add_cross_attention: true is not supported");
    bad(FAMILY("prophetnet", ",\"num_buckets\":2"), "2 buckets up to distance 128");
    bad(FAMILY("prophetnet", ",\"relative_max_distance\":16"), "32 buckets up to distance 16");
    bad(FAMILY("prophetnet", ",\"num_buckets\":4096,\"num_encoder_attention_heads\":8192,"
               "\"hidden_size\":8192,\"relative_max_distance\":5000"),
        "num_buckets: found 4096, expected at most 2048 for the 8192 heads");
    bad(FAMILY("prophetnet", ",\"num_buckets\":[1]"), "num_buckets: found [1]");
}

static void what_new_families_refuse(void **state)
{
    struct config c;

    (void)state;
    bad(FAMILY("phimoe", ",\"num_experts_per_tok\":3"), "found 3 of 16, expected 2");
    bad(FAMILY("phimoe", ",\"rope_scaling\":{\"type\":\"linear\",\"factor\":2}"),
        "must be of type longrope, with short_mscale and long_mscale");
#define PHI_LONG(more) FAMILY("phimoe", ",\"hidden_size\":8,\"num_attention_heads\":2," \
    "\"num_key_value_heads\":2,\"original_max_position_embeddings\":16,\"rope_scaling\":{" \
    "\"type\":\"longrope\",\"short_factor\":[1,1],\"long_factor\":[1,2]" more "}")
    bad(PHI_LONG(",\"long_mscale\":1.5"), "with short_mscale and long_mscale");
    bad(PHI_LONG(",\"short_mscale\":1.5"), "with short_mscale and long_mscale");
    c = good(PHI_LONG(",\"short_mscale\":1.25,\"long_mscale\":1.5"));
    assert_true(c.rotary.rope[0].short_mscale == 1.25 && c.rotary.rope[0].long_mscale == 1.5);
    bad(FAMILY("codegen", ",\"num_key_value_heads\":8"), "16 heads, 8 of keys: expected as many");
    bad(FAMILY("codegen", ",\"n_head\":6,\"n_embd\":48,\"rotary_dim\":4"), "a multiple of 4");
    bad(FAMILY("smollm3", ",\"no_rope_layers\":[1,0]"), "no_rope_layers: found");
    bad(FAMILY("smollm3", ",\"num_hidden_layers\":1,\"no_rope_layers\":[\"x\"]"),
        "a list with one number per layer");
    bad(FAMILY("smollm3", ",\"no_rope_layer_interval\":0"), "no_rope_layer_interval: found 0");
    c = good(FAMILY("smollm3", ",\"num_hidden_layers\":2,\"no_rope_layers\":[1,0]"));
    assert_true(c.rotary.layer[0] && !c.rotary.layer[1]);
    c = good(FAMILY("smollm3", ",\"num_hidden_layers\":2,\"no_rope_layers\":[false,true]"));
    assert_true(!c.rotary.layer[0] && c.rotary.layer[1]);
    assert_true(good(FAMILY("biogpt", ",\"layer_norm_eps\":0.01")).norm.eps == 1e-5);
    assert_true(good(FAMILY("mpt", ",\"attn_config\":{\"clip_qkv\":6,\"softmax_scale\":0.5}"))
                    .score.factor == 0.5);
    bad(FAMILY("mpt", ",\"attn_config\":{\"clip_qkv\":-6}"), "clip_qkv: found -6");
    bad(FAMILY("mpt", ",\"attn_config\":5"), "attn_config: found 5, expected an object");
    bad(FAMILY("minicpm3", ",\"hidden_size\":12,\"num_attention_heads\":16"),
        "hidden_size 12 is not a multiple of the 16 heads, and there is no v_head_dim");
    bad(FAMILY("mpt", ",\"attn_config\":{\"softmax_scale\":\"x\"}"), "softmax_scale: found \"x\"");
    bad(FAMILY("minicpm3", ",\"dim_model_base\":0"), "dim_model_base: found 0");
    bad(FAMILY("gemma3_text", ",\"sliding_window_pattern\":0"), "sliding_window_pattern: found 0");
    assert_int_equal(good(FAMILY("qwen2_moe", ",\"sliding_window\":0")).window.n_keys, 0);
    bad(FAMILY("mistral", ",\"sliding_window\":0"), "sliding_window: found 0, expected a whole");
    bad(FAMILY("granitemoe", ",\"num_local_experts\":60000,\"intermediate_size\":100000"),
        "60000 experts of width 100000: expected at most");
    bad(FAMILY("gpt_oss", ",\"swiglu_alpha\":2"), "swiglu_alpha: found 2, expected 1.702");
    bad(FAMILY("gpt_oss", ",\"swiglu_limit\":0"), "swiglu_limit: found 0, expected");
    c = good(FAMILY("gpt_oss", ",\"hidden_act\":\"silu\""));
    assert_true(c.act == ACT_QUICK_GELU && c.experts.limit == 7);
    assert_true(c.rotary.rope[0].scaling == ROPE_YARN && c.rotary.rope[0].no_truncate);
    c = good(FAMILY("gpt_oss", ",\"rope_parameters\":{\"rope_theta\":500}"));
    assert_true(c.rotary.rope[0].scaling == ROPE_DEFAULT && c.rotary.rope[0].theta == 500);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(defaults_of_bert), TEST(defaults_of_gpt2), TEST(defaults_of_llama),
        TEST(every_number_is_read), TEST(wrong_values_are_named),
        TEST(defaults_of_deepseek), TEST(latent_widths), TEST(experts),
        TEST(the_first_alias_wins), TEST(flags), TEST(activations), TEST(derived_numbers),
        TEST(groups),
        TEST(rope_of_version_4), TEST(rope_of_version_5), TEST(rope_that_is_wrong),
        TEST(frequencies), TEST(families_and_what_is_no_config),
        TEST(keys_that_are_refused), TEST(pictures), TEST(sound), TEST(what_a_model_says_of_itself),
        TEST(shares_of_rotary_columns), TEST(keys_of_rotary_columns),
        TEST(sums_of_normed_inputs), TEST(nested_configs),
        TEST(towers), TEST(towers_refused),
        TEST(windows_by_layer), TEST(what_a_class_makes_global), TEST(blocks_of_keys),
        TEST(options), TEST(multipliers), TEST(languages), TEST(bottlenecks),
        TEST(convolutions), TEST(buckets_of_rows), TEST(widths_by_ratio), TEST(grids),
        TEST(what_new_families_refuse),
        TEST(cut_at_every_byte), TEST(nested_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
