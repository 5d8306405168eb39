/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_electra = {
    .name = "electra",
    .source = "Clark et al. 2020; transformers modeling_electra.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .has_head_act = true, .head_act = ACT_GELU,
    .quirks = &(const struct quirks){ .one_number = "discriminator_predictions.dense_prediction" },
    .defaults = {
        .n_layers = 12, .n_heads = 4, .d_model = 256, .d_ff = 1024, .d_embed = 128,
        .n_vocab = 30522, .n_positions = 512, .n_types = 2, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "electra." },
    .like = &family_bert,
    .stack = { .name = {
        [W_EMB_PROJ]   = "embeddings_project",
        [W_HEAD_DENSE] = "discriminator_predictions.dense|generator_predictions.dense",
        [W_HEAD_NORM]  = "generator_predictions.LayerNorm",
        [W_HEAD]       = "discriminator_predictions.dense_prediction|generator_lm_head",
        [W_HEAD_BIAS]  = "generator_lm_head.bias",
    } },
};
