/* SPDX-License-Identifier: MIT */
#include "model/family.h"

static const struct family whisper_decoder = {
    .name = "whisper",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "decoder.embed_tokens",
        [W_POS]        = "decoder.embed_positions",
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
        [W_HEAD]       = "proj_out",
    } },
};

const struct family family_whisper = {
    .name = "whisper",
    .source = "Radford et al. 2022; transformers modeling_whisper.py",
    .stack_id = STACK_ENCODER, .decoder = &whisper_decoder, .front = FRONT_MEL_CONV,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .defaults = {
        .n_layers = 4, .n_heads = 6, .d_model = 384, .d_ff = 1536,
        .decoder = { .n_layers = 4, .n_heads = 6, .d_ff = 1536, .n_positions = 448,
                     .start_id = 50257 },
        .front = { .n_mel = 80 }, .n_vocab = 51865, .n_positions = 1500, .act = ACT_GELU,
        .norm = { .eps = 1e-5 }, .score = { .scaled = true },
    },
    .stack = { .name = {
        [W_CONV_1]     = "encoder.conv1",
        [W_CONV_2]     = "encoder.conv2",
        [W_POS]        = "encoder.embed_positions",
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
