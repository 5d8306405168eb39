/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_smollm3 = {
    .name = "smollm3",
    .source = "Bakouch et al. 2025; transformers modeling_smollm3.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .window_rule = WINDOW_TYPES, .rope_rule = ROPE_BY_LIST,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BY_MLP_BIAS },
    .defaults = {
        .n_layers = 36, .n_heads = 16, .n_kv_heads = 4, .d_model = 2048, .d_ff = 11008,
        .n_vocab = 128256, .n_positions = 32768, .norm = { .eps = 1e-6 }, .act = ACT_SILU,
        .score = { .scaled = true },
        .rotary = { .off_every = 4, .rope = { { .theta = 2e6 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
};
