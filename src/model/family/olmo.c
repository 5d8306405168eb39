/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_olmo = {
    .name = "olmo",
    .source = "Groeneveld et al. 2024; transformers modeling_olmo.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .norms_bare = true, .fixed_eps = true, .clips = true,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .d_model = 4096, .d_ff = 11008, .n_vocab = 50304,
        .n_positions = 2048, .norm = { .eps = 1e-5 }, .head = { .untied = true },
        .act = ACT_SILU, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_ATT_NORM]   = "layers.%d.input_layernorm",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_K]          = "layers.%d.self_attn.k_proj",
        [W_V]          = "layers.%d.self_attn.v_proj",
        [W_O]          = "layers.%d.self_attn.o_proj",
        [W_MLP_NORM]   = "layers.%d.post_attention_layernorm",
        [W_GATE]       = "layers.%d.mlp.gate_proj",
        [W_UP]         = "layers.%d.mlp.up_proj",
        [W_DOWN]       = "layers.%d.mlp.down_proj",
        [W_FINAL_NORM] = "norm",
        [W_HEAD]       = "lm_head",
    } },
};
