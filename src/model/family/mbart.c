/* SPDX-License-Identifier: MIT */
#include "model/families.h"

static const struct family mbart_decoder = {
    .name = "mbart",
    .stack_id = STACK_DECODER, .causal = true,
    .head_bias = BIAS_AS_STORED,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE, .pos_offset = 2,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .like = &family_bart_decoder,
    .stack = { .name = {
        [W_FINAL_NORM] = "decoder.layer_norm",
    } },
};

const struct family family_mbart = {
    .name = "mbart",
    .source = "Liu et al. 2020; transformers modeling_mbart.py",
    .stack_id = STACK_ENCODER, .decoder = &mbart_decoder,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE, .pos_offset = 2,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .defaults = {
        .n_layers = 12, .n_heads = 16, .d_model = 1024, .d_ff = 4096,
        .decoder = { .n_layers = 12, .n_heads = 16, .d_ff = 4096, .start_id = -1 },
        .n_vocab = 50265, .n_positions = 1024, .act = ACT_GELU, .norm = { .eps = 1e-5 },
        .score = { .scaled = true },
    },
    .like = &family_bart,
    .stack = { .name = {
        [W_FINAL_NORM] = "encoder.layer_norm",
    } },
};
