/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_biogpt = {
    .name = "biogpt",
    .source = "Luo et al. 2022; transformers modeling_biogpt.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE, .pos_offset = 2,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN, .fixed_eps = true,
    .defaults = {
        .n_layers = 24, .n_heads = 16, .d_model = 1024, .d_ff = 4096, .n_vocab = 42384,
        .n_positions = 1024, .norm = { .eps = 1e-5 }, .act = ACT_GELU,
        .scale_embedding = true, .score = { .scaled = true },
    },
    .prefix = { "biogpt." },
    .like = &family_opt,
    .stack = { .name = {
        [W_TOK_PROJ] = "", [W_FINAL_PROJ] = "",
        [W_FINAL_NORM] = "layer_norm",
        [W_HEAD]       = "output_projection",
    } },
};
