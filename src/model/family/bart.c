/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_bart_decoder = {
    .name = "bart",
    .stack_id = STACK_DECODER, .causal = true,
    .head_bias = BIAS_AS_STORED,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE, .pos_offset = 2,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "decoder.embed_tokens|shared",
        [W_POS]        = "decoder.embed_positions",
        [W_EMB_NORM]   = "decoder.layernorm_embedding",
        [W_ATT_NORM]   = "decoder.layers.%d.self_attn_layer_norm",
        [W_Q]          = "decoder.layers.%d.self_attn.q_proj",
        [W_K]          = "decoder.layers.%d.self_attn.k_proj",
        [W_V]          = "decoder.layers.%d.self_attn.v_proj",
        [W_O]          = "decoder.layers.%d.self_attn.out_proj",
        [W_CROSS_NORM] = "decoder.layers.%d.encoder_attn_layer_norm",
        [W_CROSS_Q]    = "decoder.layers.%d.encoder_attn.q_proj",
        [W_CROSS_K]    = "decoder.layers.%d.encoder_attn.k_proj",
        [W_CROSS_V]    = "decoder.layers.%d.encoder_attn.v_proj",
        [W_CROSS_O]    = "decoder.layers.%d.encoder_attn.out_proj",
        [W_MLP_NORM]   = "decoder.layers.%d.final_layer_norm",
        [W_UP]         = "decoder.layers.%d.fc1",
        [W_DOWN]       = "decoder.layers.%d.fc2",
        [W_HEAD]       = "lm_head",
        [W_HEAD_BIAS]  = "final_logits_bias",
    } },
};

const struct family family_bart = {
    .name = "bart",
    .source = "Lewis et al. 2020; transformers modeling_bart.py",
    .stack_id = STACK_ENCODER, .decoder = &family_bart_decoder,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE, .pos_offset = 2,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .defaults = {
        .n_layers = 12, .n_heads = 16, .d_model = 1024, .d_ff = 4096,
        .decoder = { .n_layers = 12, .n_heads = 16, .d_ff = 4096, .start_id = 2 },
        .n_vocab = 50265, .n_positions = 1024, .act = ACT_GELU, .norm = { .eps = 1e-5 },
        .score = { .scaled = true },
    },
    .stack = { .name = {
        [W_TOK]        = "encoder.embed_tokens|shared",
        [W_POS]        = "encoder.embed_positions",
        [W_EMB_NORM]   = "encoder.layernorm_embedding",
        [W_ATT_NORM]   = "encoder.layers.%d.self_attn_layer_norm",
        [W_Q]          = "encoder.layers.%d.self_attn.q_proj",
        [W_K]          = "encoder.layers.%d.self_attn.k_proj",
        [W_V]          = "encoder.layers.%d.self_attn.v_proj",
        [W_O]          = "encoder.layers.%d.self_attn.out_proj",
        [W_MLP_NORM]   = "encoder.layers.%d.final_layer_norm",
        [W_UP]         = "encoder.layers.%d.fc1",
        [W_DOWN]       = "encoder.layers.%d.fc2",
    } },
};
