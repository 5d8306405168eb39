/* SPDX-License-Identifier: MIT */
#include "model/families.h"

static const struct family m2m_100_decoder = {
    .name = "m2m_100",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_SINUSOID_CLOSED_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .like = &family_bart_decoder,
    .stack = { .name = {
        [W_POS] = "", [W_EMB_NORM] = "", [W_HEAD_BIAS] = "",
        [W_FINAL_NORM] = "decoder.layer_norm",
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
    .like = &family_bart,
    .stack = { .name = {
        [W_POS] = "", [W_EMB_NORM] = "",
        [W_FINAL_NORM] = "encoder.layer_norm",
    } },
};
