/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_minicpm3 = {
    .name = "minicpm3",
    .source = "Hu et al. 2024; transformers modeling_minicpm3.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE, .scale_by_mscale = true,
    .qkv = QKV_LOW_RANK, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_LOW_RANK] = BY_ATTENTION_BIAS,
                [OF_OUT] = BY_ATTENTION_BIAS, [OF_MLP] = BY_MLP_BIAS },
    .defaults = {
        .n_layers = 62, .n_heads = 40, .d_model = 2560, .d_ff = 6400, .n_vocab = 73448,
        .n_positions = 32768,
        .latent = { .q_rank = 768, .kv_rank = 256, .d_nope = 64, .d_rope = 32 },
        .norm = { .eps = 1e-5 }, .act = ACT_SILU, .head = { .base_width = 256 },
        .multiplier = { .tokens = 12, .depth = 1.4 }, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_ATT_NORM]   = "layers.%d.input_layernorm",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_Q_A]        = "layers.%d.self_attn.q_a_proj",
        [W_Q_A_NORM]   = "layers.%d.self_attn.q_a_layernorm",
        [W_Q_B]        = "layers.%d.self_attn.q_b_proj",
        [W_KV_A]       = "layers.%d.self_attn.kv_a_proj_with_mqa",
        [W_KV_A_NORM]  = "layers.%d.self_attn.kv_a_layernorm",
        [W_KV_B]       = "layers.%d.self_attn.kv_b_proj",
        [W_O]          = "layers.%d.self_attn.o_proj",
        [W_MLP_NORM]   = "layers.%d.post_attention_layernorm",
        [W_GATE]       = "layers.%d.mlp.gate_proj",
        [W_UP]         = "layers.%d.mlp.up_proj",
        [W_DOWN]       = "layers.%d.mlp.down_proj",
        [W_FINAL_NORM] = "norm",
        [W_HEAD]       = "lm_head",
    } },
};
