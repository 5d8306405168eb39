/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_hubert = {
    .name = "hubert",
    .source = "Hsu et al. 2021; transformers modeling_hubert.py",
    .stack_id = STACK_ENCODER, .front = FRONT_WAVE,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_NONE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .pre_by_config = true, .proj_always = true, .wave_norm_by_config = true,
    .biased = { [OF_WAVE] = BY_CONV_BIAS, [OF_HEAD] = BIAS_ALWAYS },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 32,
        .front = {
            .conv_width = 128, .conv_groups = 16, .conv_act = ACT_GELU,
            .wave = { .n = 7, .channels = { 512, 512, 512, 512, 512, 512, 512 },
                      .width = { 10, 3, 3, 3, 3, 2, 2 }, .step = { 5, 2, 2, 2, 2, 2, 2 } },
        },
        .head = { .d_dense = 256, .untied = true },
        .norm = { .eps = 1e-5 }, .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "hubert." },
    .stack = { .name = {
        [W_WAVE]          = "feature_extractor.conv_layers.%d.conv",
        [W_WAVE_NORM]     = "feature_extractor.conv_layers.%d.layer_norm",
        [W_EMB_NORM]      = "feature_projection.layer_norm",
        [W_EMB_PROJ]      = "feature_projection.projection",
        [W_POS_CONV]      = "encoder.pos_conv_embed.conv.parametrizations.weight.original1|"
                            "encoder.pos_conv_embed.conv.weight_v",
        [W_POS_CONV_SIZE] = "encoder.pos_conv_embed.conv.parametrizations.weight.original0|"
                            "encoder.pos_conv_embed.conv.weight_g",
        [W_POS_CONV_BIAS] = "encoder.pos_conv_embed.conv.bias",
        [W_POS_CONV_NORM] = "encoder.layer_norm",
        [W_Q]             = "encoder.layers.%d.attention.q_proj",
        [W_K]             = "encoder.layers.%d.attention.k_proj",
        [W_V]             = "encoder.layers.%d.attention.v_proj",
        [W_O]             = "encoder.layers.%d.attention.out_proj",
        [W_ATT_NORM]      = "encoder.layers.%d.layer_norm",
        [W_UP]            = "encoder.layers.%d.feed_forward.intermediate_dense",
        [W_DOWN]          = "encoder.layers.%d.feed_forward.output_dense",
        [W_MLP_NORM]      = "encoder.layers.%d.final_layer_norm",
        [W_FINAL_NORM]    = "encoder.layer_norm",
        [W_HEAD]          = "lm_head",
    } },
};
