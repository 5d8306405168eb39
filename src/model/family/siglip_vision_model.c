/* SPDX-License-Identifier: MIT */
#include "model/families.h"

/* The picture tower by itself, also in a model of pictures and text. */
const struct family family_siglip_vision_model = {
    .name = "siglip_vision_model",
    .source = "Zhai et al. 2023; transformers modeling_siglip.py",
    .stack_id = STACK_ENCODER, .front = FRONT_PATCH,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_HEAD] = BIAS_ALWAYS },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072,
        .front = { .n_channels = 3, .image = { 224, 224 }, .patch = { 16, 16 } },
        .norm = { .eps = 1e-6 }, .act = ACT_GELU_TANH,
        .score = { .scaled = true },
    },
    .prefix = { "model.vision_tower.vision_model.", "vision_tower.vision_model.",
                "model.vision_tower.", "vision_tower.", "vision_model." },
    .like = &family_clip_text_model,
    .stack = { .name = {
        [W_TOK] = "",
        [W_PATCH]      = "embeddings.patch_embedding",
        [W_FINAL_NORM] = "post_layernorm",
    } },
};
