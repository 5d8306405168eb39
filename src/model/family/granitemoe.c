/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_granitemoe = {
    .name = "granitemoe",
    .source = "IBM 2024; transformers modeling_granitemoe.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .always_renormalise = true },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .d_model = 4096, .d_ff = 11008, .n_vocab = 32000,
        .n_positions = 2048, .experts = { .n = 8, .n_chosen = 2, .step = 1 },
        .norm = { .eps = 1e-6 }, .act = ACT_SILU,
        .multiplier = { .tokens = 1, .branch = 1 }, .score = { .factor = 1 },
        .head = { .untied = true, .divisor = 1 }, .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_GATE] = "", [W_UP] = "", [W_DOWN] = "",
        [W_ROUTER]    = "layers.%d.block_sparse_moe.router.layer",
        [W_EXPS_UP]   = "layers.%d.block_sparse_moe.input_linear.weight",
        [W_EXPS_DOWN] = "layers.%d.block_sparse_moe.output_linear.weight",
    } },
};
