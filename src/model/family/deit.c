/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_deit = {
    .name = "deit",
    .source = "Touvron et al. 2021; transformers modeling_deit.py",
    .stack_id = STACK_ENCODER, .front = FRONT_PATCH,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_QKV] = BY_QKV_BIAS, [OF_HEAD] = BIAS_ALWAYS },
    .quirks = &(const struct quirks){ .head_class = "DeiTForImageClassification" },
    .defaults = {
        .has_bias = { [BY_QKV_BIAS] = true },
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072,
        .front = { .n_channels = 3, .image = { 224, 224 }, .patch = { 16, 16 } },
        .norm = { .eps = 1e-12 }, .act = ACT_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "deit." },
    .like = &family_vit,
    .stack = { .name = {
        [W_CLS_2] = "embeddings.distillation_token",
    } },
};
