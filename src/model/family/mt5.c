/* SPDX-License-Identifier: MIT */
#include "model/family.h"

/* No positions of their own: buckets of distances, from layer 0 of each stack. */
static const struct family mt5_decoder = {
    .name = "mt5",
    .stack_id = STACK_DECODER, .causal = true,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_NONE, .bias = BIAS_BUCKETS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN,
    .mlp = MLP_GATED, .mlp_by_config = true,
    .prefix = { "transformer." },
    .spare = "layer.1.EncDecAttention.relative_attention_bias",
    .stack = { .name = {
        [W_TOK]        = "shared|decoder.embed_tokens|encoder.embed_tokens",
        [W_REL]        = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias",
        [W_ATT_NORM]   = "decoder.block.%d.layer.0.layer_norm",
        [W_Q]          = "decoder.block.%d.layer.0.SelfAttention.q",
        [W_K]          = "decoder.block.%d.layer.0.SelfAttention.k",
        [W_V]          = "decoder.block.%d.layer.0.SelfAttention.v",
        [W_O]          = "decoder.block.%d.layer.0.SelfAttention.o",
        [W_CROSS_NORM] = "decoder.block.%d.layer.1.layer_norm",
        [W_CROSS_Q]    = "decoder.block.%d.layer.1.EncDecAttention.q",
        [W_CROSS_K]    = "decoder.block.%d.layer.1.EncDecAttention.k",
        [W_CROSS_V]    = "decoder.block.%d.layer.1.EncDecAttention.v",
        [W_CROSS_O]    = "decoder.block.%d.layer.1.EncDecAttention.o",
        [W_MLP_NORM]   = "decoder.block.%d.layer.2.layer_norm",
        [W_GATE]       = "decoder.block.%d.layer.2.DenseReluDense.wi_0",
        [W_UP]         = "decoder.block.%d.layer.2.DenseReluDense.wi|"
                         "decoder.block.%d.layer.2.DenseReluDense.wi_1",
        [W_DOWN]       = "decoder.block.%d.layer.2.DenseReluDense.wo",
        [W_FINAL_NORM] = "decoder.final_layer_norm",
        [W_HEAD]       = "lm_head",
    } },
};

const struct family family_mt5 = {
    .name = "mt5",
    .source = "Xue et al. 2021; transformers modeling_mt5.py",
    .stack_id = STACK_ENCODER, .decoder = &mt5_decoder,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_NONE, .bias = BIAS_BUCKETS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN,
    .mlp = MLP_GATED, .mlp_by_config = true,
    .defaults = {
        .n_layers = 8, .n_heads = 6, .d_model = 512, .d_head = 64, .d_ff = 1024,
        .n_vocab = 250112, .n_positions = 1 << 24,       /* no limit of its own */
        .bias = { .n_buckets = 32, .max_distance = 128 }, .decoder = { .start_id = 0 },
        .norm = { .eps = 1e-6 }, .gated = true, .act = ACT_GELU_TANH,
        .head = { .scale = 1 },       /* whatever is tied */
    },
    .prefix = { "transformer." },
    .stack = { .name = {
        [W_TOK]        = "shared|encoder.embed_tokens|decoder.embed_tokens",
        [W_REL]        = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
        [W_ATT_NORM]   = "encoder.block.%d.layer.0.layer_norm",
        [W_Q]          = "encoder.block.%d.layer.0.SelfAttention.q",
        [W_K]          = "encoder.block.%d.layer.0.SelfAttention.k",
        [W_V]          = "encoder.block.%d.layer.0.SelfAttention.v",
        [W_O]          = "encoder.block.%d.layer.0.SelfAttention.o",
        [W_MLP_NORM]   = "encoder.block.%d.layer.1.layer_norm",
        [W_GATE]       = "encoder.block.%d.layer.1.DenseReluDense.wi_0",
        [W_UP]         = "encoder.block.%d.layer.1.DenseReluDense.wi|"
                         "encoder.block.%d.layer.1.DenseReluDense.wi_1",
        [W_DOWN]       = "encoder.block.%d.layer.1.DenseReluDense.wo",
        [W_FINAL_NORM] = "encoder.final_layer_norm",
    } },
};
