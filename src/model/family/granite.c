/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_granite = {
    .name = "granite",
    .source = "Mishra et al. 2024; transformers modeling_granite.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BY_MLP_BIAS },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .d_model = 4096, .d_ff = 11008, .n_vocab = 32000,
        .n_positions = 2048, .norm = { .eps = 1e-6 }, .act = ACT_SILU,
        .multiplier = { .tokens = 1, .branch = 1 }, .score = { .factor = 1 },
        .head = { .untied = true, .divisor = 1 }, .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
};
