/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_olmoe = {
    .name = "olmoe",
    .source = "Muennighoff et al. 2024; transformers modeling_olmoe.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .qk_norm = QK_NORM_FULL, .clips = true,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 16, .n_heads = 16, .d_model = 2048, .d_ff = 2048, .n_vocab = 50304,
        .n_positions = 4096, .experts = { .n = 64, .n_chosen = 8, .step = 1 },
        .norm = { .eps = 1e-5 }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true }, .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_mixtral,
    .stack = { .name = {
        [W_Q_NORM]   = "layers.%d.self_attn.q_norm",
        [W_K_NORM]   = "layers.%d.self_attn.k_norm",
        [W_ROUTER]   = "layers.%d.mlp.gate",
        [W_EXP_GATE] = "layers.%d.mlp.experts.%d.gate_proj",
        [W_EXP_UP]   = "layers.%d.mlp.experts.%d.up_proj",
        [W_EXP_DOWN] = "layers.%d.mlp.experts.%d.down_proj",
    } },
};
