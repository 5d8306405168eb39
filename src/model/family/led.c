/* SPDX-License-Identifier: MIT */
#include "model/families.h"

static const struct family led_decoder = {
    .name = "led",
    .stack_id = STACK_DECODER, .causal = true,
    .head_bias = BIAS_AS_STORED,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "led." },
    .like = &family_bart_decoder,
};

const struct family family_led = {
    .name = "led",
    .source = "Beltagy et al. 2020; transformers modeling_led.py",
    .stack_id = STACK_ENCODER, .decoder = &led_decoder,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .window_rule = WINDOW_ALL,
    .prefix = { "led." },
    .defaults = {
        .n_layers = 12, .n_heads = 16, .d_model = 1024, .d_ff = 4096,
        .decoder = { .n_layers = 12, .n_heads = 16, .d_ff = 4096, .n_positions = 1024,
                     .start_id = 2 },
        .n_vocab = 50265, .n_positions = 16384, .act = ACT_GELU, .norm = { .eps = 1e-5 },
        .score = { .scaled = true },
        .window = { .n_keys = 512, .both = true, .used = true }, .sparse = { .sep_id = 2 },
    },
    .like = &family_bart,
    .stack = { .name = {
        [W_Q]        = "encoder.layers.%d.self_attn.longformer_self_attn.query",
        [W_Q_GLOBAL] = "encoder.layers.%d.self_attn.longformer_self_attn.query_global",
        [W_K]        = "encoder.layers.%d.self_attn.longformer_self_attn.key",
        [W_K_GLOBAL] = "encoder.layers.%d.self_attn.longformer_self_attn.key_global",
        [W_V]        = "encoder.layers.%d.self_attn.longformer_self_attn.value",
        [W_V_GLOBAL] = "encoder.layers.%d.self_attn.longformer_self_attn.value_global",
        [W_O]        = "encoder.layers.%d.self_attn.output",
    } },
};
