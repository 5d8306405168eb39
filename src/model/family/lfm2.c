/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

const struct family family_lfm2 = {
    .name = "lfm2",
    .source = "Liquid AI 2025, LFM2; transformers modeling_lfm2.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_SEPARATE, .qk_norm = QK_NORM_HEAD, .mixer = MIXER_CONV, .order = ORDER_OUT_IN,
    .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER,
                [OF_MIXER] = BY_CONV_BIAS },
    .quirks = &(const struct quirks){ .fixed_act = true },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .n_kv_heads = 8, .d_model = 2560, .d_ff = 12288,
        .n_vocab = 65536, .n_positions = 128000, .norm = { .eps = 1e-5 }, .act = ACT_SILU,
        .mix = { .n_taps = 3 }, .adjust = { .multiple = 256, .factor = 1 },
        .score = { .scaled = true }, .rotary = { .rope = { { .theta = 1e6 } } },
    },
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_ATT_NORM]   = "layers.%d.operator_norm",
        [W_Q]          = "layers.%d.self_attn.q_proj",
        [W_K]          = "layers.%d.self_attn.k_proj",
        [W_V]          = "layers.%d.self_attn.v_proj",
        [W_Q_NORM]     = "layers.%d.self_attn.q_layernorm",
        [W_K_NORM]     = "layers.%d.self_attn.k_layernorm",
        [W_O]          = "layers.%d.self_attn.out_proj",
        [W_MIX_IN]     = "layers.%d.conv.in_proj",
        [W_MIX_TAPS]   = "layers.%d.conv.conv",
        [W_MIX_OUT]    = "layers.%d.conv.out_proj",
        [W_MLP_NORM]   = "layers.%d.ffn_norm",
        [W_GATE]       = "layers.%d.feed_forward.w1",
        [W_UP]         = "layers.%d.feed_forward.w3",
        [W_DOWN]       = "layers.%d.feed_forward.w2",
        [W_FINAL_NORM] = "embedding_norm",
        [W_HEAD]       = "lm_head",
    } },
};
