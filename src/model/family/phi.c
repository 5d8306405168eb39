/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_phi = {
    .name = "phi",
    .source = "Li et al. 2023; transformers modeling_phi.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PARALLEL, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .qk_norm = QK_NORM_HEAD, .rotated = ROTATED_SHARE,
    .biased = { [OF_HEAD] = BIAS_ALWAYS },
    .qk_norm_by_config = true,
    .defaults = {
        .n_layers = 24, .n_heads = 32, .d_model = 2048, .d_ff = 8192, .n_vocab = 51200,
        .n_positions = 2048, .rotary = { .share = 0.5, .rope = { { .theta = 10000 } } },
        .norm = { .eps = 1e-5 }, .head = { .untied = true }, .act = ACT_GELU_TANH,
        .score = { .scaled = true },
    },
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_ATT_NORM]   = "layers.%d.input_layernorm",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_K]          = "layers.%d.self_attn.k_proj",
        [W_V]          = "layers.%d.self_attn.v_proj",
        [W_O]          = "layers.%d.self_attn.dense",
        [W_UP]         = "layers.%d.mlp.fc1",
        [W_DOWN]       = "layers.%d.mlp.fc2",
        [W_Q_NORM]     = "layers.%d.self_attn.q_layernorm",
        [W_K_NORM]     = "layers.%d.self_attn.k_layernorm",
        [W_FINAL_NORM] = "final_layernorm",
        [W_HEAD]       = "lm_head",
    } },
};
