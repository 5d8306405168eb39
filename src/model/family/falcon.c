/* SPDX-License-Identifier: MIT */
#include "model/families.h"

/*
 * Three shapes: one key/value head for all (the default), one for each query head,
 * and groups with two norms (new_decoder_architecture).
 */
const struct family family_falcon = {
    .name = "falcon",
    .source = "Almazrouei et al. 2023; transformers modeling_falcon.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PARALLEL, .positions = POS_ROPE,
    .qkv = QKV_GROUPED, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .biased = { [OF_QKV] = BY_BIAS, [OF_OUT] = BY_BIAS, [OF_MLP] = BY_BIAS },
    .defaults = {
        .n_layers = 32, .n_heads = 71, .d_model = 4544, .n_vocab = 65024,
        .n_positions = 2048, .norm = { .parallel = true, .eps = 1e-5 },
        .falcon = { .multi_query = true }, .act = ACT_GELU, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 10000 } } },
    },
    .prefix = { "transformer." },
    .like = &family_bloom,
    .stack = { .name = {
        [W_EMB_NORM] = "",
        [W_ATT_NORM] = "h.%d.ln_attn|h.%d.input_layernorm",
        [W_MLP_NORM] = "h.%d.ln_mlp|h.%d.post_attention_layernorm",
    } },
};
