/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_gemma = {
    .name = "gemma",
    .source = "Gemma team 2024; transformers modeling_gemma.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS_PLUS_ONE, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .scale_embedding = true, .gelu_is_tanh = true,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 28, .n_heads = 16, .n_kv_heads = 16, .d_head = 256, .d_model = 3072,
        .d_ff = 24576, .n_vocab = 256000, .n_positions = 8192, .norm = { .eps = 1e-6 },
        .act = ACT_GELU_TANH, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
};
