/* SPDX-License-Identifier: MIT */
#include "model/family.h"

const struct family family_codegen = {
    .name = "codegen",
    .source = "Nijkamp et al. 2023; transformers modeling_codegen.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PARALLEL, .positions = POS_ROPE,
    .qkv = QKV_QUARTERS, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .rope_layout = ROPE_PAIRS, .rotated = ROTATED_DIM,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_HEAD] = BIAS_ALWAYS },
    .spare = "attn.causal_mask",
    .defaults = {
        .n_layers = 28, .n_heads = 16, .d_model = 4096, .n_vocab = 50400,
        .n_positions = 2048, .norm = { .eps = 1e-5 }, .head = { .untied = true },
        .act = ACT_GELU_TANH, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } }, .n_columns = 64 },
    },
    .prefix = { "transformer." },
    .stack = { .name = {
        [W_TOK]        = "wte",
        [W_ATT_NORM]   = "h.%d.ln_1",
        [W_QKV]        = "h.%d.attn.qkv_proj",
        [W_O]          = "h.%d.attn.out_proj",
        [W_UP]         = "h.%d.mlp.fc_in",
        [W_DOWN]       = "h.%d.mlp.fc_out",
        [W_FINAL_NORM] = "ln_f",
        [W_HEAD]       = "lm_head",
    } },
};
