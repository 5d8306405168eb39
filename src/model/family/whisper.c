/* SPDX-License-Identifier: MIT */
#include "model/families.h"

static const struct family whisper_decoder = {
    .name = "whisper",
    .stack_id = STACK_DECODER, .causal = true,
    .biased = { [OF_K] = BIAS_NEVER },
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .like = &family_bart_decoder,
    .stack = { .name = {
        [W_EMB_NORM] = "", [W_HEAD_BIAS] = "",
        [W_TOK]        = "decoder.embed_tokens",
        [W_FINAL_NORM] = "decoder.layer_norm",
        [W_HEAD]       = "proj_out",
    } },
};

const struct family family_whisper = {
    .name = "whisper",
    .source = "Radford et al. 2022; transformers modeling_whisper.py",
    .stack_id = STACK_ENCODER, .decoder = &whisper_decoder, .front = FRONT_MEL_CONV,
    .biased = { [OF_K] = BIAS_NEVER },
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
    .like = &family_bart,
    .stack = { .name = {
        [W_TOK] = "", [W_EMB_NORM] = "",
        [W_CONV_1]     = "encoder.conv1",
        [W_CONV_2]     = "encoder.conv2",
        [W_FINAL_NORM] = "encoder.layer_norm",
    } },
};
