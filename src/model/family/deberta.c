/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

const struct family family_deberta = {
    .name = "deberta",
    .source = "He et al. 2021; transformers modeling_deberta.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .bias = BIAS_DISENTANGLED,
    .qkv = QKV_GROUPED, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_PROJECTION] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .proj_before_norm = true },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 50265,
        .n_positions = 512, .relative = { .max = -1, .input = true },
        .front = { .conv_groups = 1 }, .norm = { .eps = 1e-7 }, .act = ACT_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "deberta." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_POS]        = "embeddings.position_embeddings",
        [W_TYPE]       = "embeddings.token_type_embeddings",
        [W_EMB_PROJ]   = "embeddings.embed_proj",
        [W_EMB_NORM]   = "embeddings.LayerNorm",
        [W_REL_TABLE]  = "encoder.rel_embeddings",
        [W_QKV]        = "encoder.layer.%d.attention.self.in_proj",
        [W_Q_BIAS]     = "encoder.layer.%d.attention.self.q_bias",
        [W_V_BIAS]     = "encoder.layer.%d.attention.self.v_bias",
        [W_REL_K]      = "encoder.layer.%d.attention.self.pos_proj",
        [W_REL_Q]      = "encoder.layer.%d.attention.self.pos_q_proj",
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
