/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_roberta_prelayernorm = {
    .name = "roberta-prelayernorm",
    .source = "Ott et al. 2019; transformers modeling_roberta_prelayernorm.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .has_head_act = true, .head_act = ACT_GELU,
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 50265,
        .n_positions = 512, .n_types = 2, .pad_id = 1, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "roberta_prelayernorm." },
    .like = &family_roberta,
    .stack = { .name = {
        [W_ATT_NORM]   = "encoder.layer.%d.attention.LayerNorm",
        [W_MLP_NORM]   = "encoder.layer.%d.intermediate.LayerNorm",
        [W_FINAL_NORM] = "LayerNorm",
    } },
};
