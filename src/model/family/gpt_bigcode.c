/* SPDX-License-Identifier: MIT */
#include "model/families.h"

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
    .like = &family_gpt2,
};
