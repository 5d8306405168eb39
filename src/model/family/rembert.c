/* SPDX-License-Identifier: MIT */
#include "model/families.h"

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
    .like = &family_bert,
    .stack = { .name = {
        [W_HEAD_BIAS] = "",
        [W_EMB_PROJ]   = "encoder.embedding_hidden_mapping_in",
        [W_HEAD_DENSE] = "cls.predictions.dense",
        [W_HEAD_NORM]  = "cls.predictions.LayerNorm",
    } },
};
