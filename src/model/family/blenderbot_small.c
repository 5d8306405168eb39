/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

static const struct family blenderbot_small_decoder = {
    .name = "blenderbot-small",
    .stack_id = STACK_DECODER, .causal = true,
    .head_bias = BIAS_AS_STORED,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .quirks = &(const struct quirks){ .norm_of_tokens = true, .never_scales = true },
    .prefix = { "model." },
    .like = &family_bart_decoder,
};

const struct family family_blenderbot_small = {
    .name = "blenderbot-small",
    .source = "Roller et al. 2021; transformers modeling_blenderbot_small.py",
    .stack_id = STACK_ENCODER, .decoder = &blenderbot_small_decoder,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .prefix = { "model." },
    .defaults = {
        .n_layers = 8, .n_heads = 16, .d_model = 512, .d_ff = 2048,
        .decoder = { .n_layers = 8, .n_heads = 16, .d_ff = 2048, .start_id = 1 },
        .n_vocab = 50265, .n_positions = 512, .act = ACT_GELU, .norm = { .eps = 1e-5 },
        .score = { .scaled = true },
    },
    .like = &family_bart,
};
