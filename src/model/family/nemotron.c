/* SPDX-License-Identifier: MIT */
#include "model/family.h"

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
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_ATT_NORM]   = "layers.%d.input_layernorm",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_K]          = "layers.%d.self_attn.k_proj",
        [W_V]          = "layers.%d.self_attn.v_proj",
        [W_O]          = "layers.%d.self_attn.o_proj",
        [W_MLP_NORM]   = "layers.%d.post_attention_layernorm",
        [W_UP]         = "layers.%d.mlp.up_proj",
        [W_DOWN]       = "layers.%d.mlp.down_proj",
        [W_FINAL_NORM] = "norm",
        [W_HEAD]       = "lm_head",
    } },
};
