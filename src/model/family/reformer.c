/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

const struct family family_reformer = {
    .name = "reformer",
    .source = "Kitaev et al. 2020; transformers modeling_reformer.py",
    .stack_id = STACK_DECODER,          /* masked only where is_decoder says so */
    .norm = NORM_LAYER, .norm_place = PLACE_REVERSIBLE, .positions = POS_AXIAL,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER },
    .spare = "attention.self_attention.mask_value_float|"
             "attention.self_attention.self_mask_value_float",
    .quirks = &(const struct quirks){ .head_bias_unused = true },
    .defaults = {
        .n_layers = 6, .n_heads = 12, .d_model = 256, .d_head = 64, .d_ff = 512,
        .n_vocab = 320, .n_positions = 4096, .norm = { .eps = 1e-12 }, .act = ACT_RELU,
        .score = { .scaled = true },
        .chunked = { .near = { 64, 1, 0 }, .hashed = { 64, 1, 0 }, .n_hashes = 1 },
        .axial = { .on = true, .shape = { 64, 64 }, .width = { 64, 192 } },
    },
    .prefix = { "reformer." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_POS]        = "embeddings.position_embeddings.embedding",
        [W_AXIS_0]     = "embeddings.position_embeddings.weights.0",
        [W_AXIS_1]     = "embeddings.position_embeddings.weights.1",
        [W_ATT_NORM]   = "encoder.layers.%d.attention.layer_norm",
        [W_Q]          = "encoder.layers.%d.attention.self_attention.query|"
                         "encoder.layers.%d.attention.self_attention.query_key",
        [W_K]          = "encoder.layers.%d.attention.self_attention.key",
        [W_V]          = "encoder.layers.%d.attention.self_attention.value",
        [W_O]          = "encoder.layers.%d.attention.output.dense",
        [W_MLP_NORM]   = "encoder.layers.%d.feed_forward.layer_norm",
        [W_UP]         = "encoder.layers.%d.feed_forward.dense.dense",
        [W_DOWN]       = "encoder.layers.%d.feed_forward.output.dense",
        [W_FINAL_NORM] = "encoder.layer_norm",
        [W_HEAD]       = "lm_head.decoder",
    } },
};
