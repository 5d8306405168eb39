/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_beit = {
    .name = "beit",
    .source = "Bao et al. 2022; transformers modeling_beit.py",
    .stack_id = STACK_ENCODER, .front = FRONT_PATCH,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE, .bias = BIAS_GRID,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_K] = BIAS_NEVER, [OF_HEAD] = BIAS_ALWAYS },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .part_scale = .1,
        .front = { .n_channels = 3, .image = { 224, 224 }, .patch = { 16, 16 } },
        .norm = { .eps = 1e-12, .no_final = true }, .act = ACT_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "beit." },
    .like = &family_vit,
    .stack = { .name = {
        [W_GRID]       = "encoder.relative_position_bias.relative_position_bias_table",
        [W_GRID_LAYER] = "encoder.layer.%d.attention.attention.relative_position_bias."
                         "relative_position_bias_table",
        [W_ATT_SCALE]  = "encoder.layer.%d.lambda_1",
        [W_MLP_SCALE]  = "encoder.layer.%d.lambda_2",
    } },
};
