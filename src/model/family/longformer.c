/* SPDX-License-Identifier: MIT */
#include "model/families.h"
#include "model/quirks.h"

const struct family family_longformer = {
    .name = "longformer",
    .source = "Beltagy et al. 2020; transformers modeling_longformer.py",
    .stack_id = STACK_ENCODER,
    .norm = NORM_LAYER, .norm_place = PLACE_POST, .positions = POS_TABLE_FROM_IDS,
    .qkv = QKV_SEPARATE, .order = ORDER_OUT_IN, .mlp = MLP_PLAIN,
    .has_head_act = true, .head_act = ACT_GELU, .window_rule = WINDOW_ALL,
    .quirks = &(const struct quirks){
        .global_rule = {
            { "LongformerForSequenceClassification", GLOBAL_FIRST },
            { "LongformerForQuestionAnswering", GLOBAL_QUESTION },
            { "LongformerForMultipleChoice", GLOBAL_ANSWER },
        },
    },
    .defaults = {
        .n_layers = 12, .n_heads = 12, .d_model = 768, .d_ff = 3072, .n_vocab = 30522,
        .n_positions = 512, .n_types = 2, .pad_id = 1, .norm = { .eps = 1e-12 },
        .act = ACT_GELU, .score = { .scaled = true },
        .window = { .n_keys = 512, .both = true, .used = true }, .sparse = { .sep_id = 2 },
    },
    .prefix = { "longformer." },
    .like = &family_roberta,
    .stack = { .name = {
        [W_Q_GLOBAL] = "encoder.layer.%d.attention.self.query_global",
        [W_K_GLOBAL] = "encoder.layer.%d.attention.self.key_global",
        [W_V_GLOBAL] = "encoder.layer.%d.attention.self.value_global",
    } },
};
