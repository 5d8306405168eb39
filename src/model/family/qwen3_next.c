/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_qwen3_next = {
    .name = "qwen3_next",
    .source = "Qwen team 2025, Qwen3-Next; transformers modeling_qwen3_next.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS_PLUS_ONE, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .rotated = ROTATED_SHARE,
    .qkv = QKV_SEPARATE, .qk_norm = QK_NORM_HEAD, .mixer = MIXER_DELTA,
    .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER, [OF_MIXER] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .q_gated = true },
    .defaults = {
        .n_layers = 48, .n_heads = 16, .n_kv_heads = 2, .d_model = 2048, .d_head = 256,
        .d_ff = 5632, .n_vocab = 151936, .n_positions = 32768,
        .mix = { .n_taps = 4, .n_heads = 32, .n_key_heads = 16, .d_key = 128, .d_value = 128,
                 .every = 4 },
        .experts = { .n = 512, .n_chosen = 10, .d_ff = 512, .step = 1, .n_shared = 1,
                     .d_shared = 512, .renormalise = true },
        .norm = { .eps = 1e-6 }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true },
        .rotary = { .share = .25, .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_qwen2_moe,
    .stack = { .name = {
        [W_Q_NORM]    = "layers.%d.self_attn.q_norm",
        [W_K_NORM]    = "layers.%d.self_attn.k_norm",
        [W_MIX_IN]    = "layers.%d.linear_attn.in_proj_qkvz",
        [W_MIX_RATES] = "layers.%d.linear_attn.in_proj_ba",
        [W_MIX_TAPS]  = "layers.%d.linear_attn.conv1d",
        [W_MIX_DECAY] = "layers.%d.linear_attn.A_log",
        [W_MIX_STEP]  = "layers.%d.linear_attn.dt_bias",
        [W_MIX_NORM]  = "layers.%d.linear_attn.norm.weight",
        [W_MIX_OUT]   = "layers.%d.linear_attn.out_proj",
    } },
};
