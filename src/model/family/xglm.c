/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_xglm = {
    .name = "xglm",
    .source = "Lin et al. 2022; transformers modeling_xglm.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_SINUSOID_CLOSED,
    .pos_offset = 2,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN, .fixed_eps = true,
    .defaults = {
        .n_layers = 24, .n_heads = 16, .d_model = 1024, .d_ff = 4096, .n_vocab = 256008,
        .n_positions = 2048, .norm = { .eps = 1e-5 }, .act = ACT_GELU,
        .scale_embedding = true, .score = { .scaled = true },
    },
    .prefix = { "model." },
    .like = &family_opt,
    .stack = { .name = {
        [W_POS] = "", [W_TOK_PROJ] = "", [W_FINAL_PROJ] = "",
        [W_FINAL_NORM] = "layer_norm",
    } },
};
