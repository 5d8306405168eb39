/* SPDX-License-Identifier: MIT
 * Each key of a GGUF that says something a file might say wrong: scales, windows, ropes. */
#include "check.h"

#include "model/gguf.h"
#include "model/model.h"
#include "unit/gguf_bytes.h"

static struct arena arena;
static struct bytes b;
static const char *arch;
static int n_keys, n_tensors;
static uint32_t n_layers = 2;
static uint64_t at;                 /* where the next tensor's data begin */

static const char *named(const char *key)
{
    return arena_printf(&arena, "%s.%s", arch, key);
}

static void number(const char *key, uint32_t v)
{
    put_key_u32(&b, named(key), v);
    n_keys++;
}

static void real(const char *key, double v)
{
    put_key(&b, named(key), GGUF_F32);
    put_numbers(&b, &(float){ (float)v }, 1, 4);
    n_keys++;
}

static void text(const char *key, const char *v)
{
    put_key_string(&b, named(key), v);
    n_keys++;
}

static void flag(const char *key, bool v)
{
    put_key(&b, named(key), GGUF_BOOL);
    put(&b, &(unsigned char){ v }, 1);
    n_keys++;
}

/* An array of numbers, or of flags. */
static void list(const char *key, enum gguf_type type, int n, const int *v)
{
    put_array(&b, named(key), (uint32_t)type, (uint64_t)n);
    for (int i = 0; i < n; i++)
        if (type == GGUF_F32)
            put_numbers(&b, &(float){ (float)v[i] }, 1, 4);
        else if (type == GGUF_BOOL)
            put(&b, &(unsigned char){ v[i] != 0 }, 1);
        else
            put_u32(&b, (uint32_t)v[i]);
    n_keys++;
}

/* n_layers, two heads of 4. */
static void begin(const char *name)
{
    arch = name;
    n_keys = n_tensors = 0;
    at = 0;
    put_head(&b, 3, 0, 0);
    put_key_string(&b, "general.architecture", name);
    n_keys++;
    number("block_count", n_layers);
    number("context_length", 8);
    number("embedding_length", 8);
    number("feed_forward_length", 8);
    number("attention.head_count", 2);
}

/* Keys come before tensors. */
static void tensor(const char *name, int fast, int slow, uint32_t type)
{
    put_tensor(&b, name, (uint64_t)fast, (uint64_t)slow, type, at);
    at += ((uint64_t)fast * (uint64_t)(slow > 0 ? slow : 1) * 4 + 31) / 32 * 32;
    n_tensors++;
}

static int read_b(struct config *c, const struct family **f, struct err *e)
{
    struct weights *w;

    if (n_tensors == 0 || at == 0)
        tensor("token_embd.weight", 8, 5, 0);
    bytes_put(b.v + 8, (uint64_t)n_tensors, 8);
    bytes_put(b.v + 16, (uint64_t)n_keys, 8);
    put_data(&b, 32, (size_t)at);
    w = weights_open_memory(&arena, (struct span){ b.v, b.n }, "f", e);
    return w == NULL ? -1 : gguf_config(c, f, &arena, w, e);
}

static struct config taken(void)
{
    struct err e = { ERR_NONE, "" };
    const struct family *f;
    struct config c;

    if (read_b(&c, &f, &e) != 0)
        fail_msg("%s", e.msg);
    return c;
}

