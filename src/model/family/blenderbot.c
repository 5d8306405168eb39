/* SPDX-License-Identifier: MIT */
#include "model/families.h"

static const struct family blenderbot_decoder = {
    .name = "blenderbot",
    .stack_id = STACK_DECODER, .causal = true,
    .head_bias = BIAS_AS_STORED,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .like = &family_bart_decoder,
    .stack = { .name = {
        [W_EMB_NORM] = "",
        [W_FINAL_NORM] = "decoder.layer_norm",
    } },
};

const struct family family_blenderbot = {
    .name = "blenderbot",
    .source = "Roller et al. 2021; transformers modeling_blenderbot.py",
    .stack_id = STACK_ENCODER, .decoder = &blenderbot_decoder,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .defaults = {
        .n_layers = 2, .n_heads = 32, .d_model = 2560, .d_ff = 10240,
        .decoder = { .n_layers = 24, .n_heads = 32, .d_ff = 10240, .start_id = 1 },
        .n_vocab = 8008, .n_positions = 128, .act = ACT_GELU, .norm = { .eps = 1e-5 },
        .score = { .scaled = true },
    },
    .like = &family_bart,
    .stack = { .name = {
        [W_EMB_NORM] = "",
        [W_FINAL_NORM] = "encoder.layer_norm",
    } },
};
