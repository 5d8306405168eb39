/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

const struct family family_modernbert = {
    .name = "modernbert",
    .source = "Warner et al. 2024; transformers modeling_modernbert.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_PRE, .positions = POS_ROPE,
    .qkv = QKV_STACKED, .order = ORDER_OUT_IN, .mlp = MLP_GATED_FUSED,
    .window_rule = WINDOW_TYPES,
    .has_head_act = true, .head_act = ACT_GELU,
    .biased = { [OF_QKV] = BY_ATTENTION_BIAS, [OF_OUT] = BY_ATTENTION_BIAS,
                [OF_MLP] = BY_MLP_BIAS, [OF_NORM] = BY_NORM_BIAS,
                [OF_TRANSFORM] = BY_CLASSIFIER_BIAS },
    .head_bias = BY_DECODER_BIAS,
    .quirks = &(const struct quirks){ .full_first = 3, .first_norm_absent = true },
    .defaults = {
        .has_bias = { [BY_DECODER_BIAS] = true },
        .n_layers = 22, .n_heads = 12, .d_model = 768, .d_ff = 1152, .n_vocab = 50368,
        .n_positions = 8192, .window = { .n_keys = 128, .both = true, .used = true },
        .norm = { .eps = 1e-5 }, .act = ACT_GELU, .score = { .scaled = true },
        .rotary = { .rope = { { .theta = 160000 }, { .theta = 10000 } } },
    },
    .prefix = { "model." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.tok_embeddings",
        [W_EMB_NORM]   = "embeddings.norm",
        [W_ATT_NORM]   = "layers.%d.attn_norm",
        [W_QKV]        = "layers.%d.attn.Wqkv",
        [W_O]          = "layers.%d.attn.Wo",
        [W_MLP_NORM]   = "layers.%d.mlp_norm",
        [W_UP]         = "layers.%d.mlp.Wi",
        [W_DOWN]       = "layers.%d.mlp.Wo",
        [W_FINAL_NORM] = "final_norm",
        [W_HEAD_DENSE] = "head.dense",
        [W_HEAD_NORM]  = "head.norm",
        [W_HEAD]       = "decoder",
        [W_HEAD_BIAS]  = "decoder.bias",
    } },
};
