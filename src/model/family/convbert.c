/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_convbert = {
    .name = "convbert",
    .source = "Jiang et al. 2020; transformers modeling_convbert.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .has_head_act = true, .head_act = ACT_GELU,
    .quirks = &(const struct quirks){ .side_conv = true, .never_masked = true },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .d_embed = 768,
        .n_vocab = 30522, .n_positions = 512, .n_types = 2, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .score = { .scaled = true }, .n_taps = 9, .mlp_groups = 1,
    },
    .prefix = { "convbert." },
    .like = &family_bert,
    .stack = { .name = {
        [W_EMB_PROJ]   = "embeddings_project",
        [W_TAPS]       = "encoder.layer.%d.attention.self.key_conv_attn_layer.depthwise",
        [W_TAPS_POINT] = "encoder.layer.%d.attention.self.key_conv_attn_layer.pointwise",
        [W_TAPS_BIAS]  = "encoder.layer.%d.attention.self.key_conv_attn_layer.bias",
        [W_TAPS_ROW]   = "encoder.layer.%d.attention.self.conv_kernel_layer",
        [W_TAPS_VALUE] = "encoder.layer.%d.attention.self.conv_out_layer",
        [W_HEAD_DENSE] = "generator_predictions.dense",
        [W_HEAD_NORM]  = "generator_predictions.LayerNorm",
        [W_HEAD]       = "generator_lm_head",
        [W_HEAD_BIAS]  = "generator_lm_head.bias",
    } },
};
