/* SPDX-License-Identifier: MIT */
#include "model/family.h"

/* DeBERTa's second and third version. */
const struct family family_deberta_v2 = {
    .name = "deberta-v2",
    .source = "He et al. 2021 and 2023; transformers modeling_deberta_v2.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .bias = BIAS_DISENTANGLED,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .proj_before_norm = true,
    .biased = { [OF_PROJECTION] = BIAS_NEVER },
    .defaults = {
        .n_layers = 24, .n_heads = 24, .d_model = 1536, .d_ff = 6144, .n_vocab = 128100,
        .n_positions = 512, .relative = { .max = -1, .n_buckets = -1, .input = true },
        .front = { .conv_groups = 1, .conv_act = ACT_TANH }, .norm = { .eps = 1e-7 },
        .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "deberta." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_POS]        = "embeddings.position_embeddings",
        [W_TYPE]       = "embeddings.token_type_embeddings",
        [W_EMB_PROJ]   = "embeddings.embed_proj",
        [W_EMB_NORM]   = "embeddings.LayerNorm",
        [W_REL_TABLE]  = "encoder.rel_embeddings",
        [W_REL_NORM]   = "encoder.LayerNorm",
        [W_CONV]       = "encoder.conv.conv",
        [W_CONV_NORM]  = "encoder.conv.LayerNorm",
        [W_Q]          = "encoder.layer.%d.attention.self.query_proj",
        [W_K]          = "encoder.layer.%d.attention.self.key_proj",
        [W_V]          = "encoder.layer.%d.attention.self.value_proj",
        [W_REL_K]      = "encoder.layer.%d.attention.self.pos_key_proj",
        [W_REL_Q]      = "encoder.layer.%d.attention.self.pos_query_proj",
        [W_O]          = "encoder.layer.%d.attention.output.dense",
        [W_ATT_NORM]   = "encoder.layer.%d.attention.output.LayerNorm",
        [W_UP]         = "encoder.layer.%d.intermediate.dense",
        [W_DOWN]       = "encoder.layer.%d.output.dense",
        [W_MLP_NORM]   = "encoder.layer.%d.output.LayerNorm",
        [W_HEAD_DENSE] = "cls.predictions.transform.dense|lm_predictions.lm_head.dense",
        [W_HEAD_NORM]  = "cls.predictions.transform.LayerNorm|"
                         "lm_predictions.lm_head.LayerNorm",
        [W_HEAD]       = "cls.predictions.decoder",
        [W_HEAD_BIAS]  = "cls.predictions.bias|cls.predictions.decoder.bias|"
                         "lm_predictions.lm_head.bias",
    } },
};
