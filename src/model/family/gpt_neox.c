/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_gpt_neox = {
    .name = "gpt_neox",
    .source = "Black et al. 2022; transformers modeling_gpt_neox.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PARALLEL, .positions = POS_ROPE,
    .qkv = QKV_GROUPED, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .rotated = ROTATED_PCT,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS },
    .spare = "attention.bias|attention.masked_bias",
    .defaults = {
        .has_bias = { [BY_ATTENTION_BIAS] = true },
        .n_layers = 44, .n_heads = 64, .d_model = 6144, .d_ff = 24576, .n_vocab = 50432,
        .n_positions = 2048, .norm = { .parallel = true, .eps = 1e-5 },
        .head = { .untied = true }, .act = ACT_GELU, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } }, .share = 0.25 },
    },
    .prefix = { "gpt_neox." },
    .stack = { .name = {
        [W_TOK]        = "embed_in",
        [W_ATT_NORM]   = "layers.%d.input_layernorm",
        [W_QKV]        = "layers.%d.attention.query_key_value",
        [W_O]          = "layers.%d.attention.dense",
        [W_MLP_NORM]   = "layers.%d.post_attention_layernorm",
        [W_UP]         = "layers.%d.mlp.dense_h_to_4h",
        [W_DOWN]       = "layers.%d.mlp.dense_4h_to_h",
        [W_FINAL_NORM] = "final_layer_norm",
        [W_HEAD]       = "embed_out",
    } },
};
