/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_layoutlm = {
    .name = "layoutlm",
    .source = "Xu et al. 2020; transformers modeling_layoutlm.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30522,
        .n_positions = 512, .n_types = 2, .norm = { .eps = 1e-12 }, .act = ACT_GELU,
        .score = { .scaled = true }, .n_boxes = 1024,
    },
    .prefix = { "layoutlm." },
    .like = &family_bert,
    .stack = { .name = {
        [W_BOX_X] = "embeddings.x_position_embeddings",
        [W_BOX_Y] = "embeddings.y_position_embeddings",
        [W_BOX_H] = "embeddings.h_position_embeddings",
        [W_BOX_W] = "embeddings.w_position_embeddings",
    } },
};
