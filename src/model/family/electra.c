/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_electra = {
    .name = "electra",
    .source = "Clark et al. 2020; transformers modeling_electra.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .one_number = "discriminator_predictions.dense_prediction",
    .has_head_act = true, .head_act = ACT_GELU,
    .defaults = {
        .n_layers = 12, .n_heads = 4, .d_model = 256, .d_ff = 1024, .d_embed = 128,
        .n_vocab = 30522, .n_positions = 512, .n_types = 2, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "electra." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_POS]        = "embeddings.position_embeddings",
        [W_TYPE]       = "embeddings.token_type_embeddings",
        [W_EMB_NORM]   = "embeddings.LayerNorm",
        [W_EMB_PROJ]   = "embeddings_project",
        [W_Q]          = "encoder.layer.%d.attention.self.query",
        [W_K]          = "encoder.layer.%d.attention.self.key",
        [W_V]          = "encoder.layer.%d.attention.self.value",
        [W_O]          = "encoder.layer.%d.attention.output.dense",
        [W_ATT_NORM]   = "encoder.layer.%d.attention.output.LayerNorm",
        [W_UP]         = "encoder.layer.%d.intermediate.dense",
        [W_DOWN]       = "encoder.layer.%d.output.dense",
        [W_MLP_NORM]   = "encoder.layer.%d.output.LayerNorm",
        [W_HEAD_DENSE] = "discriminator_predictions.dense|generator_predictions.dense",
        [W_HEAD_NORM]  = "generator_predictions.LayerNorm",
        [W_HEAD]       = "discriminator_predictions.dense_prediction|generator_lm_head",
        [W_HEAD_BIAS]  = "generator_lm_head.bias",
    } },
};
