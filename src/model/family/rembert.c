/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_rembert = {
    .name = "rembert",
    .source = "Chung et al. 2021; transformers modeling_rembert.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN, .proj_always = true,
    .biased = { [OF_HEAD] = BIAS_ALWAYS },
    .defaults = {
        .n_layers = 32, .n_heads = 18, .d_model = 1152, .d_ff = 4608, .n_vocab = 250300,
        .n_positions = 512, .n_types = 2, .d_embed = 256, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .head = { .untied = true, .d_in = 1664 }, .score = { .scaled = true },
    },
    .prefix = { "rembert." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_POS]        = "embeddings.position_embeddings",
        [W_TYPE]       = "embeddings.token_type_embeddings",
        [W_EMB_NORM]   = "embeddings.LayerNorm",
        [W_EMB_PROJ]   = "encoder.embedding_hidden_mapping_in",
        [W_ATT_NORM]   = "encoder.layer.%d.attention.output.LayerNorm",
        [W_Q]          = "encoder.layer.%d.attention.self.query",
        [W_K]          = "encoder.layer.%d.attention.self.key",
        [W_V]          = "encoder.layer.%d.attention.self.value",
        [W_O]          = "encoder.layer.%d.attention.output.dense",
        [W_MLP_NORM]   = "encoder.layer.%d.output.LayerNorm",
        [W_UP]         = "encoder.layer.%d.intermediate.dense",
        [W_DOWN]       = "encoder.layer.%d.output.dense",
        [W_HEAD_DENSE] = "cls.predictions.dense",
        [W_HEAD_NORM]  = "cls.predictions.LayerNorm",
        [W_HEAD]       = "cls.predictions.decoder",
    } },
};
