/* SPDX-License-Identifier: MIT */
#include "model/families.h"

/* The picture tower by itself, also in a model of pictures and text.  What it ends with is not
 * normed: post_layernorm is of the first row alone, on its way to the text tower's space. */
const struct family family_clip_vision_model = {
    .name = "clip_vision_model",
    .source = "Radford et al. 2021; transformers modeling_clip.py",
    .stack_id = STACK_ENCODER, .front = FRONT_PATCH,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_OTHERS] = BIAS_NEVER, [OF_HEAD] = BIAS_ALWAYS },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072,
        .front = { .n_channels = 3, .image = { 224, 224 }, .patch = { 32, 32 } },
        .norm = { .eps = 1e-5 }, .act = ACT_QUICK_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "model.vision_tower.vision_model.", "vision_tower.vision_model.",
                "model.vision_tower.", "vision_tower.", "vision_model." },
    .like = &family_clip_text_model,
    .stack = { .name = {
        [W_TOK] = "", [W_FINAL_NORM] = "",
        [W_PATCH]    = "embeddings.patch_embedding",
        [W_CLS]      = "embeddings.class_embedding",
        [W_EMB_NORM] = "pre_layrnorm",
    } },
};
