/* SPDX-License-Identifier: MIT */
#include "model/families.h"

/* The text tower by itself.  No text is padded here: in training all were, to 64 tokens that
 * see each other. */
const struct family family_siglip_text_model = {
    .name = "siglip_text_model",
    .source = "Zhai et al. 2023; transformers modeling_siglip.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 32000,
        .n_positions = 64, .norm = { .eps = 1e-6 }, .act = ACT_GELU_TANH,
        .score = { .scaled = true },
    },
    .prefix = { "text_model." },
    .like = &family_clip_text_model,
};
