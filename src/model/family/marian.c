/* SPDX-License-Identifier: MIT */
#include "model/families.h"

static const struct family marian_decoder = {
    .name = "marian",
    .stack_id = STACK_DECODER, .causal = true,
    .head_bias = BIAS_AS_STORED,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_SINUSOID,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .like = &family_bart_decoder,
    .stack = { .name = {
        [W_POS] = "", [W_EMB_NORM] = "",
    } },
};

const struct family family_marian = {
    .name = "marian",
    .source = "Junczys-Dowmunt et al. 2018; transformers modeling_marian.py",
    .stack_id = STACK_ENCODER, .decoder = &marian_decoder,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_SINUSOID,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .defaults = {
        .n_layers = 12, .n_heads = 16, .d_model = 1024, .d_ff = 4096,
        .decoder = { .n_layers = 12, .n_heads = 16, .d_ff = 4096, .start_id = 58100,
                     .shares_vocab = true },
        .n_vocab = 58101, .n_positions = 1024, .act = ACT_GELU, .norm = { .eps = 1e-5 },
        .score = { .scaled = true },
    },
    .like = &family_bart,
    .stack = { .name = {
        [W_POS] = "", [W_EMB_NORM] = "",
    } },
};
