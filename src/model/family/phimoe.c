/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_phimoe = {
    .name = "phimoe",
    .source = "Abdin et al. 2024; transformers modeling_phimoe.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .window_rule = WINDOW_ALL, .score = SCORE_SPARSEMIXER,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_HEAD] = BY_LM_HEAD_BIAS },
    .quirks = &(const struct quirks){ .long_mscale = true },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .n_kv_heads = 8, .d_model = 4096, .d_ff = 6400,
        .n_vocab = 32064, .n_positions = 131072, .window = { .used = true },
        .experts = { .n = 16, .n_chosen = 2, .step = 1, .jitter = .01 },
        .norm = { .eps = 1e-5 }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true }, .rotary = { .rope = { { .theta = 1e6 } } },
    },
    .prefix = { "model." },
    .like = &family_mixtral,
};
