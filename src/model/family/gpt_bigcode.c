/* SPDX-License-Identifier: MIT */
#include "model/family.h"

/* One key/value head for all, or, without multi_query, one for each query head. */
const struct family family_gpt_bigcode = {
    .name = "gpt_bigcode",
    .source = "Ben Allal et al. 2023; transformers modeling_gpt_bigcode.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_TABLE,
    .qkv = QKV_GROUPED, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .spare = "attn.bias|attn.masked_bias",
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .n_vocab = 50257,
        .n_positions = 1024, .norm = { .eps = 1e-5 }, .act = ACT_GELU_TANH,
        .falcon = { .multi_query = true }, .score = { .scaled = true },
    },
    .prefix = { "transformer." },
    .stack = { .name = {
        [W_TOK]        = "wte",
        [W_POS]        = "wpe",
        [W_ATT_NORM]   = "h.%d.ln_1",
        [W_QKV]        = "h.%d.attn.c_attn",
        [W_O]          = "h.%d.attn.c_proj",
        [W_MLP_NORM]   = "h.%d.ln_2",
        [W_UP]         = "h.%d.mlp.c_fc",
        [W_DOWN]       = "h.%d.mlp.c_proj",
        [W_FINAL_NORM] = "ln_f",
        [W_HEAD]       = "lm_head",
    } },
};