static void refused(const char *want)
{
    struct err e = { ERR_NONE, "" };
    const struct family *f;
    struct config c;

    if (read_b(&c, &f, &e) == 0)
        fail_msg("was taken, expected \"%s\"", want);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strncmp(e.msg, "f: ", 3) != 0 || strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

/* ---- layers of a hybrid ---- */

static void test_layers_that_attend(void **state)
{
    struct config c;

    (void)state;
    begin("lfm2");
    list("attention.head_count_kv", GGUF_I32, 2, (int[]){ 0, 2 });
    number("shortconv.l_cache", 5);
    c = taken();
    assert_true(c.layer_kind[0] == LAYER_MIXER && c.layer_kind[1] == LAYER_FULL);
    assert_true(c.n_kv_heads == 2 && c.mix.n_taps == 5 && c.d_ff == 8);
    begin("lfm2");
    number("attention.head_count_kv", 1);
    c = taken();
    assert_true(c.layer_kind[0] == LAYER_FULL && c.layer_kind[1] == LAYER_FULL);
    begin("lfm2");
    list("attention.head_count_kv", GGUF_I32, 3, (int[]){ 0, 2, 0 });
    refused("head_count_kv: is an array of 3 I32, expected a whole number for each layer");
    begin("lfm2");
    list("attention.head_count_kv", GGUF_BOOL, 2, (int[]){ 0, 1 });
    refused("head_count_kv: is an array of 2 BOOL, expected a whole number for each layer");
    begin("lfm2");
    list("attention.head_count_kv", GGUF_I32, 2, (int[]){ 1, 2 });
    refused("head_count_kv: found 2 in layer 1, expected one number from 1 to 65536, or 0");
    begin("lfm2");
    list("attention.head_count_kv", GGUF_I32, 2, (int[]){ 0, 70000 });
    refused("head_count_kv: found 70000 in layer 1");
    begin("lfm2");
    list("attention.head_count_kv", GGUF_I32, 2, (int[]){ 0, 0 });
    refused("head_count_kv: found 0");
    begin("llama");
    list("attention.head_count_kv", GGUF_I32, 2, (int[]){ 0, 2 });
    refused("head_count_kv: varies by layer");
}

static void test_llama4(void **state)
{
    struct config c;

    (void)state;
    begin("llama4");
    number("expert_count", 128);
    number("expert_feed_forward_length", 3);
    number("interleave_moe_layer_step", 2);
    real("attention.temperature_scale", 0.5);
    number("attention.temperature_length", 7);
    c = taken();
    assert_true(!c.norm.qk && c.experts.d_ff == 3 && c.d_ff == 8 && c.experts.step == 2);
    assert_true(c.score.slope == 0.5 && c.score.every == 7 && c.chunked.near.len == 8192);
    begin("llama4");
    number("expert_count", 16);
    assert_true(taken().norm.qk);
}

/* ---- heads ---- */

static void test_widths(void **state)
{
    (void)state;
    begin("llama");
    list("attention.value_length", GGUF_I32, 2, (int[]){ 4, 5 });
    refused("value_length: values of another width than keys");
    begin("llama");
    real("attention.value_length", 4);
    refused("value_length: values of another width than keys");
    begin("llama");
    list("attention.value_length", GGUF_I32, 0, NULL);
    refused("value_length: values of another width than keys");
    begin("llama");
    list("attention.layer_norm_rms_epsilon", GGUF_F32, 2, (int[]){ 1, 0 });
    refused("varies by layer, which is not supported");
    begin("llama");
    list("rope.freq_base", GGUF_F32, 2, (int[]){ 500, 500 });
    assert_true(taken().rotary.rope[0].theta == 500);
    begin("llama");
    list("attention.head_count_kv", GGUF_I32, 0, NULL);
    refused("head_count_kv: varies by layer");
    begin("llama");
    list("attention.head_count_kv", GGUF_BOOL, 2, (int[]){ 1, 1 });
    refused("head_count_kv: is an array of 2 BOOL, expected a whole number");
    begin("gptneox");
    number("use_parallel_residual", 1);
    refused("use_parallel_residual: is a U32, expected a BOOL");
    begin("gptneox");
    number("rope.dimension_count", 4);
    flag("use_parallel_residual", false);
    assert_false(taken().norm.parallel);
    begin("gptneox");
    number("rope.dimension_count", 4);
    flag("use_parallel_residual", true);
    assert_true(taken().norm.parallel);
    begin("llama");
    number("expert_count", 1u << 31);
    refused("expert_count: found 2147483648, expected a whole number from 1 to ");
    begin("llama");
    tensor("token_embd.weight", 8, 0, 0);
    refused("vocab_size: found 0");
    begin("qwen3moe");
    number("expert_count", 4);
    number("expert_used_count", 2);
    assert_true(taken().experts.renormalise);
    begin("qwen3moe");
    number("expert_count", 4);
    number("expert_used_count", 2);
    flag("expert_weights_norm", false);
    assert_false(taken().experts.renormalise);
}

static void test_scale(void **state)
{
    (void)state;
    begin("gemma2");
    assert_true(taken().score.query_scalar == 4);       /* a head's width */
    begin("gemma2");
    real("attention.scale", 0.25);
    assert_true(taken().score.query_scalar == 16);
    begin("gemma2");
    text("attention.scale", "x");
    refused("attention.scale: is a STRING, expected a number");
    begin("gemma2");
    real("attention.scale", 1e4);
    refused("attention.scale: found 10000, expected a number from 0 to 1000");
    for (int large = 0; large < 2; large++) {           /* as the models of 27 billion have it */
        begin(large ? "gemma3" : "gemma2");
        n_keys = 1;
        b.n = 0;
        put_head(&b, 3, 0, 0);
        put_key_string(&b, "general.architecture", arch);
        number("block_count", large ? 62 : 46);
        number("context_length", 8);
        number("embedding_length", 24);
        number("feed_forward_length", 8);
        number("attention.head_count", 2);
        number("attention.key_length", 4);
        tensor("token_embd.weight", 24, 5, 0);
        assert_true(taken().score.query_scalar == 12);
    }
}

/* The same key is a factor in one family and a divisor in another. */
static void test_multipliers(void **state)
{
    struct config c;

    (void)state;
    begin("granite");
    real("embedding_scale", 12);
    real("residual_scale", 0.25);
    real("attention.scale", 0.5);
    real("logit_scale", 8);
    real("attention.clamp_kqv", 3);
    c = taken();
    assert_true(c.multiplier.tokens == 12 && c.multiplier.branch == 0.25);
    assert_true(c.score.factor == 0.5 && c.head.scale == 0.125 && c.clip_qkv == 0);
    begin("command-r");
    real("logit_scale", 8);
    assert_true(taken().head.scale == 8);
    begin("mpt");
    real("attention.clamp_kqv", 3);
    real("attention.scale", 0.5);
    c = taken();
    assert_true(c.clip_qkv == 3);
    assert_true(c.score.query_scalar == 4);
    begin("mpt");
    real("attention.clamp_kqv", 0);
    assert_true(taken().clip_qkv == 0);
    begin("granite");
    real("residual_scale", 0);
    refused("residual_scale: found 0, expected a number from");
}

static void test_windows(void **state)
{
    struct config c;

    (void)state;
    begin("gemma3");
    number("attention.sliding_window", 4);
    number("attention.sliding_window_pattern", 2);
    c = taken();
    assert_int_equal(c.layer_kind[0], LAYER_WINDOW);
    assert_int_equal(c.layer_kind[1], LAYER_FULL);
    begin("gemma3");
    list("attention.sliding_window_pattern", GGUF_BOOL, 2, (int[]){ 0, 1 });
    c = taken();
    assert_int_equal(c.layer_kind[0], LAYER_FULL);
    assert_int_equal(c.layer_kind[1], LAYER_WINDOW);
    begin("gemma3");
    number("attention.sliding_window_pattern", 0);
    refused("sliding_window_pattern: is a U32, expected a number of layers, or a BOOL for each");
    begin("gemma3");
    text("attention.sliding_window_pattern", "x");
    refused("sliding_window_pattern: is a STRING, expected a number of layers");
    begin("gemma3");
    list("attention.sliding_window_pattern", GGUF_BOOL, 3, (int[]){ 0, 1, 1 });
    refused("sliding_window_pattern: is an array of 3 BOOL, expected a number of layers");
    begin("gemma3");
    list("attention.sliding_window_pattern", GGUF_I32, 2, (int[]){ 2, 2 });
    refused("sliding_window_pattern: is an array of 2 I32, expected a number of layers");
    begin("gemma3");
    flag("attention.sliding_window_pattern", true);
    refused("sliding_window_pattern: is a BOOL, expected a number of layers");
}

static void test_causal(void **state)
{
    (void)state;
    begin("llama");
    number("attention.causal", 1);
    refused("attention.causal: is a U32, expected a BOOL");
    begin("llama");
    list("attention.causal", GGUF_BOOL, 2, (int[]){ 1, 1 });
    refused("attention.causal: is an array of 2 BOOL, expected a BOOL");
    begin("llama");
    flag("attention.causal", true);
    taken();
    begin("bert");
    flag("attention.causal", false);
    assert_false(taken().is_decoder);
    begin("bert");
    flag("attention.causal", true);
    assert_true(taken().is_decoder);
}

/* ---- ropes ---- */

static void test_scaling(void **state)
{
    struct config c;

    (void)state;
    begin("llama");
    number("rope.scaling.type", 1);
    refused("rope.scaling.type: is a U32, expected a STRING");
    begin("llama");
    put_array(&b, "llama.rope.scaling.type", GGUF_STRING, 1);
    put_string(&b, "yarn");
    n_keys++;
    refused("rope.scaling.type: is an array of 1 STRING, expected a STRING");
    begin("llama");
    text("rope.scaling.factor", "x");
    refused("rope.scaling.factor: is a STRING, expected a number");
    begin("llama");
    text("rope.scaling.type", "cubic");
    refused("rope_type: found \"cubic\"");
    begin("llama");
    real("rope.scaling.factor", 2);
    assert_int_equal(taken().rotary.rope[0].scaling, ROPE_LINEAR);
    begin("llama");
    text("rope.scaling.type", "none");
    assert_int_equal(taken().rotary.rope[0].scaling, ROPE_DEFAULT);
    /* yarn's own factor is ours to multiply. */
    for (int factor = 1; factor < 3; factor++) {
        begin("llama");
        text("rope.scaling.type", "yarn");
        real("rope.scaling.factor", factor);
        number("rope.scaling.original_context_length", 4);
        real("rope.scaling.attn_factor", 2);
        c = taken();
        assert_int_equal(c.rotary.rope[0].scaling, ROPE_YARN);
        check_close(c.rotary.rope[0].attention_factor, factor == 1 ? 2 : 2 * (1 + 0.1 * log(2)),
                    1e-12);
    }
    begin("llama");
    text("rope.scaling.type", "yarn");
    real("rope.scaling.attn_factor", 2);
    refused("the rope scaling has no factor");
    begin("llama");
    text("rope.scaling.type", "yarn");
    real("rope.scaling.factor", 2);
    assert_true(taken().rotary.rope[0].attention_factor == 0);
}

static void test_factors(void **state)
{
    struct config c;

    (void)state;
    begin("phi3");
    tensor("token_embd.weight", 8, 5, 0);
    tensor("rope_factors_long.weight", 2, 0, 0);
    refused("rope_factors_short.weight: is not there, expected one row of floats");
    begin("phi3");
    tensor("token_embd.weight", 8, 5, 0);
    tensor("rope_factors_short.weight", 2, 2, 0);
    tensor("rope_factors_long.weight", 2, 0, 0);
    refused("rope_factors_short.weight: [2,2], expected one row of floats");
    begin("phi3");
    tensor("token_embd.weight", 8, 5, 0);
    tensor("rope_factors_short.weight", 2, 0, 26);              /* I32 */
    tensor("rope_factors_long.weight", 2, 0, 0);
    refused("rope_factors_short.weight: [2], expected one row of floats");
    begin("phi3");
    tensor("token_embd.weight", 8, 5, 0);
    tensor("rope_factors_short.weight", 2, 0, 0);
    tensor("rope_factors_long.weight", (1 << 15) + 1, 0, 0);
    refused("rope_factors_long.weight: [32769], expected one row of floats");
    begin("phi3");                      /* the type alone wants the long ones */
    text("rope.scaling.type", "longrope");
    refused("rope_factors_long.weight: is not there, expected one row of floats");
    begin("llama");
    text("rope.scaling.type", "linear");
    tensor("token_embd.weight", 8, 5, 0);
    tensor("rope_freqs.weight", 2, 0, 0);
    refused("rope_freqs.weight with a rope scaling of type linear is not supported");
    for (int two = 0; two < 2; two++) { /* the bytes of numbers are 0, 1, 2 .. */
        float want[2];

        begin(two ? "phi3" : "llama");
        tensor("token_embd.weight", 8, 8, 0);
        tensor(two ? "rope_factors_short.weight" : "rope_freqs.weight", 2, 0, 0);
        if (two)
            tensor("rope_factors_long.weight", 2, 0, 0);
        c = taken();
        assert_int_equal(c.rotary.rope[0].scaling, ROPE_LONG);
        memcpy(want, (unsigned char[]){ 0, 1, 2, 3, 4, 5, 6, 7 }, 8);
        if (BYTES_IN_ORDER)
            assert_memory_equal(c.rotary.rope[0].short_factor, want, sizeof want);
        assert_true(c.rotary.rope[0].attention_factor == (two ? 0 : 1));
        assert_int_equal(c.rotary.rope[0].n_factors, 2);
    }
}

/* What is no number is none above 0. */
static void test_nan(void **state)
{
    (void)state;
    begin("llama");
    number("attention.key_length", 32);
    number("rope.dimension_count", 32);
    tensor("x", 24, 0, 0);
    tensor("rope_freqs.weight", 16, 0, 1);      /* F16: the bytes 124 and 125 are a NaN */
    tensor("token_embd.weight", 8, 5, 0);
    refused("short_factor[14]: is not a number above 0");
}

/* ---- the architecture ---- */

static void test_architecture(void **state)
{
    (void)state;
    put_head(&b, 3, 0, 1);
    put_array(&b, "general.architecture", GGUF_STRING, 1);
    put_string(&b, "llama");
    n_keys = n_tensors = 1;
    at = 1;
    bytes_put(b.v + 8, 0, 8);
    n_tensors = 0;
    at = 0;
    refused("general.architecture: is an array of 1 STRING, expected a STRING");
    begin("llama");
    tensor("x", 8, 5, 0);
    refused("has no tensor token_embd.weight");
    begin("gemma2");
    real("attn_logit_softcapping", -1);
    refused("attn_logit_softcapping: found -1, expected a number from ");
    begin("llama");
    text("expert_count", "x");
    refused("expert_count: is a STRING");
    begin("llama");
    list("attention.sliding_window", GGUF_I32, 0, NULL);
    refused("sliding_window: varies by layer");
    begin("bert");
    tensor("token_embd.weight", 8, 5, 0);
    tensor("token_types.weight", 8, 3, 0);
    assert_int_equal(taken().n_types, 3);
}

/* One architecture, two families. */
static void test_which(void **state)
{
    (void)state;
    for (uint32_t func = 1; func < 3; func++) {
        struct err e = { ERR_NONE, "" };
        const struct family *f;
        struct config c;

        begin("deepseek2");
        number("attention.key_length", 6);
        number("rope.dimension_count", 2);
        number("expert_gating_func", func);
        number("expert_count", 4);
        number("expert_used_count", 1);
        number("expert_group_count", 2);
        number("expert_group_used_count", 1);
        if (read_b(&c, &f, &e) != 0)
            fail_msg("%s", e.msg);
        assert_string_equal(f->name, func == 2 ? "deepseek_v3" : "deepseek_v2");
    }
}

/* Heads whose keys and values come from vectors of low rank. */
static void test_latent(void **state)
{
    struct config c;

    (void)state;
    begin("deepseek2");
    number("attention.key_length", 6);
    number("attention.value_length", 5);
    number("rope.dimension_count", 2);
    number("attention.q_lora_rank", 7);
    number("expert_group_count", 2);
    number("expert_group_used_count", 1);
    real("rope.scaling.factor", 4);
    text("rope.scaling.type", "yarn");
    real("rope.scaling.yarn_log_multiplier", 0.25);
    number("expert_count", 4);
    number("expert_used_count", 1);
    c = taken();
    assert_int_equal(c.latent.d_rope, 2);
    assert_int_equal(c.latent.d_nope, 4);
    assert_int_equal(c.d_head, 6);
    assert_int_equal(c.d_value, 5);
    assert_int_equal(c.latent.q_rank, 7);
    assert_int_equal(c.experts.n_groups, 2);
    assert_true(c.rotary.rope[0].mscale == 2.5 && c.rotary.rope[0].mscale_all == 2.5);
    begin("minicpm3");
    number("attention.key_length", 6);
    number("rope.dimension_count", 2);
    c = taken();
    assert_int_equal(c.latent.q_rank, 0);
    assert_int_equal(c.d_value, 4);
    begin("minicpm3");
    number("rope.dimension_count", 2);
    refused("has no key minicpm3.attention.key_length");
    begin("minicpm3");
    number("attention.key_length", 6);
    refused("has no key minicpm3.rope.dimension_count");
    begin("minicpm3");
    number("attention.key_length", 6);
    number("rope.dimension_count", 6);
    refused("rope.dimension_count: found 6, expected less than attention.key_length 6");
    begin("minicpm3");
    number("attention.key_length", 6);
    number("rope.dimension_count", 2);
    text("attention.value_length", "x");
    refused("attention.value_length: is a STRING, expected a whole number");
}

/* Ids of tokens that are none are not there. */
static void test_ids(void **state)
{
    (void)state;
    begin("llama");
    put_key_string(&b, "tokenizer.ggml.bos_token_id", "1");
    put_array(&b, "tokenizer.ggml.eos_token_id", GGUF_U32, 1);
    put_u32(&b, 2);
    n_keys += 2;
    taken();
}

/* ---- models ---- */

static struct model *model_b(struct err *e)
{
    struct model_files files;

    bytes_put(b.v + 8, (uint64_t)n_tensors, 8);
    bytes_put(b.v + 16, (uint64_t)n_keys, 8);
    put_data(&b, 32, (size_t)at);
    files = (struct model_files){ .weights = { b.v, b.n } };
    return model_open_memory(&arena, &files, "f", e);
}

/* Layers that a file says it has are not sought where it has no tensors for them: a name for
 * each would take its memory, and its time. */
static void test_layers(void **state)
{
    const struct arena_mark mark = arena_mark(&arena);
    struct err e = { ERR_NONE, "" };

    (void)state;
    n_layers = 65535;
    begin("llama");
    n_layers = 2;
    tensor("token_embd.weight", 8, 5, 0);
    tensor("output_norm.weight", 8, 0, 0);
    tensor("blk.0.attn_norm.weight", 8, 0, 0);
    assert_null(model_b(&e));
    assert_string_equal(e.msg, "f: has no tensor blk.0.attn_q.weight, expected [8,8] (queries, "
                               "layer 0)");
    assert_true(arena_since(&arena, mark) < 65535 * sizeof(struct layer_plan) + (1 << 20));
    n_layers = 65535;
    begin("falcon");                    /* one of whose layers may have a second norm */
    n_layers = 2;
    assert_int_equal(taken().falcon.n_norms, 1);
}


static struct model *phi(bool normed)
{
    static const struct { const char *name; int fast, slow; } of[] = {
        { "token_embd.weight", 8, 5 }, { "output_norm.weight", 8, 0 }, { "output_norm.bias", 8, 0 },
        { "output.weight", 8, 5 }, { "output.bias", 5, 0 }, { "blk.0.attn_norm.weight", 8, 0 },
        { "blk.0.attn_norm.bias", 8, 0 }, { "blk.0.attn_q.weight", 8, 8 },
        { "blk.0.attn_q.bias", 8, 0 }, { "blk.0.attn_k.weight", 8, 8 },
        { "blk.0.attn_k.bias", 8, 0 }, { "blk.0.attn_v.weight", 8, 8 },
        { "blk.0.attn_v.bias", 8, 0 }, { "blk.0.attn_output.weight", 8, 8 },
        { "blk.0.attn_output.bias", 8, 0 }, { "blk.0.ffn_up.weight", 8, 8 },
        { "blk.0.ffn_up.bias", 8, 0 }, { "blk.0.ffn_down.weight", 8, 8 },
        { "blk.0.ffn_down.bias", 8, 0 }, { "blk.0.attn_q_norm.weight", 4, 0 },
        { "blk.0.attn_q_norm.bias", 4, 0 }, { "blk.0.attn_k_norm.weight", 4, 0 },
        { "blk.0.attn_k_norm.bias", 4, 0 },
    };
    struct err e = { ERR_NONE, "" };
    struct model *m;

    n_layers = 1;
    begin("phi2");
    n_layers = 2;
    number("rope.dimension_count", 2);
    for (int i = 0; i < (normed ? 23 : 19); i++)
        tensor(of[i].name, of[i].fast, of[i].slow, 0);
    m = model_b(&e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    return m;
}

static void test_norms(void **state)
{
    const struct model *m = phi(false);

    (void)state;
    assert_false(m->config.norm.qk);
    m = phi(true);
    assert_true(m->config.norm.qk);
    assert_int_equal(m->n_unused, 0);
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_that_attend), cmocka_unit_test(test_llama4),
        cmocka_unit_test(test_widths), cmocka_unit_test(test_scale),
        cmocka_unit_test(test_multipliers), cmocka_unit_test(test_windows),
        cmocka_unit_test(test_causal),
        cmocka_unit_test(test_scaling), cmocka_unit_test(test_factors),
        cmocka_unit_test(test_nan), cmocka_unit_test(test_architecture),
        cmocka_unit_test(test_ids), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_norms), cmocka_unit_test(test_latent),
        cmocka_unit_test(test_which),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
