/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

/* DeBERTa's second and third version. */
const struct family family_deberta_v2 = {
    .name = "deberta-v2",
    .source = "He et al. 2021 and 2023; transformers modeling_deberta_v2.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .bias = BIAS_DISENTANGLED,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_PROJECTION] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .proj_before_norm = true },
    .defaults = {
        .n_layers = 24, .n_heads = 24, .d_model = 1536, .d_ff = 6144, .n_vocab = 128100,
        .n_positions = 512, .relative = { .max = -1, .n_buckets = -1, .input = true },
        .front = { .conv_groups = 1, .conv_act = ACT_TANH }, .norm = { .eps = 1e-7 },
        .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "deberta." },
    .like = &family_deberta,
    .stack = { .name = {
        [W_QKV] = "", [W_Q_BIAS] = "", [W_V_BIAS] = "",
        [W_REL_NORM]  = "encoder.LayerNorm",
        [W_CONV]      = "encoder.conv.conv",
        [W_CONV_NORM] = "encoder.conv.LayerNorm",
        [W_Q]         = "encoder.layer.%d.attention.self.query_proj",
        [W_K]         = "encoder.layer.%d.attention.self.key_proj",
        [W_V]         = "encoder.layer.%d.attention.self.value_proj",
        [W_REL_K]     = "encoder.layer.%d.attention.self.pos_key_proj",
        [W_REL_Q]     = "encoder.layer.%d.attention.self.pos_query_proj",
    } },
};
