/* SPDX-License-Identifier: MIT */
#include "model/families.h"

const struct family family_qwen3 = {
    .name = "qwen3",
    .source = "Yang et al. 2025; transformers modeling_qwen3.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .window_rule = WINDOW_TYPES, .qk_norm = QK_NORM_HEAD,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .n_kv_heads = 32, .d_head = 128, .d_model = 4096,
        .d_ff = 22016, .n_vocab = 151936, .n_positions = 32768,
        .window = { .n_keys = 4096, .from = 28 }, .norm = { .eps = 1e-6 },
        .head = { .untied = true }, .act = ACT_SILU, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model.", "transformer." },   /* ForQuestionAnswering has the second */
    .like = &family_llama,
    .stack = { .name = {
        [W_Q_NORM] = "layers.%d.self_attn.q_norm",
        [W_K_NORM] = "layers.%d.self_attn.k_norm",
    } },
};
