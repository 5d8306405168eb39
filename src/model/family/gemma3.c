/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_gemma3 = {
    .name = "gemma3_text",
    .source = "Gemma team 2025; transformers modeling_gemma3.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS_PLUS_ONE, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .scale_embedding = true, .gelu_is_tanh = true, .qk_norm = QK_NORM_HEAD,
    .window_rule = WINDOW_TYPES, .full_every = 6,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .may_see_both_ways = true },
    .defaults = {
        .n_layers = 26, .n_heads = 8, .n_kv_heads = 4, .d_head = 256, .d_model = 2304,
        .d_ff = 9216, .n_vocab = 262208, .n_positions = 131072,
        .window = { .n_keys = 4096, .used = true },
        .score = { .query_scalar = 256, .scaled = true }, .norm = { .eps = 1e-6 },
        .act = ACT_GELU_TANH,
        .rotary = { .rope = { { .theta = 1e6 }, { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_gemma2,
    .stack = { .name = {
        [W_Q_NORM] = "layers.%d.self_attn.q_norm",
        [W_K_NORM] = "layers.%d.self_attn.k_norm",
    } },
};
