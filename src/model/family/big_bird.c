/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_big_bird = {
    .name = "big_bird",
    .source = "Zaheer et al. 2020; transformers modeling_big_bird.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_QKV] = BY_USE_BIAS },
    .defaults = {
        .has_bias = { [BY_USE_BIAS] = true },
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 50358,
        .n_positions = 4096, .n_types = 2, .norm = { .eps = 1e-12 }, .act = ACT_GELU_TANH,
        .score = { .scaled = true }, .sparse = { .block = 64, .n_random = 3 },
    },
    .prefix = { "bert." },
    .like = &family_bert,
};
