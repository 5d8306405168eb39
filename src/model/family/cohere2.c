/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_cohere2 = {
    .name = "cohere2",
    .source = "Cohere 2024; transformers modeling_cohere2.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PARALLEL, .positions = POS_ROPE,
    .rope_layout = ROPE_PAIRS, .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .window_rule = WINDOW_TYPES, .full_every = 4, .rope_rule = ROPE_WINDOWED,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER, [OF_NORM] = BIAS_NEVER },
    .defaults = {
        .n_layers = 40, .n_heads = 64, .d_model = 8192, .d_ff = 22528, .n_vocab = 256000,
        .n_positions = 8192, .window = { .n_keys = 4096, .used = true },
        .norm = { .eps = 1e-5 }, .act = ACT_SILU,
        .head = { .scale = .0625 }, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_MLP_NORM] = "",
    } },
};
