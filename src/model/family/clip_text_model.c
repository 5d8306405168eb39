/* SPDX-License-Identifier: MIT */
#include "model/family.h"

/* The text tower by itself. */
const struct family family_clip_text_model = {
    .name = "clip_text_model",
    .source = "Radford et al. 2021; transformers modeling_clip.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .defaults = {
        .n_layers = 12, .n_heads = 8, .d_model = 512, .d_ff = 2048, .n_vocab = 49408,
        .n_positions = 77, .norm = { .eps = 1e-5 }, .act = ACT_QUICK_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "text_model." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.token_embedding",
        [W_POS]        = "embeddings.position_embedding",
        [W_ATT_NORM]   = "encoder.layers.%d.layer_norm1",
        [W_Q]          = "encoder.layers.%d.self_attn.q_proj",
        [W_K]          = "encoder.layers.%d.self_attn.k_proj",
        [W_V]          = "encoder.layers.%d.self_attn.v_proj",
        [W_O]          = "encoder.layers.%d.self_attn.out_proj",
        [W_MLP_NORM]   = "encoder.layers.%d.layer_norm2",
        [W_UP]         = "encoder.layers.%d.mlp.fc1",
        [W_DOWN]       = "encoder.layers.%d.mlp.fc2",
        [W_FINAL_NORM] = "final_layer_norm",
    } },
};
