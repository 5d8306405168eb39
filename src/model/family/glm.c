/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_glm = {
    .name = "glm",
    .source = "Zeng et al. 2024; transformers modeling_glm.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .rope_layout = ROPE_PAIRS, .rotated = ROTATED_SHARE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED_FUSED,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .has_bias = { [BY_ATTENTION_BIAS] = true },
        .n_layers = 40, .n_heads = 32, .n_kv_heads = 2, .d_model = 4096, .d_head = 128,
        .d_ff = 13696, .n_vocab = 151552, .n_positions = 131072,
        .norm = { .eps = 1.5625e-7 }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true },
        .rotary = { .share = .5, .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_GATE] = "",
        [W_UP] = "layers.%d.mlp.gate_up_proj",
    } },
};
