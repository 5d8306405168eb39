/* SPDX-License-Identifier: MIT
 * Layers that do not attend in config.json: which they are, their sizes, and what is wrong; and
 * the layers of Llama 4. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "model/config.h"
#include "model/family.h"

static struct arena a;

static int setup(void **state)
{
    (void)state;
    arena_init(&a, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&a);
    return 0;
}

static int read_text(struct config *c, const char *text, struct err *e)
{
    const struct family *family;

    *e = (struct err){ ERR_NONE, "" };
    return config_read(c, &family, &a,
                       (struct span){ (const unsigned char *)text, strlen(text) }, "c",
                       TOWER_NONE, e);
}

static struct config good(const char *text)
{
    struct config c;
    struct err e;

    if (read_text(&c, text, &e) != 0)
        fail_msg("%s: %s", text, e.msg);
    return c;
}

static void bad(const char *text, const char *want)
{
    struct config c;
    struct err e;

    if (read_text(&c, text, &e) == 0)
        fail_msg("%s: was read", text);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, want) == NULL)
        fail_msg("%s: \"%s\", expected \"%s\"", text, e.msg, want);
}

#define LFM2(more) "{\"model_type\":\"lfm2\",\"num_hidden_layers\":3" more "}"
#define NEXT(more) "{\"model_type\":\"qwen3_next\",\"num_hidden_layers\":5" more "}"
#define LLAMA4(more) "{\"model_type\":\"llama4_text\",\"num_hidden_layers\":5" more "}"

/* The kinds of layers as letters: f full, m mixer, c chunks. */
static void kinds(const struct config *c, const char *want)
{
    assert_int_equal((int)strlen(want), c->n_layers);
    for (int l = 0; l < c->n_layers; l++)
        assert_int_equal(c->layer_kind[l] == LAYER_FULL  ? 'f' :
                         c->layer_kind[l] == LAYER_MIXER ? 'm' :
                         c->layer_kind[l] == LAYER_CHUNKS ? 'c' : '?', want[l]);
}

static void which_layers_attend(void **state)
{
    struct config c = good(LFM2(""));

    (void)state;
    kinds(&c, "fff");
    c = good(LFM2(",\"layer_types\":[\"conv\",\"full_attention\",\"conv\"]"));
    kinds(&c, "mfm");
    c = good(LFM2(",\"full_attn_idxs\":[2]"));
    kinds(&c, "mmf");
    c = good(LFM2(",\"full_attn_idxs\":[2],"
                  "\"layer_types\":[\"full_attention\",\"conv\",\"conv\"]"));
    kinds(&c, "fmm");
    c = good(NEXT(""));
    kinds(&c, "mmmfm");
    c = good(NEXT(",\"full_attention_interval\":2"));
    kinds(&c, "mfmfm");
    c = good(NEXT(",\"full_attention_interval\":1,\"full_attn_idxs\":[0]"));
    kinds(&c, "fffff");
}

static void lists_that_are_wrong(void **state)
{
    (void)state;
    bad(LFM2(",\"layer_types\":[\"conv\",\"full_attention\"]"),
        "layer_types: has 2 layers, expected 3");
    bad(LFM2(",\"layer_types\":[\"conv\",\"full_attention\",\"linear_attention\"]"),
        "layer_types: found \"linear_attention\", expected a layer type that is supported "
        "(full_attention, conv)");
    bad(LFM2(",\"layer_types\":[\"conv\",\"full_attention\",1]"), "layer_types: found 1");
    bad(LFM2(",\"layer_types\":[\"conv\",\"conv\",\"conv\"]"),
        "none of the 3 layers attends: there are no rows of attention to show");
    bad(LFM2(",\"full_attn_idxs\":[]"), "none of the 3 layers attends");
    bad(LFM2(",\"full_attn_idxs\":[3]"), "full_attn_idxs: found");
    bad(LFM2(",\"full_attn_idxs\":[-1]"), "full_attn_idxs: found");
    bad(LFM2(",\"full_attn_idxs\":[\"0\"]"), "full_attn_idxs: found");
    bad(NEXT(",\"full_attention_interval\":6"), "none of the 5 layers attends");
    bad(NEXT(",\"full_attention_interval\":0"), "full_attention_interval: found 0");
    bad("{\"model_type\":\"gemma2\",\"num_hidden_layers\":1,\"layer_types\":[\"conv\"]}",
        "(full_attention, sliding_attention, global, local)");
}

static void sizes_of_mixers(void **state)
{
    struct config c = good(NEXT(""));

    (void)state;
    assert_true(c.mix.n_taps == 4 && c.mix.n_heads == 32 && c.mix.n_key_heads == 16 &&
                c.mix.d_key == 128 && c.mix.d_value == 128);
    c = good(NEXT(",\"linear_conv_kernel_dim\":2,\"linear_num_value_heads\":6,"
                  "\"linear_num_key_heads\":3,\"linear_key_head_dim\":5,"
                  "\"linear_value_head_dim\":7"));
    assert_true(c.mix.n_taps == 2 && c.mix.n_heads == 6 && c.mix.n_key_heads == 3 &&
                c.mix.d_key == 5 && c.mix.d_value == 7);
    bad(NEXT(",\"linear_conv_kernel_dim\":0"), "linear_conv_kernel_dim: found 0");
    bad(NEXT(",\"linear_num_key_heads\":0"), "linear_num_key_heads: found 0");
    bad(NEXT(",\"linear_num_key_heads\":5"),
        "linear_num_key_heads: found 5, expected a divisor of the 32 heads");
    bad(NEXT(",\"linear_num_value_heads\":8"), "linear_num_key_heads: found 16, expected");
    bad(NEXT(",\"linear_value_head_dim\":\"x\""), "linear_value_head_dim: found \"x\"");
    bad(LFM2(",\"conv_L_cache\":0"), "conv_L_cache: found 0");
    bad(LFM2(",\"num_attention_heads\":7"), "is not a multiple of the 7 heads");
    assert_true(good(LFM2(",\"linear_num_key_heads\":5")).mix.n_key_heads == 0);
}

