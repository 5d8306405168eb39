/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

const struct family family_mpt = {
    .name = "mpt",
    .source = "MosaicML 2023; transformers modeling_mpt.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_NONE,
    .bias = BIAS_ALIBI,
    .qkv = QKV_STACKED, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .clips = true,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER,
                [OF_NORM] = BIAS_NEVER },
    .quirks = &(const struct quirks){ .slopes = SLOPES_ABOVE, .attn_config = true },
    .defaults = {
        .n_layers = 24, .n_heads = 16, .d_model = 2048, .n_vocab = 50368,
        .n_positions = 2048, .norm = { .eps = 1e-5 }, .act = ACT_GELU,
        .score = { .scaled = true },
    },
    .prefix = { "transformer." },
    .stack = { .name = {
        [W_TOK]        = "wte",
        [W_ATT_NORM]   = "blocks.%d.norm_1",
        [W_QKV]        = "blocks.%d.attn.Wqkv",
        [W_O]          = "blocks.%d.attn.out_proj",
        [W_MLP_NORM]   = "blocks.%d.norm_2",
        [W_UP]         = "blocks.%d.ffn.up_proj",
        [W_DOWN]       = "blocks.%d.ffn.down_proj",
        [W_FINAL_NORM] = "norm_f",
        [W_HEAD]       = "lm_head",
    } },
};
