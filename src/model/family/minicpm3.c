/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_minicpm3 = {
    .name = "minicpm3",
    .source = "Hu et al. 2024; transformers modeling_minicpm3.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE, .scale_by_mscale = true,
    .qkv = QKV_LOW_RANK, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_LOW_RANK] = BY_ATTENTION_BIAS,
                [OF_OUT] = BY_ATTENTION_BIAS, [OF_MLP] = BY_MLP_BIAS },
    .defaults = {
        .n_layers = 62, .n_heads = 40, .d_model = 2560, .d_ff = 6400, .n_vocab = 73448,
        .n_positions = 32768,
        .latent = { .q_rank = 768, .kv_rank = 256, .d_nope = 64, .d_rope = 32 },
        .norm = { .eps = 1e-5 }, .act = ACT_SILU, .head = { .base_width = 256 },
        .multiplier = { .tokens = 12, .depth = 1.4 }, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_deepseek_v2,
    .stack = { .name = {
        [W_ROUTER] = "", [W_SHARED_GATE] = "", [W_SHARED_UP] = "", [W_SHARED_DOWN] = "",
        [W_EXP_GATE] = "", [W_EXP_UP] = "", [W_EXP_DOWN] = "",
    } },
};