/* As Lfm2MLP has it: int(2 F / 3), int(factor of that), up to a multiple. */
static void widths_of_the_mlp(void **state)
{
    (void)state;
    assert_int_equal(good(LFM2("")).d_ff, 8192);
    assert_int_equal(good(LFM2(",\"intermediate_size\":100,\"block_multiple_of\":8")).d_ff, 72);
    assert_int_equal(good(LFM2(",\"intermediate_size\":100,\"block_multiple_of\":8,"
                               "\"block_ffn_dim_multiplier\":1.3")).d_ff, 88);
    assert_int_equal(good(LFM2(",\"intermediate_size\":100,\"block_ff_dim\":50,"
                               "\"block_multiple_of\":1")).d_ff, 33);
    assert_int_equal(good(LFM2(",\"intermediate_size\":100,"
                               "\"block_ffn_dim_multiplier\":null")).d_ff, 66);
    assert_int_equal(good(LFM2(",\"intermediate_size\":100,"
                               "\"block_auto_adjust_ff_dim\":false")).d_ff, 100);
    bad(LFM2(",\"block_multiple_of\":0"), "block_multiple_of: found 0");
    bad(LFM2(",\"intermediate_size\":16777216,\"block_ffn_dim_multiplier\":999"),
        "block_ffn_dim_multiplier: an mlp of");
    bad(LFM2(",\"intermediate_size\":1,\"block_ffn_dim_multiplier\":null"),
        "an mlp of 0 columns");
}

static void layers_of_llama4(void **state)
{
    struct config c = good(LLAMA4(""));

    (void)state;
    kinds(&c, "cccfc");
    assert_true(c.chunked.near.len == 8192 && c.chunked.pad_to == 0 && c.norm.qk);
    assert_true(c.d_ff == 16384 && c.experts.d_ff == 8192 && c.experts.dense_layer == NULL);
    assert_true(c.score.tempered && c.score.every == 8192 && c.score.slope == 0.1);
    c = good(LLAMA4(",\"no_rope_layers\":[0,1,0,1,1],\"attention_chunk_size\":7"));
    kinds(&c, "fcfcc");
    assert_int_equal(c.chunked.near.len, 7);
    c = good(LLAMA4(",\"no_rope_layers\":[],\"no_rope_layer_interval\":2"));
    kinds(&c, "cfcfc");
    c = good(LLAMA4(",\"attention_chunk_size\":null"));
    kinds(&c, "fffff");
    c = good(LLAMA4(",\"intermediate_size\":5,\"intermediate_size_mlp\":9,"
                    "\"interleave_moe_layer_step\":2"));
    assert_true(c.experts.d_ff == 5 && c.d_ff == 9 && c.experts.step == 2);
    c = good(LLAMA4(",\"moe_layers\":[1,4],\"interleave_moe_layer_step\":2"));
    assert_true(c.experts.step == 1 && c.experts.dense_layer[0] && !c.experts.dense_layer[1] &&
                c.experts.dense_layer[2] && !c.experts.dense_layer[4]);
    assert_true(good(LLAMA4(",\"moe_layers\":[]")).experts.dense_layer[4]);
    assert_true(good(LLAMA4(",\"attn_temperature_tuning\":4")).score.tempered);
    assert_false(good(LLAMA4(",\"attn_temperature_tuning\":false")).score.tempered);
    assert_false(good(LLAMA4(",\"attn_temperature_tuning\":0")).score.tempered);
    assert_false(good("{\"model_type\":\"llama\",\"attn_temperature_tuning\":true}")
                     .score.tempered);
}

static void llama4_that_is_wrong(void **state)
{
    (void)state;
    bad(LLAMA4(",\"attention_chunk_size\":0"), "attention_chunk_size: found 0");
    bad(LLAMA4(",\"floor_scale\":0"), "floor_scale: found 0");
    bad(LLAMA4(",\"attn_scale\":-1"), "attn_scale: found -1");
    bad(LLAMA4(",\"attn_temperature_tuning\":\"x\""), "attn_temperature_tuning: found \"x\"");
    bad(LLAMA4(",\"moe_layers\":[5]"), "moe_layers: found");
    bad(LLAMA4(",\"no_rope_layers\":[1]"), "no_rope_layers: found");
    bad(LLAMA4(",\"intermediate_size_mlp\":0"), "intermediate_size_mlp: found 0");
    bad(LLAMA4(",\"layer_types\":[\"sliding_attention\"]"), "layer_types: has 1 layer");
    bad(LLAMA4(",\"num_hidden_layers\":1,\"layer_types\":[\"sliding_attention\"]"),
        "(full_attention, chunked_attention)");
    bad(LLAMA4(",\"num_experts_per_tok\":17"), "expected at most the 16 experts");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(which_layers_attend), TEST(lists_that_are_wrong), TEST(sizes_of_mixers),
        TEST(widths_of_the_mlp), TEST(layers_of_llama4), TEST(llama4_that_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
