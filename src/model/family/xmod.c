/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_xmod = {
    .name = "xmod",
    .source = "Pfeiffer et al. 2022; transformers modeling_xmod.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .has_head_act = true, .head_act = ACT_GELU, .pre_by_config = true,
    .spare = "output.adapter_modules.",       /* of other languages */
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30522,
        .n_positions = 512, .n_types = 2, .pad_id = 1, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .score = { .scaled = true },
        .language = { .name = "en_XX", .mlp_norm = true, .norm_first = true },
    },
    .prefix = { "roberta." },
    .like = &family_roberta,
    .stack = { .name = {
        [W_LANG_NORM]  = "encoder.layer.%d.output.adapter_layer_norm",
        [W_LANG_DOWN]  = "encoder.layer.%d.output.adapter_modules.%s.dense1",
        [W_LANG_UP]    = "encoder.layer.%d.output.adapter_modules.%s.dense2",
        [W_FINAL_NORM] = "encoder.LayerNorm",
    } },
};
