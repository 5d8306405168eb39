/* SPDX-License-Identifier: MIT */
#include "model/family.h"

/* Names as in files on disk; the library has others. */
const struct family family_nomic_bert = {
    .name = "nomic_bert",
    .source = "Nussbaum et al. 2024; transformers modeling_nomic_bert.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_ROPE,
    .qkv = QKV_STACKED, .order = ORDER_OUT_IN, .mlp = MLP_GATED,
    .biased = { [OF_QKV] = BIAS_NEVER, [OF_OUT] = BIAS_NEVER, [OF_MLP] = BIAS_NEVER },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30528,
        .n_positions = 2048, .n_types = 2, .norm = { .eps = 1e-12 }, .act = ACT_SILU,
        .score = { .scaled = true }, .rotary = { .rope = { { .theta = 1000 } } },
    },
    .prefix = { "nomic_bert." },
    .stack = { .name = {
        [W_TOK]        = "embeddings.word_embeddings",
        [W_TYPE]       = "embeddings.token_type_embeddings",
        [W_EMB_NORM]   = "emb_ln",
        [W_QKV]        = "encoder.layers.%d.attn.Wqkv",
        [W_O]          = "encoder.layers.%d.attn.out_proj",
        [W_ATT_NORM]   = "encoder.layers.%d.norm1",
        [W_GATE]       = "encoder.layers.%d.mlp.fc12",
        [W_UP]         = "encoder.layers.%d.mlp.fc11",
        [W_DOWN]       = "encoder.layers.%d.mlp.fc2",
        [W_MLP_NORM]   = "encoder.layers.%d.norm2",
        [W_HEAD_DENSE] = "cls.predictions.transform.dense",
        [W_HEAD_NORM]  = "cls.predictions.transform.layer_norm|"
                         "cls.predictions.transform.LayerNorm",
        [W_HEAD]       = "cls.predictions.decoder",
        [W_HEAD_BIAS]  = "cls.predictions.bias|cls.predictions.decoder.bias",
    } },
};
