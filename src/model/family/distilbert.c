/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_distilbert = {
    .name = "distilbert",
    .source = "Sanh et al. 2019; transformers modeling_distilbert.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .defaults = {
        .n_layers = 6, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30522,
        .n_positions = 512, .norm = { .eps = 1e-12 }, .act = ACT_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "distilbert." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_POS]        = "embeddings.position_embeddings",
        [W_EMB_NORM]   = "embeddings.LayerNorm",
        [W_Q]          = "transformer.layer.%d.attention.q_lin",
        [W_K]          = "transformer.layer.%d.attention.k_lin",
        [W_V]          = "transformer.layer.%d.attention.v_lin",
        [W_O]          = "transformer.layer.%d.attention.out_lin",
        [W_ATT_NORM]   = "transformer.layer.%d.sa_layer_norm",
        [W_UP]         = "transformer.layer.%d.ffn.lin1",
        [W_DOWN]       = "transformer.layer.%d.ffn.lin2",
        [W_MLP_NORM]   = "transformer.layer.%d.output_layer_norm",
        [W_HEAD_DENSE] = "vocab_transform",
        [W_HEAD_NORM]  = "vocab_layer_norm",
        [W_HEAD]       = "vocab_projector",
        [W_HEAD_BIAS]  = "vocab_projector.bias",
    } },
};
