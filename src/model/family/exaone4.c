/* SPDX-License-Identifier: MIT */
#include "model/families.h"

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
    .like = &family_gemma2,
    .stack = { .name = {
        [W_ATT_NORM] = "", [W_MLP_NORM] = "",
        [W_Q_NORM] = "layers.%d.self_attn.q_norm",
        [W_K_NORM] = "layers.%d.self_attn.k_norm",
    } },
};
