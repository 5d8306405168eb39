/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_opt = {
    .name = "opt",
    .source = "Zhang et al. 2022; transformers modeling_opt.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .pos_offset = 2,
    .biased = { [OF_QKV] = BY_ENABLE_BIAS, [OF_OUT] = BY_ENABLE_BIAS,
                [OF_MLP] = BY_ENABLE_BIAS, [OF_PROJECTION] = BIAS_NEVER },
    .defaults = {
        .has_bias = { [BY_ENABLE_BIAS] = true },
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 50272,
        .n_positions = 2048, .norm = { .first = true, .affine = true, .eps = 1e-5 },
        .act = ACT_RELU, .score = { .scaled = true },
    },
    .prefix = { "model.decoder.", "decoder." },
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_POS]        = "embed_positions",
        [W_TOK_PROJ]   = "project_in",
        [W_ATT_NORM]   = "layers.%d.self_attn_layer_norm",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_K]          = "layers.%d.self_attn.k_proj",
        [W_V]          = "layers.%d.self_attn.v_proj",
        [W_O]          = "layers.%d.self_attn.out_proj",
        [W_MLP_NORM]   = "layers.%d.final_layer_norm",
        [W_UP]         = "layers.%d.fc1",
        [W_DOWN]       = "layers.%d.fc2",
        [W_FINAL_NORM] = "final_layer_norm",
        [W_FINAL_PROJ] = "project_out",
        [W_HEAD]       = "lm_head",
    } },
};
