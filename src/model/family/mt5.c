/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

/* No positions of their own: buckets of distances, from layer 0 of each stack. */
static const struct family mt5_decoder = {
    .name = "mt5",
    .stack_id = STACK_DECODER, .causal = true,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_NONE, .bias = BIAS_BUCKETS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN,
    .mlp = MLP_GATED,
    .quirks = &(const struct quirks){ .mlp_by_config = true },
    .prefix = { "transformer." },
    .spare = "layer.1.EncDecAttention.relative_attention_bias",
    .like = &family_t5_decoder,
};

const struct family family_mt5 = {
    .name = "mt5",
    .source = "Xue et al. 2021; transformers modeling_mt5.py",
    .stack_id = STACK_ENCODER, .decoder = &mt5_decoder,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_NONE, .bias = BIAS_BUCKETS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN,
    .mlp = MLP_GATED,
    .quirks = &(const struct quirks){ .mlp_by_config = true },
    .defaults = {
        .n_layers = 8, .n_heads = 6, .d_model = 512, .d_head = 64, .d_ff = 1024,
        .n_vocab = 250112, .n_positions = 1 << 24,       /* no limit of its own */
        .bias = { .n_buckets = 32, .max_distance = 128 }, .decoder = { .start_id = 0 },
        .norm = { .eps = 1e-6 }, .gated = true, .act = ACT_GELU_TANH,
        .head = { .scale = 1 },       /* whatever is tied */
    },
    .prefix = { "transformer." },
    .like = &family_t5,
};
