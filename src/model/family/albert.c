/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_albert = {
    .name = "albert",
    .source = "Lan et al. 2020; transformers modeling_albert.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .proj_always = true,
    .defaults = {
        .n_layers = 12, .n_heads = 64, .d_model = 4096, .d_ff = 16384, .d_embed = 128,
        .n_vocab = 30000, .n_positions = 512, .n_types = 2,
        .groups = { .n = 1, .n_inner = 1 }, .norm = { .eps = 1e-12 }, .act = ACT_GELU_TANH,
        .score = { .scaled = true },
    },
    .prefix = { "albert." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_POS]        = "embeddings.position_embeddings",
        [W_TYPE]       = "embeddings.token_type_embeddings",
        [W_EMB_NORM]   = "embeddings.LayerNorm",
        [W_EMB_PROJ]   = "encoder.embedding_hidden_mapping_in",
        [W_Q]          = "encoder.albert_layer_groups.%d.albert_layers.%d.attention.query",
        [W_K]          = "encoder.albert_layer_groups.%d.albert_layers.%d.attention.key",
        [W_V]          = "encoder.albert_layer_groups.%d.albert_layers.%d.attention.value",
        [W_O]          = "encoder.albert_layer_groups.%d.albert_layers.%d.attention.dense",
        [W_ATT_NORM]   = "encoder.albert_layer_groups.%d.albert_layers.%d.attention.LayerNorm",
        [W_UP]         = "encoder.albert_layer_groups.%d.albert_layers.%d.ffn",
        [W_DOWN]       = "encoder.albert_layer_groups.%d.albert_layers.%d.ffn_output",
        [W_MLP_NORM]   = "encoder.albert_layer_groups.%d.albert_layers.%d.full_layer_layer_norm",
        [W_HEAD_DENSE] = "predictions.dense",
        [W_HEAD_NORM]  = "predictions.LayerNorm",
        [W_HEAD]       = "predictions.decoder",
        [W_HEAD_BIAS]  = "predictions.bias|predictions.decoder.bias",
    } },
};
