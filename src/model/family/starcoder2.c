/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_starcoder2 = {
    .name = "starcoder2",
    .source = "Lozhkov et al. 2024; transformers modeling_starcoder2.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .window_rule = WINDOW_ALL,
    .biased = { [OF_QKV] = BY_USE_BIAS, [OF_OUT] = BY_USE_BIAS, [OF_MLP] = BY_USE_BIAS },
    .defaults = {
        .has_bias = { [BY_USE_BIAS] = true },
        .n_layers = 30, .n_heads = 24, .n_kv_heads = 2, .d_model = 3072, .d_ff = 12288,
        .n_vocab = 49152, .n_positions = 4096, .window = { .used = true },
        .norm = { .eps = 1e-5 }, .act = ACT_GELU_TANH, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_GATE] = "",
        [W_UP]   = "layers.%d.mlp.c_fc",
        [W_DOWN] = "layers.%d.mlp.c_proj",
    } },
};
