/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_layoutlm = {
    .name = "layoutlm",
    .source = "Xu et al. 2020; transformers modeling_layoutlm.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30522,
        .n_positions = 512, .n_types = 2, .norm = { .eps = 1e-12 }, .act = ACT_GELU,
        .score = { .scaled = true }, .n_boxes = 1024,
    },
    .prefix = { "layoutlm." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_POS]        = "embeddings.position_embeddings",
        [W_TYPE]       = "embeddings.token_type_embeddings",
        [W_BOX_X]      = "embeddings.x_position_embeddings",
        [W_BOX_Y]      = "embeddings.y_position_embeddings",
        [W_BOX_H]      = "embeddings.h_position_embeddings",
        [W_BOX_W]      = "embeddings.w_position_embeddings",
        [W_EMB_NORM]   = "embeddings.LayerNorm",
        [W_Q]          = "encoder.layer.%d.attention.self.query",
        [W_K]          = "encoder.layer.%d.attention.self.key",
        [W_V]          = "encoder.layer.%d.attention.self.value",
        [W_O]          = "encoder.layer.%d.attention.output.dense",
        [W_ATT_NORM]   = "encoder.layer.%d.attention.output.LayerNorm",
        [W_UP]         = "encoder.layer.%d.intermediate.dense",
        [W_DOWN]       = "encoder.layer.%d.output.dense",
        [W_MLP_NORM]   = "encoder.layer.%d.output.LayerNorm",
        [W_HEAD_DENSE] = "cls.predictions.transform.dense",
        [W_HEAD_NORM]  = "cls.predictions.transform.LayerNorm",
        [W_HEAD]       = "cls.predictions.decoder",
        [W_HEAD_BIAS]  = "cls.predictions.bias|cls.predictions.decoder.bias",
    } },
};
