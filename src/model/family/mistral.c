/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_mistral = {
    .name = "mistral",
    .source = "Jiang et al. 2023; transformers modeling_mistral.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .window_rule = WINDOW_ALL,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .n_kv_heads = 8, .d_model = 4096, .d_ff = 14336,
        .n_vocab = 32000, .n_positions = 131072, .window = { .n_keys = 4096, .used = true },
        .norm = { .eps = 1e-6 }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true }, .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
};
