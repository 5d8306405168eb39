/* SPDX-License-Identifier: MIT */
#include "model/family.h"

static const struct family m2m_100_decoder = {
    .name = "m2m_100",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_SINUSOID_CLOSED_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "decoder.embed_tokens|shared",
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
        [W_FINAL_NORM] = "decoder.layer_norm",
        [W_HEAD]       = "lm_head",
    } },
};

const struct family family_m2m_100 = {
    .name = "m2m_100",
    .source = "Fan et al. 2021; NLLB Team 2022; transformers modeling_m2m_100.py",
    .stack_id = STACK_ENCODER, .decoder = &m2m_100_decoder,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_SINUSOID_CLOSED_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .defaults = {
        .n_layers = 12, .n_heads = 16, .d_model = 1024, .d_ff = 4096,
        .decoder = { .n_layers = 12, .n_heads = 16, .d_ff = 4096, .start_id = 2 },
        .n_vocab = 128112, .n_positions = 1024, .pad_id = 1, .act = ACT_RELU,
        .norm = { .eps = 1e-5 }, .scale_embedding = true, .score = { .scaled = true },
    },
    .stack = { .name = {
        [W_TOK]        = "encoder.embed_tokens|shared",
        [W_ATT_NORM]   = "encoder.layers.%d.self_attn_layer_norm",
        [W_Q]          = "encoder.layers.%d.self_attn.q_proj",
        [W_K]          = "encoder.layers.%d.self_attn.k_proj",
        [W_V]          = "encoder.layers.%d.self_attn.v_proj",
        [W_O]          = "encoder.layers.%d.self_attn.out_proj",
        [W_MLP_NORM]   = "encoder.layers.%d.final_layer_norm",
        [W_UP]         = "encoder.layers.%d.fc1",
        [W_DOWN]       = "encoder.layers.%d.fc2",
        [W_FINAL_NORM] = "encoder.layer_norm",
    } },
};
