/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_nemotron = {
    .name = "nemotron",
    .source = "Parmar et al. 2024; transformers modeling_nemotron.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER_PLUS_ONE, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .rotated = ROTATED_SHARE, .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BY_MLP_BIAS },
    .defaults = {
        .n_layers = 32, .n_heads = 48, .d_model = 6144, .d_ff = 24576, .n_vocab = 256000,
        .n_positions = 4096, .norm = { .eps = 1e-5 }, .head = { .untied = true },
        .act = ACT_RELU2, .score = { .scaled = true },
        .rotary = { .share = .5, .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_GATE] = "",
    } },
};
