/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_data2vec_text = {
    .name = "data2vec-text",
    .source = "Baevski et al. 2022; transformers modeling_data2vec_text.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .has_head_act = true, .head_act = ACT_GELU,
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30522,
        .n_positions = 512, .n_types = 2, .pad_id = 1, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "data2vec_text." },
    .like = &family_roberta,
};
