/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_mobilebert = {
    .name = "mobilebert",
    .source = "Sun et al. 2020; transformers modeling_mobilebert.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_AFFINE, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .quirks = &(const struct quirks){
        .bare_eps = 1e-5,
        .never_masked = true,
        .pooler_by_config = true,
    },
    .defaults = {
        .n_layers = 24, .n_heads = 4, .d_model = 512, .d_ff = 512, .d_embed = 128,
        .n_vocab = 30522, .n_positions = 512, .n_types = 2, .norm = { .eps = 1e-12 },
        .act = ACT_RELU, .score = { .scaled = true }, .trigrams = true, .n_mlps = 4,
        .bottleneck = { .d = 128, .shared = true },
    },
    .prefix = { "mobilebert." },
    .like = &family_bert,
    .stack = { .name = {
        [W_TOK_PROJ]    = "embeddings.embedding_transformation",
        [W_IN]          = "encoder.layer.%d.bottleneck.input.dense",
        [W_IN_NORM]     = "encoder.layer.%d.bottleneck.input.LayerNorm",
        [W_READ]        = "encoder.layer.%d.bottleneck.attention.dense",
        [W_READ_NORM]   = "encoder.layer.%d.bottleneck.attention.LayerNorm",
        [W_FORMER_UP]   = "encoder.layer.%d.ffn.%d.intermediate.dense",
        [W_FORMER_DOWN] = "encoder.layer.%d.ffn.%d.output.dense",
        [W_FORMER_NORM] = "encoder.layer.%d.ffn.%d.output.LayerNorm",
        [W_OUT]         = "encoder.layer.%d.output.bottleneck.dense",
        [W_OUT_NORM]    = "encoder.layer.%d.output.bottleneck.LayerNorm",
        [W_HEAD_REST]   = "cls.predictions.dense",
    } },
};
