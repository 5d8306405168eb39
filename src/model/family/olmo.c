/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_olmo = {
    .name = "olmo",
    .source = "Groeneveld et al. 2024; transformers modeling_olmo.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .fixed_eps = true, .clips = true,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .norms_bare = true },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .d_model = 4096, .d_ff = 11008, .n_vocab = 50304,
        .n_positions = 2048, .norm = { .eps = 1e-5 }, .head = { .untied = true },
        .act = ACT_SILU, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
};
