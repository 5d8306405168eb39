/* SPDX-License-Identifier: MIT */
#include "model/family.h"
#include "model/quirks.h"

static const struct family prophetnet_decoder = {
    .name = "prophetnet",
    .stack_id = STACK_DECODER, .causal = true,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE_AFTER_PAD,
    .bias = BIAS_BUCKETS_OF_ROW,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .quirks = &(const struct quirks){
        .headless = "its logits are those of streams of n-grams beside the decoder, which are not "
                    "computed",
    },
    .prefix = { "prophetnet." },
    .stack = { .name = {
        [W_TOK]        = "word_embeddings|decoder.word_embeddings",
        [W_POS]        = "decoder.position_embeddings",
        [W_EMB_NORM]   = "decoder.embeddings_layer_norm",
        [W_ATT_NORM]   = "decoder.layers.%d.self_attn_layer_norm",
        [W_Q]          = "decoder.layers.%d.self_attn.query_proj",
        [W_K]          = "decoder.layers.%d.self_attn.key_proj",
        [W_V]          = "decoder.layers.%d.self_attn.value_proj",
        [W_BUCKETS]    = "decoder.layers.%d.self_attn.relative_pos_embeddings",
        [W_O]          = "decoder.layers.%d.self_attn.out_proj",
        [W_CROSS_NORM] = "decoder.layers.%d.cross_attn_layer_norm",
        [W_CROSS_Q]    = "decoder.layers.%d.cross_attn.query_proj",
        [W_CROSS_K]    = "decoder.layers.%d.cross_attn.key_proj",
        [W_CROSS_V]    = "decoder.layers.%d.cross_attn.value_proj",
        [W_CROSS_O]    = "decoder.layers.%d.cross_attn.out_proj",
        [W_MLP_NORM]   = "decoder.layers.%d.feed_forward_layer_norm",
        [W_UP]         = "decoder.layers.%d.feed_forward.intermediate",
        [W_DOWN]       = "decoder.layers.%d.feed_forward.output",
    } },
};

const struct family family_prophetnet = {
    .name = "prophetnet",
    .source = "Qi et al. 2020; transformers modeling_prophetnet.py",
    .stack_id = STACK_ENCODER, .decoder = &prophetnet_decoder,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE_AFTER_PAD,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN, .fixed_eps = true,
    .prefix = { "prophetnet." },
    .defaults = {
        .n_layers = 12, .n_heads = 16, .d_model = 1024, .d_ff = 4096,
        .decoder = { .n_layers = 12, .n_heads = 16, .d_ff = 4096, .start_id = 0 },
        .n_vocab = 30522, .n_positions = 512, .act = ACT_GELU, .norm = { .eps = 1e-5 },
        .score = { .scaled = true }, .bias = { .n_buckets = 32, .max_distance = 128 },
    },
    .stack = { .name = {
        [W_TOK]        = "word_embeddings|encoder.word_embeddings",
        [W_POS]        = "encoder.position_embeddings",
        [W_EMB_NORM]   = "encoder.embeddings_layer_norm",
        [W_ATT_NORM]   = "encoder.layers.%d.self_attn_layer_norm",
        [W_Q]          = "encoder.layers.%d.self_attn.query_proj",
        [W_K]          = "encoder.layers.%d.self_attn.key_proj",
        [W_V]          = "encoder.layers.%d.self_attn.value_proj",
        [W_O]          = "encoder.layers.%d.self_attn.out_proj",
        [W_MLP_NORM]   = "encoder.layers.%d.feed_forward_layer_norm",
        [W_UP]         = "encoder.layers.%d.feed_forward.intermediate",
        [W_DOWN]       = "encoder.layers.%d.feed_forward.output",
    } },
};
