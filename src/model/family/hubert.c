/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_hubert = {
    .name = "hubert",
    .source = "Hsu et al. 2021; transformers modeling_hubert.py",
    .stack_id = STACK_ENCODER, .front = FRONT_WAVE,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_NONE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .pre_by_config = true, .proj_always = true,
    .biased = { [OF_WAVE] = BY_CONV_BIAS, [OF_HEAD] = BIAS_ALWAYS },
    .quirks = &(const struct quirks){ .wave_norm_by_config = true },
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
    .like = &family_wav2vec2,
};
