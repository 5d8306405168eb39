/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_stablelm = {
    .name = "stablelm",
    .source = "Bellagente et al. 2024; transformers modeling_stablelm.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .rotated = ROTATED_SHARE, .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .qk_norm = QK_NORM_HEADS, .qk_norm_by_config = true,
    .biased = { [OF_QKV] = BY_USE_QKV_BIAS, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER,
                [OF_QK_NORM] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .parallel_by_config = true },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .n_kv_heads = 32, .d_model = 2560, .d_ff = 6912,
        .n_vocab = 50304, .n_positions = 4096, .norm = { .eps = 1e-5 },
        .head = { .untied = true }, .act = ACT_SILU, .score = { .scaled = true },
        .rotary = { .share = .25, .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_Q_NORM] = "layers.%d.self_attn.q_layernorm.norms.%d",
        [W_K_NORM] = "layers.%d.self_attn.k_layernorm.norms.%d",
    } },
};
