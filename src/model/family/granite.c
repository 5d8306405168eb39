/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_granite = {
    .name = "granite",
    .source = "Mishra et al. 2024; transformers modeling_granite.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BY_MLP_BIAS },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .d_model = 4096, .d_ff = 11008, .n_vocab = 32000,
        .n_positions = 2048, .norm = { .eps = 1e-6 }, .act = ACT_SILU,
        .multiplier = { .tokens = 1, .branch = 1 }, .score = { .factor = 1 },
        .head = { .untied = true, .divisor = 1 }, .rotary = { .rope = { { .theta = 10000 } } },
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
