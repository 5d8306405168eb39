/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_gemma2 = {
    .name = "gemma2",
    .source = "Gemma team 2024; transformers modeling_gemma2.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS_PLUS_ONE, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .scale_embedding = true, .gelu_is_tanh = true,
    .window_rule = WINDOW_TYPES, .full_every = 2,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 26, .n_heads = 8, .n_kv_heads = 4, .d_head = 256, .d_model = 2304,
        .d_ff = 9216, .n_vocab = 256000, .n_positions = 8192,
        .window = { .n_keys = 4096, .used = true },
        .score = { .query_scalar = 256, .cap = 50, .scaled = true }, .head = { .cap = 30 },
        .norm = { .eps = 1e-6 }, .act = ACT_GELU_TANH,
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
        [W_MLP_NORM]   = "layers.%d.pre_feedforward_layernorm",
        [W_GATE]       = "layers.%d.mlp.gate_proj",
        [W_UP]         = "layers.%d.mlp.up_proj",
        [W_DOWN]       = "layers.%d.mlp.down_proj",
        [W_ATT_OUT]    = "layers.%d.post_attention_layernorm",
        [W_MLP_OUT]    = "layers.%d.post_feedforward_layernorm",
        [W_FINAL_NORM] = "norm",
        [W_HEAD]       = "lm_head",
    } },
};
