/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

/* No positions of their own: buckets of distances, from layer 0 of each stack. */
const struct family family_t5_decoder = {
    .name = "t5",
    .stack_id = STACK_DECODER, .causal = true,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_NONE, .bias = BIAS_BUCKETS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN,
    .mlp = MLP_GATED,
    .quirks = &(const struct quirks){ .mlp_by_config = true },
    .prefix = { "transformer." },
    .spare = "layer.1.EncDecAttention.relative_attention_bias",        /* in files of 2019 */
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

const struct family family_t5 = {
    .name = "t5",
    .source = "Raffel et al. 2020; transformers modeling_t5.py",
    .stack_id = STACK_ENCODER, .decoder = &family_t5_decoder,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_NONE, .bias = BIAS_BUCKETS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN,
    .mlp = MLP_GATED,
    .quirks = &(const struct quirks){ .mlp_by_config = true },
    .defaults = {
        .n_layers = 6, .n_heads = 8, .d_model = 512, .d_head = 64, .d_ff = 2048,
        .n_vocab = 32128, .n_positions = 1 << 24,       /* no limit of its own */
        .bias = { .n_buckets = 32, .max_distance = 128 }, .decoder = { .start_id = 0 },
        .norm = { .eps = 1e-6 }, .act = ACT_RELU,
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
