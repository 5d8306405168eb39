/* SPDX-License-Identifier: MIT */
#include "model/family.h"

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
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_ATT_NORM]   = "layers.%d.input_layernorm",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_K]          = "layers.%d.self_attn.k_proj",
        [W_V]          = "layers.%d.self_attn.v_proj",
        [W_O]          = "layers.%d.self_attn.o_proj",
        [W_MLP_NORM]   = "layers.%d.post_attention_layernorm",
        [W_UP]         = "layers.%d.mlp.c_fc",
        [W_DOWN]       = "layers.%d.mlp.c_proj",
        [W_FINAL_NORM] = "norm",
        [W_HEAD]       = "lm_head",
    } },
};
