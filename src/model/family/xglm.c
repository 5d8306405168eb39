/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_xglm = {
    .name = "xglm",
    .source = "Lin et al. 2022; transformers modeling_xglm.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_SINUSOID_CLOSED,
    .pos_offset = 2,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN, .fixed_eps = true,
    .defaults = {
        .n_layers = 24, .n_heads = 16, .d_model = 1024, .d_ff = 4096, .n_vocab = 256008,
        .n_positions = 2048, .norm = { .eps = 1e-5 }, .act = ACT_GELU,
        .scale_embedding = true, .score = { .scaled = true },
    },
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_ATT_NORM]   = "layers.%d.self_attn_layer_norm",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_K]          = "layers.%d.self_attn.k_proj",
        [W_V]          = "layers.%d.self_attn.v_proj",
        [W_O]          = "layers.%d.self_attn.out_proj",
        [W_MLP_NORM]   = "layers.%d.final_layer_norm",
        [W_UP]         = "layers.%d.fc1",
        [W_DOWN]       = "layers.%d.fc2",
        [W_FINAL_NORM] = "layer_norm",
        [W_HEAD]       = "lm_head",
    } },
};
