/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_gpt_oss = {
    .name = "gpt_oss",
    .source = "OpenAI 2025, gpt-oss model card; transformers modeling_gpt_oss.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .window_rule = WINDOW_TYPES, .full_every = 2,
    .qkv = QKV_SEPARATE, .order = ORDER_IN_OUT_EXPERTS, .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_ROUTER] = BIAS_ALWAYS },
    .quirks = &(const struct quirks){
        .experts_in_pairs = true,
        .always_renormalise = true,
        .fixed_act = true,
    },
    .defaults = {
        .n_layers = 36, .n_heads = 64, .n_kv_heads = 8, .d_model = 2880, .d_head = 64,
        .d_ff = 2880, .n_vocab = 201088, .n_positions = 131072,
        .window = { .n_keys = 128, .used = true },
        .experts = { .n = 128, .n_chosen = 4, .step = 1, .limit = 7 },
        .norm = { .eps = 1e-5 }, .head = { .untied = true },
        .act = ACT_QUICK_GELU,          /* its 1.702 is swiglu_alpha */
        .has_bias = { [BY_ATTENTION_BIAS] = true }, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 150000, .scaling = ROPE_YARN, .factor = 32,
                                .beta_fast = 32, .beta_slow = 1, .original = 4096,
                                .no_truncate = true } } },
    },
    .prefix = { "model." },
    .like = &family_llama,
    .stack = { .name = {
        [W_GATE] = "", [W_UP] = "", [W_DOWN] = "",
        [W_SINKS]          = "layers.%d.self_attn.sinks",
        [W_ROUTER]         = "layers.%d.mlp.router",
        [W_EXPS_UP]        = "layers.%d.mlp.experts.gate_up_proj",
        [W_EXPS_UP_BIAS]   = "layers.%d.mlp.experts.gate_up_proj_bias",
        [W_EXPS_DOWN]      = "layers.%d.mlp.experts.down_proj",
        [W_EXPS_DOWN_BIAS] = "layers.%d.mlp.experts.down_proj_bias",
    } },
};
