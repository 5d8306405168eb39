/* SPDX-License-Identifier: MIT */
#include "model/families.h"

/* The buckets and the pad, 1, are constants of the reference library. */
const struct family family_mpnet = {
    .name = "mpnet",
    .source = "Song et al. 2020; transformers modeling_mpnet.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .pos_offset = 1, .bias = BIAS_BUCKETS,
    .has_head_act = true, .head_act = ACT_GELU,
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30527,
        .n_positions = 512, .bias = { .n_buckets = 32, .max_distance = 128 },
        .norm = { .eps = 1e-12 }, .act = ACT_GELU, .score = { .scaled = true },
    },
    .prefix = { "mpnet." },
    .like = &family_roberta,
    .stack = { .name = {
        [W_TYPE] = "",
        [W_REL]      = "encoder.relative_attention_bias",
        [W_Q]        = "encoder.layer.%d.attention.attn.q",
        [W_K]        = "encoder.layer.%d.attention.attn.k",
        [W_V]        = "encoder.layer.%d.attention.attn.v",
        [W_O]        = "encoder.layer.%d.attention.attn.o",
        [W_ATT_NORM] = "encoder.layer.%d.attention.LayerNorm",
    } },
};
