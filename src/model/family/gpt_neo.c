/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_gpt_neo = {
    .name = "gpt_neo",
    .source = "Black et al. 2021; transformers modeling_gpt_neo.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .window_rule = WINDOW_TYPES,
    .biased = { [OF_QKV] = BIAS_NEVER },
    .spare = "attn.attention.bias|attn.attention.masked_bias",
    .defaults = {
        .n_layers = 24, .n_heads = 16, .d_model = 2048, .n_vocab = 50257,
        .n_positions = 2048, .window = { .n_keys = 256, .used = true },
        .norm = { .eps = 1e-5 }, .act = ACT_GELU_TANH,
    },
    .prefix = { "transformer." },
    .like = &family_gpt2,
    .stack = { .name = {
        [W_QKV] = "",
        [W_Q] = "h.%d.attn.attention.q_proj",
        [W_K] = "h.%d.attn.attention.k_proj",
        [W_V] = "h.%d.attn.attention.v_proj",
        [W_O] = "h.%d.attn.attention.out_proj",
    } },
};
