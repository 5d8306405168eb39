/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_deepseek_v3 = {
    .name = "deepseek_v3",
    .source = "DeepSeek-AI 2024b; transformers modeling_deepseek_v3.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .rope_layout = ROPE_PAIRS, .scale_by_mscale = true,
    .qkv = QKV_LOW_RANK, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .score = SCORE_SIGMOID, .group_score = GROUPS_TOP2,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_LOW_RANK] = BY_ATTENTION_BIAS,
                [OF_OUT] = BY_ATTENTION_BIAS, [OF_MLP] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .spare_layers = true },
    .defaults = {
        .n_layers = 61, .n_heads = 128, .n_kv_heads = 128, .d_model = 7168, .d_ff = 18432,
        .n_vocab = 129280, .n_positions = 4096,
        .rotary = { .interleave = true, .rope = { { .theta = 10000 } } },
        .latent = { .q_rank = 1536, .kv_rank = 512, .d_nope = 128, .d_rope = 64 },
        .d_value = 128,
        .experts = { .n = 256, .n_chosen = 8, .n_shared = 1, .d_ff = 2048, .n_groups = 8,
                     .n_chosen_groups = 4, .renormalise = true, .factor = 2.5,
                     .first_layer = 3, .step = 1 },
        .norm = { .eps = 1e-6 }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true },
    },
    .prefix = { "model." },
    .like = &family_deepseek_v2,
    .stack = { .name = {
        [W_ROUTER_BIAS] = "layers.%d.mlp.gate.e_score_correction_bias",
    } },
};
