/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_phimoe = {
    .name = "phimoe",
    .source = "Abdin et al. 2024; transformers modeling_phimoe.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_ROPE, .long_mscale = true,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .window_rule = WINDOW_ALL, .score = SCORE_SPARSEMIXER,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_HEAD] = BY_LM_HEAD_BIAS },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .n_kv_heads = 8, .d_model = 4096, .d_ff = 6400,
        .n_vocab = 32064, .n_positions = 131072, .window = { .used = true },
        .experts = { .n = 16, .n_chosen = 2, .step = 1, .jitter = .01 },
        .norm = { .eps = 1e-5 }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true }, .rotary = { .rope = { { .theta = 1e6 } } },
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
        [W_ROUTER]     = "layers.%d.block_sparse_moe.gate",
        [W_EXP_GATE]   = "layers.%d.block_sparse_moe.experts.%d.w1",
        [W_EXP_UP]     = "layers.%d.block_sparse_moe.experts.%d.w3",
        [W_EXP_DOWN]   = "layers.%d.block_sparse_moe.experts.%d.w2",
        [W_FINAL_NORM] = "norm",
        [W_HEAD]       = "lm_head",
    } },
};
