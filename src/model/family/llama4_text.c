/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_llama4_text = {
    .name = "llama4_text",
    .source = "Meta AI 2025, The Llama 4 herd; transformers modeling_llama4.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE, .rope_layout = ROPE_PAIRS,
    .rope_rule = ROPE_BY_LIST,
    .qkv = QKV_SEPARATE, .order = ORDER_IN_OUT_EXPERTS, .mlp = MLP_GATED,
    .score = SCORE_SIGMOID_INPUT,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .qk_norm_last = true, .dense_apart = true },
    .defaults = {
        .n_layers = 48, .n_heads = 40, .n_kv_heads = 8, .d_model = 5120, .d_head = 128,
        .d_ff = 16384, .n_vocab = 202048, .n_positions = 131072,
        .chunked = { .near = { .len = 8192 } },
        .experts = { .n = 16, .n_chosen = 1, .d_ff = 8192, .step = 1, .n_shared = 1 },
        .norm = { .eps = 1e-5, .qk = true }, .head = { .untied = true }, .act = ACT_SILU,
        .score = { .scaled = true, .tempered = true, .slope = .1, .every = 8192 },
        .rotary = { .off_every = 4, .rope = { { .theta = 500000 } } },
    },
    .prefix = { "language_model.model.", "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_GATE]        = "layers.%d.feed_forward.gate_proj",
        [W_UP]          = "layers.%d.feed_forward.up_proj",
        [W_DOWN]        = "layers.%d.feed_forward.down_proj",
        [W_ROUTER]      = "layers.%d.feed_forward.router",
        [W_SHARED_GATE] = "layers.%d.feed_forward.shared_expert.gate_proj",
        [W_SHARED_UP]   = "layers.%d.feed_forward.shared_expert.up_proj",
        [W_SHARED_DOWN] = "layers.%d.feed_forward.shared_expert.down_proj",
        [W_EXPS_UP]     = "layers.%d.feed_forward.experts.gate_up_proj",
        [W_EXPS_DOWN]   = "layers.%d.feed_forward.experts.down_proj",
        [W_HEAD]        = "lm_head|language_model.lm_head",
    } },
};
