/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_cohere = {
    .name = "cohere",
    .source = "Cohere 2024; transformers modeling_cohere.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PARALLEL, .positions = POS_ROPE,
    .rope_layout = ROPE_PAIRS, .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .qk_norm = QK_NORM_HEADS, .qk_norm_by_config = true,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER, [OF_NORM] = BIAS_NEVER },
    .defaults = {
        .n_layers = 40, .n_heads = 64, .d_model = 8192, .d_ff = 22528, .n_vocab = 256000,
        .n_positions = 8192, .norm = { .eps = 1e-5 }, .act = ACT_SILU,
        .head = { .scale = .0625 }, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 500000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_MLP_NORM] = "",
        [W_Q_NORM] = "layers.%d.self_attn.q_norm",
        [W_K_NORM] = "layers.%d.self_attn.k_norm",
    } },
};
