/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_exaone4 = {
    .name = "exaone4",
    .source = "LG AI Research 2025; transformers modeling_exaone4.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .qk_norm = QK_NORM_HEAD, .window_rule = WINDOW_TYPES, .full_every = 4,
    .rope_rule = ROPE_WINDOWED_OR_ALL,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .n_kv_heads = 32, .d_model = 4096, .d_ff = 16384,
        .n_vocab = 102400, .n_positions = 2048, .window = { .n_keys = 4096, .used = true },
        .norm = { .eps = 1e-5 }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true }, .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_K]          = "layers.%d.self_attn.k_proj",
        [W_V]          = "layers.%d.self_attn.v_proj",
        [W_Q_NORM]     = "layers.%d.self_attn.q_norm",
        [W_K_NORM]     = "layers.%d.self_attn.k_norm",
        [W_O]          = "layers.%d.self_attn.o_proj",
        [W_ATT_OUT]    = "layers.%d.post_attention_layernorm",
        [W_GATE]       = "layers.%d.mlp.gate_proj",
        [W_UP]         = "layers.%d.mlp.up_proj",
        [W_DOWN]       = "layers.%d.mlp.down_proj",
        [W_MLP_OUT]    = "layers.%d.post_feedforward_layernorm",
        [W_FINAL_NORM] = "norm",
        [W_HEAD]       = "lm_head",
    } },
};
