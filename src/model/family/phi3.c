/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_phi3 = {
    .name = "phi3",
    .source = "Abdin et al. 2024; transformers modeling_phi3.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_RMS, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_STACKED, .order = ORDER_OUT_IN, .mlp = MLP_GATED_FUSED,
    .window_rule = WINDOW_ALL, .rotated = ROTATED_SHARE,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 32, .n_heads = 32, .d_model = 3072, .d_ff = 8192, .n_vocab = 32064,
        .n_positions = 4096, .window = { .used = true }, .norm = { .eps = 1e-5 },
        .head = { .untied = true }, .act = ACT_SILU, .score = { .scaled = true },
        .rotary = { .share = 1, .rope = { { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "embed_tokens",
        [W_ATT_NORM]   = "layers.%d.input_layernorm",
        [W_O]          = "layers.%d.self_attn.o_proj",
        [W_MLP_NORM]   = "layers.%d.post_attention_layernorm",
        [W_UP]         = "layers.%d.mlp.gate_up_proj",
        [W_DOWN]       = "layers.%d.mlp.down_proj",
        [W_QKV]        = "layers.%d.self_attn.qkv_proj",
        [W_FINAL_NORM] = "norm",
        [W_HEAD]       = "lm_head",
    } },
};
