/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

const struct family family_bloom = {
    .name = "bloom",
    .source = "Scao et al. 2022; transformers modeling_bloom.py",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_NONE,
    .qkv = QKV_GROUPED, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .bias = BIAS_ALIBI,
    .quirks = &(const struct quirks){ .residual_by_config = true },
    .defaults = {
        .n_layers = 2, .n_heads = 8, .d_model = 64,
        .n_vocab = 250880, .n_positions = 1 << 24,      /* no limit of its own */
        .norm = { .eps = 1e-5 }, .act = ACT_GELU_TANH, .score = { .scaled = true },
    },
    .prefix = { "transformer." },
    .stack = { .name = {
        [W_TOK]        = "word_embeddings",
        [W_EMB_NORM]   = "word_embeddings_layernorm",
        [W_ATT_NORM]   = "h.%d.input_layernorm",
        [W_QKV]        = "h.%d.self_attention.query_key_value",
        [W_O]          = "h.%d.self_attention.dense",
        [W_MLP_NORM]   = "h.%d.post_attention_layernorm",
        [W_UP]         = "h.%d.mlp.dense_h_to_4h",
        [W_DOWN]       = "h.%d.mlp.dense_4h_to_h",
        [W_FINAL_NORM] = "ln_f",
        [W_HEAD]       = "lm_head",
    } },
};
