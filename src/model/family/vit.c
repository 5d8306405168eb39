/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

const struct family family_vit = {
    .name = "vit",
    .source = "Dosovitskiy et al. 2021; transformers modeling_vit.py",
    .stack_id = STACK_ENCODER, .front = FRONT_PATCH,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_QKV] = BY_QKV_BIAS, [OF_HEAD] = BIAS_ALWAYS },
    .quirks = &(const struct quirks){ .head_class = "ViTForImageClassification" },
    .defaults = {
        .has_bias = { [BY_QKV_BIAS] = true },
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072,
        .front = { .n_channels = 3, .image = { 224, 224 }, .patch = { 16, 16 } },
        .norm = { .eps = 1e-12 }, .act = ACT_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "vit." },
    .stack = { .name = {
        [W_PATCH]      = "embeddings.patch_embeddings.projection",
        [W_CLS]        = "embeddings.cls_token",
        [W_POS]        = "embeddings.position_embeddings",
        [W_ATT_NORM]   = "encoder.layer.%d.layernorm_before",
        [W_Q]          = "encoder.layer.%d.attention.attention.query",
        [W_K]          = "encoder.layer.%d.attention.attention.key",
        [W_V]          = "encoder.layer.%d.attention.attention.value",
        [W_O]          = "encoder.layer.%d.attention.output.dense",
        [W_MLP_NORM]   = "encoder.layer.%d.layernorm_after",
        [W_UP]         = "encoder.layer.%d.intermediate.dense",
        [W_DOWN]       = "encoder.layer.%d.output.dense",
        [W_FINAL_NORM] = "layernorm",
    } },
};
