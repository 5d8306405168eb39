/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_dinov2 = {
    .name = "dinov2",
    .source = "Oquab et al. 2023; transformers modeling_dinov2.py",
    .stack_id = STACK_ENCODER, .front = FRONT_PATCH,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED_FUSED,
    .biased = { [OF_QKV] = BY_QKV_BIAS, [OF_HEAD] = BIAS_ALWAYS },
    .quirks = &(const struct quirks){ .swiglu_by_config = true, .interpolates = true },
    .defaults = {
        .has_bias = { [BY_QKV_BIAS] = true },
        .n_layers = 12, .n_heads = 12, .d_model = 768, .mlp_ratio = 4,
        .front = { .n_channels = 3, .image = { 224, 224 }, .patch = { 14, 14 } },
        .norm = { .eps = 1e-6 }, .act = ACT_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "dinov2." },
    .like = &family_vit,
    .stack = { .name = {
        [W_ATT_NORM]  = "encoder.layer.%d.norm1",
        [W_ATT_SCALE] = "encoder.layer.%d.layer_scale1.lambda1",
        [W_MLP_NORM]  = "encoder.layer.%d.norm2",
        [W_UP]        = "encoder.layer.%d.mlp.fc1|encoder.layer.%d.mlp.weights_in",
        [W_DOWN]      = "encoder.layer.%d.mlp.fc2|encoder.layer.%d.mlp.weights_out",
        [W_MLP_SCALE] = "encoder.layer.%d.layer_scale2.lambda1",
    } },
};
